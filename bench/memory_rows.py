"""What `memory` promises, measured: fold, queries, applying, saved and resident size, loading.

Times are processor time of this process, the least of several rounds: nothing here waits for
anything, and another program on the machine is none of ours.
"""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from talebearer.memory import (
    Event,
    KnowledgeGraph,
    Mind,
    Provenance,
    SourceRef,
    dump_file,
    fold,
    load_file,
)
from talebearer.vocabulary import EventKind, InteractionState, OccurrenceKind

if TYPE_CHECKING:  # rows may import this module
    from rows import Row

CHARACTERS = 30
TOPICS = ("cargo", "money", "trust", "danger", "routine", "personal")
PLACES = ("tollhouse-quay", "the-gilded-eel", "chandlers-row", "drowned-chapel")
ENDS = ("completed", "completed", "completed", "walked_away", "confrontation", "abandoned")


def memory(*, small: bool) -> list[Row]:
    """Return all rows; *small* shows that they run."""
    return [
        *folding(small=small),
        *querying(small=small),
        *applying(small=small),
        *saving(small=small),
        *resident(small=small),
        *loading(small=small),
    ]


def folding(*, small: bool) -> list[Row]:
    """Time the fold of a log in which everything occurs."""
    log = list(events(500 if small else 20_000))
    seconds = least(lambda: fold("party", log), rounds=2 if small else 7)
    return [_more(f"fold {len(log):,} events", len(log) / seconds, 100_000, "events/s")]


