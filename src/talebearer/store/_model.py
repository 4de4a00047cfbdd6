"""What the store gives back: references, entity versions, read results and changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

VersionState = Literal["active", "deleted"]
ReadState = Literal["active", "conflicted", "deleted"]
ChangeKind = Literal["created", "updated", "deleted", "conflicted", "resolved"]


@dataclass(frozen=True, slots=True, order=True)
class EntityRef:
    """Which entity is meant, inside one scope.

    Attributes:
        type: A record type that the policy configures, such as ``knowledge``.
        id: Any non-empty text; equal ids of different types are different entities.
    """

    type: str
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityVersion:
    """One immutable version of an entity.

    Attributes:
        ref: The entity.
        version: Opaque id of this version.
        state: ``active``, or ``deleted`` for a tombstone.
        value: The JSON value; None for a tombstone.
    """

    ref: EntityRef
    version: str
    state: VersionState
    value: Any = None

    def as_wire(self) -> dict[str, Any]:
        """Return the version as the wire has it: a tombstone has no ``value``."""
        ref = {"type": self.ref.type, "id": self.ref.id}
        if self.state == "deleted":
            return {"ref": ref, "version": self.version, "state": "deleted"}
        return {"ref": ref, "version": self.version, "state": "active", "value": self.value}

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
    """

    state: ReadState
    variants: tuple[EntityVersion, ...]

    @property
    def versions(self) -> tuple[str, ...]:
        """The head versions, ready to be sent as ``base_versions``."""
        return tuple(variant.version for variant in self.variants)

    @property
    def value(self) -> Any:
        """The value of the first head."""
        return self.variants[0].value


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One committed transition of an entity's heads.

    Attributes:
        cursor: Decimal text; grows within a scope, with gaps. Compare for equality only.
        ref: The entity.
        kind: ``created``, ``updated``, ``deleted``, ``conflicted`` or ``resolved``.
        head_versions: The heads after the change, in the order of their text.
        meta: The configured metadata of the mutation, by alias.
    """

    cursor: str
    ref: EntityRef
    kind: ChangeKind
    head_versions: tuple[str, ...]
    meta: Mapping[str, Any] = field(default_factory=dict)


# Frozen objects set their members one call at a time; these are filled, and then become them.
_OpenVersion: Any = type("_OpenVersion", (), {"__slots__": EntityVersion.__slots__})
_OpenResult: Any = type("_OpenResult", (), {"__slots__": ReadResult.__slots__})


def one_head(ref: EntityRef, version: str, state: VersionState, value: Any) -> ReadResult:
    """Return what is read of an entity with one head: the usual case, made in a third of the time."""
    head = _OpenVersion()
    head.ref = ref
    head.version = version
    head.state = state
    head.value = value
    head.__class__ = EntityVersion
    result = _OpenResult()
    result.state = state
    result.variants = (head,)
    result.__class__ = ReadResult
    made: ReadResult = result
    return made


def read_state(heads: tuple[EntityVersion, ...]) -> ReadState:
    """Return what a reader sees in *heads*: two tombstones are a conflict as well."""
    if len(heads) != 1:
        return "conflicted"
    return heads[0].state


def change_kind(
    *, heads_before: int, heads_after: int, state: VersionState, created: bool
) -> ChangeKind:
    """Return the kind of a transition to *heads_after* heads whose newest is *state*.

    Source: the protocol sheet, section 5.5 rule 9.
    """
    if created:
        return "created"
    if heads_after > 1:
        return "conflicted"
    if heads_before > 1:
        return "resolved"
    return "deleted" if state == "deleted" else "updated"


@dataclass(frozen=True, slots=True)
class Call:
    """One request of the wire, without its envelope.

    Attributes:
        method: Its full name, such as ``patchouli.entity.create@1``.
        meta: The request's metadata.
        data: What the method takes.
        parsed: Whether meta and data came out of a JSON parser and are nobody else's: then the store
            need not copy a value, nor look whether JSON can hold it.
    """

    method: str
    meta: Mapping[str, Any]
    data: Mapping[str, Any]
    parsed: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """What answers a :class:`Call`.

    Attributes:
        meta: The result's metadata: the causal token, ``next_cursor``; mostly empty.
        data: The result, in plain JSON types.
    """

    meta: dict[str, Any]
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class FeedEvent:
    """One delivered change.

    Attributes:
        change: ``cursor``, ``ref``, ``kind`` and ``head_versions``, as the wire has them.
        meta: The configured metadata of the mutation, by alias.
    """

    change: dict[str, Any]
    meta: dict[str, Any]
