"""What one request's metadata means: its scope, its behavior, its keys.

Source: the protocol sheet, sections 1.7, 3.3 and 3.4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from jsonschema_rs import Draft202012Validator

from talebearer.errors import Problem
from talebearer.store._canonical import (
    Path,
    canonical_text,
    clip,
    json_pointer,
    json_problems,
    problem,
    refuse,
    text_problems,
)
from talebearer.store._records import compile_schema, schema_problems
from talebearer.store.policy._model import (
    Behavior,
    CausalAfter,
    ConflictStrategy,
    Guarantee,
    Policy,
)
from talebearer.store.policy._pointer import ABSENT, pointer_path, resolve

REQUESTS_CACHED = 1_024
META_BYTES_CACHED = 512


@dataclass(frozen=True, slots=True)
class UnitKey:
    """The work unit that a request belongs to.

    Attributes:
        identity_json: Canonical text of scope and key.
        policy_json: The descriptor that all requests of a unit share.
        staging_ttl_ms: How long it may stay open.
        closes: Whether a mutation with this metadata closes it.
    """

    identity_json: str
    policy_json: str
    staging_ttl_ms: int
    closes: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a request's metadata means under the policy.

    Attributes:
        entity_type: The record type that it is about.
        behavior: What it selected.
        fields: The configured values that were present, by alias.
        scope_json: Canonical text of the scope, part of every key.
        event_meta_json: Canonical text of *fields*, what the change feed reports.
        strategy: How a write treats heads that it does not name.
        sessions: Canonical text of each session's key, with what it may rely on.
        unit: Its work unit; None when it is published at once.
        idempotency_json: Canonical text of its idempotency key, None when there is none or a
            part of it is missing.
        missing_key: The alias that the idempotency key lacks.
    """

    entity_type: str
    behavior: Behavior
    fields: Mapping[str, Any]
    scope_json: str
    event_meta_json: str
    strategy: ConflictStrategy
    sessions: tuple[tuple[str, frozenset[Guarantee]], ...] = ()
    unit: UnitKey | None = None
    idempotency_json: str | None = None
    missing_key: str | None = None

    @property
    def plain(self) -> bool:
        """Whether a read with it waits for nothing, moves nothing and sees what is published."""
        return self.unit is None and not self.sessions and not self.behavior.causal

    @property
    def tokens(self) -> tuple[tuple[CausalAfter, Any], ...]:
        """The causal tokens that it carries."""
        causal = self.behavior.causal
        return tuple((one, self.fields[one.token]) for one in causal if one.token in self.fields)


