"""How many lines there are for each access tier, trust tier and situation, and for each trigger.

Source: the line-pool spec sections 3.4, 4.4 and 10.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from talebearer.lines import Pack

POOL_FOLDERS = frozenset({"dialogue", "monologue"})


class CellKey(NamedTuple):
    """An access tier, a trust tier and a situation: where a line may stand in the matrix."""

    access: str
    trust: str
    situation: str


class Cell(NamedTuple):
    """What is written for one place in the matrix.

    Attributes:
        lines: Lines that name the access tier and the situation, and need just this trust.
        heard: Lines that can be heard there: these, and those that need less trust.
    """

    lines: int
    heard: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleMatrix:
    """The lines of one role at one place.

    Attributes:
        role: The role.
        place: The location.
        lines: How many lines there are in all.
        access: The access tiers that they name, in the enumeration's order; so all below.
        trust: Access tier to the trust tiers that its lines need.
        situations: The situations that they name.
        cells: Every place for which there is a line to hear.
    """

    role: str
    place: str
    lines: int
    access: tuple[str, ...]
    trust: Mapping[str, tuple[str, ...]]
    situations: tuple[str, ...]
    cells: Mapping[CellKey, Cell]

    def at(self, access: str, trust: str, situation: str) -> Cell:
        """Return the cell of a place."""
        return self.cells.get(CellKey(access, trust, situation), _EMPTY)

    def rows(self, more: Iterable[CellKey] = ()) -> list[tuple[str, str]]:
        """Return access and trust of each row of a table: as the lines have them, then those of *more*."""
        used = [(access, trust) for access in self.access for trust in self.trust[access]]
        return [*used, *sorted({(at.access, at.trust) for at in more} - set(used))]

    def columns(self, more: Iterable[CellKey] = ()) -> list[str]:
        """Return the situation of each column: as the lines have them, then those of *more*."""
        return [*self.situations, *sorted({at.situation for at in more} - set(self.situations))]

    def as_json(self) -> dict[str, Any]:
        """Return the matrix as a JSON object; cells without a line to hear are left out."""
        return {
            "role": self.role,
            "place": self.place,
            "lines": self.lines,
            "access": list(self.access),
            "trust": {tier: list(needed) for tier, needed in self.trust.items()},
            "situations": list(self.situations),
            "cells": [{**at._asdict(), **cell._asdict()} for at, cell in self.cells.items()],
        }


_EMPTY = Cell(0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ThoughtMatrix:
    """The thoughts of one character for one place.

    Attributes:
        character: The character.
        place: The location, or ``general``.
        lines: How many thoughts there are in all.
        triggers: Every trigger of the campaign to the number of thoughts that it brings.
    """

    character: str
    place: str
    lines: int
    triggers: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        """Return the matrix as a JSON object."""
        return {
            "character": self.character,
            "place": self.place,
            "lines": self.lines,
            "triggers": dict(self.triggers),
        }


class ThoughtTable(NamedTuple):
    """The thoughts of one character, as a table.

    Attributes:
        character: The character.
        triggers: Its columns: the triggers that bring any of the thoughts.
        rows: A matrix for each place.
    """

    character: str
    triggers: list[str]
    rows: list[ThoughtMatrix]

    @property
    def lines(self) -> int:
        """How many thoughts there are in all."""
        return sum(one.lines for one in self.rows)


class Districts(NamedTuple):
    """How much each district has; a district is the folder that holds the pool folders.

    Attributes:
        lines: District to the number of its dialogue lines.
        thoughts: District and character to the number of thoughts.
    """

    lines: Mapping[str, int]
    thoughts: Mapping[tuple[str, str], int]


def district_of(path: str) -> str:
    """Return the folder above the ``dialogue`` or ``monologue`` folder of the pool at *path*."""
    return "/".join(path.split("/")[:-3]) or "."


def districts(pack: Pack) -> Districts:
    """Return how much each district of *pack* has."""
    lines: Counter[str] = Counter()
    thoughts: Counter[tuple[str, str]] = Counter()
    for pool in pack.dialogue_pools:
        lines[district_of(pool.path)] += pool.size
    for thought in pack.monologue_pools:
        thoughts[district_of(thought.path), thought.character] += thought.size
    return Districts(dict(sorted(lines.items())), dict(sorted(thoughts.items())))


def role_matrices(pack: Pack) -> Iterator[RoleMatrix]:
    """Yield the matrix of every role at every place of *pack*, by place and role.

    A line counts for the role that it names itself.
    """
    kinds: defaultdict[tuple[str, str], Counter[tuple[tuple[str, ...], str, tuple[str, ...]]]]
    kinds = defaultdict(Counter)
    for pool in pack.dialogue_pools:
        rows = zip(pool.roles, pool.access, pool.trust, pool.situation, strict=True)
        for role, access, trust, situations in rows:
            kinds[pool.location, role][access, trust, situations] += 1
    for (place, role), found in sorted(kinds.items()):
        yield _role_matrix(role, place, found, pack)


def _role_matrix(
    role: str,
    place: str,
    kinds: Mapping[tuple[tuple[str, ...], str, tuple[str, ...]], int],
    pack: Pack,
) -> RoleMatrix:
    exact: Counter[CellKey] = Counter()
    for (access, trust, situations), count in kinds.items():
        for tier in access:
            for situation in situations:
                exact[CellKey(tier, trust, situation)] += count
    named = {(at.access, at.trust) for at in exact}
    tiers = tuple(tier for tier in pack.enums.access if any(tier == one for one, _ in named))
    used = {at.situation for at in exact}
    situations = tuple(one for one in pack.enums.situations if one in used)
    return RoleMatrix(
        role=role,
        place=place,
        lines=sum(kinds.values()),
        access=tiers,
        trust={
            tier: tuple(one for one in pack.enums.trust if (tier, one) in named) for tier in tiers
        },
        situations=situations,
        cells=dict(_cells(exact, tiers, situations, pack.enums.trust)),
    )


def _cells(
    exact: Mapping[CellKey, int],
    access: tuple[str, ...],
    situations: tuple[str, ...],
    trust: tuple[str, ...],
) -> Iterator[tuple[CellKey, Cell]]:
    for tier in access:
        for situation in situations:
            heard = 0
            for needed in trust:
                at = CellKey(tier, needed, situation)
                lines = exact.get(at, 0)
                heard += lines
                if heard:
                    yield at, Cell(lines, heard)


def thought_matrices(pack: Pack) -> Iterator[ThoughtMatrix]:
    """Yield the matrix of every character's thoughts for every place, by character and place."""
    found: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for pool in pack.monologue_pools:
        found[pool.character, pool.location].update(pool.triggers)
    for (character, place), counts in sorted(found.items()):
        yield ThoughtMatrix(
            character=character,
            place=place,
            lines=counts.total(),
            triggers={trigger: counts[trigger] for trigger in pack.enums.triggers},
        )
