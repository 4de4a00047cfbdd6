"""A mind against a naive model, over arbitrary histories of good and bad events."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from seeds import printed_under_every_seed

from talebearer.errors import IllegalTransition, InvalidEvent
from talebearer.memory import Event, Mind, Provenance, SourceRef, fold
from talebearer.vocabulary import (
    Confidence,
    EventKind,
    InteractionState,
    OccurrenceKind,
    RelationshipState,
)

TARGETS = ["npc:odo", "npc:odo-renn", "npc:sera"]
FACTS = ["cargo.one", "cargo.two", "contraband.ring"]
WAYS = [
    "",
    "completed",
    "walked_away",
    "confrontation",
    "confrontation completed",
    "confrontation conflict_abandoned",
]
NUMBERS = [1, 2, 3, 998, 999, 1000, 1001]
ENDS = {
    "completed": EventKind.INTERACTION_COMPLETED,
    "walked_away": EventKind.INTERACTION_WALKED_AWAY,
    "confrontation": EventKind.INTERACTION_CONFRONTATION,
    "conflict_abandoned": EventKind.INTERACTION_CONFLICT_ABANDONED,
}
ALLOWED = {
    "active": ("completed", "walked_away", "confrontation"),
    "confrontation": ("completed", "conflict_abandoned"),
}
RECEIPT = Provenance(
    session="s1",
    artifact_digest="sha256:0",
    occurrence="occurrence:s1:0",
    kind=OccurrenceKind.DIALOGUE,
    source_refs=(SourceRef(source_id="s1", start_unit_id=1, end_unit_id=2),),
)
targets = st.sampled_from(TARGETS)
streams = st.sampled_from(["live", "s1", "s2"])
confidences = st.sampled_from(list(Confidence))
ticks = st.integers(0, 20)


@dataclass
class Talk:
    """One interaction of the model."""

    target: str
    number: int
    started: int
    slot: str
    state: str = "active"
    confronted: bool = False


@dataclass
class Model:
    """The rules written down without regard to cost."""

    talks: list[Talk] = field(default_factory=list)
    facts: dict[str, Confidence] = field(default_factory=dict)
    entities: dict[str, Confidence] = field(default_factory=dict)
    relations: dict[str, str] = field(default_factory=dict)
    highest: dict[str, int] = field(default_factory=dict)
    heard: list[tuple[str, str]] = field(default_factory=list)

    def running(self, slot: str) -> Talk | None:
        going = [talk for talk in self.talks if talk.slot == slot and talk.state in ALLOWED]
        assert len(going) <= 1
        return going[0] if going else None

    def see(self, target: str, confidence: Confidence, *, known: bool = True) -> None:
        self.entities[target] = max(confidence, self.entities.get(target, confidence))
        if known and self.relations.get(target, "unknown") == "unknown":
            self.relations[target] = "known"
        self.relations.setdefault(target, "unknown")

    def of(self, target: str) -> list[Talk]:
        mine = [talk for talk in self.talks if talk.target == target]
        return sorted(mine, key=lambda talk: (talk.started, talk.number))


class Memory(RuleBasedStateMachine):
    """Every rule gives one event to both; the invariants compare all that can be asked."""

    def __init__(self) -> None:
        super().__init__()
        self.mind = Mind("party")
        self.model = Model()
        self.log: list[Event] = []
        self.now = 0

    def give(self, kind: EventKind, stream: str, tick: int, data: dict[str, Any]) -> bool:
        """Apply an event; return whether it was taken. A refused one must change nothing."""
        event = Event(
            stream=stream,
            sequence=self.mind.next_sequence(stream),
            tick=tick,
            kind=kind,
            data=data,
            provenance=None if stream == "live" else RECEIPT,
        )
        before = self.mind.dumps()
        try:
            applied = self.mind.apply(event)
        except (IllegalTransition, InvalidEvent):
            assert self.mind.dumps() == before
            return False
        assert not applied.skipped
        self.log.append(event)
        after = self.mind.dumps()
        assert self.mind.apply(event).skipped
        assert self.mind.dumps() == after
        return True

    @rule(
        whom=targets,
        stream=streams,
        tick=ticks,
        number=st.none() | st.sampled_from(NUMBERS),
        way=st.sampled_from(WAYS),
    )
    def talk(self, whom: str, stream: str, tick: int, number: int | None, way: str) -> None:
        """Begin and go some way, so that whole conversations are common."""
        self._start(whom, stream, tick, number)
        for later, end in enumerate(way.split(), 1):
            self._move(whom, stream, tick + later, end)

    def _start(self, whom: str, stream: str, tick: int, number: int | None) -> None:
        data = {"target": whom, "player_initiated": True, "location": "quay"}
        if number is not None:
            data["number"] = number
        taken = {talk.number for talk in self.model.of(whom)}
        wanted = self.model.running(stream) is None and number not in taken
        assert self.give(EventKind.INTERACTION_STARTED, stream, tick, data) is wanted
        if wanted:
            given = number or self.model.highest.get(whom, 0) + 1
            self.model.highest[whom] = max(given, self.model.highest.get(whom, 0))
            self.model.talks.append(Talk(whom, given, tick, stream))
            self.model.see(whom, Confidence.KNOWS_DETAILS)

    @rule(whom=targets, stream=streams, tick=ticks, end=st.sampled_from(list(ENDS)))
    def move(self, whom: str, stream: str, tick: int, end: str) -> None:
        self._move(whom, stream, tick, end)

    def _move(self, whom: str, stream: str, tick: int, end: str) -> None:
        data: dict[str, Any] = {"target": whom}
        if end == "completed":
            data["topics"] = ["cargo"]
        talk = self.model.running(stream)
        wanted = (
            talk is not None
            and talk.target == whom
            and end in ALLOWED[talk.state]
            and tick >= talk.started
        )
        assert self.give(ENDS[end], stream, tick, data) is wanted
        if wanted:
            assert talk is not None
            talk.state = end
            talk.confronted = talk.confronted or end == "confrontation"
            self.model.see(whom, Confidence.KNOWS_DETAILS)

    @rule(stream=streams, later=st.integers(0, 3), pick=st.integers(0, 2))
    def move_rightly(self, stream: str, later: int, pick: int) -> None:
        """Aim at what is in progress, so that long conversations come about."""
        talk = self.model.running(stream)
        if talk is not None:
            ends = ALLOWED[talk.state]
            self._move(talk.target, stream, talk.started + later, ends[pick % len(ends)])

    @rule(name=st.sampled_from(FACTS), confidence=confidences, stream=streams)
    def learn(self, name: str, confidence: Confidence, stream: str) -> None:
        via = {"kind": "told_by", "payload": {"entity": "npc:odo"}}
        data = {"fact_id": name, "confidence": confidence, "source": via}
        assert self.give(EventKind.FACT_LEARNED, stream, 1, data)
        known = self.model.facts.get(name, confidence)
        self.model.facts[name] = max(known, confidence)

    @rule(whom=targets, confidence=confidences, stream=streams, known=st.booleans())
    def observe(self, whom: str, confidence: Confidence, stream: str, known: bool) -> None:
        via = {"kind": "heard", "payload": {}}
        data = {"target": whom, "confidence": confidence, "source": via, "known": known}
        assert self.give(EventKind.ENTITY_OBSERVED, stream, 1, data)
        self.model.see(whom, confidence, known=known)

    @rule(whom=targets, state=st.sampled_from(list(RelationshipState)))
    def relate(self, whom: str, state: RelationshipState) -> None:
        data = {"target": whom, "state": state}
        assert self.give(EventKind.RELATIONSHIP_CHANGED, "live", 1, data)
        self.model.see(whom, self.model.entities.get(whom, Confidence.KNOWS_OF))
        self.model.relations[whom] = state.value

    @rule(key=st.tuples(st.sampled_from("ab"), st.sampled_from("xy")), tick=ticks)
    def hear(self, key: tuple[str, str], tick: int) -> None:
        assert self.give(EventKind.LINE_FIRED, "live", tick, {"pool": key[0], "line": key[1]})
        self.model.heard.append(key)

    @rule()
    def save_and_load(self) -> None:
        self.mind = Mind.loads(self.mind.dumps())

    @rule()
    def rebuild(self) -> None:
        again = fold("party", self.log)
        assert again.dumps() == self.mind.dumps()
        self.mind = again

    @invariant()
    def knows_the_same(self) -> None:
        graph = self.mind.graph
        facts = {name: graph.facts[name].confidence for name in FACTS if name in graph.facts}
        assert facts == self.model.facts
        assert {ref: item.confidence for ref, item in graph.entities.items()} == dict(
            sorted(self.model.entities.items())
        )
        relations = {ref: item.relationship_state.value for ref, item in graph.entities.items()}
        assert relations == self.model.relations
        heard = self.model.heard
        assert self.mind.last_heard(set(heard)) == (heard[-1] if heard else None)
        live = self.model.running("live")
        active = graph.active_interaction()
        assert (active and active.target_entity) == (live and live.target)

    @invariant()
    def talks_are_the_same(self) -> None:
        for target in TARGETS:
            found = [
                (name, item.interaction_state.value, item.confrontation)
                for name, item in zip(
                    self.mind.graph.interaction_ids_with(target),
                    self.mind.graph.interactions_with(target),
                    strict=True,
                )
            ]
            slug = target.removeprefix("npc:")
            assert found == [
                (f"interaction.{slug}_{talk.number:03d}", talk.state, talk.confronted)
                for talk in self.model.of(target)
            ]

    @invariant()
    def aggregates_equal_scans(self) -> None:
        graph = self.mind.graph
        for target in [*TARGETS, "npc:nobody"]:
            scan = graph.interactions_with(target)
            marks = [item.confrontation for item in scan]
            assert graph.has_interacted_with(target) is bool(scan)
            assert graph.interaction_count_with(target) == len(scan)
            assert graph.last_interaction_with(target) == (scan[-1] if scan else None)
            assert graph.has_confronted(target) is any(marks)
            walked = any(item.interaction_state.walk_away for item in scan)
            assert graph.has_walked_away_from(target) is walked
            for state in InteractionState:
                same = sum(item.interaction_state is state for item in scan)
                wanted = sum(marks) if state is InteractionState.CONFRONTATION else same
                assert graph.interaction_count_with(target, state) == wanted


Memory.TestCase.settings = settings(
    max_examples=60, stateful_step_count=30, deadline=None, derandomize=True
)


@pytest.mark.spec("IM-M6-aggregates")
@pytest.mark.spec("IM-5.2-range-scan")
class TestMemory(Memory.TestCase):  # type: ignore[misc] # the base is made at run time
    """The machine as a test."""


PROGRAM = """
from talebearer.memory import Event, fold
from talebearer.vocabulary import EventKind as K
log = []
def add(kind, tick, **data):
    log.append(Event(stream="s%d" % (len(log) % 3), sequence=len(log) + 1, tick=tick, kind=kind,
                     data=data))
for n in range(60):
    target = "npc:n%d" % (n * 7 % 11)
    add(K.INTERACTION_STARTED, n, target=target, player_initiated=True, location="quay")
    add(K.FACT_LEARNED, n, fact_id="cargo.f%d" % (n * 5 % 13), confidence="knows_of",
        source={"kind": "told_by", "payload": {"fact": "a.b", "entity": target}})
    add(K.ENTITY_OBSERVED, n, target=target, confidence="direct", known=True,
        source={"kind": "heard"}, attributes={"b": "1", "a%d" % n: "2"})
    add(K.LINE_FIRED, n, pool="p%d" % (n % 4), line="x")
    add(K.INTERACTION_COMPLETED, n, target=target, topics=["b", "a"])
mind = fold("party", log)
keys = {("p%d" % n, "x") for n in range(4)}
print(list(mind.graph.facts), list(mind.graph.entities), mind.last_heard(keys))
print(mind.snapshot())
"""


@pytest.mark.slow
@pytest.mark.spec("IM-2-deterministic")
def test_the_hash_seed_changes_nothing() -> None:
    assert len(printed_under_every_seed(PROGRAM)) > 10_000
