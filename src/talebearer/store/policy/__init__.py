"""The policy: which metadata a request may carry, what its scope is, how each type behaves.

A policy is data: a JSON document that is checked as a whole before a store starts with it.
:class:`PolicyReader` applies it to one request at a time and gives a :class:`Request`, the only
thing that the rest of the store knows about metadata.
"""

from talebearer.store.policy._load import (
    PATTERNS,
    load_policy,
    policy_from_json,
    shipped_document,
    shipped_policy,
)
from talebearer.store.policy._model import (
    Behavior,
    Conflict,
    ConflictStrategy,
    EntityType,
    MergeRule,
    MetaField,
    Policy,
)
from talebearer.store.policy._pointer import ABSENT, is_pointer, pointer_path, replaced, resolve
from talebearer.store.policy._select import PolicyReader, Request, UnitKey

DEFAULT_POLICY = shipped_policy("default")
"""Scope by workspace and user; the three public record types; work units by transaction."""
CAMPAIGN_POLICY = shipped_policy("campaign")
"""The same scope and types; everything published at once, and nothing merged."""

__all__ = [
    "ABSENT",
    "CAMPAIGN_POLICY",
    "DEFAULT_POLICY",
    "PATTERNS",
    "Behavior",
    "Conflict",
    "ConflictStrategy",
    "EntityType",
    "MergeRule",
    "MetaField",
    "Policy",
    "PolicyReader",
    "Request",
    "UnitKey",
    "is_pointer",
    "load_policy",
    "pointer_path",
    "policy_from_json",
    "replaced",
    "resolve",
    "shipped_document",
    "shipped_policy",
]
