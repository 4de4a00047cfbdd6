"""What `lines` promises, measured: picking, following a mind, loading a pack, memory.

The peers are the plain reference selector, SQLite in memory (a scan over bit masks), and bink, an Ink
runtime, with a choice for each line; bink and the compiler of Ink are in an environment of their own:

    .venv-bench/bin/pip install bink==0.7.1; npm install --prefix .venv-bench inkjs@2.3.2

All get the same lines and the same scenes, and are checked to find the same lines open. All times are
processor time, medians of interleaved rounds.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import generated_lines as made

from talebearer.lines import FactGate, Pack, Scene, Selector, load_pack
from talebearer.memory import Event, Mind
from talebearer.testing import ReferenceSelector
from talebearer.vocabulary import EventKind

if TYPE_CHECKING:  # rows may import this module
    from rows import Row

ROOT = Path(__file__).resolve().parent.parent
BENCH = ROOT / ".venv-bench"
COMPILER = BENCH / "node_modules" / "inkjs" / "bin" / "inkjs-compiler.js"
LINES, LINES_SMALL = 12_000, 240
MILLION, MILLION_SMALL = 1_000_000, 2_400
GATES, GATES_SMALL = 2_000, 40
BYTES_A_LINE_MAX = 700
VIA = {"kind": "background", "payload": {}}
Task = Callable[[], float]


def rows(*, small: bool) -> list[Row]:
    """Return all rows; *small* shows that they run."""
    count, gates = (LINES_SMALL, GATES_SMALL) if small else (LINES, GATES)
    talk = made.lines(count)
    data = made.pack(talk, made.thoughts(count, gates), gates)
    scenes = made.scenes(6 if small else 40)
    found = [*_peers(talk, data, scenes, rounds=1 if small else 5)]
    found += [*_bink(talk, data, scenes, rounds=1 if small else 3)]
    found += [
        *_million(data, scenes, MILLION_SMALL if small else MILLION, rounds=3 if small else 9)
    ]
    found += [*_thinking(data, scenes, count, gates, rounds=3 if small else 9)]
    return [*found, *_loading(made.pack(talk, [], 0), count, rounds=3 if small else 15)]


class _Ours:
    """A selector, and the scenes that it is asked for."""

    def __init__(self, pack: Pack, scenes: list[dict[str, Any]]) -> None:
        self.pack = pack
        self.mind = Mind("party")
        self.selector = Selector(pack, self.mind, seed=4)
        self.scenes = [Scene(**scene) for scene in scenes]

    def talk(self, repeats: int = 20) -> float:
        """Return the seconds of one pick."""
        started = time.process_time()
        for tick in range(repeats):
            for scene in self.scenes:
                self.selector.pick_dialogue("clerk", scene, tick=tick)
        return (time.process_time() - started) / repeats / len(self.scenes)

    def think(self, repeats: int = 20) -> float:
        """Return the seconds of one thought."""
        started = time.process_time()
        for tick in range(repeats):
            for trigger in made.TRIGGERS:
                self.selector.pick_monologue("smuggler", trigger, location="quay", tick=tick)
        return (time.process_time() - started) / repeats / len(made.TRIGGERS)

    def left(self, stages: tuple[str | None, ...]) -> list[list[int]]:
        """Return for each scene the places of the lines that end at one of *stages*."""
        shown = [self.selector.explain_dialogue("clerk", s, tick=0).verdicts for s in self.scenes]
        return [
            [at for at, verdict in enumerate(verdicts) if verdict.dropped_by in stages]
            for verdicts in shown
        ]


# --- the peers -----------------------------------------------------------------------------------


def _peers(
    talk: list[made.Line], data: bytes, scenes: list[dict[str, Any]], *, rounds: int
) -> list[Row]:
    ours = _Ours(load_pack(data), scenes)
    value = json.loads(data)
    value["pools"] = value["pools"][:1]
    reference = ReferenceSelector(value, {}, mind="party", seed=4)
    base = _table(talk)
    best = ours.left((None,))
    answers = [reference.dialogue("clerk", scene, tick=0) for scene in scenes]
    by_id = {line["id"]: at for at, line in enumerate(talk)}
    plain = [
        sorted(by_id[key[1]] for key, fate in answer.fates.items() if isinstance(fate, int))
        for answer in answers
    ]
    assert plain == best, "the reference finds other lines"
    assert [_top_rows(base, scene) for scene in scenes] == best, "SQLite finds other lines"
    asked = scenes[:8]
    times = _interleaved(
        [
            ours.talk,
            lambda: _each(asked, lambda scene: reference.dialogue("clerk", scene, tick=0)),
            lambda: _each(scenes, lambda scene: _one_row(base, scene)),
        ],
        rounds,
    )
    size = f"{len(talk):,} lines"
    return [
        _ratio(f"a pick among {size}, against the plain reference", times[0], times[1], 60),
        _ratio(f"a pick among {size}, against a scan of SQLite in memory", times[0], times[2], 40),
    ]


def _each(scenes: list[dict[str, Any]], ask: Callable[[dict[str, Any]], object]) -> float:
    started = time.process_time()
    for scene in scenes:
        ask(scene)
    return (time.process_time() - started) / len(scenes)


def _mask(names: Any, values: list[str]) -> int:
    return sum(1 << values.index(name) for name in names)


def _table(talk: list[made.Line]) -> apsw.Connection:
    base = apsw.Connection(":memory:")
    base.execute(
        "CREATE TABLE lines(at INTEGER PRIMARY KEY, access, trust, situation, topic, mood)"
    )
    with base:
        base.executemany(
            "INSERT INTO lines VALUES(?, ?, ?, ?, ?, ?)",
            (
                (
                    at,
                    _mask(line["access"], made.ACCESS),
                    made.TRUST.index(line["trust"]),
                    _mask(line["situation"], made.SITUATIONS),
                    _mask(line["topic"], made.TOPICS),
                    _mask(line["mood"], made.MOODS),
                )
                for at, line in enumerate(talk)
            ),
        )
    return base


_SCORE = """
CASE WHEN topic = 0 THEN 0 WHEN topic & :topics = 0 THEN -1
     ELSE (topic & :topic_1 > 0) + (topic & :topic_2 > 0) END
