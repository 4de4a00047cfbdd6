"""Gates made of gates: all of, any of, not, and named conditions."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from operator import or_

from talebearer.lines.gates._base import Asked, Gate, GateResult, ReadKey

_NOTHING: frozenset[ReadKey] = frozenset()


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every one of *gates* holds; of none, that is so.

    Attributes:
        gates: The gates, in the order in which they are asked.
    """

    gates: tuple[Gate, ...]
    traits: int = field(init=False, repr=False, compare=False)
    reads: frozenset[ReadKey] = field(init=False, repr=False, compare=False)
    count: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _summed(self, sum(gate.count for gate in self.gates))

    def holds(self, asked: Asked) -> bool:
        """Return whether all hold."""
        return all(gate.holds(asked) for gate in self.gates)

    @property
    def words(self) -> str:
        """The condition, to be read."""
        inside = " and ".join(gate.words for gate in self.gates) or "nothing is asked"
        return inside if len(self.gates) == 1 else f"({inside})"

    def look(self, asked: Asked) -> GateResult:
        """Return the answer with those of all gates."""
        parts = tuple(gate.look(asked) for gate in self.gates)
        missing = next((part for part in parts if not part.met), None)
        found = "all of it" if missing is None else f"{missing.text}: {missing.found}"
        return GateResult(
            kind="all_of", text=self.words, met=missing is None, found=found, parts=parts
        )


@dataclass(frozen=True, slots=True)
class AnyOf:
    """One or more of *gates* hold; it counts as many gates as the least of them.

    Attributes:
        gates: The gates, in the order in which they are asked; one or more.
    """

    gates: tuple[Gate, ...]
    traits: int = field(init=False, repr=False, compare=False)
    reads: frozenset[ReadKey] = field(init=False, repr=False, compare=False)
    count: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _summed(self, min(gate.count for gate in self.gates))

    def holds(self, asked: Asked) -> bool:
        """Return whether any holds."""
        return any(gate.holds(asked) for gate in self.gates)

    @property
    def words(self) -> str:
        """The condition, to be read."""
        inside = " or ".join(gate.words for gate in self.gates)
        return inside if len(self.gates) == 1 else f"({inside})"

    def look(self, asked: Asked) -> GateResult:
        """Return the answer with those of all gates."""
        parts = tuple(gate.look(asked) for gate in self.gates)
        met = next((part for part in parts if part.met), None)
        found = "; ".join(part.found for part in parts) if met is None else met.found
        return GateResult(
            kind="any_of", text=self.words, met=met is not None, found=found, parts=parts
        )


@dataclass(frozen=True, slots=True)
class Not:
    """*gate* does not hold."""

    gate: Gate

    @property
    def traits(self) -> int:
        """Those of the gate inside."""
        return self.gate.traits

    @property
    def reads(self) -> frozenset[ReadKey]:
        """What the gate inside reads."""
        return self.gate.reads

    @property
    def count(self) -> int:
        """As many as inside."""
        return self.gate.count

    def holds(self, asked: Asked) -> bool:
        """Return whether the gate inside does not."""
        return not self.gate.holds(asked)

    @property
    def words(self) -> str:
        """The condition, to be read."""
        return f"not: {self.gate.words}"

    def look(self, asked: Asked) -> GateResult:
        """Return the answer with that of the gate inside."""
        part = self.gate.look(asked)
        return GateResult(
            kind="not", text=self.words, met=not part.met, found=part.found, parts=(part,)
        )


@dataclass(frozen=True, slots=True)
class Named:
    """A condition that the campaign has given a name.

    Attributes:
        name: Its name.
        gate: What it asks; None when nobody declared it, and then it never holds.
    """

    name: str
    gate: Gate | None
    traits: int = field(init=False, repr=False, compare=False)
    reads: frozenset[ReadKey] = field(init=False, repr=False, compare=False)
    count: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        gate = self.gate
        object.__setattr__(self, "traits", 0 if gate is None else gate.traits)
        object.__setattr__(self, "reads", _NOTHING if gate is None else gate.reads)
        object.__setattr__(self, "count", 1 if gate is None else gate.count)

    def holds(self, asked: Asked) -> bool:
        """Return whether it holds; for one line and moment it is asked once."""
        if self.gate is None:
            return False
        known = asked.named.get(self.name)
        if known is None:
            known = asked.named[self.name] = self.gate.holds(asked)
        return known

    @property
    def words(self) -> str:
        """The condition, to be read."""
        return f"the condition {self.name}"

    def look(self, asked: Asked) -> GateResult:
        """Return the answer with what is inside; of conditions in there the answer alone."""
        if self.gate is None:
            found = "no condition of that name is declared"
            return GateResult(kind="condition", text=self.words, met=False, found=found)
        met = self.holds(asked)
        inside = self.gate.gates if isinstance(self.gate, AllOf) else (self.gate,)
        parts = tuple(
            _briefly(gate, asked) if _nested(gate) else gate.look(asked) for gate in inside
        )
        closed = next((part for part in parts if not part.met), None)
        found = "met" if met or closed is None else f"{closed.text}: {closed.found}"
        return GateResult(kind="condition", text=self.words, met=met, found=found, parts=parts)


def _briefly(gate: Gate, asked: Asked) -> GateResult:
    """Return the answer of a gate with named conditions in it, without what is inside them."""
    met = gate.holds(asked)
    inside = not met if isinstance(gate, Not) else met
    kind = _KINDS.get(type(gate), "condition")
    return GateResult(kind=kind, text=gate.words, met=met, found="met" if inside else "not met")


def _nested(gate: Gate) -> bool:
    """Whether *gate* holds named conditions; these may hold others without end."""
    if isinstance(gate, Not):
        return _nested(gate.gate)
    if isinstance(gate, AllOf | AnyOf):
        return any(_nested(one) for one in gate.gates)
    return isinstance(gate, Named)


_KINDS: dict[type, str] = {AllOf: "all_of", AnyOf: "any_of", Not: "not"}


def _summed(gate: AllOf | AnyOf, count: int) -> None:
    traits = reduce(or_, (one.traits for one in gate.gates), 0)
    reads: frozenset[ReadKey] = _NOTHING.union(*(one.reads for one in gate.gates))
    object.__setattr__(gate, "traits", traits)
    object.__setattr__(gate, "reads", reads)
    object.__setattr__(gate, "count", count)
