"""Pack bytes to a checked :class:`Pack`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from talebearer.errors import InvalidPack
from talebearer.lines import _reader as read
from talebearer.lines._declared import (
    Declared,
    DeclaredCounter,
    DeclaredValue,
    FieldType,
    Profile,
    Scope,
    SpeakingClass,
)
from talebearer.lines._pack import Enums, Pack
from talebearer.lines._pools import DialoguePool, MonologuePool
from talebearer.lines._strategies import STRATEGIES
from talebearer.lines._types import LineKey
from talebearer.lines.gates import NAME, NUMBER_MAX, ConditionReader
from talebearer.lines.loading._load_lines import LineReader
from talebearer.vocabulary import FACT_ID, SLUG

PACK_FORMAT = "talebearer.pack"
PACK_VERSION = 1

_PACK_MEMBERS = (
    "format",
    "version",
    "enums",
    "characters",
    "facts",
    "profiles",
    "conditions",
    "pools",
)
_PACK_OPTIONAL = ("state", "triggers")
_STATE = ("timers", "counters", "values", "classes")
_ENUM_NAMES = ("access", "trust", "situations", "topics", "moods", "triggers")
_PROFILE_MEMBERS = (
    "aliases",
    "formerly",
    "role",
    "location",
    "attributes",
    "scene",
    "tolerance",
)


Parse: TypeAlias = Callable[[bytes], Any]
"""From bytes to the JSON value in them."""


def load_pack(data: bytes, *, parse: Parse | None = None) -> Pack:
    """Return the pack in *data*, the bytes of a pack file, checked as a whole.

    Members that the line-pool spec calls optional may be left out. Nothing unknown is ignored: a
    gate of a later version that was dropped would open a line that its author had closed.

    Args:
        data: The bytes.
        parse: Reads JSON in place of the standard library, for bytes that are known to be JSON in
            which no member is there twice, such as those that were compiled here.

    Raises:
        InvalidPack: *data* is no pack, of a newer version, or malformed anywhere (TB114); the
            message and ``data["pointer"]`` name the place.

    Source: the line-pool spec section 9.
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise InvalidPack(
            f"a pack is bytes, not {type(data).__name__}",
            hint="give the pack file's bytes, such as compile_content(folder).data",
        )
    top = read.mapping((parse or read.parse_json)(bytes(data)), "$")
    has_pools = "pools" in top
    entries = top.pop("pools", [])
    around = opened(top, has_pools=has_pools)
    pools = around.pools(read.items(entries, "$.pools"))
    return assembled(around, pools, f"sha256:{hashlib.sha256(data).hexdigest()}")


class Opened(NamedTuple):
    """A pack without its pools, read.

    Attributes:
        top: Its members.
        enums: Its words.
        characters: Character to letter.
        declared: What it declares.
        lines: Reads its lines, and gathers their former names.
    """

    top: dict[str, Any]
    enums: Enums
    characters: dict[str, str]
    declared: Declared
    lines: LineReader

    def pools(self, entries: list[Any]) -> list[DialoguePool | MonologuePool]:
        """Return the pools of *entries*, JSON values or pools that were read before."""
        heads = _heads(entries, self.lines, self.characters)
        named = read.mapping(self.top["conditions"], "$.conditions")
        lines = self.lines
        conditions = ConditionReader(
            self.declared, named, lambda key: tuple(lines.aliases.get(key, ()))
        )
        for name in named:
            at = f"$.conditions.{name}"
            conditions.named(read.matching(name, at, NAME), at)
        return [
            lines.finish(head, conditions) if isinstance(head, dict) else head for head in heads
        ]


