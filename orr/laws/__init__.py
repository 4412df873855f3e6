"""How flip sets are drawn: the laws, and what each can tell and do."""
