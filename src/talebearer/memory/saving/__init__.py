"""How a mind is written down and read back: as JSON, as a table, and as one file with its log."""
