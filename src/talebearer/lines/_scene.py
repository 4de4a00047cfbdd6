"""What a line is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, NamedTuple


@dataclass(frozen=True, slots=True, init=False)
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
    topics: tuple[str, ...]
    moods: tuple[str, ...]

    def __init__(
        self,
        *,
        location: str,
        access: str,
        trust: str,
        situations: tuple[str, ...],
        topics: tuple[str, ...] = (),
        moods: tuple[str, ...] = (),
    ) -> None:
        # Slots set directly: a scene is made for every line that is asked for.
        _location(self, location)
        _access(self, access)
        _trust(self, trust)
        _situations(self, situations)
        _topics(self, topics)
        _moods(self, moods)

    @staticmethod
    def of(
        location: str,
        access: str,
        trust: str,
        situations: tuple[str, ...],
        topics: tuple[str, ...],
        moods: tuple[str, ...],
    ) -> Scene:
        """Return what the constructor does, in a third of the time."""
        made = _OpenScene()
        made.location = location
        made.access = access
        made.trust = trust
        made.situations = situations
        made.topics = topics
        made.moods = moods
        # Both classes have one layout, and so the interpreter allows it.
        made.__class__ = Scene
        scene: Scene = made
        return scene


_OpenScene: Callable[[], Any] = type(
    "OpenScene", (), {"__slots__": tuple(member.name for member in fields(Scene))}
)
_location, _access, _trust, _situations, _topics, _moods = (
    Scene.__dict__[member.name].__set__ for member in fields(Scene)
)


class Speech(NamedTuple):
    """Something that is being spoken now.

    Attributes:
        speaking_class: Its class.
        character: Who speaks it.
    """

    speaking_class: str
    character: str
