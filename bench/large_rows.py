"""The store's promises at size: latencies of a large store beside a small one, and the daemon on it.

Both stores are made once and open at the same time, and every call is made on one and on the other
in turn, so that what else the machine does meets both.
"""

from __future__ import annotations

import argparse
import gc
import json
import signal
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import bare_rows
import daemon_rows
from daemon_rows import daemon, exchange, memory_bytes
from rows import MEBIBYTE, Row, beside, limit, more, ratio, shown

from talebearer.store import Call, EntityRef, Store

RARE = "xylophonist"
RARE_COUNT = 3
NEAR, FAR = 10_000, 1_000_000
NEAR_SMALL, FAR_SMALL = 60, 300
FACTOR = 1.5
"""How much slower a call may be on the large store."""
ROUNDS = 600
REPLAYED = 200_000
FRESH = 20_000_000
"""Numbers from here on are of records that a measurement creates; each run needs new ones."""
SHOWN = frozenset({"search for digits of which every record has most"})
"""The worst kind of text for an index of trigrams: each of its parts is everywhere."""


def rows(*, small: bool, work: Path | None = None) -> Iterator[Row]:
    """Yield the rows; with *work*, the stores are kept there and used again by the next run."""
    near, far = (NEAR_SMALL, FAR_SMALL) if small else (NEAR, FAR)
    with tempfile.TemporaryDirectory(prefix="tb-") as folder:
        place = work or Path(folder)
        small_root, large_root = made(place / "near", near), made(place / "far", far)
        yield from embedded(small_root, large_root, near=near, far=far)
        yield from served(small_root, large_root, near=near, far=far)
        yield from restarted(large_root, far=far)


def made(root: Path, count: int) -> Path:
    """Return the root of a store of *count* records; it is made if it is not there."""
    if not root.exists():
        root.mkdir(mode=0o700, parents=True)
        # The daemon's clock is the machine's, and it forgets changes that are too old for it.
        bare_rows.fill(root / "data", count=count, last_ms=now_ms())
        with bare_rows.open_store(root / "data", prefix="rare", now_ms=now_ms) as store:
            _add_rare(store)
            store.keep_up()
    return root


def _add_rare(store: Store) -> None:
    for number in range(RARE_COUNT):
        store.create(bare_rows.META, "knowledge", rare_value(number), id=f"rare{number}")


def embedded(small_root: Path, large_root: Path, *, near: int, far: int) -> Iterator[Row]:
    """Median latencies on both stores, and the replay of the feed on the large one."""
    prefix = f"run{time.time_ns()}-"
    with ExitStack() as stack:
        stores = [
            stack.enter_context(bare_rows.open_store(root / "data", prefix=prefix, now_ms=now_ms))
            for root in (small_root, large_root)
        ]
        for store in stores:
            # What the disk takes to sync would hide what the size costs.
            store._db.connection.execute("PRAGMA synchronous = NORMAL").fetchall()
        base = FRESH + time.time_ns() % 50_000_000
        calls = [
            _embedded_calls(store, count, base)
            for store, count in zip(stores, (near, far), strict=True)
        ]
        yield from _compared("", calls, near=near, far=far)
        replayed = _replay(stores[1], limit_count=REPLAYED)
    yield more("feed replay, embedded", replayed, 50_000, "changes/s")


Calls = dict[str, Callable[[int], object]]


def _embedded_calls(store: Store, count: int, base: int) -> Calls:
    def search(text: str) -> int:
        return len(_retrieve(store, {"text": text}))

    def page(number: int) -> None:
        store.open_feed(bare_rows.META, after_cursor=str(number + 1)).next_page()

    assert search(RARE) == RARE_COUNT
    return {
        "read": lambda n: store.read(bare_rows.META, _ref(spread(n, count))),
        "create": lambda n: bare_rows.create(store, base + n),
        "page of the feed": lambda n: page(spread(n, count)),
        "retrieve the newest by a filter": lambda _: _retrieve(store, COMMON),
        "retrieve one by a filter": lambda n: _retrieve(store, one_rare(n)),
        "search for a rare word": lambda _: search(RARE),
        "search for digits of which every record has most": lambda n: search(
            f"{spread(n, count):08d}"
        ),
    }


COMMON: dict[str, object] = {"where": {"/profile/epistemic": "unknown"}}


def one_rare(number: int) -> dict[str, object]:
    """Return a filter that finds one record, by its text as a whole."""
    text = rare_value(number % RARE_COUNT)["content"]["text"]
    return {"where": {"/content/text": text}}


def rare_value(number: int) -> dict[str, Any]:
    """Return a record with a word that few have."""
    value = bare_rows.occurrence(number)
    value["content"]["text"] += f" {RARE}"
    return value


def now_ms() -> int:
    """Return the time, Unix milliseconds."""
    return time.time_ns() // 1_000_000


def spread(number: int, count: int) -> int:
    """Return one of *count* numbers, far from that of the number before."""
    return number * 7_919_993 % count


def _ref(number: int) -> EntityRef:
    return EntityRef("knowledge", bare_rows.entity_id(number))


