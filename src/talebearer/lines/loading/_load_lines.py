"""The lines of a pack to columns, checked.

What repeats is checked once: a list of access tiers that was right on one line is right on all. Places
are put into words only when something is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from talebearer.lines import _reader as read
from talebearer.lines._declared import Declared, Scope
from talebearer.lines._pools import DialoguePool, MonologuePool
from talebearer.lines._rules import PoolRules
from talebearer.lines._types import (
    PRIORITY_DEFAULT,
    PRIORITY_MAX,
    TEXT_CHARS_MAX,
    AddCounter,
    Effect,
    KnowledgeGrant,
    LineKey,
    Prerequisites,
    SetValue,
    StampTimer,
)
from talebearer.lines.gates import NAME, NUMBER_MAX, TICKS_MAX, ConditionReader
from talebearer.vocabulary import DIALOGUE_ID, FACT_ID, MONOLOGUE_ID, SLUG, Confidence

_DIALOGUE = re.compile(DIALOGUE_ID).fullmatch
_MONOLOGUE = re.compile(MONOLOGUE_ID).fullmatch
_BOTH = (
    "tags",
    "variants",
    "when",
    "prerequisites",
    "effects",
    "knowledge_grant",
    "once",
    "cooldown",
    "class",
    "aliases",
)
_DIALOGUE_REQUIRED = ("id", "text", "role", "access", "trust", "situation")
_DIALOGUE_OPTIONAL = ("topic", "mood", *_BOTH)
_MONOLOGUE_REQUIRED = ("id", "text", "trigger")
_MONOLOGUE_OPTIONAL = ("priority", *_BOTH)
_SELDOM = frozenset(_BOTH) - {"tags"}
_VARIANTS_MAX = 1000

Words = Mapping[str, Sequence[str]]


class _Combos:
    """Lists of words that were checked, each kept once."""

    __slots__ = ("_check", "_known")

    def __init__(self, check: Callable[[Any, str], tuple[str, ...]]) -> None:
        self._check = check
        self._known: dict[tuple[str, ...], tuple[str, ...]] = {}

    def get(self, value: Any, at: str, number: int, name: str) -> tuple[str, ...]:
        """Return *value* as a tuple; it stands at ``{at}[{number}].{name}``."""
        if type(value) is list:
            try:
                return self._known[tuple(value)]
            except (KeyError, TypeError):  # new, or no list of words, which is refused below
                pass
        checked = self._check(value, f"{at}[{number}].{name}")
        return self._known.setdefault(checked, checked)


class LineReader:
    """Reads the pools of one pack.

    Args:
        words: The campaign's enumerations.
        letters: Character to its letter.
        declared: What the campaign declares.
    """

    def __init__(self, words: Words, letters: Mapping[str, str], declared: Declared) -> None:
        self._words = words
        self._letters = letters
        self._declared = declared
        self._slugs: set[str] = set()
        self._tag_words: dict[str, str] = {}
        self._conditions: dict[str, tuple[Any, str]] = {}
        self._effects: dict[str, tuple[Effect, ...]] = {}
        self._access = self._combos("access", 1)
        self._situation = self._combos("situations", 1)
        self._topic = self._combos("topics", 0)
        self._mood = self._combos("moods", 0)
        self._tags = _Combos(self._tag_list)
        self.aliases: dict[LineKey, list[LineKey]] = {}

    def _combos(self, name: str, count_min: int) -> _Combos:
        allowed = self._words[name]
        return _Combos(
            lambda value, at: read.chosen(value, at, allowed=allowed, count_min=count_min)
        )

    def _tag_list(self, value: Any, at: str) -> tuple[str, ...]:
        found = read.strings(value, at, unique=False)
        return tuple(self._tag_words.setdefault(tag, tag) for tag in found)

    def dialogue(self, head: dict[str, Any], entries: list[Any], at: str) -> dict[str, Any]:
        """Return the columns of a dialogue pool; *head* has its path and header."""
        columns = _columns(head, ("roles", "access", "trust", "situation", "topic", "mood"))
        ids, texts, roles, trusts = (columns[name] for name in ("ids", "texts", "roles", "trust"))
        accesses, situations = columns["access"], columns["situation"]
        topics, moods, tags = columns["topic"], columns["mood"], columns["tags"]
        tiers = frozenset(self._words["trust"])
        shapes: dict[tuple[str, ...], tuple[str, ...]] = {}
        none: list[str] = []
        for number, entry in enumerate(entries):
            shape = tuple(entry) if type(entry) is dict else ()
            seldom = shapes.get(shape)
            if seldom is None:
                where = f"{at}[{number}]"
                seldom = _seldom(entry, where, _DIALOGUE_REQUIRED, _DIALOGUE_OPTIONAL)
                shapes[shape] = seldom
            line_id, text, role, trust = entry["id"], entry["text"], entry["role"], entry["trust"]
            if type(line_id) is not str or _DIALOGUE(line_id) is None:
                read.matching(line_id, f"{at}[{number}].id", DIALOGUE_ID)
            if type(text) is not str or not text:
                read.string(text, f"{at}[{number}].text")
            if type(trust) is not str or trust not in tiers:
                read.one_of(trust, f"{at}[{number}].trust", allowed=self._words["trust"])
            if type(role) is not str or role not in self._slugs:
                self._slugs.add(read.matching(role, f"{at}[{number}].role", SLUG))
            ids.append(line_id)
            texts.append(text)
            roles.append(self._tag_words.setdefault(role, role))
            trusts.append(self._tag_words.setdefault(trust, trust))
            accesses.append(self._access.get(entry["access"], at, number, "access"))
            situations.append(self._situation.get(entry["situation"], at, number, "situation"))
            topics.append(self._topic.get(entry.get("topic", none), at, number, "topic"))
            moods.append(self._mood.get(entry.get("mood", none), at, number, "mood"))
            tags.append(self._tags.get(entry.get("tags", none), at, number, "tags"))
            if seldom:
                self._seldom(columns, seldom, entry, number, at)
        _check_unique(ids, at)
        return columns

    def monologue(self, head: dict[str, Any], entries: list[Any], at: str) -> dict[str, Any]:
        """Return the columns of a monologue pool; *head* has its path and header."""
        columns = _columns(head, ("triggers",))
        ids, texts, tags = columns["ids"], columns["texts"], columns["tags"]
        triggers, priority = columns["triggers"], bytearray()
        known = frozenset(self._words["triggers"])
        letter = self._letters[head["character"]]
        own = re.compile(rf".*_m_{letter}_[0-9]+").fullmatch
        shapes: dict[tuple[str, ...], tuple[str, ...]] = {}
        none: list[str] = []
        for number, entry in enumerate(entries):
            shape = tuple(entry) if type(entry) is dict else ()
            seldom = shapes.get(shape)
            if seldom is None:
                where = f"{at}[{number}]"
                seldom = _seldom(entry, where, _MONOLOGUE_REQUIRED, _MONOLOGUE_OPTIONAL)
                shapes[shape] = seldom
            line_id, trigger = entry["id"], entry["trigger"]
            if type(line_id) is not str or _MONOLOGUE(line_id) is None:
                read.matching(line_id, f"{at}[{number}].id", MONOLOGUE_ID)
            if own(line_id) is None:
                here = f"{at}[{number}].id"
                read.refuse(here, f"{line_id!r} lacks the character's letter {letter!r}")
            if type(trigger) is not str or trigger not in known:
                read.one_of(trigger, f"{at}[{number}].trigger", allowed=self._words["triggers"])
            rank = entry.get("priority", PRIORITY_DEFAULT)
            if type(rank) is not int or not 0 <= rank <= PRIORITY_MAX:
                here = f"{at}[{number}].priority"
                read.integer(rank, here, minimum=0, maximum=PRIORITY_MAX)
            ids.append(line_id)
            texts.append(_short_text(entry["text"], at, number, "text"))
            triggers.append(self._tag_words.setdefault(trigger, trigger))
            priority.append(rank)
            tags.append(self._tags.get(entry.get("tags", none), at, number, "tags"))
            if seldom:
                self._seldom(columns, seldom, entry, number, at, short=True)
        _check_unique(ids, at)
        columns["priority"] = bytes(priority)
        return columns

    def _seldom(
        self,
        columns: dict[str, Any],
        names: tuple[str, ...],
        entry: dict[str, Any],
        number: int,
        at: str,
        *,
        short: bool = False,
    ) -> None:
        """Read what few lines have."""
        for name in names:
            value = entry[name]
            if name == "cooldown" and type(value) is int and 0 <= value <= TICKS_MAX:
                if value:
                    columns["cooldown"][number] = value
                continue
            if name == "when" and "prerequisites" not in entry:
                key = repr(value)
                if key in self._conditions:
                    columns["when"][number] = key
                    continue
            here = f"{at}[{number}].{name}"
            if name == "cooldown":
                read.integer(value, here, minimum=0, maximum=TICKS_MAX)
            elif name in ("when", "prerequisites"):
                if "when" in entry and "prerequisites" in entry:
                    read.refuse(here, "expected one of 'when' and 'prerequisites'")
                key = repr(value)
                self._conditions.setdefault(key, (value, here))
                columns["when"][number] = key
            elif name in ("effects", "knowledge_grant"):
                if "effects" in entry and "knowledge_grant" in entry:
                    read.refuse(here, "expected one of 'effects' and 'knowledge_grant'")
                columns["effects"][number] = self._effects_of(name, value, here)
            elif name == "variants":
                columns["variants"][number] = _variants(entry["text"], value, here, short=short)
            elif name == "once":
                columns["once"][number] = read.member_of(value, here, Scope)
            elif name == "class":
                found = read.matching(value, here, NAME)
                columns["classes"][number] = self._tag_words.setdefault(found, found)
            else:
                self._alias(columns, number, value, here)

    def _alias(self, columns: dict[str, Any], number: int, value: Any, at: str) -> None:
        keys = tuple(
            read.line_key(one, f"{at}[{n}]") for n, one in enumerate(read.items(value, at))
        )
        columns["aliases"][number] = keys
        own = (columns["path"], columns["ids"][number])
        self.aliases.setdefault(own, []).extend(keys)

    def _effects_of(self, name: str, value: Any, at: str) -> tuple[Effect, ...]:
        key = repr(value)
        found = self._effects.get(key)
        if found is None:
            if name == "knowledge_grant":
                found = (_grant(value, at),)
            else:
                entries = enumerate(read.items(value, at))
                found = tuple(self._effect(one, f"{at}[{n}]") for n, one in entries)
            self._effects[key] = found
        return found

    def _effect(self, value: Any, at: str) -> Effect:
        found = read.members(value, at, required=(), optional=("grant", "set", "add", "stamp"))
        if len(found) != 1:
            read.refuse(at, "expected one of 'grant', 'set', 'add' and 'stamp'")
        ((verb, part),) = found.items()
        at = f"{at}.{verb}"
        if verb == "grant":
            return _grant(part, at)
        if verb == "set":
            given = read.members(part, at, required=("value", "to"))
            return SetValue(
                value=self._known(given, "value", self._declared.values, at),
                to=read.scalar(given["to"], f"{at}.to", number_max=NUMBER_MAX),
            )
        if verb == "add":
            given = read.members(part, at, required=("counter",), optional=("by",))
            by = read.integer(
                given.get("by", 1), f"{at}.by", minimum=-NUMBER_MAX, maximum=NUMBER_MAX
            )
            return AddCounter(
                counter=self._known(given, "counter", self._declared.counters, at), by=by
            )
        given = read.members(part, at, required=("timer",))
        return StampTimer(timer=self._known(given, "timer", self._declared.timers, at))

    def _known(
        self, given: Mapping[str, Any], kind: str, declared: Mapping[str, Any], at: str
    ) -> str:
        """Return a declared name: without its scope nobody could say where to keep it."""
        return read.one_of(given[kind], f"{at}.{kind}", allowed=declared)

    def finish(
        self, columns: dict[str, Any], conditions: ConditionReader
    ) -> DialoguePool | MonologuePool:
        """Return the pool of *columns*, whose gates are read now that all lines are known."""
        asked: dict[str, Prerequisites | None] = {}
        when: dict[int, Prerequisites] = {}
        for position, key in columns["when"].items():
            if key not in asked:
                value, at = self._conditions[key]
                found = conditions.line(value, at)
                asked[key] = Prerequisites(found)
            prerequisites = asked[key]
            assert prerequisites is not None, "it was read"
            when[position] = prerequisites
        columns["when"] = when
        columns["rules"] = PoolRules(
            len(columns["ids"]),
            when={position: found for position, found in when.items() if found.gates},
            once=list(columns["once"]),
            cooldown=list(columns["cooldown"]),
            classes=columns["classes"],
            declared=frozenset(self._declared.classes),
        )
        if columns["kind"] == "dialogue":
            return DialoguePool(columns, self._words)
        return MonologuePool(columns)


def _seldom(
    entry: Any, where: str, required: tuple[str, ...], optional: tuple[str, ...]
) -> tuple[str, ...]:
    """Return which members of a line few lines have, after a look at the names of all."""
    read.members(entry, where, required=required, optional=optional)
    return tuple(name for name in entry if name in _SELDOM)


def _columns(head: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    columns: dict[str, Any] = dict(head)
    for name in ("ids", "texts", "tags", *names):
        columns[name] = []
    for name in ("variants", "when", "effects", "once", "cooldown", "classes", "aliases"):
        columns[name] = {}
    return columns


def _check_unique(ids: list[str], at: str) -> None:
    if len(set(ids)) == len(ids):
        return
    seen: set[str] = set()
    for position, line_id in enumerate(ids):
        if line_id in seen:
            read.refuse(f"{at}[{position}].id", f"{line_id!r} is there twice")
        seen.add(line_id)


def _short_text(text: Any, at: str, number: int, name: str) -> str:
    if type(text) is str and 0 < len(text) <= TEXT_CHARS_MAX:
        return text
    here = f"{at}[{number}].{name}"
    return read.refuse(
        here, f"{len(read.string(text, here))} characters, more than {TEXT_CHARS_MAX}"
    )


def _variants(text: Any, value: Any, at: str, *, short: bool) -> tuple[str, ...]:
    found = read.strings(value, at)
    if text in found:
        read.refuse(at, "a variant is the line's text again")
    if len(found) > _VARIANTS_MAX:
        read.refuse(at, f"{len(found)} variants, more than {_VARIANTS_MAX}")
    if short:
        for number, one in enumerate(found):
            _short_text(one, at, number, "text")
    return found


def _grant(value: Any, at: str) -> KnowledgeGrant:
    found = read.members(value, at, required=("fact_id", "confidence"))
    fact_id = read.matching(found["fact_id"], f"{at}.fact_id", FACT_ID)
    if fact_id.startswith("interaction."):  # memory would refuse it in the middle of a game
        read.refuse(f"{at}.fact_id", f"{fact_id!r} is an interaction, which no line can grant")
    return KnowledgeGrant(
        fact_id=fact_id,
        confidence=read.member_of(found["confidence"], f"{at}.confidence", Confidence),
    )
