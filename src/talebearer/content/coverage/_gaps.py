"""What is missing: scenes in which a role has nothing to say, and less than was asked for.

A role is expected to have something to say wherever one of its access tiers meets one of its
situations, from the lowest trust tier on that its lines of this access tier need: it has words for
both, so a game may well ask. ``global/coverage.yaml`` may say which tiers and situations the game's
scenes have at all, and for a role name other ones, and more lines than one.

Source: the line-pool spec section 10.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from talebearer.content._targets import VOLUMES, RoleTarget, Targets, ThoughtTarget, Volume
from talebearer.content.coverage._matrix import (
    CellKey,
    Districts,
    RoleMatrix,
    ThoughtMatrix,
)
from talebearer.errors import findings_content as codes
from talebearer.lines import GENERAL, Pack


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Something that is missing.

    Attributes:
        code: TB488 for a cell or a trigger, TB489 for a volume.
        whose: The role or character, or the place or district whose volume it is.
        place: Where; None for a place or a district itself.
        at: The cell; None for triggers and volumes.
        trigger: The trigger; None for cells and volumes.
        found: How many lines there are.
        wanted: How many there should be.
    """

    code: str
    whose: str
    place: str | None = None
    at: CellKey | None = None
    trigger: str | None = None
    found: int
    wanted: str

    @property
    def message(self) -> str:
        """The gap in words."""
        where = self.whose if self.place is None else f"{self.whose} at {self.place}"
        if self.at is not None:
            what = f"access {self.at.access}, trust {self.at.trust}, {self.at.situation}"
            return f"{where}: {what}: {self.found} of {self.wanted}"
        if self.trigger is not None:
            return f"{where}: {self.trigger}: {self.found} of {self.wanted}"
        return f"{where}: {self.found} lines where {self.wanted} are wanted"

    def as_json(self) -> dict[str, Any]:
        """Return the gap as a JSON object."""
        value: dict[str, Any] = {"code": self.code, "whose": self.whose, "place": self.place}
        if self.at is not None:
            value |= self.at._asdict()
        if self.trigger is not None:
            value["trigger"] = self.trigger
        return value | {"found": self.found, "wanted": self.wanted, "message": self.message}


def gaps_in_words(gaps: Sequence[Gap]) -> list[str]:
    """Return *gaps* in sentences; cells of one row of a matrix, and triggers of one place, share one."""
    rows: dict[tuple[object, ...], list[Gap]] = {}
    for gap in gaps:
        row = None if gap.at is None else (gap.at.access, gap.at.trust)
        alone = gap if row is None and gap.trigger is None else None
        rows.setdefault((gap.whose, gap.place, row, gap.wanted, alone), []).append(gap)
    return [_row_in_words(row) for row in rows.values()]


def _row_in_words(row: Sequence[Gap]) -> str:
    first = row[0]
    where = first.whose if first.place is None else f"{first.whose} at {first.place}"
    if first.at is not None:
        where += f", access {first.at.access}, trust {first.at.trust}"
    elif first.trigger is None:
        return first.message
    named = [(gap.at.situation if gap.at else str(gap.trigger), gap.found) for gap in row]
    if first.wanted == "1":
        return f"{where}: nothing for {', '.join(name for name, _ in named)}"
    parts = (f"{found} of {first.wanted} for {name}" for name, found in named)
    return f"{where}: {', '.join(parts)}"


class VolumeRow(NamedTuple):
    """How much there is of something, and how much there is to be.

    Attributes:
        kind: ``role``, ``place``, ``district``, ``thoughts_of_place`` or ``thoughts_of_district``.
        whose: The role, character, place or district.
        place: Where a role or thoughts are; None for all else.
        lines: How many lines there are.
        volume: How many there are to be.
        declared: Whether the campaign asks for it itself; else it is the specification's estimate,
            and to fall short of it is no gap.
    """

    kind: str
    whose: str
    place: str | None
    lines: int
    volume: Volume
    declared: bool

    @property
    def fits(self) -> bool:
        """Whether the number is within."""
        return self.volume.fits(self.lines)

    def as_json(self) -> dict[str, Any]:
        """Return the row as a JSON object."""
        least, most = self.volume
        row = self._asdict() | {"volume": {"least": least, "most": most}, "fits": self.fits}
        return dict(row)


class Wanted(NamedTuple):
    """A cell that is to be written for.

    Attributes:
        at: The cell.
        least: So many lines.
        exact: Whether only lines that need just this trust count.
    """

    at: CellKey
    least: int
    exact: bool


def wanted_cells(matrix: RoleMatrix, targets: Targets, pack: Pack) -> Iterator[Wanted]:
    """Yield the cells that are to be written for in *matrix*."""
    target = _target_of(matrix, targets.roles) or RoleTarget(role=matrix.role)
    access = target.access or _asked(matrix.access, targets.asked.access)
    situations = target.situations or _asked(matrix.situations, targets.asked.situations)
    for tier in access:
        reached = _asked(_tiers_from_lowest(matrix, tier, pack), targets.asked.trust)
        for trust in target.trust or reached:
            for situation in situations:
                at = CellKey(tier, trust, situation)
                yield Wanted(at, target.each, exact=target.trust is not None)