def opened(top: dict[str, Any], *, has_pools: bool = True) -> Opened:
    """Return the pack *top*, whose pools were taken out, read."""
    _check_version(top)
    required = _PACK_MEMBERS if not has_pools else tuple(m for m in _PACK_MEMBERS if m != "pools")
    top = read.members(top, "$", required=required, optional=_PACK_OPTIONAL)
    enums = _enums(top["enums"])
    characters = _characters(top["characters"])
    declared = _declared(top.get("state", {}), top.get("triggers", {}), enums)
    lines = LineReader(_words(enums), characters, declared)
    return Opened(top, enums, characters, declared, lines)


def assembled(around: Opened, pools: Sequence[DialoguePool | MonologuePool], digest: str) -> Pack:
    """Return the pack of all that was read."""
    return Pack(
        digest=digest,
        enums=around.enums,
        characters=around.characters,
        facts=_facts(around.top["facts"]),
        profiles=_profiles(around.top["profiles"]),
        pools=pools,
        declared=around.declared,
        aliases=around.lines.aliases,
    )


_Aliases = dict[LineKey, tuple[LineKey, ...]]
_AnyPool = DialoguePool | MonologuePool


class PackShelf:
    """Loads packs, and keeps the pools of the last one.

    A pool is taken from the shelf when its own bytes and everything around the pools are those of
    before, and no line got or lost a former name anywhere; it is then what reading it would give.
    """

    def __init__(self, *, parse: Parse = read.parse_json) -> None:
        """Take in how JSON is read; see :func:`load_pack`."""
        self._parse = parse
        self._around: tuple[bytes, Mapping[LineKey, Sequence[LineKey]]] | None = None
        self._pools: dict[bytes, tuple[_AnyPool, _Aliases]] = {}

    def load(self, head: bytes, pools: Sequence[bytes], *, digest: str) -> Pack:
        """Return the pack of *head*, which is a pack without its pools, and *pools*.

        Args:
            head: The pack's JSON object without the member ``pools``.
            pools: The JSON of each pool, in the order of the pack.
            digest: Of the whole pack.

        Raises:
            InvalidPack: As :func:`load_pack` raises it for the whole (TB114).
        """
        top = read.mapping(self._parse(head), "$")
        known = self._pools if self._around and self._around[0] == head else {}
        around = opened(dict(top))
        loaded = self._load(around, pools, known)
        if known and self._around and around.lines.aliases != self._around[1]:
            around = opened(dict(top))  # an answer may lead to another line now
            loaded = self._load(around, pools, {})
        self._around = (head, around.lines.aliases)
        self._pools = {
            data: (pool, _aliases_of(pool)) for data, pool in zip(pools, loaded, strict=True)
        }
        return assembled(around, loaded, digest)

    def _load(
        self,
        around: Opened,
        pools: Sequence[bytes],
        known: Mapping[bytes, tuple[_AnyPool, _Aliases]],
    ) -> list[_AnyPool]:
        entries: list[Any] = []
        for data in pools:
            kept = known.get(data)
            if kept is None:
                entries.append(self._parse(data))
                continue
            entries.append(kept[0])
            for key, names in kept[1].items():
                around.lines.aliases.setdefault(key, []).extend(names)
        return around.pools(entries)


def _aliases_of(pool: _AnyPool) -> _Aliases:
    return {(pool.path, pool.ids[position]): names for position, names in pool.aliases.items()}


def _check_version(top: dict[str, Any]) -> None:
    if top.get("format") != PACK_FORMAT:
        read.refuse("$.format", f"expected {PACK_FORMAT!r}, found {read.shown(top.get('format'))}")
    version = read.integer(top.get("version"), "$.version", minimum=1, maximum=10**9)
    if version > PACK_VERSION:
        raise InvalidPack(
            f"the pack is of version {version}, and this program knows up to {PACK_VERSION}",
            hint="install a newer Talebearer, or build the pack with this one",
            data={"pointer": "$.version", "found": version, "known_max": PACK_VERSION},
        )


def _enums(value: Any) -> Enums:
    found = read.members(value, "$.enums", required=_ENUM_NAMES)
    return Enums(**{name: read.strings(found[name], f"$.enums.{name}") for name in _ENUM_NAMES})


