"""Files: mechanisms written and read again, records released batch by batch, and the command line."""
