"""What is written, what is missing, and what the guidelines say, of one pack."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from talebearer.content._targets import Targets
from talebearer.content.coverage._gaps import (
    Gap,
    VolumeRow,
    cell_gaps,
    missing_roles,
    trigger_gaps,
    volume_gaps,
    volumes,
    wanted_cells,
)
from talebearer.content.coverage._matrix import (
    CellKey,
    RoleMatrix,
    ThoughtMatrix,
    ThoughtTable,
    districts,
    role_matrices,
    thought_matrices,
)
from talebearer.errors import Problem, UsageFault, did_you_mean
from talebearer.errors import findings_content as codes
from talebearer.lines import Pack

GUIDELINES = frozenset(
    {
        codes.FEW_SURFACE_LINES,
        codes.FEW_ARRIVAL_LINES,
        codes.STRONG_GRANT,
        codes.ONE_TRUST_TIER,
        codes.NO_BASELINE,
    }
)
"""The findings of lint that section 8.2 of the line-pool spec is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """The coverage of one pack.

    Attributes:
        roles: A matrix for each role at each place, by place and role.
        wanted: For each of these, in the same order, the cells that are to be written for.
        thoughts: A matrix for each character and place.
        volumes: How much there is, and how much there is to be.
        gaps: What is missing.
        guidelines: What lint notes of the guidelines.
    """

    roles: tuple[RoleMatrix, ...]
    wanted: tuple[frozenset[CellKey], ...]
    thoughts: tuple[ThoughtMatrix, ...]
    volumes: tuple[VolumeRow, ...]
    gaps: tuple[Gap, ...]
    guidelines: tuple[Problem, ...]

    def thought_tables(self) -> list[ThoughtTable]:
        """Return the thoughts as a table for each character."""
        tables = []
        for character in dict.fromkeys(one.character for one in self.thoughts):
            own = [one for one in self.thoughts if one.character == character]
            triggers = [name for name in own[0].triggers if any(one.triggers[name] for one in own)]
            tables.append(ThoughtTable(character, triggers, own))
        return tables

    def as_json(self) -> dict[str, Any]:
        """Return the coverage as a JSON object."""
        return {
            "roles": [one.as_json() for one in self.roles],
            "thoughts": [one.as_json() for one in self.thoughts],
            "volumes": [one.as_json() for one in self.volumes],
            "gaps": [one.as_json() for one in self.gaps],
            "guidelines": [one.as_json() for one in self.guidelines],
        }


def coverage(
    pack: Pack,
    targets: Targets | None = None,
    *,
    problems: Iterable[Problem] = (),
    role: str | None = None,
    place: str | None = None,
    character: str | None = None,
) -> Coverage:
    """Return what is written and what is missing in *pack*.

    Args:
        pack: The content.
        targets: What is wanted; without any, only what the content itself makes one expect.
        problems: What lint found; the notes on guidelines are taken from it.
        role: Only this role's matrices and gaps.
        place: Only those of this place.
        character: Only this character's thoughts and their gaps.

    Raises:
        UsageFault: Nothing is written for that role, place or character (TB111).

    Source: the line-pool spec sections 8.2 and 10.
    """
    _must_be_known(pack, {"role": role, "location": place, "character": character})
    targets = targets or Targets()
    every_role, every_thought = tuple(role_matrices(pack)), tuple(thought_matrices(pack))
    rows = tuple(volumes(every_role, every_thought, districts(pack), targets))
    roles = tuple(
        one for one in every_role if role in (None, one.role) and place in (None, one.place)
    )
    thoughts = tuple(
        one
        for one in every_thought
        if character in (None, one.character) and place in (None, one.place)
    )
    gaps: list[Gap] = [gap for one in roles for gap in cell_gaps(one, targets, pack)]
    others = [
        *missing_roles(every_role, targets),
        *trigger_gaps(every_thought, targets),
        *volume_gaps(rows),
    ]
    names = {name for name in (role, character) if name is not None}
    gaps += [
        gap
        for gap in others
        if (not names or gap.whose in names) and place in (None, gap.place, gap.whose)
    ]
    return Coverage(
        roles=roles,
        wanted=tuple(
            frozenset(cell.at for cell in wanted_cells(one, targets, pack)) for one in roles
        ),
        thoughts=thoughts,
        volumes=tuple(
            row
            for row in rows
            if (not names or row.whose in names) and place in (None, row.place, row.whose)
        ),
        gaps=tuple(gaps),
        guidelines=tuple(one for one in problems if one.code in GUIDELINES),
    )


def _must_be_known(pack: Pack, names: Mapping[str, str | None]) -> None:
    """Refuse a role, place or character that nothing is written for."""
    known = {
        "role": {role for pool in pack.dialogue_pools for role in pool.roles},
        "location": {
            *(pool.location for pool in pack.dialogue_pools),
            *(pool.location for pool in pack.monologue_pools),
        },
        "character": {pool.character for pool in pack.monologue_pools},
    }
    for kind, name in names.items():
        if name is not None and name not in known[kind]:
            hint = did_you_mean(name, known[kind])
            raise UsageFault(f"no line has the {kind} {name!r}", hint=hint)