def querying(*, small: bool) -> list[Row]:
    """Time each core query against the range scan that defines it, and how flat they are."""
    rows: list[Row] = []
    near = fold("party", events(1_000)).graph
    far = fold("party", events(3_000 if small else 100_000)).graph
    loops, rounds = (20, 2) if small else (300, 7)
    totals = [0.0, 0.0]
    for name, query, scan in QUERIES:
        kept = per_call(query, near, loops, rounds)
        scanned = per_call(scan, near, max(loops // 30, 1), rounds)
        totals[0] += kept
        totals[1] += per_call(query, far, loops, rounds)
        rows.append(_faster(f"{name}, 1,000 records, against the scan", kept, scanned, 10))
    count = len(far.facts)
    rows.append(
        _faster(f"core queries, {count:,} records against 1,000", totals[1], totals[0], 0.5)
    )
    return rows


def _scan_active(graph: KnowledgeGraph, _: str) -> object:
    for fact in graph.facts.values():
        item = fact.metadata
        if item is not None and item.interaction_state.in_progress and not fact.provenance:
            return item
    return None


QUERIES: tuple[tuple[str, Callable[..., object], Callable[..., object]], ...] = (
    (
        "has_interacted_with",
        lambda graph, who: graph.has_interacted_with(who),
        lambda graph, who: bool(graph.interactions_with(who)),
    ),
    (
        "last_interaction_with",
        lambda graph, who: graph.last_interaction_with(who),
        lambda graph, who: graph.interactions_with(who)[-1],
    ),
    (
        "has_walked_away_from",
        lambda graph, who: graph.has_walked_away_from(who),
        lambda graph, who: any(item.walked_away for item in graph.interactions_with(who)),
    ),
    (
        "interaction_count_with",
        lambda graph, who: graph.interaction_count_with(who),
        lambda graph, who: len(graph.interactions_with(who)),
    ),
    (
        "interaction_count_with, by state",
        lambda graph, who: graph.interaction_count_with(who, _WALKED),
        lambda graph, who: sum(
            item.interaction_state is _WALKED for item in graph.interactions_with(who)
        ),
    ),
    (
        "has_confronted",
        lambda graph, who: graph.has_confronted(who),
        lambda graph, who: any(item.confrontation for item in graph.interactions_with(who)),
    ),
    ("active_interaction", lambda graph, _: graph.active_interaction(), _scan_active),
)
_WALKED = InteractionState.WALKED_AWAY


def applying(*, small: bool) -> list[Row]:
    """Time applying the same events to a mind that knows little and one that knows a lot."""
    counts = (100, 5_000 if small else 1_000_000)
    minds = [knowing(count) for count in counts]
    rounds = 2 if small else 9
    best = [float("inf"), float("inf")]
    size = 200 if small else 1_000
    for turn in range(rounds):  # in turns, so that a busy machine hits both alike
        for index, mind in enumerate(minds):
            fresh = list(events(size, stream=f"turn-{turn}"))
            gc.collect()
            gc.disable()
            started = time.process_time()
            for event in fresh:
                mind.apply(event)
            best[index] = min(best[index], (time.process_time() - started) / len(fresh))
            gc.enable()
    name = f"apply an event, {counts[1]:,} facts against {counts[0]}"
    return [_faster(name, best[1], best[0], 0.5)]


def saving(*, small: bool) -> list[Row]:
    """Weigh a file with snapshot and log."""
    count = 500 if small else 20_000
    log = list(events(count, recorded=True))
    data = dump_file(fold("party", log), log)
    return [_less("saved, log and snapshot, an interaction", len(data) / count, 200, "bytes")]


def resident(*, small: bool) -> list[Row]:
    """Weigh a mind that was folded, and one that was loaded, both with their order built.

    Every second conversation has its receipt, which weighs about as much as the conversation.
    """
    count = 500 if small else 20_000
    data = dump_file(fold("party", events(count, recorded=True)))
    rows = []
    for name, make in (
        ("folded", lambda: fold("party", events(count, recorded=True))),
        ("loaded", lambda: load_file(data).mind),
    ):
        gc.collect()
        tracemalloc.start()
        mind = make()
        ordered = len(list(mind.graph.facts))
        gc.collect()
        size_bytes = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert ordered == count
        rows.append(_less(f"resident, {name}, an interaction", size_bytes / count, 600, "bytes"))
    return rows


def loading(*, small: bool) -> list[Row]:
    """Time loading a file."""
    count = 1_000 if small else 100_000
    log = list(events(count))
    data = dump_file(fold("party", log), log)
    del log
    seconds = least(lambda: load_file(data), rounds=2 if small else 5)
    return [_less(f"load {count:,} interactions", seconds, 1, "s")]


def events(count: int, *, stream: str = "live", recorded: bool = False) -> Iterator[Event]:
    """Yield the events of *count* conversations that end in every way, two or three each.

    With *recorded* every second conversation is one of a transcript, with its receipt.
    """
    sequences: dict[str, int] = {}
    texts: dict[str, str] = {}
    for number in range(count):
        target = f"npc:character-{number * 7 % CHARACTERS}"
        tick = number * 37 + number * number % 11
        receipt = _receipt(number, texts) if recorded and number % 2 else None
        where = stream if receipt is None else f"session:{receipt.session}"
        for offset, (kind, data) in enumerate(_steps(number, target)):
            sequences[where] = sequences.get(where, 0) + 1
            yield Event(
                stream=where,
                sequence=sequences[where],
                tick=tick + offset * (3 + number % 13),
                kind=kind,
                data=data,
                provenance=receipt,
            )


def _steps(number: int, target: str) -> Iterator[tuple[EventKind, dict[str, Any]]]:
    yield (
        EventKind.INTERACTION_STARTED,
        {"target": target, "player_initiated": number % 3 > 0, "location": PLACES[number % 4]},
    )
    end = ENDS[number * 5 % len(ENDS)]
    if end in ("confrontation", "abandoned"):
        yield EventKind.INTERACTION_CONFRONTATION, {"target": target}
    if end == "abandoned":
        yield EventKind.INTERACTION_CONFLICT_ABANDONED, {"target": target}
    elif end == "walked_away":
        yield EventKind.INTERACTION_WALKED_AWAY, {"target": target}
    else:
        topics = [TOPICS[number % 6], TOPICS[number * 5 % 6]]
        yield EventKind.INTERACTION_COMPLETED, {"target": target, "topics": topics}


def _receipt(number: int, texts: dict[str, str]) -> Provenance:
    """Return a receipt; those of one session share its texts, as what is recorded does."""
    session = f"session-{number // 40:03d}"
    session = texts.setdefault(session, session)
    digest = "sha256:" + f"{number // 40:064x}"
    first = number * 17 % 4_000 + 1
    return Provenance(
        session=session,
        artifact_digest=texts.setdefault(digest, digest),
        occurrence=f"occurrence:{session}:{number * 2654435761 % 2**64:016x}",
        kind=OccurrenceKind.DIALOGUE,
        source_refs=(
            SourceRef(source_id=session, start_unit_id=first, end_unit_id=first + number % 9),
        ),
    )


def knowing(count: int) -> Mind:
    """Return a mind that knows *count* facts."""
    mind = Mind("party")
    via = {"kind": "background"}
    for number in range(count):
        data = {"fact_id": f"lore.f{number}", "confidence": "knows_of", "source": via}
        mind.apply(
            Event(
                stream="lore",
                sequence=number + 1,
                tick=number,
                kind=EventKind.FACT_LEARNED,
                data=data,
            )
        )
    return mind


def per_call(query: Callable[..., object], graph: KnowledgeGraph, loops: int, rounds: int) -> float:
    """Return the least seconds of one call, over all characters."""
    targets = [f"npc:character-{number}" for number in range(CHARACTERS)]

    def ask() -> None:
        for _ in range(loops):
            for target in targets:
                query(graph, target)

    return least(ask, rounds=rounds) / (loops * len(targets))


def least(work: Callable[[], object], *, rounds: int) -> float:
    """Return the least processor seconds of *work*."""
    best = float("inf")
    for _ in range(rounds):
        gc.collect()
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best


def _more(name: str, ours: float, goal: float, unit: str) -> Row:
    return {
        "name": name,
        "ours": ours,
        "other": None,
        "unit": unit,
        "ratio": None,
        "goal": f">= {goal:g} {unit}",
        "met": ours >= goal,
    }


def _less(name: str, ours: float, goal: float, unit: str) -> Row:
    return {**_more(name, ours, goal, unit), "goal": f"<= {goal:g} {unit}", "met": ours <= goal}


def _faster(name: str, ours: float, other: float, goal: float) -> Row:
    """Return a row of two times in microseconds; the ratio is of speeds."""
    speed = other / ours
    return {
        "name": name,
        "ours": ours * 1e6,
        "other": other * 1e6,
        "unit": "us",
        "ratio": speed,
        "goal": f">= {goal:g}",
        "met": speed >= goal,
    }


if __name__ == "__main__":
    for row in memory(small=False):
        print(row["name"], f"{row['ours']:.4g}", row["unit"], row["ratio"], row["goal"], row["met"])
