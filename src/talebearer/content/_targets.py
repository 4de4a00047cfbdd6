"""What a campaign wants written: the file ``global/coverage.yaml``, and what holds without one.

Source: the line-pool spec section 10.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from talebearer.content._findings import Draft, ValuePath
from talebearer.content._structure import likeliest, shown
from talebearer.errors import Severity
from talebearer.errors import findings_content as codes

SESSION_TICKS = 144_000
"""Four hours at ten ticks a second."""


class Volume(NamedTuple):
    """How many lines there are to be; None is no bound."""

    least: int | None
    most: int | None

    def fits(self, count: int) -> bool:
        """Whether *count* is within."""
        low = self.least is None or count >= self.least
        return low and (self.most is None or count <= self.most)

    def __str__(self) -> str:
        if self.least is None or self.most is None:
            bound = self.least if self.most is None else self.most
            return f"{'at least' if self.most is None else 'at most'} {bound}"
        return f"{self.least}-{self.most}"


VOLUMES: Mapping[str, Volume] = {
    "role": Volume(165, 210),
    "place": Volume(500, 700),
    "district": Volume(2000, 3000),
    "thoughts_of_place": Volume(20, 40),
    "thoughts_of_district": Volume(100, 200),
}
"""What the specification estimates: lines of a role at a place, of a place, of a district, and
thoughts of one character at a place and in a district."""


class Asked(NamedTuple):
    """Which scenes the game has at all; None is any.

    Attributes:
        access: Access tiers.
        trust: Trust tiers.
        situations: Situations.
    """

    access: tuple[str, ...] | None = None
    trust: tuple[str, ...] | None = None
    situations: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleTarget:
    """What is wanted of a role, everywhere or at one place.

    Attributes:
        role: The role.
        place: The place; None is every place that has the role.
        access: Access tiers to write for; None is those that the role's lines name.
        trust: Trust tiers to write for; None is those that the lines of a tier need.
        situations: Situations to write for; None is those that the role's lines name.
        each: Lines wanted in every cell of these.
        lines: Lines wanted in all; None is nothing in particular.
    """

    role: str
    place: str | None = None
    access: tuple[str, ...] | None = None
    trust: tuple[str, ...] | None = None
    situations: tuple[str, ...] | None = None
    each: int = 1
    lines: Volume | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ThoughtTarget:
    """What is wanted of a character's thoughts, everywhere or at one place.

    Attributes:
        character: The character.
        place: The place, or ``general``; None is every place that the character has thoughts of.
        triggers: Triggers to write for.
        each: Thoughts wanted for each of them.
        lines: Thoughts wanted in all; None is nothing in particular.
    """

    character: str
    place: str | None = None
    triggers: tuple[str, ...] = ()
    each: int = 1
    lines: Volume | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets:
    """All that is wanted.

    Attributes:
        session_ticks: How long a session is.
        asked: Which scenes the game has at all; where a role says nothing else, nothing is wanted
            for others.
        volumes: The volumes that the campaign asks for by itself.
        roles: Roles, in file order; of several that fit, the last counts.
        thoughts: Thoughts, likewise.
        by_game: Kind to the names that the game writes; a fact's may be ``category.*``.
    """

    session_ticks: int = SESSION_TICKS
    asked: Asked = field(default_factory=Asked)
    volumes: Mapping[str, Volume] = field(default_factory=dict)
    roles: tuple[RoleTarget, ...] = ()
    thoughts: tuple[ThoughtTarget, ...] = ()
    by_game: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def written_by_game(self, kind: str, name: str) -> bool:
        """Whether the game writes the *kind* of thing that is called *name*."""
        names = self.by_game.get(kind, frozenset())
        return name in names or f"{name.partition('.')[0]}.*" in names


def targets_of(root: Any) -> Targets:
    """Return what the file's mapping *root* asks for; what is not as it should be asks for nothing."""
    if not isinstance(root, dict):
        return Targets()
    ticks = root.get("session_ticks")
    volumes = root.get("volumes")
    by_game = root.get("by_game")
    scenes = root.get("scenes")
    asked = scenes if isinstance(scenes, dict) else {}
    return Targets(
        session_ticks=int(ticks) if ticks is not None and _is_count(ticks) else SESSION_TICKS,
        asked=Asked(*(_words(asked.get(name)) for name in Asked._fields)),
        volumes={
            name: volume
            for name, part in (volumes.items() if isinstance(volumes, dict) else ())
            if name in VOLUMES and (volume := _volume(part)) is not None
        },
        roles=tuple(
            RoleTarget(
                role=str(one["role"]),
                place=_word(one.get("place")),
                access=_words(one.get("access")),
                trust=_words(one.get("trust")),
                situations=_words(one.get("situations")),
                each=int(one["each"]) if _is_count(one.get("each")) else 1,
                lines=_volume(one.get("lines")),
            )
            for one in _entries(root, "roles")
            if "role" in one
        ),
        thoughts=tuple(
            ThoughtTarget(
                character=str(one["character"]),
                place=_word(one.get("place")),
                triggers=_words(one.get("triggers")) or (),
                each=int(one["each"]) if _is_count(one.get("each")) else 1,
                lines=_volume(one.get("lines")),
            )
            for one in _entries(root, "thoughts")
            if "character" in one
        ),
        by_game={
            _KINDS[section]: frozenset(_words(names) or ())
            for section, names in (by_game.items() if isinstance(by_game, dict) else ())
            if section in _KINDS
        },
    )


