"""R, the yardstick of the store: the same rows written by a bare apsw loop.

What the store writes is not described here a second time: its own statements are recorded while it
creates records, and replayed without it, over the same schema and at the same durability. So the
yardstick writes exactly the rows that the store writes, the index's row included where it has one.
"""

from __future__ import annotations

import hashlib
import re
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from talebearer.store import DEFAULT_POLICY, Policy, Store
from talebearer.testing import counting_ids, sample_knowledge, sample_meta

META = sample_meta("bench")
NOW_MS = 1_767_297_600_000
WORDS = ("the", "ferry", "rope", "bell", "harbour", "rain", "lantern", "debt", "miller", "quay")
RECORD_BYTES = 1_024
TEXT_CHARS = 130
FILL_RECORDS = 5_000

Statement = tuple[str, tuple[Any, ...]]
Recording = list[list[Statement]]


def occurrence(number: int) -> dict[str, Any]:
    """Return a record of about one kilobyte with 130 characters of text under ``/content``."""
    words = [WORDS[(number * 7 + n * (1 + number % 5)) % len(WORDS)] for n in range(40)]
    text = f"{number:08d} {' '.join(words)}"[:TEXT_CHARS]
    value = sample_knowledge(text)
    value["metadata"]["extensions"] = {"talebearer.bench": {"padding": ""}}
    short = RECORD_BYTES - len(repr(value))
    value["metadata"]["extensions"]["talebearer.bench"]["padding"] = "." * max(0, short)
    return value


def entity_id(number: int) -> str:
    """Return the id of a benchmark record; all have one length."""
    return f"occurrence:bench:{number:08d}"


_policy = [DEFAULT_POLICY]


@contextmanager
def policy(one: Policy) -> Iterator[None]:
    """Open stores with this policy, inside."""
    _policy.append(one)
    try:
        yield
    finally:
        _policy.pop()


def open_store(
    folder: Path, *, prefix: str = "bench", now_ms: Callable[[], int] = lambda: NOW_MS
) -> Store:
    """Open the store of a benchmark."""
    return Store.open(
        folder / "talebearer.db",
        artifacts=folder / "artifacts",
        now_ms=now_ms,
        new_id=counting_ids(prefix),
        policy=_policy[-1],
    )


def record(
    folder: Path, make: Callable[[Store, int], object], *, count: int, first_ms: int | None = None
) -> Recording:
    """Return the statements that write, of each call of *make* on a fresh store.

    With *first_ms* each call has a millisecond of its own, counted from there.
    """
    recording: Recording = []

    def now_ms() -> int:
        return NOW_MS if first_ms is None else first_ms + max(0, len(recording) - 1)

    with open_store(folder, now_ms=now_ms) as store:
        make(store, -1)  # what is only written once is not a part of it
        connection = store._db._connection

        def note(_cursor: object, sql: str, bindings: Any) -> bool:
            if re.match(r"\s*(INSERT|UPDATE|DELETE|REPLACE|WITH)", sql, re.IGNORECASE):
                recording[-1].append((sql, tuple(bindings or ())))
            return True

        connection.exec_trace = note
        for number in range(count):
            recording.append([])
            make(store, number)
        connection.exec_trace = None
    return recording


def replay(
    folder: Path,
    recording: Recording,
    make: Callable[[Store, int], object],
    *,
    synchronous: str,
    size: int = 1,
) -> float:
    """Return the median seconds a record when *size* of them share a transaction."""
    with open_store(folder) as store:
        make(store, -1)
    connection = connect(folder / "talebearer.db", synchronous=synchronous)
    times = []
    for start in range(0, len(recording) - size + 1, size):
        began = time.perf_counter()
        connection.execute("BEGIN IMMEDIATE")
        for statements in recording[start : start + size]:
            for sql, bindings in statements:
                connection.execute(sql, bindings)
        connection.execute("COMMIT")
        times.append((time.perf_counter() - began) / size)
    connection.close()
    return statistics.median(times)


def connect(path: Path, *, synchronous: str) -> apsw.Connection:
    """Return a connection as the store has it."""
    connection = apsw.Connection(str(path), statementcachesize=256)
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    for pragma in ("journal_mode = WAL", f"synchronous = {synchronous}", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}").fetchall()
    return connection


def fill(folder: Path, *, count: int, last_ms: int | None = None) -> None:
    """Write *count* records by the store's own statements, many a transaction.

    All were recorded in one millisecond, or each in one of its own, which end at *last_ms*.

    Merge changes get hashes of their own; their bytes are all the same, so records written here
    can be read, searched and followed, and are no base of a merge.
    """
    first_ms = None if last_ms is None else last_ms - count
    recording = record(folder.with_name(folder.name + "-two"), create, count=2, first_ms=first_ms)
    statements = [_template(*pair) for pair in zip(*recording, strict=True)]
    with open_store(folder, now_ms=lambda: first_ms or NOW_MS) as store:
        create(store, -1)
    connection = connect(folder / "talebearer.db", synchronous="OFF")
    for start in range(0, count, FILL_RECORDS):
        numbers = range(start, min(start + FILL_RECORDS, count))
        connection.execute("BEGIN IMMEDIATE")
        for sql, bindings in statements:
            connection.executemany(sql, (tuple(make(n) for make in bindings) for n in numbers))
        connection.execute("COMMIT")
    connection.close()


def create(store: Store, number: int) -> object:
    """Create a benchmark record."""
    return store.create(META, "knowledge", occurrence(number), id=entity_id(number % 100_000_000))


def _template(first: Statement, second: Statement) -> tuple[str, list[Callable[[int], Any]]]:
    """Return a statement of records 0 and 1 with its bindings as functions of the number."""
    assert first[0] == second[0], "both records are written alike"
    return first[0], [_binding(*pair) for pair in zip(first[1], second[1], strict=True)]


def _binding(first: Any, second: Any) -> Callable[[int], Any]:
    if first == second:
        return lambda _: first
    if isinstance(first, int) and isinstance(second, int):
        return lambda number: first + (second - first) * number
    if isinstance(first, bytes) and len(first) == 32:
        return lambda number: hashlib.sha256(f"{number}".encode()).digest()
    if isinstance(first, bytes):
        return lambda _: first
    if re.fullmatch(r"[0-9a-f]{64}", first):
        return lambda number: hashlib.sha256(f"{number}".encode()).hexdigest()
    return _text(first, second)


def _text(first: str, second: str) -> Callable[[int], str]:
    """Return a text in which the record's number and its version ids count up."""
    versions = re.findall(r"bench(\d{8})", first)
    steps = [
        int(b) - int(a) for a, b in zip(versions, re.findall(r"bench(\d{8})", second), strict=True)
    ]

    def make(number: int) -> str:
        text = first.replace("00000000", f"{number:08d}")
        for version, step in zip(versions, steps, strict=True):
            text = text.replace(f"bench{version}", f"bench{int(version) + step * number:08d}")
        return text

    return make


def median_each(calls: Sequence[Callable[[], object]]) -> float:
    """Return the median seconds of *calls*."""
    times = []
    for call in calls:
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return statistics.median(times)
