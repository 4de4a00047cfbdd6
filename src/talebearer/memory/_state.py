"""The mutable state behind one mind: the writing side, which only the fold and loading use."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Mapping
from functools import partial
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

_WALKED_AWAY = InteractionState.WALKED_AWAY
_CONFLICT_ABANDONED = InteractionState.CONFLICT_ABANDONED
_NO_COUNTS = dict.fromkeys(InteractionState, 0)


class SortKey(NamedTuple):
    """Where a key stands: by text, and an interaction within its character by tick and number."""

    group: str
    tick: int
    number: int
    name: str


class SortedView(Mapping[str, _V]):
    """A read-only view of a dict that iterates in order.

    Writing costs nothing but a note of the new key; the order is brought up to date by the next
    read that needs it. Names are kept, and their sort keys worked out when asked for: keeping the
    keys would take 120 bytes a fact.
    """

    __slots__ = ("_items", "_key", "_new", "_order")

    def __init__(self, items: dict[str, _V], key: Callable[[str], SortKey]) -> None:
        self._items = items
        self._key = key
        self._new: list[str] = list(items)
        self._order: list[str] = []

    def __getitem__(self, name: str) -> _V:
        return self._items[name]

    def __contains__(self, name: object) -> bool:
        return name in self._items

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[str]:
        # A copy, so that applying an event while somebody iterates skips and repeats nothing.
        return iter(list(self._sorted()))

    def __repr__(self) -> str:
        return f"<{len(self)} by key: {', '.join(list(self)[:3])}...>"

    def note(self, name: str) -> None:
        """Remember that *name* is new in the dict."""
        self._new.append(name)

    def take(self, other: SortedView[_V]) -> None:
        """Take over what *other*, a view of an equal dict, has sorted."""
        self._order, self._new = list(other._order), list(other._new)

    def group(self, group: str) -> list[str]:
        """Return the names of *group* in order, by a range of the sorted keys."""
        order, key = self._sorted(), self._key
        first = bisect_left(order, SortKey(group, -1, 0, ""), key=key)
        # No other text comes between a group's and the same with the least character behind it.
        return order[first : bisect_left(order, SortKey(group + "\0", -1, 0, ""), first, key=key)]

    def _sorted(self) -> list[str]:
        new, order = self._new, self._order
        if new:
            # One by one as long as that asks for fewer keys than sorting all of them.
            if len(new) * (len(order).bit_length() + 1) < len(order):
                for name in new:
                    insort(order, name, key=self._key)
            else:
                order.extend(new)
                order.sort(key=self._key)
            self._new = []
        return order


class History:
    """What the core queries ask of one character, kept up to date by the fold.

    Attributes:
        counts: Interactions by their present state.
        total: All of them.
        confronted: Those that have ever been a confrontation.
        walked: Those that the mind's own side walked out of.
        left: Those that the other side walked out of.
        names: Their fact ids, by the tick that they began at, then by number.
    """

    __slots__ = ("_last_key", "confronted", "counts", "left", "names", "total", "walked")

    def __init__(self) -> None:
        self.counts = _NO_COUNTS.copy()
        self.total = 0
        self.confronted = 0
        self.walked = 0
        self.left = 0
        self.names: list[str] = []
        self._last_key = (-1, -1)

    @property
    def last_id(self) -> str:
        """Fact id of the one that began last, by tick and number; one is there."""
        return self.names[-1]

    def add(
        self,
        interaction_id: str,
        metadata: InteractionMetadata,
        number: int,
        order: Callable[[str], SortKey],
    ) -> None:
        """Count an interaction that is new; *order* gives the place of a fact id."""
        self._enter(metadata)
        self.total += 1
        self.confronted += metadata.confrontation
        key = (metadata.started_tick, number)
        if key > self._last_key:
            self._last_key = key
            self.names.append(interaction_id)
        else:
            # Recorded sessions overlap, and come in any order.
            insort(self.names, interaction_id, key=order)

    def copy(self) -> History:
        """Return aggregates of their own."""
        twin = History()
        twin.counts = dict(self.counts)
        twin.names = list(self.names)
        for name in ("total", "confronted", "walked", "left", "_last_key"):
            setattr(twin, name, getattr(self, name))
        return twin

    def move(self, before: InteractionMetadata, after: InteractionMetadata) -> None:
        """Count an interaction under its new state."""
        self.counts[before.interaction_state] -= 1
        self._enter(after)
        self.confronted += after.confrontation - before.confrontation

    def _enter(self, metadata: InteractionMetadata) -> None:
        # Nothing leaves a walk-away again, so these two only grow.
        state = metadata.interaction_state
        self.counts[state] += 1
        if state is _WALKED_AWAY or state is _CONFLICT_ABANDONED:
            self.left += metadata.left_by_other
            self.walked += not metadata.left_by_other


class Bond:
    """What is kept of the terms with one character besides the standing itself.

    Attributes:
        grudge: What walk-aways took from the standing and forgiveness gives back, in thousandths.
        forgiven: Walk-aways that no longer count against the character's threshold.
    """

    __slots__ = ("forgiven", "grudge")

    def __init__(self, grudge: int = 0, forgiven: int = 0) -> None:
        self.grudge = grudge
        self.forgiven = forgiven


class Heard(NamedTuple):
    """How a mind knows a line.

    Attributes:
        order: Its place among all hearings, from 1; the greatest was heard last.
        tick: The latest tick at which it was heard.
        times: How often.
        variants: Of a line with several texts, those heard in this turn of their bag, in order.
        round: The turn of the strategy ``bag`` that it was drawn in last, 0 for none.
    """

    order: int
    tick: int
    times: int = 1
    variants: tuple[str, ...] = ()
    round: int = 0


class Said(NamedTuple):
    """The last thing that was said in a mind's hearing."""

    tick: int
    character: str
    pool: str
    line: str


