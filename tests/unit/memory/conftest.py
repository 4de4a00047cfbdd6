"""A log that numbers its own events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from talebearer.memory import Applied, Event, EventDraft, Mind, Provenance, SourceRef
from talebearer.vocabulary import EventKind, OccurrenceKind

ODO = "npc:odo-renn"
TOLD = {"kind": "told_by", "payload": {"entity": ODO}}


class Log:
    """One mind and the events given to it."""

    def __init__(self, mind: str = "pc:wren") -> None:
        self.mind = Mind(mind)
        self.events: list[Event] = []

    def event(self, kind: EventKind, *, tick: int = 0, stream: str = "live", **data: Any) -> Event:
        receipt = data.pop("receipt", None)
        return Event(
            stream=stream,
            sequence=self.mind.next_sequence(stream),
            tick=tick,
            kind=kind,
            data=data,
            provenance=receipt,
        )

    def add(self, kind: EventKind, *, tick: int = 0, stream: str = "live", **data: Any) -> Applied:
        event = self.event(kind, tick=tick, stream=stream, **data)
        applied = self.mind.apply(event)
        self.events.append(event)
        return applied

    def start(self, target: str = ODO, *, tick: int = 0, **more: Any) -> Applied:
        data = {"target": target, "player_initiated": True, "location": "the-quay", **more}
        return self.add(EventKind.INTERACTION_STARTED, tick=tick, **data)

    def end(self, kind: str = "completed", target: str = ODO, *, tick: int = 0, **more: Any) -> Any:
        if kind == "completed":
            more.setdefault("topics", [])
        return self.add(EventKind(f"interaction_{kind}"), tick=tick, target=target, **more)

    def learn(self, fact_id: str, confidence: str = "knows_of", **more: Any) -> Applied:
        more.setdefault("source", TOLD)
        return self.add(EventKind.FACT_LEARNED, fact_id=fact_id, confidence=confidence, **more)

    def observe(self, confidence: str = "knows_of", target: str = ODO, **more: Any) -> Applied:
        more.setdefault("source", {"kind": "heard", "payload": {}})
        return self.add(EventKind.ENTITY_OBSERVED, target=target, confidence=confidence, **more)

    def fill(self, receipt: Any) -> None:
        """Add something of most kinds, recorded and live."""
        self.learn("cargo.one")
        self.start(stream="s1", receipt=receipt, tick=3)
        self.end("confrontation", stream="s1", receipt=receipt, tick=4)
        self.end(stream="s1", receipt=receipt, tick=9, topics=["cargo"])
        self.observe(target="npc:zoe", known=False, attributes={"hät": "röt"})
        self.add(EventKind.LINE_FIRED, pool="b", line="x_d_001", tick=11)

    def take(self, draft: EventDraft, *, tick: int = 0, stream: str = "live") -> Applied:
        """Put a draft into the log."""
        assert draft.mind == self.mind.mind_id
        event = draft.event(stream, self.mind.next_sequence(stream), tick=tick)
        applied = self.mind.apply(event)
        self.events.append(event)
        return applied

    def stand(self, delta: int, target: str = ODO, **more: Any) -> Applied:
        more.setdefault("reason", {"code": "authored", "text": "because"})
        return self.add(EventKind.STANDING_CHANGED, target=target, delta=delta, **more)


def receipt(occurrence: str = "occurrence:s1:0", first: int = 1, last: int = 4) -> Provenance:
    return Provenance(
        session="s1",
        artifact_digest="sha256:" + "0" * 64,
        occurrence=occurrence,
        kind=OccurrenceKind.DIALOGUE,
        source_refs=(SourceRef(source_id="s1", start_unit_id=first, end_unit_id=last),),
    )


@pytest.fixture
def log() -> Log:
    return Log()


@pytest.fixture
def logs() -> Callable[..., dict[str, Log]]:
    """Return logs of the minds that are named."""
    return lambda *minds: {mind: Log(mind) for mind in minds}


@pytest.fixture
def make_receipt() -> Any:
    return receipt
