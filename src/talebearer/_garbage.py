"""Work that the collector of garbage only holds up."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def undisturbed() -> Iterator[None]:
    """Keep the collector of garbage out of work that makes very many objects, all of which stay.

    Each of its rounds would go through everything that the process holds and find nothing.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
