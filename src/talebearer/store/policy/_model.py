"""The policy as typed values: what is scope, which types there are, and how each behaves.

Source: the protocol sheet, section 3.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

Guarantee = Literal["monotonic_reads", "read_your_writes"]
PlacementSource = Literal["authority", "replica"]


class ConflictStrategy(StrEnum):
    """What a write does with heads that it does not name as its base.

    ``reject`` refuses the write; ``mvcc`` keeps them beside it; ``merge`` joins contents where a
    merge engine is present, and keeps them beside it, as ``mvcc``, where none is.
    """

    MERGE = "merge"
    MVCC = "mvcc"
    REJECT = "reject"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetaField:
    """One configured metadata field.

    Attributes:
        pointer: Where it stands in the request's metadata, a JSON pointer.
        schema: The JSON Schema of its value. A present value that fails it fails the request.
    """

    pointer: str
    schema: Mapping[str, Any] | bool


@dataclass(frozen=True, slots=True)
class CausalAfter:
    """A read or write that must not be older than the change of a token.

    Attributes:
        token: The alias that carries the token, in requests and in results.
        optional: Whether a request without it has no lower bound.
    """

    token: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Session:
    """A session, and what it may rely on."""

    key_by: tuple[str, ...]
    guarantees: frozenset[Guarantee]


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRule:
    """A part of the value that is merged.

    Attributes:
        path: JSON pointer of the part.
        group_by: JSON pointers inside the part; only parts that are equal there are merged.
    """

    path: str
    group_by: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """What happens to concurrent heads.

    Attributes:
        default_strategy: For a request that names none.
        strategy_from: The alias that names one.
        base_versions: The alias that names the versions a write is based on.
        merge: What is merged, and how it is grouped.
        otherwise: What happens to that which cannot be merged: ``mvcc`` or ``reject``.
    """

    default_strategy: ConflictStrategy
    strategy_from: str
    base_versions: str
    merge: tuple[MergeRule, ...] = ()
    otherwise: Literal["mvcc", "reject"] = "mvcc"


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """A publication in work units.

    Attributes:
        key_by: The aliases that, with the scope, tell units apart.
        marker: The alias whose value closes a unit.
        equals: The value that does.
        staging_ttl_ms: How long a unit may stay open.
    """

    key_by: tuple[str, ...]
    marker: str
    equals: Any
    staging_ttl_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Behavior:
    """What is promised for the requests that select it. A key of None means: not asked for."""

    conflict: Conflict
    snapshot_key: tuple[str, ...] | None = None
    allow_sources: frozenset[PlacementSource] = frozenset({"authority"})
    causal: tuple[CausalAfter, ...] = ()
    linearizable_key: tuple[str, ...] | None = None
    sessions: tuple[Session, ...] = ()
    ordering_key: tuple[str, ...] | None = None
    idempotency_key: tuple[str, ...] | None = None
    batch: Batch | None = None
    publication_json: str = '{"mode":"immediate"}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A behavior for the requests that carry all of some aliases."""

    name: str
    all_present: tuple[str, ...]
    behavior: Behavior


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityType:
    """What the store does with one record type.

    Attributes:
        value_schema: The JSON Schema of its values.
        rules: Tried in order.
        fallback: The behavior when no rule applies.
    """

    value_schema: Mapping[str, Any] | bool
    rules: tuple[Rule, ...]
    fallback: Behavior


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The configuration of a store; made by ``policy_from_json`` and ``load_policy``.

    Attributes:
        meta_fields: Alias to field; only these are looked at, others are ignored.
        scope_by: The aliases whose values are the storage scope; none means one shared scope.
        entity_types: Record type to what the store does with it.
        idempotency_seconds: How long a keyed result is kept.
        changes_seconds: How long a change can be replayed.
    """

    meta_fields: Mapping[str, MetaField]
    scope_by: tuple[str, ...]
    entity_types: Mapping[str, EntityType]
    idempotency_seconds: int
    changes_seconds: int
    document: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
