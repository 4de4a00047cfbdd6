"""Upkeep of a store of many records: the time of each command for a record, and its peak memory.

The records are of a type without merge rules, so that the store's own statements can fill it and all
that `fsck` looks at is in order.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import bare_rows
from rows import MEBIBYTE, TALEBEARER, Row, limit, ratio, run, shown, timed

from talebearer.store import CAMPAIGN_POLICY

NEAR, FAR = 10_000, 100_000
SMALL = 200
"""One size is enough to see that it runs."""
MEMORY_MIB = 200
LINEAR = frozenset({"fsck", "backup", "export", "import", "as-of", "tail"})
FACTOR = 1.5
"""How much more time a record may take in the larger store."""


def rows(*, small: bool) -> Iterator[Row]:
    """Yield the rows of each command."""
    near, far = (SMALL, SMALL) if small else (NEAR, FAR)
    with tempfile.TemporaryDirectory(prefix="tb-") as folder:
        found = {count: measured(Path(folder) / str(count), count) for count in {near, far}}
    before, after = found[near], found[far]
    for name, (seconds, peak_bytes) in after.items():
        title = f"store {name} of {far:,} records"
        yield limit(f"{title}, peak memory", peak_bytes / MEBIBYTE, MEMORY_MIB, "MiB")
        each, each_before = seconds / far, before[name][0] / near
        if name in LINEAR:
            what = f"{title}, a record, against {near:,}"
            yield ratio(what, each, each_before, "s", least=1 / FACTOR)
        else:
            yield shown(title, seconds, "s")


def measured(work: Path, count: int) -> dict[str, tuple[float, int]]:
    """Return seconds and peak memory of each command on a store of *count* records."""
    store, copy = work / "store", work / "copy"
    with bare_rows.policy(CAMPAIGN_POLICY):
        bare_rows.fill(store, count=count)
        for folder in (store, copy):
            with bare_rows.open_store(folder, prefix="more") as opened:
                opened.keep_up()
    lines = str(work / "store.jsonl")
    commands = {
        "check": ("check", "--root", store),
        "fsck": ("fsck", "--root", store),
        "backup": ("backup", work / "backup", "--root", store),
        "export": ("export", lines, "--root", store),
        "import": ("import", lines, "--root", copy),
        "gc --dry-run": ("gc", "--dry-run", "--root", store),
        "history": ("history", "knowledge", bare_rows.entity_id(7), "--root", store),
        "as-of": ("as-of", "--root", store),
        "tail": ("tail", "--root", store),
    }
    run([TALEBEARER, "store", "fsck", "--root", str(store)])
    return {
        name: timed([TALEBEARER, "store", *map(str, words)]) for name, words in commands.items()
    }


if __name__ == "__main__":
    for row in rows(small="--small" in sys.argv):
        print(json.dumps(row), flush=True)
