"""From a policy document to a :class:`Policy`; the document is known to be valid."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from talebearer.store._canonical import canonical_text
from talebearer.store.policy._model import (
    Batch,
    Behavior,
    CausalAfter,
    Conflict,
    ConflictStrategy,
    EntityType,
    MergeRule,
    MetaField,
    Policy,
    Rule,
    Session,
)

Document = Mapping[str, Any]


def policy_of(document: Document) -> Policy:
    """Return the policy that a checked *document* describes."""
    return Policy(
        meta_fields={
            alias: MetaField(pointer=one["pointer"], schema=one["schema"])
            for alias, one in sorted(document["meta_fields"].items())
        },
        scope_by=tuple(document["entity_identity"]["scope_by"]),
        entity_types={
            name: _entity_type(one) for name, one in sorted(document["entity_types"].items())
        },
        idempotency_seconds=document["retention"]["idempotency_seconds"],
        changes_seconds=document["retention"]["changes_seconds"],
        document=document,
    )


def _entity_type(document: Document) -> EntityType:
    return EntityType(
        value_schema=document["value_schema"],
        rules=tuple(
            Rule(
                name=rule["name"],
                all_present=tuple(rule["when"]["all_present"]),
                behavior=_behavior(rule["behavior"]),
            )
            for rule in document["rules"]
        ),
        fallback=_behavior(document["fallback"]),
    )


def _behavior(document: Document) -> Behavior:
    consistency, idempotency = document["consistency"], document["idempotency"]
    requirements = consistency["acquire"]["requirements"]
    linearizable = [one for one in requirements if one["kind"] == "linearizable"]
    return Behavior(
        conflict=_conflict(document["conflict"]),
        snapshot_key=_key(consistency["snapshot"]),
        allow_sources=frozenset(consistency["acquire"]["allow_sources"]),
        causal=tuple(
            CausalAfter(one["token"], one.get("optional", False))
            for one in requirements
            if one["kind"] == "causal_after"
        ),
        linearizable_key=_key(linearizable[0]) if linearizable else None,
        sessions=tuple(
            Session(tuple(one["key_by"]), frozenset(one["guarantees"]))
            for one in consistency["sessions"]
        ),
        ordering_key=_key(consistency["commit"]["ordering"]),
        idempotency_key=_key(idempotency),
        batch=_batch(document["publication"]),
        publication_json=canonical_text(document["publication"]),
    )


def _key(document: Document) -> tuple[str, ...] | None:
    return tuple(document["key_by"]) if "key_by" in document else None


def _conflict(document: Document) -> Conflict:
    return Conflict(
        default_strategy=ConflictStrategy(document["default_strategy"]),
        strategy_from=document["strategy_from"],
        base_versions=document["base_versions"],
        merge=tuple(
            MergeRule(path=one["path"], group_by=tuple(one["group_by"]))
            for one in document["merge"]
        ),
        otherwise=document["otherwise"],
    )


def _batch(document: Document) -> Batch | None:
    if document["mode"] == "immediate":
        return None
    return Batch(
        key_by=tuple(document["key_by"]),
        marker=document["close_when"]["field"],
        equals=document["close_when"]["equals"],
        staging_ttl_ms=document["staging_ttl_ms"],
    )
