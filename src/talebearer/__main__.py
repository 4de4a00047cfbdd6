"""``python -m talebearer``."""

from talebearer.cli import main

main()
