"""Pools: the lines of one file, held as columns, with indexes.

A line is a position in columns; the object that callers see is made when it is asked for. So a pool
takes a few hundred bytes a line, and a pick touches sets of lines, not lines.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar, overload

from talebearer.lines import _bits
from talebearer.lines._declared import Scope
from talebearer.lines._rules import PoolRules
from talebearer.lines._types import (
    GENERAL,
    DialogueLine,
    Effect,
    LineKey,
    MonologueLine,
    Prerequisites,
)
from talebearer.memory import EventDraft

L = TypeVar("L", DialogueLine, MonologueLine)
Combos = list[tuple[str, ...]]

MASKS_KEPT = 256
"""How many answers of layers a pool keeps; as many bits each as it has lines."""

PLANS_KEPT = 4096


def variant_name(text: str) -> str:
    """Return what a mind remembers a text of several by: 8 hex digits of its SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


class Lines(Sequence[L], Generic[L]):
    """The lines of a pool in file order; each is made when it is asked for."""

    __slots__ = ("_pool",)

    def __init__(self, pool: Pool[L]) -> None:
        self._pool: Pool[L] = pool

    def __len__(self) -> int:
        return len(self._pool.ids)

    @overload
    def __getitem__(self, place: int) -> L: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[L, ...]: ...
    def __getitem__(self, place: int | slice) -> L | tuple[L, ...]:
        if isinstance(place, slice):
            positions = range(len(self))[place]
            return tuple([self._pool.line_at(position) for position in positions])
        return self._pool.line_at(range(len(self))[place])

    def __iter__(self) -> Iterator[L]:
        return (self._pool.line_at(position) for position in range(len(self)))

    def __repr__(self) -> str:
        return f"<{len(self)} lines of {self._pool.path}>"


class Pool(Generic[L]):
    """What pools of both kinds have.

    Attributes:
        path: The pool path, relative to the content folder, without suffix.
        first_path: The path that it had first, by which draws and their order know it.
        location: Header location.
        strategy: The header's strategy, or None.
        ids: Line ids, in file order; all columns below have the same order.
        texts: The first text of each line.
        tags: Freeform tags.
        variants: Position to further texts, as in all tables below for the lines that have some.
        when: Position to prerequisites.
        effects: Position to effects.
        once: Position to the scope of ``once``.
        cooldown: Position to ticks, above 0.
        classes: Position to the speaking class.
        aliases: Position to former keys.
        rules: The gates of all lines, sorted by what they read.
        rows: Sets of lines that were drawn from before.
        besides: Position, mind and speaker to what a line does besides being heard.
    """

    path: str
    first_path: str
    location: str
    strategy: str | None
    ids: list[str]
    texts: list[str]
    tags: Combos
    variants: dict[int, tuple[str, ...]]
    when: dict[int, Prerequisites]
    effects: dict[int, tuple[Effect, ...]]
    once: dict[int, Scope]
    cooldown: dict[int, int]
    classes: dict[int, str]
    aliases: dict[int, tuple[LineKey, ...]]
    rules: PoolRules
    rows: _bits.Rows
    besides: dict[tuple[int, str, str | None], tuple[EventDraft, ...]]

    @property
    def stem(self) -> str:
        """The file name without suffix."""
        return self.path.rpartition("/")[2]

    @property
    def size(self) -> int:
        """How many lines there are."""
        return len(self.ids)

    @property
    def general(self) -> bool:
        """Whether the pool belongs to no place."""
        return False

    @property
    def lines(self) -> Lines[L]:
        """The lines, in file order."""
        return Lines(self)

    @property
    def keys(self) -> tuple[LineKey, ...]:
        """The composite key of each line, in file order."""
        return tuple((self.path, line_id) for line_id in self.ids)

    @cached_property
    def positions(self) -> dict[str, int]:
        """Line id to where the line stands."""
        return {name: position for position, name in enumerate(self.ids)}

    def position_of(self, line_id: str) -> int | None:
        """Return where the line stands, or None."""
        return self.positions.get(line_id)

    def texts_at(self, position: int) -> tuple[str, ...]:
        """Return all texts of a line, the first one first."""
        return (self.texts[position], *self.variants.get(position, ()))

    def heard_text(self, position: int, variant: str | None) -> str:
        """Return the text that was heard: the one that *variant* names, or the first."""
        if variant is not None:
            for text in self.texts_at(position):
                if variant_name(text) == variant:
                    return text
        return self.texts[position]

    def line_at(self, position: int, *, text: str | None = None) -> L:
        """Return the line at *position*, with *text* when it is one of several."""
        raise NotImplementedError

    def _common(self, position: int, text: str | None) -> dict[str, Any]:
        return {
            "id": self.ids[position],
            "text": self.texts[position] if text is None else text,
            "tags": self.tags[position],
            "variants": self.variants.get(position, ()),
            "prerequisites": self.when.get(position),
            "effects": self.effects.get(position, ()),
            "once": self.once.get(position),
            "cooldown": self.cooldown.get(position, 0),
            "speaking_class": self.classes.get(position),
            "aliases": self.aliases.get(position, ()),
        }

    def __getstate__(self) -> dict[str, Any]:
        hidden = ("_layers", "_axes", "_plans", "positions", "rows", "ranked", "besides")
        return {name: item for name, item in self.__dict__.items() if name not in hidden}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start()

    def _start(self) -> None:
        """Begin with nothing remembered."""
        self.rows = _bits.Rows()
        self.besides = {}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.path} {self.size} lines>"


