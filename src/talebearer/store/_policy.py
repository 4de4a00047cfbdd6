"""The policy: which metadata a request may carry, what its scope is, which types there are.

A policy is data. :class:`PolicyReader` applies it to one request at a time and gives a
:class:`Request`, the only thing that the rest of the store knows about metadata.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from jsonschema_rs import Draft202012Validator

from talebearer.errors import Problem, UsageFault
from talebearer.store._canonical import Path, canonical_text, problem, refuse, text_problems
from talebearer.store._records import schema_problems
from talebearer.vocabulary import RecordType

_POINTER = re.compile(r"(/([^~/]|~[01])*)+")
_DEADLINE_POINTER = "/deadline_unix_ms"
_ABSENT = object()


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
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeRule:
    """What the store does with one record type.

    Attributes:
        value_schema: The JSON Schema of its values.
        default_strategy: The strategy of a write that names none.
    """

    value_schema: Mapping[str, Any]
    default_strategy: ConflictStrategy = ConflictStrategy.MVCC


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The configuration of a store.

    Attributes:
        meta_fields: Alias to field; only these are looked at, others are ignored.
        scope_by: The aliases whose values are the storage scope; none means one shared scope.
        entity_types: Record type to rule.
        strategy_from: The alias that overrides the conflict strategy of one request.
        base_versions: The alias that names the versions a write is based on.
        work_unit_by: The alias that would put a request into a work unit. The embedded store has
            no work units across calls, so a request that carries it is refused.

    Raises:
        UsageFault: An unknown or repeated alias, or a pointer that is none (TB111).

    Source: the protocol sheet, sections 3.1 to 3.3 and 3.5.
    """

    meta_fields: Mapping[str, MetaField]
    scope_by: tuple[str, ...]
    entity_types: Mapping[str, TypeRule]
    strategy_from: str = "conflict_strategy"
    base_versions: str = "base_versions"
    work_unit_by: str | None = None

    def __post_init__(self) -> None:
        named = [*self.scope_by, self.strategy_from, self.base_versions]
        named += [self.work_unit_by] if self.work_unit_by is not None else []
        for alias in named:
            if alias not in self.meta_fields:
                raise UsageFault(f"the policy names {alias!r}, which is no metadata field of it")
            if named.count(alias) > 1:
                raise UsageFault(f"the policy names the metadata field {alias!r} twice")
        for alias, meta_field in sorted(self.meta_fields.items()):
            if not _POINTER.fullmatch(meta_field.pointer):
                raise UsageFault(f"{meta_field.pointer!r} of {alias!r} is no JSON pointer")
            if meta_field.pointer == _DEADLINE_POINTER:
                raise UsageFault(f"{alias!r} points at deadline_unix_ms, which is reserved")


def _default_policy() -> Policy:
    text = {"type": "string", "minLength": 1}
    versions = {"type": "array", "items": text, "minItems": 1, "uniqueItems": True}
    strategies = {"enum": [str(strategy) for strategy in ConflictStrategy]}
    aliases = ("workspace_id", "user_id", "channel_id", "transaction_id")
    fields = {alias: MetaField(pointer=f"/{alias}", schema=text) for alias in aliases}
    fields |= {
        "transaction_state": MetaField(pointer="/transaction_state", schema={"type": "string"}),
        "conflict_strategy": MetaField(pointer="/conflict_strategy", schema=strategies),
        "base_versions": MetaField(pointer="/base_versions", schema=versions),
    }

    def rule(urn: str, strategy: ConflictStrategy) -> TypeRule:
        return TypeRule(value_schema={"$ref": urn}, default_strategy=strategy)

    mvcc, merge = ConflictStrategy.MVCC, ConflictStrategy.MERGE
    return Policy(
        meta_fields=fields,
        scope_by=("workspace_id", "user_id"),
        work_unit_by="transaction_id",
        entity_types={
            RecordType.ARTIFACT.value: rule("urn:patchouli:schema:artifact:1", mvcc),
            RecordType.KNOWLEDGE.value: rule("urn:patchouli:schema:knowledge:1", merge),
            RecordType.KNOWLEDGE_RELATION.value: rule(
                "urn:patchouli:schema:knowledge-relation:1", mvcc
            ),
        },
    )