class PolicyReader:
    """A policy with its metadata schemas compiled."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self._paths = {
            alias: pointer_path(one.pointer) for alias, one in policy.meta_fields.items()
        }
        self._validators: dict[str, Draft202012Validator] = {
            alias: compile_schema(one.schema) for alias, one in policy.meta_fields.items()
        }
        self._read: dict[tuple[str, bytes], Request] = {}

    def read(self, meta: Mapping[str, Any], entity_type: str) -> Request:
        """Return what *meta* means for a request on an *entity_type*.

        Raises:
            InvalidRecord: The type is not configured, a present field fails its schema, or a
                field of the scope or of a key that the behavior needs is missing (TB115).
        """
        key = self._cache_key(meta, entity_type)
        request = self._read.get(key) if key is not None else None
        if request is None:
            request = self._select(meta, entity_type)
            if key is not None:
                if len(self._read) >= REQUESTS_CACHED:
                    self._read.clear()
                self._read[key] = request
        return request

    def read_fields(self, meta: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return scope and fields of a request that is about no type, such as a feed's."""
        fields = self._present(meta)
        canonical_text(fields)  # the schemas let some through that JSON has no form for
        return self._scope_json(fields), fields

    def base_versions(self, request: Request) -> tuple[str, ...]:
        """Return the versions that a write names as its base.

        Raises:
            InvalidRecord: They are missing, or no list of distinct texts (TB115).
        """
        alias = request.behavior.conflict.base_versions
        path = self._paths[alias]
        bases = request.fields.get(alias, ABSENT)
        if bases is ABSENT:
            hint = "send the versions of a read"
            refuse([problem(path, f"{alias} is missing", hint=hint)], what="the metadata")
        texts = isinstance(bases, (list, tuple)) and all(isinstance(one, str) for one in bases)
        if not texts or not bases or len(set(bases)) != len(bases) or "" in bases:
            message = f"{clip(repr(bases))} is no list of distinct versions"
            refuse([problem(path, message)], what="the metadata")
        return tuple(bases)

    def refuse_bases(self, request: Request) -> None:
        """Refuse base versions in a request that replaces all heads."""
        alias = request.behavior.conflict.base_versions
        if alias in request.fields:
            message = "an upsert replaces all heads and takes no base versions"
            refuse([problem(self._paths[alias], message)], what="the metadata")

    def idempotency_key(self, request: Request) -> str | None:
        """Return the key of a mutation, None when its behavior has none.

        Raises:
            InvalidRecord: The key is not complete (TB115).
        """
        if request.missing_key is not None:
            refuse([self._missing(request.missing_key)], what="the metadata")
        return request.idempotency_json

    def _cache_key(self, meta: Mapping[str, Any], entity_type: str) -> tuple[str, bytes] | None:
        # Only a mapping of plain JSON types has one meaning for one text.
        if type(meta) is not dict or "deadline_unix_ms" in meta:
            return None
        try:
            data = orjson.dumps(meta, option=orjson.OPT_PASSTHROUGH_SUBCLASS)
        except TypeError:
            return None
        return (entity_type, data) if len(data) <= META_BYTES_CACHED else None

    def _select(self, meta: Mapping[str, Any], entity_type: str) -> Request:
        rules = self._entity_type(entity_type)
        fields = self._present(meta)
        behavior = next(
            (rule.behavior for rule in rules.rules if fields.keys() >= {*rule.all_present}),
            rules.fallback,
        )
        scope_json = self._scope_json(fields)
        sessions = self._sessions(behavior, fields, scope_json=scope_json)
        strategy = self._strategy(behavior, fields)
        unit = self._unit(behavior, fields, scope_json=scope_json)
        key_by = behavior.idempotency_key or ()
        missing = next((alias for alias in key_by if alias not in fields), None)
        keyed = bool(key_by) and missing is None
        return Request(
            entity_type=entity_type,
            behavior=behavior,
            fields=fields,
            scope_json=scope_json,
            event_meta_json=canonical_text(fields),
            strategy=strategy,
            sessions=sessions,
            unit=unit,
            idempotency_json=_control_key(scope_json, fields, key_by) if keyed else None,
            missing_key=missing,
        )

    def _entity_type(self, entity_type: str) -> Any:
        found = text_problems(entity_type, path=("type",))
        if found:
            refuse(found, what="the request")
        rules = self.policy.entity_types.get(entity_type)
        if rules is None:
            allowed = ", ".join(sorted(self.policy.entity_types))
            message = f"{entity_type!r} is not a configured type"
            refuse([problem(("type",), message, hint=f"allowed: {allowed}")], what="the request")
        return rules

    def _present(self, meta: Mapping[str, Any]) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        found: list[tuple[Path, Problem]] = []
        for alias, path in self._paths.items():
            value = meta.get(str(path[0]), ABSENT) if len(path) == 1 else resolve(meta, path)
            if value is ABSENT:
                continue
            fields[alias] = value
            found += self._faults(self._validators[alias], value, path=path)
        if found:
            refuse(found, what="the metadata")
        return fields

    @staticmethod
    def _faults(
        validator: Draft202012Validator, value: Any, *, path: Path
    ) -> list[tuple[Path, Problem]]:
        try:
            if validator.is_valid(value):
                return []
            return list(schema_problems(validator, value, path=path))
        except (ValueError, TypeError) as fault:
            # The validator takes JSON and nothing else that a program can pass.
            return json_problems(value, path=path) or [problem(path, str(fault))]

    def _scope_json(self, fields: Mapping[str, Any]) -> str:
        self._need(fields, self.policy.scope_by)
        return canonical_text({alias: fields[alias] for alias in self.policy.scope_by})

    def _sessions(
        self, behavior: Behavior, fields: Mapping[str, Any], *, scope_json: str
    ) -> tuple[tuple[str, frozenset[Guarantee]], ...]:
        self._need(fields, [one.token for one in behavior.causal if not one.optional])
        self._need(fields, behavior.linearizable_key or ())
        for one in behavior.sessions:
            self._need(fields, one.key_by)
        self._need(fields, behavior.ordering_key or ())
        return tuple(
            (_control_key(scope_json, fields, one.key_by), one.guarantees)
            for one in behavior.sessions
        )

    def _strategy(self, behavior: Behavior, fields: Mapping[str, Any]) -> ConflictStrategy:
        alias = behavior.conflict.strategy_from
        if alias not in fields:
            return behavior.conflict.default_strategy
        try:
            return ConflictStrategy(fields[alias])
        except ValueError:
            message = f"{clip(repr(fields[alias]))} is no conflict strategy"
            hint = "allowed: merge, mvcc, reject"
            refuse([problem(self._paths[alias], message, hint=hint)], what="the metadata")

    def _unit(
        self, behavior: Behavior, fields: Mapping[str, Any], *, scope_json: str
    ) -> UnitKey | None:
        batch = behavior.batch
        if batch is None:
            return None
        self._need(fields, batch.key_by)
        linear, ordering = behavior.linearizable_key, behavior.ordering_key
        snapshot = _control_key(scope_json, fields, behavior.snapshot_key or ())
        policy = {
            "snapshot_key": snapshot,
            "publication": behavior.publication_json,
            "linearization_key": None if linear is None else sorted(linear),
            "commit_ordering_key": None if ordering is None else sorted(ordering),
        }
        marker = fields.get(batch.marker, ABSENT)
        closes = marker is not ABSENT and canonical_text(marker) == canonical_text(batch.equals)
        return UnitKey(
            identity_json=_control_key(scope_json, fields, batch.key_by),
            policy_json=canonical_text(policy),
            staging_ttl_ms=batch.staging_ttl_ms,
            closes=closes,
        )

    def _need(self, fields: Mapping[str, Any], aliases: Any) -> None:
        missing = [alias for alias in aliases if alias not in fields]
        if missing:
            refuse([self._missing(alias) for alias in missing], what="the metadata")

    def _missing(self, alias: str) -> tuple[Path, Problem]:
        path = self._paths[alias]
        return problem(path, f"{alias} is missing", hint=f"set it at {json_pointer(path)}")


def _control_key(scope_json: str, fields: Mapping[str, Any], key_by: Any) -> str:
    key_json = canonical_text({alias: fields[alias] for alias in key_by})
    return f'{{"scope":{scope_json},"fields":{key_json}}}'
