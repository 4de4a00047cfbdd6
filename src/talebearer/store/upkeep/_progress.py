"""How far a long piece of work is, told to whoever wants to know."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with a stage, how much of it is done, and how much there is; 0 where nobody knows."""


def silent(stage: str, done: int, total: int) -> None:
    """Tell nobody."""