class DialogueIndex:
    """Which lines of a pool carry a value, by bit.

    Attributes:
        access: Access tier to the lines that name it.
        situation: Situation to the lines that name it.
        trust: Trust tier to the lines that need it or less.
        topic: Topic to the lines that name it.
        mood: Mood to the lines that name it.
        tagged: Axis to the lines that name anything there.
    """

    __slots__ = ("access", "mood", "situation", "tagged", "topic", "trust")

    def __init__(self, pool: DialoguePool, words: Mapping[str, Sequence[str]]) -> None:
        size = pool.size
        self.access = _bits.by_value(pool.access, words["access"])
        self.situation = _bits.by_value(pool.situation, words["situations"])
        exact: dict[str, list[int]] = {tier: [] for tier in words["trust"]}
        for position, tier in enumerate(pool.trust):
            exact[tier].append(position)
        self.trust = _bits.at_or_below(
            {tier: _bits.of_positions(places, size) for tier, places in exact.items()}
        )
        self.topic = _bits.by_value(pool.topic, words["topics"])
        self.mood = _bits.by_value(pool.mood, words["moods"])
        self.tagged = {"topic": _united(self.topic), "mood": _united(self.mood)}


def _united(masks: Mapping[str, int]) -> int:
    total = 0
    for mask in masks.values():
        total |= mask
    return total


Scored = tuple[int, tuple[tuple[int, int], ...]]