class Cell(NamedTuple):
    """The key of a counter, a value or a timer; what its scope does not ask for is empty."""

    id: str
    character: str = ""
    pool: str = ""
    line: str = ""


class Cause(NamedTuple):
    """What follows from an event at most once: a kind of change, of whom, from whose log."""

    kind: str
    target: str
    mind: str
    stream: str


_PLAIN_VALUES = (
    "tick",
    "heard_count",
    "said",
    "picks",
    "stress",
    "decay_since",
    "checked_receipt",
)
_PLAIN_DICTS = (
    "marks",
    "numbers",
    "facts",
    "entities",
    "fired",
    "heard",
    "counters",
    "values",
    "timers",
    "running",
    "told",
    "causes",
    "gossip_numbers",
    "fresh",
    "texts",
    "topics",
)


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
        heard: Character, pool path and line id to how the mind knows the line.
        heard_count: Lines heard so far.
        said: The last thing that was said; derived.
        counters: What was added up, by cell.
        values: What was set, by cell.
        timers: The latest tick of being stamped, by cell.
        picks: The latest tick with a line, and how many lines it has.
        histories: Entity reference to the aggregates; derived from the facts.
        running: In-progress interactions, by stream when recorded, under None when live; derived.
        joint: Entity reference to the interactions in which it was one of the others; derived.
        told: Mind and fact id of a story to the gossip fact that holds it; derived.
        stress: How strained the mind's owner is.
        bonds: Entity reference to what is kept besides its standing.
        causes: The sequence of the last event from which something followed, by what did.
        gossip_numbers: Slug to the highest gossip number ever given.
        decay_since: The tick from which ages count; None while nothing decays.
        fresh: Fact id or entity reference to the tick from which its age counts, where that is not
            the one that its record says; only while something decays.
        topics: Every list of topics that the mind holds, once; derived.
        texts: Every location and stream that the conversations hold, once; derived.
        checked_receipt: The receipt that was checked last.
    """

    __slots__ = (
        "_fact_key",
        "bonds",
        "causes",
        "checked_receipt",
        "counters",
        "decay_since",
        "entities",
        "entity_order",
        "fact_order",
        "facts",
        "fired",
        "fresh",
        "gossip_numbers",
        "heard",
        "heard_count",
        "histories",
        "joint",
        "marks",
        "mind_id",
        "numbers",
        "picks",
        "running",
        "said",
        "stress",
        "texts",
        "tick",
        "timers",
        "told",
        "topics",
        "values",
    )

    def __init__(self, mind_id: str) -> None:
        self.mind_id = mind_id
        self.tick = 0
        self.marks: dict[str, int] = {}
        self.numbers: dict[str, int] = {}
        self.facts: dict[str, FactKnowledge] = {}
        self.entities: dict[str, EntityKnowledge] = {}
        self.fired: dict[tuple[str, str], tuple[int, int]] = {}
        self.heard: dict[tuple[str, str, str], Heard] = {}
        self.heard_count = 0
        self.said: Said | None = None
        self.counters: dict[Cell, int] = {}
        self.values: dict[Cell, str | int | float | bool] = {}
        self.timers: dict[Cell, int] = {}
        self.picks = (0, 0)
        self.histories: dict[str, History] = {}
        self.running: dict[str | None, str] = {}
        self.joint: dict[str, list[str]] = {}
        self.told: dict[tuple[str, str], str] = {}
        self.stress = 0
        self.bonds: dict[str, Bond] = {}
        self.causes: dict[Cause, int] = {}
        self.gossip_numbers: dict[str, int] = {}
        self.decay_since: int | None = None
        self.fresh: dict[str, int] = {}
        self.texts: dict[str, str] = {}
        self.topics: dict[tuple[str, ...], tuple[str, ...]] = {}
        self.checked_receipt: Provenance | None = None
        # Without a way back to the state: a mind is gone when the last one lets go of it.
        self._fact_key = partial(_fact_key, self.facts)
        self.fact_order = SortedView(self.facts, self._fact_key)
        self.entity_order = SortedView(self.entities, _entity_key)

    def copy(self) -> MindState:
        """Return a state of its own with the same contents; records are values and are shared."""
        twin = MindState(self.mind_id)
        for name in _PLAIN_VALUES:
            setattr(twin, name, getattr(self, name))
        for name in _PLAIN_DICTS:
            getattr(twin, name).update(getattr(self, name))
        twin.joint.update((name, list(ids)) for name, ids in self.joint.items())
        twin.bonds.update((name, Bond(b.grudge, b.forgiven)) for name, b in self.bonds.items())
        twin.histories.update((name, item.copy()) for name, item in self.histories.items())
        twin.fact_order.take(self.fact_order)
        twin.entity_order.take(self.entity_order)
        return twin

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
        history.add(name, metadata, number, self._fact_key)
        for other in metadata.others:
            self.joint.setdefault(other, []).append(name)
        if metadata.ended_tick is None:
            self.running[slot_of(fact)] = name

    def add_gossip(self, name: str, fact: FactKnowledge) -> None:
        """Set a new gossip fact, so that the same story is found again."""
        gossip = fact.gossip
        assert gossip is not None, name
        self.put_fact(name, fact)
        self.told[gossip.mind, gossip.fact_id] = name

    def raise_gossip_number(self, slug: str, number: int) -> None:
        """Keep the highest gossip number ever given to *slug*."""
        if number > self.gossip_numbers.get(slug, 0):
            self.gossip_numbers[slug] = number

    def raise_number(self, slug: str, number: int) -> None:
        """Keep the highest number ever given to *slug*."""
        if number > self.numbers.get(slug, 0):
            self.numbers[slug] = number


def _fact_key(facts: Mapping[str, FactKnowledge], name: str) -> SortKey:
    fact = facts[name]
    metadata = fact.metadata
    if not name.startswith(INTERACTION_CATEGORY) and fact.gossip is None:
        return SortKey(name, 0, 0, name)
    tick = fact.acquired_tick if metadata is None else metadata.started_tick
    group, _, digits = name.rpartition("_")
    return SortKey(group, tick, int(digits), name)


def _entity_key(name: str) -> SortKey:
    return SortKey(name, 0, 0, name)


def slot_of(fact: FactKnowledge) -> str | None:
    """Return where *fact* counts as in progress: its stream when recorded, None when live."""
    return fact.origin[0] if fact.provenance else None
