"""Policy documents for the suite: the shipped default, and small variations of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Document = dict[str, Any]

_TEXT = {"type": "string", "minLength": 1}
_ALIASES = ("workspace_id", "user_id", "channel_id", "transaction_id")
_BASES = {"type": "array", "items": _TEXT, "minItems": 1, "uniqueItems": True}
_STRATEGIES = {"enum": ["merge", "mvcc", "reject"]}
_URNS = {
    "artifact": "urn:patchouli:schema:artifact:1",
    "knowledge": "urn:patchouli:schema:knowledge:1",
    "knowledge_relation": "urn:patchouli:schema:knowledge-relation:1",
}
TTL_MS = 3_600_000


def meta_field(alias: str, schema: Any, pointer: str | None = None) -> Document:
    """Return one configured metadata field by its alias."""
    return {alias: {"pointer": pointer or f"/{alias}", "schema": schema}}


def behavior(
    *,
    strategy: str = "mvcc",
    merge: Iterable[Mapping[str, Any]] = (),
    otherwise: str = "mvcc",
    batch: bool = False,
    ttl_ms: int = TTL_MS,
    replay_by: tuple[str, ...] = (),
    sources: tuple[str, ...] = ("authority",),
    requirements: Iterable[Mapping[str, Any]] = ({"kind": "linearizable", "key_by": []},),
    sessions: Iterable[Mapping[str, Any]] = (),
    ordering: Mapping[str, Any] | None = None,
) -> Document:
    """Return a behavior; what is not named is as in the default policy."""
    publication: Document = {"mode": "immediate"}
    snapshot: Document = {"mode": "request"}
    if batch:
        snapshot = {"mode": "shared", "key_by": ["transaction_id"]}
        publication = {
            "mode": "batch",
            "key_by": ["transaction_id"],
            "close_when": {"kind": "marker", "field": "transaction_state", "equals": "commit"},
            "staging_ttl_ms": ttl_ms,
            "on_expire": "discard",
        }
    replay: Document = {"mode": "keyed", "key_by": [*replay_by]}
    return {
        "consistency": {
            "snapshot": snapshot,
            "acquire": {
                "allow_sources": [*sources],
                "requirements": [dict(one) for one in requirements],
            },
            "sessions": [dict(one) for one in sessions],
            "commit": {"ordering": dict(ordering or {"kind": "serialize", "key_by": []})},
        },
        "idempotency": replay if replay_by else {"mode": "disabled"},
        "conflict": {
            "default_strategy": strategy,
            "strategy_from": "conflict_strategy",
            "base_versions": "base_versions",
            "merge": [dict(one) for one in merge],
            "otherwise": otherwise,
        },
        "publication": publication,
    }


CONTENT_MERGE = {"path": "/content", "strategy": "automerge", "group_by": ["/kind"]}


def entity_type(name: str, **settings: Any) -> Document:
    """Return one configured type: a batch rule for requests with a transaction, else at once."""
    if name == "knowledge":
        settings = {"strategy": "merge", "merge": [CONTENT_MERGE], **settings}
    rule = {
        "name": "transaction_batch",
        "when": {"all_present": ["transaction_id"]},
        "behavior": behavior(batch=True, **settings),
    }
    settings.pop("ttl_ms", None)
    return {
        name: {
            "value_schema": {"$ref": _URNS[name]},
            "rules": [rule],
            "fallback": behavior(**settings),
        }
    }


def default_policy(
    *,
    types: Mapping[str, Any] | None = None,
    fields: Mapping[str, Any] | None = None,
    scope_by: tuple[str, ...] = ("workspace_id", "user_id"),
    idempotency_seconds: int = 86_400,
    changes_seconds: int = 604_800,
    **settings: Any,
) -> Document:
    """Return the default policy, or a variation.

    Args:
        types: Types that replace or join the three.
        fields: Metadata fields that join the seven.
        scope_by: The aliases of the scope.
        idempotency_seconds: How long results are replayed.
        changes_seconds: How long changes are kept.
        settings: For the behaviors of all three types; see :func:`behavior`.
    """
    meta_fields: Document = {}
    for alias in _ALIASES:
        meta_fields |= meta_field(alias, _TEXT)
    meta_fields |= meta_field("transaction_state", {"type": "string"})
    meta_fields |= meta_field("conflict_strategy", _STRATEGIES)
    meta_fields |= meta_field("base_versions", _BASES)
    every: Document = {}
    for name in _URNS:
        every |= entity_type(name, **settings)
    return {
        "$schema": "urn:patchouli:schema:policy:1",
        "version": 1,
        "retention": {
            "idempotency_seconds": idempotency_seconds,
            "changes_seconds": changes_seconds,
        },
        "meta_fields": {**meta_fields, **(fields or {})},
        "entity_identity": {"scope_by": [*scope_by]},
        "entity_types": {**every, **(types or {})},
    }


def keyed_policy() -> Document:
    """Return a policy whose mutations carry ``request_id`` as their idempotency key."""
    return default_policy(
        fields=meta_field("request_id", _TEXT),
        replay_by=("request_id",),
        idempotency_seconds=600,
    )


def causal_policy(
    *,
    replay_by: tuple[str, ...] = (),
    guarantees: tuple[str, ...] = ("monotonic_reads", "read_your_writes"),
) -> Document:
    """Return the causal and session pattern for knowledge, published at once only."""
    fields = meta_field("causal_token", {"type": "string", "minLength": 1})
    fields |= meta_field("participant_id", _TEXT, "/plugin_route_id")
    fields |= meta_field("request_id", _TEXT)
    at_once = behavior(
        strategy="merge",
        merge=[CONTENT_MERGE],
        sources=("authority", "replica"),
        requirements=[{"kind": "causal_after", "token": "causal_token", "optional": True}],
        sessions=[{"key_by": ["participant_id"], "guarantees": [*guarantees]}],
        replay_by=replay_by,
    )
    knowledge = {"value_schema": {"$ref": _URNS["knowledge"]}, "rules": [], "fallback": at_once}
    policy = default_policy(fields=fields)
    policy["entity_types"] = {"knowledge": knowledge}
    return policy
