"""One file a command: ``NAME``, ``EXAMPLE`` and ``run``."""
