"""How long results look to people: a module for each command whose answer is tables.

The commands say which options there are and what they do; these print. Programs get ``--json``.
"""

__all__: list[str] = []
