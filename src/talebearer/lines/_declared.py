"""What a campaign declares for its lines: characters, timers, counters, values, classes, events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from talebearer.memory import Cell

Scalar: TypeAlias = str | int | float | bool


class Scope(StrEnum):
    """Whose a counter, a timer, a value or a ``once`` is."""

    LINE = "line"
    PAIR = "pair"
    PLAYER = "player"
    CHARACTER = "character"
    WORLD = "world"

    @property
    def shared(self) -> bool:
        """Whether the mind ``world`` holds it, for all minds."""
        return self is Scope.CHARACTER or self is Scope.WORLD

    @property
    def of_speaker(self) -> bool:
        """Whether each who speaks has one of its own."""
        return self is Scope.PAIR or self is Scope.CHARACTER


class FieldType(StrEnum):
    """What a value or an event field holds."""

    NUMBER = "number"
    TEXT = "text"
    FLAG = "flag"

    def fits(self, value: object) -> bool:
        """Whether *value* is of the type; true and false are no numbers."""
        if isinstance(value, bool):
            return self is FieldType.FLAG
        if isinstance(value, int | float):
            return self is FieldType.NUMBER
        return self is FieldType.TEXT and isinstance(value, str)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredValue:
    """A value: whose it is, what it holds, and what it begins as; None is nothing."""

    scope: Scope
    type: FieldType
    initial: Scalar | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredCounter:
    """A counter: whose it is, and what it begins as."""

    scope: Scope
    initial: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeakingClass:
    """A kind of speaking.

    Attributes:
        interrupts: Classes that a line of this class cuts short.
        excluded_by: Classes during which a line of this class is not said, unless it interrupts them.
    """

    interrupts: frozenset[str] = frozenset()
    excluded_by: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """Everything that a campaign declares, by name.

    Attributes:
        timers: Timer to its scope.
        counters: Counters.
        values: Values.
        classes: Speaking classes.
        fields: Trigger to its event fields and their types.
    """

    timers: Mapping[str, Scope] = field(default_factory=dict)
    counters: Mapping[str, DeclaredCounter] = field(default_factory=dict)
    values: Mapping[str, DeclaredValue] = field(default_factory=dict)
    classes: Mapping[str, SpeakingClass] = field(default_factory=dict)
    fields: Mapping[str, Mapping[str, FieldType]] = field(default_factory=dict)

    def fields_of(self, trigger: str | None) -> Mapping[str, FieldType]:
        """Return the event fields of *trigger*; those of all triggers for None, a conversation."""
        if trigger is not None:
            return self.fields.get(trigger, {})
        return {name: kind for fields in self.fields.values() for name, kind in fields.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One character of the campaign, as its profile file describes it."""

    slug: str
    name: str
    aliases: tuple[str, ...] = ()
    formerly: tuple[str, ...] = ()
    role: str | None = None
    location: str | None = None
    attributes: Mapping[str, Scalar] = field(default_factory=dict)
    scene: Mapping[str, Any] = field(default_factory=dict)
    tolerance: Mapping[str, Any] = field(default_factory=dict)


def cell_of(name: str, scope: Scope, *, speaker: str, pool: str, line: str) -> Cell:
    """Return the key under which a mind keeps *name* for this speaker and line."""
    if scope is Scope.LINE:
        return Cell(name, "", pool, line)
    return Cell(name, speaker if scope.of_speaker else "")