def _asked(words: Sequence[str], asked: Sequence[str] | None) -> Sequence[str]:
    """Return those of *words* that scenes have."""
    return words if asked is None else [word for word in words if word in asked]


def _tiers_from_lowest(matrix: RoleMatrix, access: str, pack: Pack) -> Sequence[str]:
    """Return the trust tiers from the lowest to the highest that lines of *access* need."""
    used = matrix.trust.get(access) or pack.enums.trust[:1]
    order = pack.enums.trust
    return order[order.index(used[0]) : order.index(used[-1]) + 1]


def _target_of(matrix: RoleMatrix, targets: Sequence[RoleTarget]) -> RoleTarget | None:
    fitting = [one for one in targets if one.role == matrix.role]
    fitting = [one for one in fitting if one.place in (None, matrix.place)]
    return fitting[-1] if fitting else None


def cell_gaps(matrix: RoleMatrix, targets: Targets, pack: Pack) -> Iterator[Gap]:
    """Yield the cells of *matrix* with fewer lines than are wanted."""
    for at, least, exact in wanted_cells(matrix, targets, pack):
        cell = matrix.at(*at)
        found = cell.lines if exact else cell.heard
        if found < least:
            yield Gap(
                code=codes.GAP,
                whose=matrix.role,
                place=matrix.place,
                at=at,
                found=found,
                wanted=str(least),
            )


def missing_roles(matrices: Sequence[RoleMatrix], targets: Targets) -> Iterator[Gap]:
    """Yield the roles that targets name for a place that has no line of them."""
    there = {(one.role, one.place) for one in matrices}
    for target in targets.roles:
        if target.place is not None and (target.role, target.place) not in there:
            yield Gap(code=codes.GAP, whose=target.role, place=target.place, found=0, wanted="any")


def trigger_gaps(matrices: Sequence[ThoughtMatrix], targets: Targets) -> Iterator[Gap]:
    """Yield the triggers that bring fewer thoughts than are wanted."""
    known = {(one.character, one.place): one for one in matrices}
    places = list(known) + [
        (one.character, one.place)
        for one in targets.thoughts
        if one.place is not None and (one.character, one.place) not in known
    ]
    for character, place in dict.fromkeys(places):
        target = _thoughts_of(character, place, targets.thoughts)
        matrix = known.get((character, place))
        for trigger in target.triggers if target else ():
            found = matrix.triggers.get(trigger, 0) if matrix else 0
            if target and found < target.each:
                yield Gap(
                    code=codes.GAP,
                    whose=character,
                    place=place,
                    trigger=trigger,
                    found=found,
                    wanted=str(target.each),
                )


def _thoughts_of(
    character: str, place: str, targets: Sequence[ThoughtTarget]
) -> ThoughtTarget | None:
    fitting = [one for one in targets if one.character == character]
    named = [one for one in fitting if one.place == place]
    everywhere = [one for one in fitting if one.place is None and place != GENERAL]
    return next(reversed(named or everywhere), None)


def volumes(
    roles: Sequence[RoleMatrix],
    thoughts: Sequence[ThoughtMatrix],
    areas: Districts,
    targets: Targets,
) -> Iterator[VolumeRow]:
    """Yield how much there is of everything that the specification estimates."""

    def row(
        kind: str, whose: str, place: str | None, lines: int, own: Volume | None = None
    ) -> VolumeRow:
        declared = own or targets.volumes.get(kind)
        return VolumeRow(kind, whose, place, lines, declared or VOLUMES[kind], declared is not None)

    places: Counter[str] = Counter()
    for matrix in roles:
        target = _target_of(matrix, targets.roles)
        places[matrix.place] += matrix.lines
        own = target.lines if target else None
        yield row("role", matrix.role, matrix.place, matrix.lines, own)
    for place, count in sorted(places.items()):
        yield row("place", place, None, count)
    for district, count in areas.lines.items():
        yield row("district", district, None, count)
    for one in thoughts:
        wanted = _thoughts_of(one.character, one.place, targets.thoughts)
        if one.place != GENERAL or (wanted and wanted.lines):
            own = wanted.lines if wanted else None
            yield row("thoughts_of_place", one.character, one.place, one.lines, own)
    for (district, character), count in areas.thoughts.items():
        yield row("thoughts_of_district", character, district, count)


def volume_gaps(rows: Sequence[VolumeRow]) -> Iterator[Gap]:
    """Yield the volumes that the campaign asks for and does not have."""
    for row in rows:
        if row.declared and not row.fits:
            yield Gap(
                code=codes.OFF_VOLUME,
                whose=row.whose,
                place=row.place,
                found=row.lines,
                wanted=str(row.volume),
            )
