"""When the garbage of playthroughs is collected."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_YOUNG = 50_000
"""Objects that are made between two looks for cycles: about those of a playthrough."""


@contextmanager
def rare_collections() -> Iterator[None]:
    """Look for garbage seldom, and never among what was there before.

    A playthrough makes its minds, which are cycles, and drops them at its end; the pack stays all the
    while. Python's own settings go through both every few hundred objects. They come back at the end.
    """
    before = gc.get_threshold()
    is_first = gc.get_freeze_count() == 0
    if before[0] == 0:  # somebody has turned collections off
        yield
        return
    if is_first:
        gc.freeze()
    gc.set_threshold(max(before[0], _YOUNG), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        if is_first:
            gc.unfreeze()
