"""What goes in and comes out: records, and the tables that are estimated from what was released."""
