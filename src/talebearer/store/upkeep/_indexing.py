"""Bringing the text index up to the versions, a bounded number of rows a commit."""

from __future__ import annotations

from talebearer.store._engine import Database
from talebearer.store.retrieval import TextIndex
from talebearer.store.upkeep._progress import Progress

ROWS_A_COMMIT = 2_000


def catch_up(database: Database, told: Progress) -> int:
    """Index what is not indexed yet and return how many rows it were.

    Raises:
        StoreFull: There is no space; what is indexed by then stays so (TB206).
    """
    index = TextIndex(database)
    with database.reading():
        _, lag = index.lag()
    done = 0
    while True:
        with database.writing():
            count = index.keep_up(rows_max=ROWS_A_COMMIT)
        if not count:
            return done
        done += count
        told("building the text index", done, lag)
