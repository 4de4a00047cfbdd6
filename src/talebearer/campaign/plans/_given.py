"""From what a plan gives a mind to know to the events that make it know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from talebearer.campaign.records.ids import WORLD
from talebearer.content import CELLS, GIVEN_KINDS, LineIndex
from talebearer.lines import DialoguePool, Pack, Scope
from talebearer.memory import EventDraft
from talebearer.vocabulary import Confidence, EventKind, FactState, InteractionState, SourceKind

_SEEN = {"kind": SourceKind.DIRECT_OBSERVATION.value}
_LEARNED = {"kind": SourceKind.BACKGROUND.value}
_END = {
    InteractionState.COMPLETED: EventKind.INTERACTION_COMPLETED,
    InteractionState.WALKED_AWAY: EventKind.INTERACTION_WALKED_AWAY,
    InteractionState.CONFLICT_ABANDONED: EventKind.INTERACTION_CONFLICT_ABANDONED,
}
_WRITTEN = {
    "counters": EventKind.COUNTER_ADDED,
    "values": EventKind.VALUE_SET,
    "timers": EventKind.TIMER_STAMPED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One event that an entry of ``given`` comes to.

    Attributes:
        tick: When it happens.
        draft: What happens, to which mind.
        path: The entry in ``given``.
    """

    tick: int
    draft: EventDraft
    path: tuple[str, int]


def told(
    given: Mapping[str, Any], *, mind: str, pack: Pack, lines: LineIndex, tick: int
) -> list[Told]:
    """Return the events of *given* in the order of their ticks.

    Args:
        given: What its schema describes; names are known to be right.
        mind: Whose memory it is.
        pack: The pack, for scopes.
        lines: Its lines.
        tick: When it happens what has no tick.
    """
    giver = _Giver(mind, pack, lines, tick)
    found: list[Told] = []
    for kind in GIVEN_KINDS:
        for at, entry in enumerate(given.get(kind, ())):
            for when, draft in giver.drafts(kind, entry):
                found.append(Told(tick=when, draft=draft, path=(kind, at)))
    return sorted(found, key=lambda one: one.tick)


class _Giver:
    def __init__(self, mind: str, pack: Pack, lines: LineIndex, tick: int) -> None:
        self._mind = mind
        self._pack = pack
        self._lines = lines
        self._tick = tick

    def drafts(self, kind: str, entry: Mapping[str, Any]) -> Iterator[tuple[int, EventDraft]]:
        """Yield tick and event of everything that *entry* of the member *kind* says."""
        tick: int = entry.get("tick", self._tick)
        if kind == "interactions":
            yield from self._interaction(entry, tick)
        elif kind == "heard":
            yield from ((tick, draft) for draft in self._heard(entry))
        elif kind in CELLS:
            yield tick, self._written(kind, entry)
        else:
            yield from ((tick, draft) for draft in getattr(self, f"_{kind}")(entry))

    def _facts(self, entry: Mapping[str, Any]) -> Iterator[EventDraft]:
        fact = {"fact_id": entry["fact_id"], "confidence": entry["confidence"]}
        yield self._draft(EventKind.FACT_LEARNED, {**fact, "source": _LEARNED})
        state = entry.get("fact_state", FactState.ACTIVE)
        if state != FactState.ACTIVE:
            data = {"fact_id": entry["fact_id"], "state": state}
            yield self._draft(EventKind.FACT_STATE_CHANGED, data)

    def _attributes(self, entry: Mapping[str, Any]) -> Iterator[EventDraft]:
        data = {
            "target": entry["entity"],
            "confidence": Confidence.DIRECT.value,
            "source": _SEEN,
            "attributes": {entry["key"]: entry["value"]},
        }
        yield self._draft(EventKind.ENTITY_OBSERVED, data)

    def _relationships(self, entry: Mapping[str, Any]) -> Iterator[EventDraft]:
        met = {"target": entry["target"], "confidence": Confidence.DIRECT.value, "source": _SEEN}
        yield self._draft(EventKind.ENTITY_OBSERVED, met)
        data = {"target": entry["target"], "state": entry["state"]}
        yield self._draft(EventKind.RELATIONSHIP_CHANGED, data)

    def _events(self, entry: Mapping[str, Any]) -> Iterator[EventDraft]:
        mind = entry.get("mind", self._mind)
        yield EventDraft(mind=mind, kind=EventKind(entry["kind"]), data=entry["data"])

    def _gossip(self, entry: Mapping[str, Any]) -> Iterator[EventDraft]:
        data = {
            "about": entry["about"],
            "mind": entry["teller"],
            "fact_id": entry["fact_id"],
            "teller": entry["teller"],
            "confidence": entry.get("confidence", Confidence.SUSPECTS.value),
        }
        state = entry.get("state")
        if state == InteractionState.CONFRONTATION:
            data |= {
                "interaction_state": InteractionState.CONFLICT_ABANDONED.value,
                "confrontation": True,
            }
        elif state is not None:
            data["interaction_state"] = state
        if "target" in entry:
            data["target"] = entry["target"]
        yield self._draft(EventKind.GOSSIP_HEARD, data)

    def _interaction(self, entry: Mapping[str, Any], tick: int) -> Iterator[tuple[int, EventDraft]]:
        target, state = entry["target"], InteractionState(entry["state"])
        start = {
            "target": target,
            "player_initiated": True,
            "location": entry.get("location", "unknown"),
        }
        yield tick, self._draft(EventKind.INTERACTION_STARTED, start)
        hard = (InteractionState.CONFRONTATION, InteractionState.CONFLICT_ABANDONED)
        if entry.get("confronted", False) or state in hard:
            yield tick, self._draft(EventKind.INTERACTION_CONFRONTATION, {"target": target})
        if state in _END:
            data: dict[str, Any] = {"target": target}
            if state is InteractionState.COMPLETED:
                data["topics"] = list(entry.get("topics", ()))
            yield entry.get("ended", tick), self._draft(_END[state], data)

    def _heard(self, entry: Mapping[str, Any]) -> Iterator[EventDraft]:
        ((path, line_id),) = self._lines.find(entry["line"])
        pool = self._pack.pool(path)
        data: dict[str, Any] = {"pool": path, "line": line_id}
        speaker = entry.get("speaker")
        if isinstance(pool, DialoguePool):
            data["speaker"] = speaker or pool.stem
        yield self._draft(EventKind.LINE_FIRED, data)
        position = pool.position_of(line_id)
        once = None if position is None else pool.once.get(position)
        if once is not None and once.shared:
            yield EventDraft(mind=WORLD, kind=EventKind.LINE_FIRED, data=data)

    def _written(self, kind: str, entry: Mapping[str, Any]) -> EventDraft:
        what = CELLS[kind]
        declared = self._pack.declared
        name = entry[what]
        scope: Scope = {
            "counter": lambda: declared.counters[name].scope,
            "value": lambda: declared.values[name].scope,
            "timer": lambda: declared.timers[name],
        }[what]()
        data = {key: entry[key] for key in (what, "by", "to", "character") if key in entry}
        if "line" in entry:
            ((data["pool"], data["line"]),) = self._lines.find(entry["line"])
        mind = WORLD if scope.shared else self._mind
        return EventDraft(mind=mind, kind=_WRITTEN[kind], data=data)

    def _draft(self, kind: EventKind, data: Mapping[str, Any]) -> EventDraft:
        return EventDraft(mind=self._mind, kind=kind, data=data)