def _words(enums: Enums) -> dict[str, tuple[str, ...]]:
    return {name: getattr(enums, name) for name in _ENUM_NAMES}


def _characters(value: Any) -> dict[str, str]:
    letters: dict[str, str] = {}
    for name, entry in read.mapping(value, "$.characters").items():
        at = f"$.characters.{name}"
        read.matching(name, at, SLUG)
        letter = read.matching(
            read.members(entry, at, required=("letter",))["letter"], f"{at}.letter", "[a-z]"
        )
        if letter in letters.values():
            read.refuse(f"{at}.letter", f"{letter!r} is another character's letter, too")
        letters[name] = letter
    return letters


def _declared(state: Any, triggers: Any, enums: Enums) -> Declared:
    found = read.members(state, "$.state", required=(), optional=_STATE)
    entries = {name: _named(found.get(name, {}), f"$.state.{name}") for name in _STATE}
    return Declared(
        timers={name: _scope(entry, at) for name, (entry, at) in entries["timers"].items()},
        counters={name: _counter(entry, at) for name, (entry, at) in entries["counters"].items()},
        values={name: _value(entry, at) for name, (entry, at) in entries["values"].items()},
        classes={name: _class(entry, at) for name, (entry, at) in entries["classes"].items()},
        fields=_fields(triggers, enums),
    )


def _named(value: Any, at: str) -> dict[str, tuple[Any, str]]:
    found = {}
    for name, entry in read.mapping(value, at).items():
        read.matching(name, f"{at}.{name}", NAME)
        found[name] = (entry, f"{at}.{name}")
    return found


def _scope(value: Any, at: str) -> Scope:
    found = read.members(value, at, required=("scope",))
    return read.member_of(found["scope"], f"{at}.scope", Scope)


def _counter(value: Any, at: str) -> DeclaredCounter:
    found = read.members(value, at, required=("scope",), optional=("initial",))
    bounds = {"minimum": -NUMBER_MAX, "maximum": NUMBER_MAX}
    return DeclaredCounter(
        scope=read.member_of(found["scope"], f"{at}.scope", Scope),
        initial=read.integer(found.get("initial", 0), f"{at}.initial", **bounds),
    )


def _value(value: Any, at: str) -> DeclaredValue:
    found = read.members(value, at, required=("scope", "type"), optional=("initial",))
    kind = read.member_of(found["type"], f"{at}.type", FieldType)
    initial = None
    if "initial" in found:
        initial = read.scalar(found["initial"], f"{at}.initial", number_max=NUMBER_MAX)
        if not kind.fits(initial):
            read.refuse(f"{at}.initial", f"{read.shown(initial)} is no {kind}")
    scope = read.member_of(found["scope"], f"{at}.scope", Scope)
    return DeclaredValue(scope=scope, type=kind, initial=initial)


def _class(value: Any, at: str) -> SpeakingClass:
    names = ("interrupts", "excluded_by")
    found = read.members(value, at, required=(), optional=names)
    return SpeakingClass(
        **{name: frozenset(read.strings(found.get(name, []), f"{at}.{name}")) for name in names}
    )


def _fields(triggers: Any, enums: Enums) -> dict[str, dict[str, FieldType]]:
    fields: dict[str, dict[str, FieldType]] = {}
    for trigger, entry in read.mapping(triggers, "$.triggers").items():
        at = f"$.triggers.{trigger}"
        read.one_of(trigger, at, allowed=enums.triggers)
        given = read.members(entry, at, required=(), optional=("fields",)).get("fields", {})
        fields[trigger] = {
            name: read.member_of(kind, place, FieldType)
            for name, (kind, place) in _named(given, f"{at}.fields").items()
        }
    return fields