_KINDS = {"facts": "fact", "counters": "counter", "values": "value", "timers": "timer"}


def _entries(root: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    found = root.get(name)
    yield from (one for one in (found if isinstance(found, list) else ()) if isinstance(one, dict))


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _words(value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, list):
        return None
    return tuple(one for one in value if isinstance(one, str))


def _volume(value: Any) -> Volume | None:
    if not isinstance(value, dict):
        return None
    least, most = (
        value[name] if _is_count(value.get(name)) else None for name in ("least", "most")
    )
    return None if least is None and most is None else Volume(least, most)


class Names(NamedTuple):
    """What targets may name.

    Attributes:
        roles: Place to its roles.
        thoughts: Character to the places that it has thoughts of.
        written: Kind to declared names: facts, counters, values, timers.
    """

    roles: Mapping[str, frozenset[str]]
    thoughts: Mapping[str, frozenset[str]]
    written: Mapping[str, frozenset[str]]


def check_targets(root: Mapping[str, Any], names: Names) -> Iterator[Draft]:
    """Yield what a schema cannot say about the file: names that nothing has, bounds that cross."""
    yield from _check_roles(root, names)
    yield from _check_thoughts(root, names)
    volumes = root.get("volumes")
    for name, part in volumes.items() if isinstance(volumes, dict) else ():
        yield from _check_volume(part, ("volumes", name))
    by_game = root.get("by_game")
    for section, listed in by_game.items() if isinstance(by_game, dict) else ():
        known = names.written.get(section)
        for at, name in enumerate(listed if isinstance(listed, list) and known is not None else ()):
            if isinstance(name, str) and not _is_known(section, name, known or frozenset()):
                kind = _KINDS[section]
                yield _unknown(kind, name, known or (), ("by_game", section, at))


def _is_known(section: str, name: str, known: frozenset[str]) -> bool:
    if section == "facts" and name.endswith(".*"):
        return any(fact_id.startswith(name[:-1]) for fact_id in known)
    return name in known


def _check_roles(root: Mapping[str, Any], names: Names) -> Iterator[Draft]:
    everywhere = frozenset().union(*names.roles.values())
    for at, one in _numbered(root, "roles"):
        role, place = one.get("role"), one.get("place")
        path: ValuePath = ("roles", at)
        yield from _check_volume(one.get("lines"), (*path, "lines"))
        if isinstance(place, str) and place not in names.roles:
            yield _unknown("place", place, names.roles, (*path, "place"))
        elif isinstance(role, str) and role not in everywhere:
            yield _unknown("role", role, everywhere, (*path, "role"))


def _check_thoughts(root: Mapping[str, Any], names: Names) -> Iterator[Draft]:
    for at, one in _numbered(root, "thoughts"):
        character, place = one.get("character"), one.get("place")
        path: ValuePath = ("thoughts", at)
        yield from _check_volume(one.get("lines"), (*path, "lines"))
        known = names.roles.keys() | names.thoughts.get(str(character), frozenset())
        if isinstance(place, str) and place != "general" and place not in known:
            yield _unknown("place", place, known, (*path, "place"))


def _numbered(root: Mapping[str, Any], name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    found = root.get(name)
    for at, one in enumerate(found if isinstance(found, list) else ()):
        if isinstance(one, dict):
            yield at, one


def _check_volume(part: Any, path: ValuePath) -> Iterator[Draft]:
    volume = _volume(part)
    if volume is None or volume.least is None or volume.most is None:
        return
    if volume.least > volume.most:
        message = f"at least {volume.least} and at most {volume.most} lines"
        yield Draft(code=codes.OUT_OF_RANGE, message=message, path=(*path, "least"))


def _unknown(what: str, name: str, known: Any, path: ValuePath) -> Draft:
    close = likeliest(name, tuple(sorted(known)))
    return Draft(
        code=codes.UNKNOWN_TARGET,
        message=f"{what} {shown(name)} is nowhere in the content",
        hint=f"did you mean {close}?" if close else "",
        severity=Severity.WARNING,
        path=path,
    )
