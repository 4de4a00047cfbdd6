"""Can gates ever hold together? A small search that never says no when the answer is yes.

Gates are taken apart into plain ones. All plain gates on one thing can only answer together as some
state of that thing makes them answer; the search looks for a choice of such answers under which
everything that is asked holds. Things are taken to be independent of each other, but for the counts
of conversations with one character. Where the search would take too long, it says that it does not
know.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from talebearer.content.coverage._imagined import Asking
from talebearer.content.coverage._samples import (
    Sample,
    Thing,
    World,
    mixes_types,
    samples,
    thing_of,
)
from talebearer.lines import AllOf, AnyOf, ChanceGate, LineKey, Named, Not
from talebearer.lines.gates import Gate
from talebearer.vocabulary import InteractionState

STEPS_MAX = 4_000
"""How many steps one search may take before it gives up."""

ASKED_MAX = 100_000
"""How often the gates on one thing are asked; of more it is not known how they answer together."""

_CERTAIN = 1_000_000
"""The chance that always holds, in parts per million."""

_EXACT = tuple(state for state in InteractionState if state is not InteractionState.CONFRONTATION)
"""Of these a conversation is in one at a time; the mark of a confrontation stays beside them."""


class Party(NamedTuple):
    """Gates that must all hold, or must not all hold, for one line.

    Attributes:
        gates: The gates.
        line: Whose they are.
        holds: Whether all must hold; else at least one must not.
    """

    gates: tuple[Gate, ...]
    line: LineKey
    holds: bool = True


class _Literal(NamedTuple):
    """A plain gate, by its thing and its place among the gates on that thing, and its answer."""

    thing: Thing
    place: int
    holds: bool


class _Choice(NamedTuple):
    """Formulas of which one must hold."""

    parts: tuple[_Formula, ...]


class _All(NamedTuple):
    """Formulas that must all hold."""

    parts: tuple[_Formula, ...]


_Formula: TypeAlias = "_Literal | _Choice | _All | bool"


class _Answers(NamedTuple):
    """One way in which the gates on a thing can answer together.

    Attributes:
        bits: Bit n is the answer of gate n.
        least: The smallest count with which they answer so.
        most: The greatest.
    """

    bits: int
    least: int
    most: int


class _TooMuch(Exception):
    """The search gives up."""


def satisfiable(
    parties: Sequence[Party], *, asking: Asking, trigger: str | None, world: World
) -> bool | None:
    """Return whether the gates of *parties* can be as asked at one moment; None is not known.

    ``False`` is certain: no mind, no world, no event and no draw makes them so.

    Args:
        parties: The gates; of several lines, all heard from the same speaker.
        asking: Asks the real gates.
        trigger: What happened; None in a conversation.
        world: What is taken to be possible.
    """
    search = _Search(asking, trigger, world)
    try:
        formulas = [search.formula(party) for party in parties]
        return search.solve(formulas)
    except _TooMuch:
        return None


class _Search:
    """One question."""

    def __init__(self, asking: Asking, trigger: str | None, world: World) -> None:
        self._asking = asking
        self._trigger = trigger
        self._world = world
        self._gates: dict[Thing, dict[Gate, int]] = {}
        self._possible: dict[Thing, tuple[_Answers, ...] | None] = {}
        self._steps = 0

    def _step(self) -> None:
        self._steps += 1
        if self._steps > STEPS_MAX:
            raise _TooMuch

    # --- from gates to a formula -----------------------------------------------------------------

    def formula(self, party: Party) -> _Formula:
        """Return what *party* asks."""
        parts = tuple(self._of(gate, party.line, party.holds) for gate in party.gates)
        return _All(parts) if party.holds else _Choice(parts)

    def _of(self, gate: Gate, line: LineKey, holds: bool) -> _Formula:
        self._step()
        if isinstance(gate, Not):
            return self._of(gate.gate, line, not holds)
        if isinstance(gate, AllOf | AnyOf):
            parts = tuple(self._of(one, line, holds) for one in gate.gates)
            return _All(parts) if isinstance(gate, AllOf) is holds else _Choice(parts)
        if isinstance(gate, Named):
            return (not holds) if gate.gate is None else self._of(gate.gate, line, holds)
        if isinstance(gate, ChanceGate):
            if gate.parts_per_million >= _CERTAIN:
                return holds
            return self._literal(("chance", gate.condition, gate.place, line), gate, holds)
        thing = thing_of(gate, line)
        return (not holds) if thing is None else self._literal(thing, gate, holds)

    def _literal(self, thing: Thing, gate: Gate, holds: bool) -> _Formula:
        places = self._gates.setdefault(thing, {})
        return _Literal(thing, places.setdefault(gate, len(places)), holds)

    # --- what can be -----------------------------------------------------------------------------

    def _answers(self, thing: Thing) -> tuple[_Answers, ...] | None:
        """Return how the gates on *thing* can answer together; None is any way at all."""
        if thing not in self._possible:
            self._possible[thing] = self._work_out(thing, list(self._gates[thing]))
        return self._possible[thing]

    def _work_out(self, thing: Thing, gates: list[Gate]) -> tuple[_Answers, ...] | None:
        if thing[0] == "chance" or mixes_types(gates):
            return None
        found = samples(thing, gates, self._world)
        if found is None or len(found) * len(gates) > ASKED_MAX:
            return None
        ways: dict[int, _Answers] = {}
        for sample in found:
            bits = self._bits(gates, sample)
            known = ways.get(bits)
            if known is None:
                ways[bits] = _Answers(bits, sample.least, sample.most)
            else:
                least, most = min(known.least, sample.least), max(known.most, sample.most)
                ways[bits] = _Answers(bits, least, most)
        return tuple(ways.values())

    def _bits(self, gates: list[Gate], sample: Sample) -> int:
        ask = self._asking.holds
        return sum(
            1 << place for place, gate in enumerate(gates) if ask(gate, sample.state, self._trigger)
        )

    # --- the search ------------------------------------------------------------------------------

    def solve(self, formulas: Iterable[_Formula]) -> bool:
        """Return whether all of *formulas* can hold."""
        return self._solve(list(formulas), {}, {})

    def _solve(
        self,
        pending: list[_Formula],
        left: dict[Thing, tuple[_Answers, ...]],
        fixed: dict[tuple[Thing, int], bool],
    ) -> bool:
        choices: list[_Choice] = []
        while pending:
            self._step()
            one = pending.pop()
            if isinstance(one, bool):
                if not one:
                    return False
            elif isinstance(one, _All):
                pending.extend(one.parts)
            elif isinstance(one, _Choice):
                choices.append(one)
            elif not self._fix(one, left, fixed):
                return False
        if not choices:
            return _counts_agree(left)
        choices.sort(key=lambda choice: len(choice.parts), reverse=True)
        first = choices.pop()
        return any(self._solve([*choices, part], dict(left), dict(fixed)) for part in first.parts)

    def _fix(
        self,
        one: _Literal,
        left: dict[Thing, tuple[_Answers, ...]],
        fixed: dict[tuple[Thing, int], bool],
    ) -> bool:
        """Take *one* for granted; return whether its thing can still be as all says."""
        known = left.get(one.thing)
        if known is None:
            known = self._answers(one.thing)
        if known is None:  # its gates may answer in any way, each in one
            return fixed.setdefault((one.thing, one.place), one.holds) is one.holds
        bit = 1 << one.place
        kept = tuple(way for way in known if bool(way.bits & bit) is one.holds)
        left[one.thing] = kept
        return bool(kept)


def _counts_agree(left: dict[Thing, tuple[_Answers, ...]]) -> bool:
    """Return whether there can be as many conversations with each character as its gates ask for."""
    totals = {
        thing[1]: ways
        for thing, ways in left.items()
        if thing[0] == "interaction" and thing[2] is None
    }
    for target, ways in totals.items():
        most = max(way.most for way in ways)
        needed = {
            state: min(way.least for way in left[("interaction", target, state)])
            for state in InteractionState
            if ("interaction", target, state) in left
        }
        confronted = needed.get(InteractionState.CONFRONTATION, 0)
        if most < max(confronted, sum(needed.get(state, 0) for state in _EXACT)):
            return False
    return True