def _facts(value: Any) -> dict[str, str]:
    facts = read.mapping(value, "$.facts")
    for fact_id, description in facts.items():
        read.matching(fact_id, f"$.facts.{fact_id}", FACT_ID)
        read.string(description, f"$.facts.{fact_id}", empty=True)
    return facts


def _profiles(value: Any) -> dict[str, Profile]:
    entries = read.mapping(value, "$.profiles").items()
    return {slug: _profile(slug, entry, f"$.profiles.{slug}") for slug, entry in entries}


def _profile(slug: str, value: Any, at: str) -> Profile:
    found = read.members(value, at, required=("name",), optional=_PROFILE_MEMBERS)
    attributes = read.mapping(found.get("attributes", {}), f"{at}.attributes")
    return Profile(
        slug=read.matching(slug, at, SLUG),
        name=read.string(found["name"], f"{at}.name"),
        aliases=read.strings(found.get("aliases", []), f"{at}.aliases", unique=False),
        formerly=tuple(
            read.matching(former, f"{at}.formerly[{n}]", SLUG)
            for n, former in enumerate(read.items(found.get("formerly", []), f"{at}.formerly"))
        ),
        role=_slug_or_none(found.get("role"), f"{at}.role"),
        location=_slug_or_none(found.get("location"), f"{at}.location"),
        attributes={
            key: read.scalar(word, f"{at}.attributes.{key}", number_max=NUMBER_MAX)
            for key, word in attributes.items()
        },
        scene=read.mapping(found.get("scene", {}), f"{at}.scene"),
        tolerance=read.mapping(found.get("tolerance", {}), f"{at}.tolerance"),
    )


def _slug_or_none(value: Any, at: str) -> str | None:
    return None if value is None else read.matching(value, at, SLUG)


def _heads(
    entries: list[Any], lines: LineReader, characters: Mapping[str, str]
) -> list[dict[str, Any] | DialoguePool | MonologuePool]:
    """Return the columns of every pool, or the pool where it was read before."""
    found: list[dict[str, Any] | DialoguePool | MonologuePool] = []
    paths: set[str] = set()
    for position, entry in enumerate(entries):
        at = f"$.pools[{position}]"
        if isinstance(entry, DialoguePool | MonologuePool):
            path = entry.path
            found.append(entry)
        else:
            head = _head(entry, at, characters)
            path = head["path"]
            listed = read.items(entry["lines"], f"{at}.lines")
            columns = lines.dialogue if head["kind"] == "dialogue" else lines.monologue
            found.append(columns(head, listed, f"{at}.lines"))
        if path in paths:
            read.refuse(f"{at}.path", f"another pool has the path {path!r}, too")
        paths.add(path)
        entries[position] = None  # so that a pack is never in memory twice as a whole
    return found


def _head(value: Any, at: str, characters: Mapping[str, str]) -> dict[str, Any]:
    kind = read.mapping(value, at).get("kind")
    kind = read.one_of(kind, f"{at}.kind", allowed=("dialogue", "monologue"))
    whose = "role" if kind == "dialogue" else "character"
    required = ("path", "kind", "location", whose, "lines")
    read.members(value, at, required=required, optional=("strategy", "tags", "first_path"))
    if "tags" in value:
        read.strings(value["tags"], f"{at}.tags", unique=False)
    strategy = None
    if "strategy" in value:
        strategy = read.one_of(value["strategy"], f"{at}.strategy", allowed=STRATEGIES)
    path = read.pool_path(value["path"], f"{at}.path")
    first = (
        read.pool_path(value["first_path"], f"{at}.first_path") if "first_path" in value else path
    )
    head = {
        "path": path,
        "first_path": first,
        "kind": kind,
        "location": read.matching(value["location"], f"{at}.location", SLUG),
        "strategy": strategy,
    }
    if kind == "dialogue":
        head["role"] = read.matching(value["role"], f"{at}.role", SLUG)
    else:
        head["character"] = read.one_of(value["character"], f"{at}.character", allowed=characters)
    return head
