"""The front door in parts: a campaign that is open, and what is done with it, by what it is done to."""