def _retrieve(store: Store, query: dict[str, object]) -> list[object]:
    data = {"query": json.dumps(query)}
    return list(store.call(Call("patchouli.entity.retrieve@1", bare_rows.META, data)).data["hits"])


def _compared(whose: str, both: list[Calls], *, near: int, far: int) -> Iterator[Row]:
    """Yield for each call its median on the large store beside that on the small one."""
    for name in both[0]:
        rounds = min(near, ROUNDS if name in ("read", "create") else ROUNDS // 6)
        before, after = _in_turns([calls[name] for calls in both], rounds)
        title = f"{whose}{name} at {far:,} entities, against {near:,}"
        if name in SHOWN:
            yield beside(title, after, before)
        else:
            yield ratio(title, after, before, "s", least=1 / FACTOR)


def _in_turns(calls: list[Callable[[int], object]], rounds: int) -> list[float]:
    """Return the median seconds of each call, made in turns."""
    times: list[list[float]] = [[] for _ in calls]
    gc.collect()
    for number in range(rounds):
        for index, call in enumerate(calls):
            began = time.perf_counter()
            call(number)
            times[index].append(time.perf_counter() - began)
    return [statistics.median(one) for one in times]


def _replay(store: Store, *, limit_count: int) -> float:
    """Return how many changes a second are read from the beginning."""
    feed = store.open_feed(bare_rows.META, after_cursor="0")
    count, began = 0, time.perf_counter()
    while count < limit_count:
        page = feed.next_page()
        if not page:
            break
        count += len(page)
    return count / (time.perf_counter() - began)


def served(small_root: Path, large_root: Path, *, near: int, far: int) -> Iterator[Row]:
    """A daemon on each store: how soon it is there, latencies in turns, and its memory."""
    with ExitStack() as stack:
        calls, peaks = [], []
        for root, count in ((small_root, near), (large_root, far)):
            began = time.perf_counter()
            endpoint, pid = stack.enter_context(daemon(root, made=True))
            started = time.perf_counter() - began
            connection = stack.enter_context(daemon_rows.connect(endpoint))
            calls.append(_served_calls(connection, count, FRESH + time.time_ns() % 50_000_000))
            peaks.append(pid)
        yield limit(f"daemon start on {far:,} entities", started, 1.0, "s")
        yield _memory(f"daemon memory on {far:,} entities, at start", peaks[1])
        yield from _compared("daemon ", calls, near=near, far=far)
        daemon_rows.together(
            endpoint, [daemon_rows.read_line(spread(n, far)) for n in range(min(5_000, far))]
        )
        base = FRESH + time.time_ns() % 50_000_000
        daemon_rows.together(
            endpoint, [daemon_rows.create_line(base + n) for n in range(min(2_000, far))]
        )
        yield _memory(f"daemon memory on {far:,} entities, after reads, writes, searches", peaks[1])
        seconds = daemon_rows.followed(endpoint, count=min(far, REPLAYED))
        yield shown("feed replay, daemon", min(far, REPLAYED) / seconds, "changes/s")
        exchange(connection, daemon_rows.request("patchouli.control.checkpoint@1", {}))
        yield _memory(f"daemon memory on {far:,} entities, after a feed and a checkpoint", peaks[1])


def _served_calls(connection: socket.socket, count: int, base: int) -> Calls:
    def retrieve(query: dict[str, object]) -> bytes:
        data = {"query": json.dumps(query)}
        return exchange(connection, daemon_rows.request("patchouli.entity.retrieve@1", data))

    assert retrieve({"text": RARE}).count(RARE.encode()) >= RARE_COUNT
    return {
        "read": lambda n: exchange(connection, daemon_rows.read_line(spread(n, count))),
        "create": lambda n: exchange(connection, daemon_rows.create_line(base + n)),
        "retrieve the newest by a filter": lambda _: retrieve(COMMON),
        "search for a rare word": lambda _: retrieve({"text": RARE}),
    }


def restarted(large_root: Path, *, far: int) -> Iterator[Row]:
    """Starting after a kill in the middle of writing."""
    with daemon(large_root, made=True, ends=signal.SIGKILL) as (endpoint, _):
        base = FRESH + time.time_ns() % 50_000_000
        daemon_rows.together(
            endpoint, [daemon_rows.create_line(base + n) for n in range(min(2_000, far))]
        )
    began = time.perf_counter()
    with daemon(large_root, made=True) as (_, pid):
        started = time.perf_counter() - began
        yield limit(f"daemon start on {far:,} entities, after a kill", started, 1.0, "s")
        yield _memory(f"daemon memory on {far:,} entities, started after a kill", pid)


def _memory(name: str, pid: int) -> Row:
    return limit(name, memory_bytes(pid) / MEBIBYTE, 200, "MiB")


def main() -> None:
    """Measure and print each row as it comes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a small size, to see that it runs")
    parser.add_argument("--work", type=Path, help="keep the stores here, and use them again")
    options = parser.parse_args()
    for row in rows(small=options.small, work=options.work):
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    sys.exit(main())