+ CASE WHEN mood = 0 THEN 0 WHEN mood & :moods = 0 THEN -1 ELSE 1 END
"""
_WHERE = "access & :access AND trust <= :trust AND situation & :situations"
_ONE = f"SELECT at FROM lines WHERE {_WHERE} ORDER BY {_SCORE} DESC, random() LIMIT 1"
_ALL = f"SELECT at, {_SCORE} FROM lines WHERE {_WHERE} ORDER BY at"


def _bound(scene: dict[str, Any]) -> dict[str, int]:
    first, second = scene["topics"]
    return {
        "access": _mask([scene["access"]], made.ACCESS),
        "trust": made.TRUST.index(scene["trust"]),
        "situations": _mask(scene["situations"], made.SITUATIONS),
        "topics": _mask(scene["topics"], made.TOPICS),
        "topic_1": _mask([first], made.TOPICS),
        "topic_2": _mask([second], made.TOPICS),
        "moods": _mask(scene["moods"], made.MOODS),
    }


def _one_row(base: apsw.Connection, scene: dict[str, Any]) -> object:
    return base.execute(_ONE, _bound(scene)).fetchone()


def _top_rows(base: apsw.Connection, scene: dict[str, Any]) -> list[int]:
    scored: list[tuple[int, int]] = base.execute(_ALL, _bound(scene)).fetchall()
    top = max((score for _, score in scored), default=0)
    return [at for at, score in scored if score == top]


def _bink(
    talk: list[made.Line], data: bytes, scenes: list[dict[str, Any]], *, rounds: int
) -> list[Row]:
    """Time the Ink runtime, where it and the compiler of Ink can be had."""
    python = BENCH / "bin" / "python"
    with tempfile.TemporaryDirectory() as folder:
        source, story, asked = (Path(folder) / name for name in ("a.ink", "a.json", "q.json"))
        source.write_text(made.ink(talk), encoding="utf-8")
        asked.write_text(json.dumps(scenes))
        try:
            subprocess.run(
                ["node", str(COMPILER), "-o", str(story), str(source)],
                check=True,
                capture_output=True,
            )
            subprocess.run([python, "-c", "import bink"], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            print("bench: bink or inkjs is not there; their row is left out", file=sys.stderr)
            return []
        ours = _Ours(load_pack(data), scenes)
        peer = subprocess.Popen(
            [python, str(ROOT / "bench" / "bink_peer.py"), str(story), str(asked)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        with peer:
            opened = ours.left((None, "score"))
            assert _told(peer)["open"] == opened, "bink finds other lines"
            times = _interleaved([ours.talk, lambda: _told(peer)["seconds"] / len(scenes)], rounds)
            assert peer.stdin is not None
            peer.stdin.close()
    name = f"a pick among {len(talk):,} lines, against an Ink runtime with a choice for each"
    return [_ratio(name, times[0], times[1], 1000)]


def _told(peer: subprocess.Popen[str]) -> Any:
    assert peer.stdin is not None
    assert peer.stdout is not None
    peer.stdin.write("\n")
    peer.stdin.flush()
    return json.loads(peer.stdout.readline())


# --- sizes, gates, packs -------------------------------------------------------------------------


def _million(data: bytes, scenes: list[dict[str, Any]], count: int, *, rounds: int) -> list[Row]:
    few = _Ours(load_pack(data), scenes)
    many = _Ours(load_pack(made.pack(made.lines(count), [], 0)), scenes)
    times = _interleaved([lambda: many.talk(2), few.talk], rounds)
    name = f"a pick among {count:,} lines, against {LINES if count == MILLION else LINES_SMALL:,}"
    return [_ratio(name, times[0], times[1], 1 / 60)]


def _thinking(
    data: bytes, scenes: list[dict[str, Any]], count: int, gates: int, *, rounds: int
) -> list[Row]:
    ours = _Ours(load_pack(data), scenes)
    for fact in range(0, gates, 3):
        _learn(ours.mind, fact)
    times = _interleaved([ours.think, ours.talk], rounds)
    name = f"a thought among {count:,} lines with {gates:,} gates, against a conversation's pick"
    asked = _asked_again(ours)
    anew = _Ours(load_pack(data), scenes)
    first, again = _interleaved(
        [lambda: _first_thought(anew), lambda: _after_a_fact(ours, gates)], rounds
    )
    return [
        _ratio(name, times[0], times[1], 1 / 2),
        _limit("gates asked again when a fact changes that one gate reads", asked, 1, "gates"),
        _ratio(f"a thought after a change of one fact, against {gates:,} gates", again, first, 5),
    ]


def _learn(mind: Mind, fact: int, confidence: str = "suspects") -> None:
    sequence = mind.next_sequence("s")
    data = {"fact_id": f"tide.f{fact}", "confidence": confidence, "source": VIA}
    kind = EventKind.FACT_LEARNED
    mind.apply(Event(stream="s", sequence=sequence, tick=0, kind=kind, data=data))


def _asked_again(ours: _Ours) -> int:
    """Return how many gates are asked when a fact is learned that one gate reads, of several lines."""
    holds = FactGate.holds
    asked = 0

    def counting(gate: FactGate, about: Any) -> bool:
        nonlocal asked
        asked += 1
        return holds(gate, about)

    _learn(ours.mind, 1)
    FactGate.holds = counting  # type: ignore[method-assign]  # it counts, and is put back
    try:
        ours.selector.follow()
    finally:
        FactGate.holds = holds  # type: ignore[method-assign]  # likewise
    return asked


def _first_thought(anew: _Ours) -> float:
    """Return the seconds of a thought when every gate has to be asked."""
    selector = Selector(anew.pack, anew.mind, seed=4)
    started = time.process_time()
    selector.pick_monologue("smuggler", made.TRIGGERS[0], location="quay", tick=0)
    return time.process_time() - started


def _after_a_fact(ours: _Ours, gates: int) -> float:
    """Return the seconds of a thought after one fact was learned."""
    fresh = [n for n in range(2, gates, 3) if ours.mind.graph.fact(f"tide.f{n}") is None][:3]
    seconds = 0.0
    for fact in fresh:
        _learn(ours.mind, fact)
        started = time.process_time()
        ours.selector.pick_monologue("smuggler", made.TRIGGERS[0], location="quay", tick=0)
        seconds += time.process_time() - started
    return seconds / len(fresh)


_HELD = """
import gc, sys, tracemalloc
from talebearer.lines import Scene, Selector, load_pack
from talebearer.memory import Mind
data = open(sys.argv[1], "rb").read()
load_pack(data)
gc.collect()
tracemalloc.start()
pack = load_pack(data)
selector = Selector(pack, Mind("party"), seed=4)
scene = Scene(location="quay", access="a0", trust="real", situations=("s1",), topics=("t1",))
selector.pick_dialogue("clerk", scene, tick=0)
gc.collect()
print(tracemalloc.get_traced_memory()[0])
"""


def _loading(data: bytes, count: int, *, rounds: int) -> list[Row]:
    def timed(task: Callable[[], object]) -> float:
        started = time.process_time()
        task()
        return time.process_time() - started

    times = _interleaved(
        [lambda: timed(lambda: load_pack(data)), lambda: timed(lambda: json.loads(data))], rounds
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pack.json"
        file.write_bytes(data)
        done = subprocess.run(
            [sys.executable, "-c", _HELD, str(file)], check=True, capture_output=True, text=True
        )
    held = int(done.stdout) / count
    return [
        _ratio(f"a pack of {count:,} lines loaded, against json.loads", times[0], times[1], 1 / 4),
        _limit("memory held of a line of 75 characters", held, BYTES_A_LINE_MAX, "bytes"),
    ]


def _interleaved(tasks: list[Task], rounds: int) -> list[float]:
    """Return the median of the seconds that each of *tasks* tells, run in turns."""
    seconds: list[list[float]] = [[] for _ in tasks]
    for _ in range(rounds):
        for at, task in enumerate(tasks):
            seconds[at].append(max(task(), 1e-9))
    return [statistics.median(one) for one in seconds]


def _ratio(name: str, ours: float, other: float, least: float) -> Row:
    from rows import ratio

    return ratio(name, ours * 1_000_000, other * 1_000_000, "us", least=least)


def _limit(name: str, ours: float, most: float, unit: str) -> Row:
    from rows import limit

    return limit(name, ours, most, unit)
