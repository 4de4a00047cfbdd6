"""The mutable state behind one mind: the writing side, which only the fold and loading use."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from talebearer.memory._checks import INTERACTION_CATEGORY
from talebearer.memory._facts import (
    EntityKnowledge,
    FactKnowledge,
    InteractionMetadata,
    Provenance,
)
from talebearer.vocabulary import InteractionState

_V = TypeVar("_V")

_INSERT_COUNT_MAX = 8
"""Up to so many new keys are inserted one by one; more are sorted in."""


class SortKey(NamedTuple):
    """Where a key stands: by text, and an interaction within its character by tick and number."""

    group: str
    tick: int
    number: int
    name: str


class SortedView(Mapping[str, _V]):
    """A read-only view of a dict that iterates in order.

    Writing costs nothing but a note of the new key; the order is brought up to date by the next
    read that needs it.
    """

    __slots__ = ("_items", "_key", "_new", "_order")

    def __init__(self, items: dict[str, _V], key: Callable[[str], SortKey]) -> None:
        self._items = items
        self._key = key
        self._new: list[str] = list(items)
        self._order: list[SortKey] = []

    def __getitem__(self, name: str) -> _V:
        return self._items[name]

    def __contains__(self, name: object) -> bool:
        return name in self._items

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[str]:
        # A copy, so that applying an event while somebody iterates skips and repeats nothing.
        return iter([key.name for key in self._sorted()])

    def __repr__(self) -> str:
        return f"<{len(self)} by key: {', '.join(list(self)[:3])}...>"

    def note(self, name: str) -> None:
        """Remember that *name* is new in the dict."""
        self._new.append(name)

    def group(self, group: str) -> list[str]:
        """Return the names of *group* in order, by a range of the sorted keys."""
        order = self._sorted()
        names = []
        for index in range(bisect_left(order, (group,)), len(order)):
            if order[index].group != group:
                break
            names.append(order[index].name)
        return names

    def _sorted(self) -> list[SortKey]:
        if self._new:
            keys = [self._key(name) for name in self._new]
            if len(keys) <= _INSERT_COUNT_MAX:
                for key in keys:
                    insort(self._order, key)
            else:
                self._order.extend(keys)
                self._order.sort()
            self._new = []
        return self._order


class History:
    """What the core queries ask of one character, kept up to date by the fold.

    Attributes:
        counts: Interactions by their present state.
        total: All of them.
        confronted: Those that have ever been a confrontation.
        last_id: Fact id of the one that began last, by tick and number.
    """

    __slots__ = ("_last_key", "confronted", "counts", "last_id", "total")

    def __init__(self) -> None:
        self.counts = dict.fromkeys(InteractionState, 0)
        self.total = 0
        self.confronted = 0
        self.last_id = ""
        self._last_key = (-1, -1)

    def add(self, interaction_id: str, metadata: InteractionMetadata, number: int) -> None:
        """Count an interaction that is new."""
        self.counts[metadata.interaction_state] += 1
        self.total += 1
        self.confronted += metadata.confrontation
        key = (metadata.started_tick, number)
        if key > self._last_key:
            self._last_key = key
            self.last_id = interaction_id

    def move(self, before: InteractionMetadata, after: InteractionMetadata) -> None:
        """Count an interaction under its new state."""
        self.counts[before.interaction_state] -= 1
        self.counts[after.interaction_state] += 1
        self.confronted += after.confrontation - before.confrontation


class MindState:
    """Everything that one mind holds.

    Attributes:
        mind_id: Whose memory it is.
        tick: The latest tick of any event.
        marks: Stream to the sequence of its last event.
        numbers: Slug to the highest interaction number ever given.
        facts: Fact id to what is known.
        entities: Entity reference to what is known.
        fired: Pool path and line id to the order and the latest tick of being heard.
        heard_count: Lines heard so far.
        picks: The latest tick with a line, and how many lines it has.
        histories: Entity reference to the aggregates; derived from the facts.
        running: In-progress interactions, by stream when recorded, under None when live; derived.
        checked_receipt: The receipt that was checked last.
    """

    __slots__ = (
        "checked_receipt",
        "entities",
        "entity_order",
        "fact_order",
        "facts",
        "fired",
        "heard_count",
        "histories",
        "marks",
        "mind_id",
        "numbers",
        "picks",
        "running",
        "tick",
    )

    def __init__(self, mind_id: str) -> None:
        self.mind_id = mind_id
        self.tick = 0
        self.marks: dict[str, int] = {}
        self.numbers: dict[str, int] = {}
        self.facts: dict[str, FactKnowledge] = {}
        self.entities: dict[str, EntityKnowledge] = {}
        self.fired: dict[tuple[str, str], tuple[int, int]] = {}
        self.heard_count = 0
        self.picks = (0, 0)
        self.histories: dict[str, History] = {}
        self.running: dict[str | None, str] = {}
        self.checked_receipt: Provenance | None = None
        self.fact_order = SortedView(self.facts, self._fact_key)
        self.entity_order = SortedView(self.entities, _entity_key)

    def put_fact(self, name: str, fact: FactKnowledge) -> None:
        """Set a fact; keeps the order, not the aggregates."""
        if name not in self.facts:
            self.fact_order.note(name)
        self.facts[name] = fact

    def put_entity(self, entity: EntityKnowledge) -> None:
        """Set what is known of a character."""
        if entity.entity not in self.entities:
            self.entity_order.note(entity.entity)
        self.entities[entity.entity] = entity

    def add_interaction(self, name: str, fact: FactKnowledge, number: int) -> None:
        """Set a new interaction fact and count it."""
        metadata = fact.metadata
        assert metadata is not None, name
        target = metadata.target_entity
        self.put_fact(name, fact)
        history = self.histories.get(target)
        if history is None:
            history = self.histories[target] = History()
        history.add(name, metadata, number)
        if metadata.ended_tick is None:
            self.running[slot_of(fact)] = name

    def raise_number(self, slug: str, number: int) -> None:
        """Keep the highest number ever given to *slug*."""
        if number > self.numbers.get(slug, 0):
            self.numbers[slug] = number

    def _fact_key(self, name: str) -> SortKey:
        if not name.startswith(INTERACTION_CATEGORY):
            return SortKey(name, 0, 0, name)
        fact = self.facts[name]
        metadata = fact.metadata
        tick = fact.acquired_tick if metadata is None else metadata.started_tick
        group, _, digits = name.rpartition("_")
        return SortKey(group, tick, int(digits), name)


def _entity_key(name: str) -> SortKey:
    return SortKey(name, 0, 0, name)


def slot_of(fact: FactKnowledge) -> str | None:
    """Return where *fact* counts as in progress: its stream when recorded, None when live."""
    return fact.origin[0] if fact.provenance else None