class DialoguePool(Pool[DialogueLine]):
    """The lines of one dialogue file.

    Attributes:
        role: Header role.
        roles: Role of each line.
        access: Access tiers of each line.
        trust: Trust tier of each line.
        situation: Situations of each line.
        topic: Topics of each line.
        mood: Moods of each line.
        trust_order: The trust tiers from least to most.
        index: For the layers.
    """

    def __init__(self, columns: Mapping[str, Any], words: Mapping[str, Sequence[str]]) -> None:
        self.__dict__.update(columns)
        self.role: str = columns["role"]
        self.roles: list[str] = columns["roles"]
        self.access: Combos = columns["access"]
        self.trust: list[str] = columns["trust"]
        self.situation: Combos = columns["situation"]
        self.topic: Combos = columns["topic"]
        self.mood: Combos = columns["mood"]
        self.trust_order = tuple(words["trust"])
        self.index = DialogueIndex(self, words)
        self._start()

    def _start(self) -> None:
        super()._start()
        self._layers: dict[tuple[str, str, tuple[str, ...]], int] = {}
        self._axes: dict[tuple[str, tuple[str, ...]], list[tuple[int, int]]] = {}
        self._plans: dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[Scored, ...]] = {}

    def line_at(self, position: int, *, text: str | None = None) -> DialogueLine:
        """Return the line at *position*, with *text* when it is one of several."""
        return DialogueLine(
            **self._common(position, text),
            role=self.roles[position],
            access=self.access[position],
            trust=self.trust[position],
            situation=self.situation[position],
            topic=self.topic[position],
            mood=self.mood[position],
        )

    def layers(self, access: str, trust: str, situations: tuple[str, ...]) -> int:
        """Return the lines that pass layers 1 to 3; words that no line has match none."""
        key = (access, trust, situations)
        found = self._layers.get(key)
        if found is None:
            index = self.index
            active = 0
            for situation in situations:
                active |= index.situation.get(situation, 0)
            found = index.access.get(access, 0) & index.trust.get(trust, 0) & active
            if len(self._layers) >= MASKS_KEPT:
                self._layers.clear()
            self._layers[key] = found
        return found

    def top(self, mask: int, topics: tuple[str, ...], moods: tuple[str, ...]) -> tuple[int, int]:
        """Return the top score of *mask*, which is not empty, and the lines that have it.

        Source: rule LP-L2.
        """
        if not topics and not moods:
            return 0, mask
        for score, pairs in self._plans.get((topics, moods)) or self._plan(topics, moods):
            found = 0
            for topic_bits, mood_bits in pairs:
                part = mask & topic_bits
                if part:
                    found |= part & mood_bits
            if found:
                return score, found
        raise AssertionError("every line has a score")

    def levels(
        self, mask: int, topics: tuple[str, ...], moods: tuple[str, ...]
    ) -> list[tuple[int, int]]:
        """Return each score that *mask* has, most first, with the lines that have it."""
        levels = []
        for score, pairs in self._plan(topics, moods):
            found = 0
            for topic_bits, mood_bits in pairs:
                found |= mask & topic_bits & mood_bits
            if found:
                levels.append((score, found))
        return levels

    def _plan(self, topics: tuple[str, ...], moods: tuple[str, ...]) -> tuple[Scored, ...]:
        """Return for each possible score, most first, which sets have to meet for it."""
        key = (topics, moods)
        plan = self._plans.get(key)
        if plan is None:
            sums: dict[int, list[tuple[int, int]]] = {}
            for topic_score, topic_bits in self._axis("topic", topics):
                for mood_score, mood_bits in self._axis("mood", moods):
                    sums.setdefault(topic_score + mood_score, []).append((topic_bits, mood_bits))
            plan = tuple((score, tuple(sums[score])) for score in sorted(sums, reverse=True))
            if len(self._plans) >= PLANS_KEPT:
                self._plans.clear()
            self._plans[key] = plan
        return plan

    def _axis(self, axis: str, asked: tuple[str, ...]) -> list[tuple[int, int]]:
        """Return the scores of one axis, most first, with the lines that have them there."""
        if not asked:
            return [(0, (1 << self.size) - 1)]
        key = (axis, asked)
        found = self._axes.get(key)
        if found is None:
            masks: Mapping[str, int] = self.index.topic if axis == "topic" else self.index.mood
            tagged = self.index.tagged[axis]
            counts = _bits.shared_counts(
                [masks.get(word, 0) for word in dict.fromkeys(asked)], tagged
            )
            untagged = ((1 << self.size) - 1) ^ tagged
            found = [(count or -1, bits) for count, bits in counts]
            if untagged:
                found.append((0, untagged))
            found.sort(reverse=True)
            if len(self._axes) >= MASKS_KEPT:
                self._axes.clear()
                self._plans.clear()
            self._axes[key] = found
        return found


class MonologuePool(Pool[MonologueLine]):
    """The lines of one monologue file.

    Attributes:
        character: Whose thoughts these are; never crossed.
        triggers: Trigger of each line.
        priority: Priority of each line.
        trigger_bits: Trigger to its lines.
        priority_bits: Priority to its lines, the highest first.
        ranked: Sets of lines that were drawn from before, with their weights.
    """

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self.__dict__.update(columns)
        self.character: str = columns["character"]
        self.triggers: list[str] = columns["triggers"]
        self.priority: bytes = columns["priority"]
        self.trigger_bits = self._bits_of(self.triggers)
        by_priority = self._bits_of(self.priority)
        self.priority_bits = [(rank, by_priority[rank]) for rank in sorted(by_priority)[::-1]]
        self._start()

    def _start(self) -> None:
        super()._start()
        self.ranked = _bits.Rows(lambda place: 1 << self.priority[place])

    def _bits_of(self, column: Sequence[Any]) -> dict[Any, int]:
        places: dict[Any, list[int]] = {}
        for position, value in enumerate(column):
            places.setdefault(value, []).append(position)
        return {value: _bits.of_positions(found, self.size) for value, found in places.items()}

    @cached_property
    def general(self) -> bool:
        """Whether the pool belongs to no place."""
        return self.location == GENERAL

    @property
    def by_trigger(self) -> dict[str, tuple[MonologueLine, ...]]:
        """Trigger to its lines, in file order."""
        return {
            trigger: tuple(self.line_at(position) for position in _bits.positions_of(bits))
            for trigger, bits in self.trigger_bits.items()
        }

    def line_at(self, position: int, *, text: str | None = None) -> MonologueLine:
        """Return the line at *position*, with *text* when it is one of several."""
        return MonologueLine(
            **self._common(position, text),
            trigger=self.triggers[position],
            priority=self.priority[position],
        )

    def levels(self, mask: int) -> list[tuple[int, int]]:
        """Return each priority that *mask* has, highest first, with the lines that have it."""
        return [(rank, found) for rank, bits in self.priority_bits if (found := mask & bits)]