DEFAULT_POLICY = _default_policy()
"""Scope by workspace and user; the three public record types."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a request's metadata means under the policy.

    Attributes:
        scope_json: Canonical text of the scope, part of every key.
        strategy: How the write treats heads that it does not name.
        base_versions: The versions it is based on; None when it names none.
        fields: The configured values that were present, by alias.
    """

    scope_json: str
    strategy: ConflictStrategy
    base_versions: tuple[str, ...] | None
    fields: Mapping[str, Any] = field(default_factory=dict)

    @property
    def event_meta_json(self) -> str:
        """What the change feed reports of this request."""
        return canonical_text(self.fields)


class PolicyReader:
    """A policy with its metadata schemas compiled."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self._fields = tuple(
            (alias, _pointer_path(one.pointer), Draft202012Validator(dict(one.schema)))
            for alias, one in sorted(policy.meta_fields.items())
        )

    def read(self, meta: Mapping[str, Any], entity_type: str) -> Request:
        """Return what *meta* means for a request on an *entity_type*.

        Raises:
            InvalidRecord: The type is not configured, a present field fails its schema, or a
                scope field is missing (TB115).
            UsageFault: The request asks for a work unit across calls (TB111).

        Source: the protocol sheet, sections 1.7 and 3.3.
        """
        rule = self._rule(entity_type)
        fields = self._present(meta)
        policy = self.policy
        if policy.work_unit_by is not None and policy.work_unit_by in fields:
            raise UsageFault(
                f"{policy.work_unit_by} asks for a work unit across calls",
                hint="the embedded store has none: write inside one batch() instead",
            )
        missing = [alias for alias in policy.scope_by if alias not in fields]
        if missing:
            refuse([self._missing(alias) for alias in missing], what="the metadata")
        strategy = fields.get(policy.strategy_from, rule.default_strategy)
        bases = fields.get(policy.base_versions)
        return Request(
            scope_json=canonical_text({alias: fields[alias] for alias in policy.scope_by}),
            strategy=ConflictStrategy(strategy),
            base_versions=None if bases is None else tuple(bases),
            fields=fields,
        )

    def missing_bases(self) -> tuple[Path, Problem]:
        """Return the finding for a write on an existing entity that names no base versions."""
        path, _ = self._missing(self.policy.base_versions)
        return problem(path, "base versions are missing", hint="send the versions of a read")

    def unwanted_bases(self) -> tuple[Path, Problem]:
        """Return the finding for an upsert that names base versions."""
        path, _ = self._missing(self.policy.base_versions)
        return problem(path, "an upsert replaces all heads and takes no base versions")

    def _rule(self, entity_type: str) -> TypeRule:
        found = text_problems(entity_type, path=("type",))
        if found:
            refuse(found, what="the request")
        rule = self.policy.entity_types.get(entity_type)
        if rule is None:
            allowed = ", ".join(sorted(self.policy.entity_types))
            message = f"{entity_type!r} is not a configured type"
            refuse([problem(("type",), message, hint=f"allowed: {allowed}")], what="the request")
        return rule

    def _present(self, meta: Mapping[str, Any]) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        found: list[tuple[Path, Problem]] = []
        for alias, path, validator in self._fields:
            value = _resolve(meta, path)
            if value is _ABSENT:
                continue
            fields[alias] = value
            if not validator.is_valid(value):
                found += schema_problems(validator, value, path=path)
        if found:
            refuse(found, what="the metadata")
        return fields

    def _missing(self, alias: str) -> tuple[Path, Problem]:
        path = _pointer_path(self.policy.meta_fields[alias].pointer)
        return problem(path, f"{alias} is missing")


def _pointer_path(pointer: str) -> Path:
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def _resolve(meta: Any, path: Path) -> Any:
    for part in path:
        if isinstance(meta, Mapping) and part in meta:
            meta = meta[part]
        elif isinstance(meta, (list, tuple)) and str(part).isdecimal() and int(part) < len(meta):
            meta = meta[int(part)]
        else:
            return _ABSENT
    return meta
