"""What a daemon answers, as values. What has another form is a :class:`ProtocolFault`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from talebearer.errors import ProtocolFault

_STATES = ("active", "deleted")
_READ_STATES = ("active", "conflicted", "deleted")


@dataclass(frozen=True, slots=True, order=True)
class EntityRef:
    """Which entity is meant, inside one scope.

    Attributes:
        type: A configured record type, such as ``knowledge``.
        id: Its id.
    """

    type: str
    id: str

    def as_json(self) -> dict[str, str]:
        """Return it as the wire has it."""
        return {"type": self.type, "id": self.id}


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityVersion:
    """One immutable version of an entity.

    Attributes:
        ref: The entity.
        version: Opaque id of this version.
        state: ``active``, or ``deleted`` for a tombstone.
        value: The JSON value; None for a tombstone.
        meta: The answer's metadata, such as a causal token; empty inside larger answers.
    """

    ref: EntityRef
    version: str
    state: str
    value: Any = None
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def active(self) -> bool:
        """Whether this version holds a value rather than a deletion."""
        return self.state == "active"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadResult:
    """All current heads of an entity.

    Attributes:
        state: ``active`` for one live head, ``deleted`` for one tombstone, else ``conflicted``.
        variants: The heads in the order of their version text, at least one.
        meta: The answer's metadata, such as a causal token.
    """

    state: str
    variants: tuple[EntityVersion, ...]
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def versions(self) -> list[str]:
        """The head versions, ready to be sent as ``base_versions``."""
        return [variant.version for variant in self.variants]

    @property
    def value(self) -> Any:
        """The value of the first head."""
        return self.variants[0].value


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One entity that a retrieval found.

    Attributes:
        score: How well its text matches; 0 without a text.
        variants: All its heads.
    """

    score: float
    variants: tuple[EntityVersion, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of a retrieval.

    Attributes:
        hits: What was found, in order.
        next_cursor: Goes on after this page; None when there is no more.
        meta: The answer's metadata.
    """

    hits: tuple[Hit, ...]
    next_cursor: str | None
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One event of a change feed.

    Attributes:
        cursor: Its place; keep the last one to go on from. Compare for equality only.
        ref: The entity.
        kind: ``created``, ``updated``, ``deleted``, ``conflicted`` or ``resolved``.
        head_versions: The heads after the change.
        meta: The configured metadata of the mutation, by alias.
    """

    cursor: str
    ref: EntityRef
    kind: str
    head_versions: tuple[str, ...]
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """The bytes of an artifact.

    Attributes:
        entity: The version that they belong to.
        data: The bytes.
    """

    entity: EntityVersion
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What a daemon says of itself.

    Attributes:
        ready: Whether it serves.
        provider: The kind of its storage.
        generation: How often its store was opened for writing.
        recovered_after_unclean_shutdown: Whether the writer before it ended without closing.
        pid: Its process.
        started_at_unix_ms: When it opened the store.
        active_connections: Its clients, this one counted.
    """

    ready: bool
    provider: str
    generation: int
    recovered_after_unclean_shutdown: bool
    pid: int
    started_at_unix_ms: int
    active_connections: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerInfo:
    """What the handshake told.

    Attributes:
        version: The daemon's version.
        node_id: Its name as a placement provider.
        cluster_id: Its group.
        capabilities: What client and daemon agreed on.
        limits: Its limits by name, such as ``max_request_bytes``.
    """

    version: str
    node_id: str
    cluster_id: str
    capabilities: tuple[str, ...]
    limits: Mapping[str, int]


class Reader:
    """Reads members of an answer and says which one has another form."""

    def __init__(self, value: Any, *, of: str) -> None:
        self._of = of
        if type(value) is not dict:
            self.refuse("it is no object")
        self._value: dict[str, Any] = value

    def refuse(self, why: str) -> NoReturn:
        """Raise: the answer has another form."""
        raise ProtocolFault(f"the {self._of} of the daemon's answer: {why}")

    def text(self, name: str) -> str:
        """Return a text."""
        value = self._value.get(name)
        return value if type(value) is str else self.refuse(f"{name} is no text")

    def integer(self, name: str) -> int:
        """Return an integer."""
        value = self._value.get(name)
        return value if type(value) is int else self.refuse(f"{name} is no integer")

    def flag(self, name: str) -> bool:
        """Return true or false."""
        value = self._value.get(name)
        return value if type(value) is bool else self.refuse(f"{name} is neither true nor false")

    def items(self, name: str) -> list[Any]:
        """Return a list."""
        value = self._value.get(name)
        return value if type(value) is list else self.refuse(f"{name} is no list")

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts."""
        items = self.items(name)
        if not all(type(item) is str for item in items):
            self.refuse(f"{name} is no list of texts")
        return tuple(items)

    def member(self, name: str) -> Any:
        """Return whatever stands there, None when nothing does."""
        return self._value.get(name)

    def has(self, name: str) -> bool:
        """Return whether there is such a member."""
        return name in self._value


def entity_of(value: Any, meta: Mapping[str, Any] | None = None) -> EntityVersion:
    """Return the entity version that *value* describes."""
    reader = Reader(value, of="entity")
    state = reader.text("state")
    if state not in _STATES or (state == "active") is not reader.has("value"):
        reader.refuse(f"the state {state!r} does not go with its value")
    return EntityVersion(
        ref=_ref_of(reader.member("ref")),
        version=reader.text("version"),
        state=state,
        value=reader.member("value"),
        meta=meta or {},
    )


def read_of(value: Any, meta: Mapping[str, Any]) -> ReadResult:
    """Return the read result that *value* describes."""
    reader = Reader(value, of="result")
    state = reader.text("state")
    if state not in _READ_STATES:
        reader.refuse(f"the state {state!r}")
    return ReadResult(state=state, variants=_variants_of(reader), meta=meta)


def page_of(value: Any, meta: Mapping[str, Any]) -> Page:
    """Return the page that *value* and *meta* describe."""
    hits = []
    for item in Reader(value, of="result").items("hits"):
        reader = Reader(item, of="hit")
        score = reader.member("score")
        if type(score) not in (int, float):
            reader.refuse("score is no number")
        hits.append(Hit(score=float(score), variants=_variants_of(reader)))
    cursor = meta.get("next_cursor")
    if cursor is not None and type(cursor) is not str:
        raise ProtocolFault("next_cursor of the daemon's answer is no text")
    return Page(hits=tuple(hits), next_cursor=cursor, meta=meta)


def change_of(value: Any, meta: Mapping[str, Any]) -> Change:
    """Return the change that an event describes."""
    reader = Reader(value, of="change")
    return Change(
        cursor=reader.text("cursor"),
        ref=_ref_of(reader.member("ref")),
        kind=reader.text("kind"),
        head_versions=reader.texts("head_versions"),
        meta=meta,
    )


def status_of(value: Any) -> Status:
    """Return the status that *value* describes."""
    reader = Reader(value, of="status")
    return Status(
        ready=reader.flag("ready"),
        provider=reader.text("provider"),
        generation=reader.integer("generation"),
        recovered_after_unclean_shutdown=reader.flag("recovered_after_unclean_shutdown"),
        pid=reader.integer("pid"),
        started_at_unix_ms=reader.integer("started_at_unix_ms"),
        active_connections=reader.integer("active_connections"),
    )


def server_of(value: Any) -> ServerInfo:
    """Return what a handshake's result tells."""
    reader = Reader(value, of="handshake")
    server = Reader(reader.member("server"), of="handshake's server")
    limits = reader.member("limits")
    if type(limits) is not dict or not all(type(one) is int for one in limits.values()):
        reader.refuse("limits are no integers")
    return ServerInfo(
        version=server.text("version"),
        node_id=server.text("node_id"),
        cluster_id=server.text("cluster_id"),
        capabilities=reader.texts("capabilities"),
        limits=limits,
    )


def _ref_of(value: Any) -> EntityRef:
    reader = Reader(value, of="ref")
    return EntityRef(reader.text("type"), reader.text("id"))


def _variants_of(reader: Reader) -> tuple[EntityVersion, ...]:
    variants = tuple(entity_of(item) for item in reader.items("variants"))
    return variants or reader.refuse("there are no variants")
