"""The package version, alone in its module so that printing it imports nothing else."""

__version__ = "0.1.0"
