"""The embedded store's promises, each beside a bare apsw loop in the same run, and its peers.

R and the store take turns, so that what else the machine does meets both. R writes exactly the rows
that the store writes (``bare_rows``); it decides, checks and encodes nothing.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import bare_rows
import orjson
from rows import Row, beside, limit, ratio

from talebearer.store import CAMPAIGN_POLICY, DEFAULT_POLICY, Call, EntityRef, Policy, Store

ROOT = Path(__file__).resolve().parent.parent
PEERS_PYTHON = ROOT / ".venv-bench" / "bin" / "python"
RARE = "xylophonist"
BATCH = 100
POINT_READ = """
SELECT h.version, v.state, v.value_json
FROM patchouli_entity_head AS h
JOIN patchouli_entity_version AS v USING (scope_json, entity_type, entity_id, version)
WHERE h.scope_json = ? AND h.entity_type = ? AND h.entity_id = ?
ORDER BY h.version
"""
SCOPE = '{"user_id":"u","workspace_id":"bench"}'
KINDS = (
    ("a type without merge rules", CAMPAIGN_POLICY, 0.5, 0.25),
    ("knowledge with merge documents", DEFAULT_POLICY, 0.3, 0.1),
)


def rows(*, small: bool) -> list[Row]:
    """Return all rows of the embedded store."""
    with tempfile.TemporaryDirectory(prefix="tb-store-") as folder:
        work = Path(folder)
        return [
            *creates(work, rounds=1 if small else 3, count=100 if small else 2_400),
            *reads(work, count=300 if small else 10_000),
            *searching(work, count=500 if small else 100_000),
            *peers(work, count=50 if small else 2_000),
        ]


def creates(work: Path, *, rounds: int, count: int) -> Iterator[Row]:
    """Creating one by one at FULL and at NORMAL, and in batches of a hundred."""
    for kind, policy, least, least_batch in KINDS:
        folder = work / f"recorded-{policy is CAMPAIGN_POLICY}"
        recording = _recorded(folder, policy, count)
        for synchronous in ("FULL", "NORMAL"):
            name = f"create {kind}, {synchronous}, beside R"
            ours, bare = _side_by_side(work, recording, policy, synchronous, rounds, size=1)
            yield ratio(name, ours, bare, "s", least=least)
        ours, bare = _side_by_side(work, recording, policy, "FULL", rounds, size=BATCH)
        name = f"create {kind}, batches of {BATCH}, FULL, beside R's"
        yield ratio(name, ours, bare, "s", least=least_batch)


def _recorded(folder: Path, policy: Policy, count: int) -> bare_rows.Recording:
    with bare_rows.policy(policy):
        return bare_rows.record(folder, bare_rows.create, count=max(count, BATCH))


def _side_by_side(
    work: Path,
    recording: bare_rows.Recording,
    policy: Policy,
    synchronous: str,
    rounds: int,
    *,
    size: int,
) -> tuple[float, float]:
    """Return the seconds a record, ours and R's, the median of rounds that take turns.

    A round is timed as a whole: now and then a write brings the text index up to date, and that is
    a part of what writing costs, ours and R's.
    """
    ours, bare = [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory(dir=work) as folder, bare_rows.policy(policy):
            bare.append(_replayed(Path(folder) / "bare", recording, synchronous, size))
            ours.append(_created(Path(folder) / "ours", len(recording), synchronous, size))
    return statistics.median(ours), statistics.median(bare)


def _replayed(folder: Path, recording: bare_rows.Recording, synchronous: str, size: int) -> float:
    with bare_rows.open_store(folder) as store:
        bare_rows.create(store, -1)
    connection = bare_rows.connect(folder / "talebearer.db", synchronous=synchronous)
    began = time.perf_counter()
    for start in range(0, len(recording), size):
        connection.execute("BEGIN IMMEDIATE")
        for statements in recording[start : start + size]:
            for sql, bindings in statements:
                connection.execute(sql, bindings)
        connection.execute("COMMIT")
    seconds = time.perf_counter() - began
    connection.close()
    return seconds / len(recording)


def _created(folder: Path, count: int, synchronous: str, size: int) -> float:
    with bare_rows.open_store(folder) as store:
        store._db.connection.execute(f"PRAGMA synchronous = {synchronous}").fetchall()
        bare_rows.create(store, -1)
        values = [bare_rows.occurrence(number) for number in range(count)]
        began = time.perf_counter()
        for start in range(0, count, size):
            _write(store, start, values[start : start + size])
        return (time.perf_counter() - began) / count


def _write(store: Store, start: int, values: list[dict[str, object]]) -> None:
    calls = [
        Call(
            "patchouli.entity.create@1",
            bare_rows.META,
            {"type": "knowledge", "id": bare_rows.entity_id(start + n), "value": value},
        )
        for n, value in enumerate(values)
    ]
    if len(calls) == 1:
        store.call(calls[0])
    else:
        for reply in store.call_many(calls):
            assert not isinstance(reply, Exception), reply


def reads(work: Path, *, count: int) -> Iterator[Row]:
    """Reading one record, beside a bare read of the same row."""
    folder = work / "reads"
    bare_rows.fill(folder, count=1_000)
    refs = [EntityRef("knowledge", bare_rows.entity_id(n * 7 % 1_000)) for n in range(count)]
    with bare_rows.open_store(folder) as store:
        bare = bare_rows.connect(folder / "talebearer.db", synchronous="FULL")
        keys = [(SCOPE, ref.type, ref.id) for ref in refs]
        assert bare.execute(POINT_READ, keys[0]).fetchall(), "the bare read finds nothing"
        theirs = _each(lambda n: bare.execute(POINT_READ, keys[n]).fetchall(), count)
        ours = _each(lambda n: store.read(bare_rows.META, refs[n]), count)
        decoded = _each(lambda n: _decoded(bare, keys[n]), count)
        bare.close()
    yield ratio("read one record, beside a bare apsw read", ours, theirs, "s", least=0.4)
    yield beside("read one record, beside a bare apsw read that decodes its JSON", ours, decoded)


def _decoded(bare: apsw.Connection, key: tuple[str, str, str]) -> list[object]:
    return [orjson.loads(row[2]) for row in bare.execute(POINT_READ, key)]


def searching(work: Path, *, count: int) -> Iterator[Row]:
    """Finding the three records among many that hold a rare word."""
    folder = work / "searching"
    bare_rows.fill(folder, count=count)
    with bare_rows.open_store(folder, prefix="more") as store:
        _add_rare(store)
        store.keep_up()
        assert len(_search(store, RARE)) == 3
        milliseconds = _each(lambda _: _search(store, RARE), 50) * 1_000
    yield limit(f"search for a rare word in {count:,} records", milliseconds, 2, "ms")


def _add_rare(store: Store) -> None:
    for number in range(3):
        value = bare_rows.occurrence(number)
        value["content"]["text"] += f" {RARE}"
        store.create(bare_rows.META, "knowledge", value, id=f"rare{number}")


def _search(store: Store, text: str) -> list[object]:
    data = {"query": json.dumps({"text": text})}
    return list(store.call(Call("patchouli.entity.retrieve@1", bare_rows.META, data)).data["hits"])


def peers(work: Path, *, count: int) -> Iterator[Row]:
    """The same documents in other stores; none of them keeps versions, heads or a feed."""
    documents = [(bare_rows.entity_id(n), bare_rows.occurrence(n)) for n in range(count)]
    path = work / "documents.json"
    path.write_text(json.dumps(documents), encoding="utf-8")
    ours = _peer_of_ours(work / "peer-ours", documents)
    if not PEERS_PYTHON.exists():
        print("bench: .venv-bench is missing; the peers of the store are left out")
        return
    for name in ("langgraph", "sqlite-utils", "diskcache", "tinydb"):
        arguments = [str(PEERS_PYTHON), str(ROOT / "bench" / "store_peers.py"), name]
        done = subprocess.run(
            [*arguments, str(path), str(work / f"peer-{name}")],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            print(f"bench: {name} is left out: {done.stderr.strip().splitlines()[-1:]}")
            continue
        theirs = json.loads(done.stdout)
        for what in ("put", "get"):
            yield beside(f"{what} one by one, beside {theirs['name']}", ours[what], theirs[what])


def _peer_of_ours(folder: Path, documents: list[tuple[str, dict[str, object]]]) -> dict[str, float]:
    with bare_rows.open_store(folder) as store:
        put = _each(
            lambda n: store.create(
                bare_rows.META, "knowledge", documents[n][1], id=documents[n][0]
            ),
            len(documents),
        )
        get = _each(
            lambda n: store.read(bare_rows.META, EntityRef("knowledge", documents[n][0])),
            len(documents),
        )
    return {"put": put, "get": get}


def _each(call: Callable[[int], object], count: int) -> float:
    """Return the median seconds of *count* calls."""
    times = []
    for number in range(max(count, 1)):
        began = time.perf_counter()
        call(number)
        times.append(time.perf_counter() - began)
    return statistics.median(times)
