"""What a line is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What a dialogue line is asked for.

    Attributes:
        location: Location slug.
        access: The listener's access tier.
        trust: The listener's trust tier, a :class:`~talebearer.vocabulary.TrustTier` or a tier
            of the campaign's own.
        situations: The active situations; a line fires in any of them.
        topics: What the speaker is asked about; may be empty.
        moods: How the speaker feels; may be empty.
    """

    location: str
    access: str
    trust: str
    situations: tuple[str, ...]
    topics: tuple[str, ...] = ()
    moods: tuple[str, ...] = ()


class Speech(NamedTuple):
    """Something that is being spoken now.

    Attributes:
        speaking_class: Its class.
        character: Who speaks it.
    """

    speaking_class: str
    character: str
