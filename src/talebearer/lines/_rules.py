"""The gates of a pool, sorted by when they are asked.

What only the minds and the clock decide is asked when one of these changes; a table says which gates
read what. What the event or the draw decides is asked when a line is.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from talebearer.lines import _bits
from talebearer.lines._types import Prerequisites
from talebearer.lines.gates import LATE, LINE, TIMED, Gate, ReadKey

_SPARSE_MAX = 32


class Rule(NamedTuple):
    """Gates that some lines have in common.

    Attributes:
        gates: All must hold for the lines to be open.
        line: The position of the one line, where the answer depends on which it is; else None.
        positions: The lines, when they are few.
        bits: The lines, when they are many.
        timed: Whether the clock alone can change the answer.
    """

    gates: tuple[Gate, ...]
    line: int | None
    positions: array[int]
    bits: int
    timed: bool

    def mask(self) -> int:
        """Return the set of its lines."""
        total = self.bits
        for position in self.positions:
            total |= 1 << position
        return total


class PoolRules:
    """The gates of a pool.

    Attributes:
        rules: What can be answered before a line is asked for.
        watch: What a rule reads to the places of the rules that read it.
        reads: What any gate reads, also those that wait for the event or the draw.
        timed: Places of the rules that the clock alone can change.
        late: Position to the gates that wait for the event or the draw.
        late_bits: The lines that have such gates.
        once_bits: The lines that are said once.
        cooldown_bits: The lines that rest.
        class_bits: Speaking class to its lines.
        barred_bits: The lines of a class that nobody declared; they are never said.
        specificity: Number of gates, most first, with the lines that have so many.
    """

    __slots__ = (
        "barred_bits",
        "class_bits",
        "cooldown_bits",
        "late",
        "late_bits",
        "once_bits",
        "reads",
        "rules",
        "specificity",
        "timed",
        "watch",
    )

    def __init__(
        self,
        size: int,
        *,
        when: Mapping[int, Prerequisites],
        once: Sequence[int],
        cooldown: Sequence[int],
        classes: Mapping[int, str],
        declared: frozenset[str],
    ) -> None:
        self.rules: list[Rule] = []
        self.watch: dict[ReadKey, list[int]] = {}
        self.timed: list[int] = []
        self.late: dict[int, tuple[Gate, ...]] = {}
        groups: dict[int, tuple[Prerequisites, list[int]]] = {}
        for position, asked in when.items():
            groups.setdefault(id(asked), (asked, []))[1].append(position)
        for asked, positions in groups.values():
            self._add(asked.gates, positions, size)
        self.reads: frozenset[ReadKey] = frozenset(
            key for asked, _ in groups.values() for gate in asked.gates for key in gate.reads
        )
        self.late_bits = _bits.of_positions(self.late, size) if self.late else 0
        self.once_bits = _bits.of_positions(once, size) if once else 0
        self.cooldown_bits = _bits.of_positions(cooldown, size) if cooldown else 0
        self.class_bits = _by_class(classes, size)
        self.barred_bits = 0
        for name, bits in self.class_bits.items():
            if name not in declared:
                self.barred_bits |= bits
        self.specificity = _specificity(groups.values(), size)

    def _add(self, gates: tuple[Gate, ...], positions: list[int], size: int) -> None:
        early = tuple(gate for gate in gates if not gate.traits & LATE)
        late = tuple(gate for gate in gates if gate.traits & LATE)
        if late:
            self.late.update(dict.fromkeys(positions, late))
        if not early:
            return
        if any(gate.traits & LINE for gate in early):
            for position in positions:
                self._rule(early, [position], position, size)
        else:
            self._rule(early, positions, None, size)

    def _rule(
        self, gates: tuple[Gate, ...], positions: list[int], line: int | None, size: int
    ) -> None:
        place = len(self.rules)
        timed = any(gate.traits & TIMED for gate in gates)
        few = len(positions) <= _SPARSE_MAX
        self.rules.append(
            Rule(
                gates,
                line,
                array("I", positions if few else ()),
                0 if few else _bits.of_positions(positions, size),
                timed,
            )
        )
        if timed:
            self.timed.append(place)
        for key in {key for gate in gates for key in gate.reads}:
            self.watch.setdefault(key, []).append(place)


def _by_class(classes: Mapping[int, str], size: int) -> dict[str, int]:
    places: dict[str, list[int]] = {}
    for position, name in classes.items():
        places.setdefault(name, []).append(position)
    return {name: _bits.of_positions(places[name], size) for name in sorted(places)}


def _specificity(
    groups: Iterable[tuple[Prerequisites, list[int]]], size: int
) -> list[tuple[int, int]]:
    places: dict[int, list[int]] = {}
    for asked, positions in groups:
        count = sum(gate.count for gate in asked.gates)
        if count:
            places.setdefault(count, []).extend(positions)
    levels = [(count, _bits.of_positions(places[count], size)) for count in sorted(places)[::-1]]
    gated = 0
    for _, bits in levels:
        gated |= bits
    return [*levels, (0, ((1 << size) - 1) ^ gated)]
