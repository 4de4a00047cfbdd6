"""Events: what can happen to a mind, the receipt that it did, and drafts of what is to be told it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from talebearer.errors import InvalidEvent
from talebearer.memory import _checks
from talebearer.memory._checks import Malformed
from talebearer.memory._facts import Provenance
from talebearer.memory._setters import opened, setters
from talebearer.vocabulary import EventKind

_KINDS = {kind.value: kind for kind in EventKind}
_REQUIRED = frozenset({"stream", "sequence", "tick", "kind", "data"})
_ALLOWED = _REQUIRED | {"provenance"}


@dataclass(frozen=True, slots=True, init=False)
class Event:
    """One thing that happened to a mind.

    Attributes:
        stream: Where it comes from: a session, or the live game.
        sequence: Its place in the stream, from 1.
        tick: When it happened, from 0.
        kind: What happened.
        data: The details that the kind asks for; who is meant is ``npc:{slug}``, ``pc:{slug}`` or
            ``party``. See :meth:`as_json`.
        provenance: The receipt of a recorded event; None for one that happens live.

    The details::

        interaction_started             target, player_initiated, location, number?, participants?
        interaction_completed           target, topics
        interaction_walked_away         target, by?
        interaction_confrontation       target
        interaction_conflict_abandoned  target, by?
        entity_observed                 target, confidence, source, known?, attributes?
        fact_learned                    fact_id, confidence, source
        line_fired                      pool, line, speaker?, variant?, round?
        relationship_changed            target, state
        standing_changed                target, delta, reason, cause?, forgivable?
        stress_changed                  delta, reason, cause?
        walk_aways_forgiven             target, count, reason, cause?
        gossip_heard                    about, mind, fact_id, teller, confidence, teller_fact?,
                                        target?, interaction_state?, confrontation?, hops?, number?
        fact_state_changed              fact_id, state, reason?
        knowledge_decayed               facts, entities, standing?
        counter_added                   counter, by, character?, pool?, line?
        value_set                       value, to, character?, pool?, line?
        timer_stamped                   timer, character?, pool?, line?

    ``participants`` begins with the target. ``by`` is ``self``, as if left out, or ``other``: which
    side walked out. ``reason`` is ``{code, text, details?}``. ``cause`` is ``{mind, stream,
    sequence}`` of the event that it follows from, and follows from only once. The stress is that of
    the mind's owner. ``facts`` and ``entities`` give the ticks of one step by way of learning,
    ``standing`` those of one step towards 0. ``character`` (a slug), ``pool`` and ``line`` say whose
    counter, value or timer it is, as far as its scope asks.

    Source: the interaction-memory spec section 7.1; IM-M7, IM-M8, IM-M13, IM-M14.
    """

    stream: str
    sequence: int
    tick: int
    kind: EventKind
    data: Mapping[str, Any]
    provenance: Provenance | None

    def __init__(
        self,
        *,
        stream: str,
        sequence: int,
        tick: int,
        kind: EventKind,
        data: Mapping[str, Any],
        provenance: Provenance | None = None,
    ) -> None:
        _event_stream(self, stream)
        _event_sequence(self, sequence)
        _event_tick(self, tick)
        _event_kind(self, kind)
        _event_data(self, data)
        _event_provenance(self, provenance)

    @staticmethod
    def of(
        stream: str,
        sequence: int,
        tick: int,
        kind: EventKind,
        data: Mapping[str, Any],
        provenance: Provenance | None = None,
    ) -> Event:
        """Return what the constructor does, in a third of the time."""
        made = _OpenEvent()
        made.stream = stream
        made.sequence = sequence
        made.tick = tick
        made.kind = kind
        made.data = data
        made.provenance = provenance
        made.__class__ = Event
        event: Event = made
        return event

    def as_json(self) -> dict[str, Any]:
        """Return the event as a JSON object; a live one has no member ``provenance``."""
        value: dict[str, Any] = {
            "stream": self.stream,
            "sequence": self.sequence,
            "tick": self.tick,
            "kind": self.kind.value,
            "data": _plain(self.data),
        }
        if self.provenance is not None:
            value["provenance"] = self.provenance.as_json()
        return value

    @classmethod
    def from_json(cls, value: object) -> Event:
        """Read what :meth:`as_json` gives; the details are checked when the event is applied.

        Raises:
            InvalidEvent: A member is missing, extra or wrong (TB102).
        """
        try:
            given = _checks.members(value, "", _REQUIRED, _ALLOWED)
            data = given["data"]
            receipt = given.get("provenance")
            if not isinstance(data, Mapping):
                raise Malformed("data", f"{_checks.show(data)} is not an object", "an object")
            return cls(
                stream=_checks.text(given["stream"], "stream"),
                sequence=_checks.whole(given["sequence"], "sequence", 1),
                tick=_checks.whole(given["tick"], "tick"),
                kind=_checks.choice(given["kind"], "kind", _KINDS),
                data=dict(data),
                provenance=None if receipt is None else _checks.provenance(receipt, "provenance"),
            )
        except Malformed as fault:
            raise invalid_event(fault) from None


(
    _event_stream,
    _event_sequence,
    _event_tick,
    _event_kind,
    _event_data,
    _event_provenance,
) = setters(Event)
_OpenEvent = opened(Event)


@dataclass(frozen=True, slots=True, init=False)
class EventDraft:
    """What an event is to say, without its place in a stream.

    Attributes:
        mind: Into whose log it belongs.
        kind: What happened.
        data: The details, see :class:`Event`.
        provenance: The receipt, when it follows from something recorded.
    """

    mind: str
    kind: EventKind
    data: Mapping[str, Any]
    provenance: Provenance | None

    def __init__(
        self,
        *,
        mind: str,
        kind: EventKind,
        data: Mapping[str, Any],
        provenance: Provenance | None = None,
    ) -> None:
        _draft_mind(self, mind)
        _draft_kind(self, kind)
        _draft_data(self, data)
        _draft_provenance(self, provenance)

    @staticmethod
    def of(
        mind: str, kind: EventKind, data: Mapping[str, Any], provenance: Provenance | None = None
    ) -> EventDraft:
        """Return what the constructor does, in a third of the time."""
        made = _OpenDraft()
        made.mind = mind
        made.kind = kind
        made.data = data
        made.provenance = provenance
        made.__class__ = EventDraft
        draft: EventDraft = made
        return draft

    def event(self, stream: str, sequence: int, *, tick: int) -> Event:
        """Return the event at its place in *stream*."""
        return Event.of(stream, sequence, tick, self.kind, self.data, self.provenance)

    def as_json(self) -> dict[str, Any]:
        """Return the draft as a JSON object."""
        return {"mind": self.mind, "kind": self.kind.value, "data": dict(self.data)}


_draft_mind, _draft_kind, _draft_data, _draft_provenance = setters(EventDraft)
_OpenDraft = opened(EventDraft)


def drafts_by_mind(drafts: Iterable[EventDraft]) -> dict[str, list[EventDraft]]:
    """Return the drafts of each log, in order; the logs in order of mind id."""
    logs: dict[str, list[EventDraft]] = {}
    for draft in drafts:
        logs.setdefault(draft.mind, []).append(draft)
    return {mind: logs[mind] for mind in sorted(logs)}


def invalid_event(fault: Malformed, event: Event | None = None) -> InvalidEvent:
    """Return the public error of *fault*, with the event's place when it is known."""
    place = ""
    data: dict[str, Any] = {"field": fault.field}
    if event is not None and isinstance(event.kind, str):
        place = f" of {event.kind} {_checks.show(event.stream)} {_checks.show(event.sequence)}"
    name = fault.field or "the event"
    hint = f"allowed here: {fault.allowed}" if fault.allowed else ""
    return InvalidEvent(f"{name}{place}: {fault.problem}", hint=hint, data=data)


def _plain(value: Any) -> Any:
    """Return *value* in the types that JSON reading gives."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, Mapping):
        return {_plain(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
