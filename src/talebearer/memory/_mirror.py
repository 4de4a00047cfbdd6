"""The other side of a conversation: what goes into the minds of those whom it was with.

Every participant that has a mind remembers the conversation under the slug of the one whose mind it
comes from. ``player_initiated`` then means that the remembering mind's own side began it, and
``by`` of a walk-away which side left. Numbers are each mind's own.

Source: IM-M7.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from talebearer.memory._events import Event, EventDraft
from talebearer.vocabulary import EventKind

_STARTED = EventKind.INTERACTION_STARTED
_COMPLETED = EventKind.INTERACTION_COMPLETED
_WALK_AWAYS = (EventKind.INTERACTION_WALKED_AWAY, EventKind.INTERACTION_CONFLICT_ABANDONED)
_MIRRORED = (_STARTED, _COMPLETED, EventKind.INTERACTION_CONFRONTATION, *_WALK_AWAYS)


def mirrored(
    event: Event, *, mind: str, participants: Sequence[str] | None = None
) -> tuple[EventDraft, ...]:
    """Return what *event* is to the minds of the participants, one draft each, in their order.

    A mind that is in a conversation of its own refuses the start as it refuses every second one
    (TB101): the character is busy. So try these first, and the event itself after them.

    Args:
        event: An event of an interaction in the log of *mind*; other kinds have no mirror.
        mind: Whose event it is.
        participants: The interaction's ``participants``; by default those that a start names, and
            for other events the target alone.

    Returns:
        Drafts without regard to who has a mind; leave out those that have none.
    """
    if event.kind not in _MIRRORED:
        return ()
    target: str = event.data["target"]
    whom = tuple(participants or event.data.get("participants") or (target,))
    return tuple(
        [
            EventDraft.of(
                participant,
                event.kind,
                mirrored_data(
                    event.kind, event.data, (mind, *[item for item in whom if item != participant])
                ),
                event.provenance,
            )
            for participant in whom
        ]
    )


def mirrored_data(
    kind: EventKind, details: Mapping[str, Any], seen: tuple[str, ...]
) -> dict[str, Any]:
    """Return the details of an interaction's event as one participant sees them.

    Args:
        kind: One that :func:`mirrored` knows.
        details: The event's.
        seen: All but the participant, the one in whose log the event is first.
    """
    data: dict[str, Any] = {"target": seen[0]}
    if kind is _STARTED:
        data["player_initiated"] = not details["player_initiated"]
        data["location"] = details["location"]
        if len(seen) > 1:
            data["participants"] = list(seen)
    elif kind is _COMPLETED:
        data["topics"] = list(details["topics"])
    elif kind in _WALK_AWAYS:
        data["by"] = "self" if details.get("by") == "other" else "other"
    return data
