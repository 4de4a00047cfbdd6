"""Policies that an implementation does not start with: cases 154 to 156 and 159."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from talebearer.testing.conformance._policies import (
    CONTENT_MERGE,
    behavior,
    causal_policy,
    default_policy,
    meta_field,
)
from talebearer.testing.conformance._subject import Conformance, House

spec = pytest.mark.spec
Document = dict[str, Any]
Change = Callable[[Document], object]
TEXT = {"type": "string"}


class PolicyRefused(Exception):
    """What ``open_subject`` raises when the implementation does not start with a policy."""


def _knowledge(policy: Document) -> Document:
    return policy["entity_types"]["knowledge"]  # type: ignore[no-any-return]  # a policy document


def _at_once(policy: Document) -> Document:
    return _knowledge(policy)["fallback"]  # type: ignore[no-any-return]  # a policy document


def _batch(policy: Document) -> Document:
    return _knowledge(policy)["rules"][0]["behavior"]  # type: ignore[no-any-return]  # a policy document


def _needs(policy: Document) -> list[Any]:
    return _at_once(policy)["consistency"]["acquire"]["requirements"]  # type: ignore[no-any-return]  # a policy document


def _session(*fields: str) -> Document:
    return {"key_by": [*fields], "guarantees": ["read_your_writes"]}


SHAPES: dict[str, Change] = {
    "an unknown member": lambda p: p.update(colour="red"),
    "an unknown member of a behavior": lambda p: _at_once(p).update(colour="red"),
    "an unknown member of a type": lambda p: _knowledge(p).update(colour="red"),
    "no $schema": lambda p: p.pop("$schema"),
    "an empty $schema": lambda p: p.update({"$schema": ""}),
    "another version": lambda p: p.update(version=2),
    "no retention": lambda p: p.pop("retention"),
    "no idempotency retention": lambda p: p["retention"].update(idempotency_seconds=0),
    "no change retention": lambda p: p["retention"].update(changes_seconds=0),
    "no types": lambda p: p.update(entity_types={}),
    "a type without a name": lambda p: p["entity_types"].update({"": _knowledge(p)}),
    "no metadata fields": lambda p: p.update(meta_fields={}),
    "a behavior without conflict": lambda p: _at_once(p).pop("conflict"),
    "a behavior without idempotency": lambda p: _at_once(p).pop("idempotency"),
    "a rule without a condition": lambda p: _knowledge(p)["rules"][0]["when"].update(
        all_present=[]
    ),
    "an unknown strategy": lambda p: _at_once(p)["conflict"].update(default_strategy="newest"),
    "otherwise merge": lambda p: _at_once(p)["conflict"].update(otherwise="merge"),
    "an unknown merge": lambda p: _at_once(p)["conflict"]["merge"][0].update(strategy="yjs"),
    "no time to stage": lambda p: _batch(p)["publication"].update(staging_ttl_ms=0),
    "another end of a unit": lambda p: _batch(p)["publication"].update(on_expire="publish"),
    "no sources": lambda p: _at_once(p)["consistency"]["acquire"].update(allow_sources=[]),
    "an unknown source": lambda p: _at_once(p)["consistency"]["acquire"].update(
        allow_sources=["authority", "cloud"]
    ),
    "a source twice": lambda p: _at_once(p)["consistency"]["acquire"].update(
        allow_sources=["authority", "authority"]
    ),
}
MEANINGS: dict[str, Change] = {
    "a scope of an unknown alias": lambda p: p["entity_identity"]["scope_by"].append("colour"),
    "a scope alias twice": lambda p: p["entity_identity"]["scope_by"].append("user_id"),
    "a strategy of an unknown alias": lambda p: _at_once(p)["conflict"].update(
        strategy_from="colour"
    ),
    "bases of an unknown alias": lambda p: _at_once(p)["conflict"].update(base_versions="colour"),
    "a rule of an unknown alias": lambda p: _knowledge(p)["rules"][0]["when"].update(
        all_present=["colour"]
    ),
    "a rule name twice": lambda p: _knowledge(p)["rules"].append(_knowledge(p)["rules"][0]),
    "a marker of an unknown alias": lambda p: _batch(p)["publication"]["close_when"].update(
        field="colour"
    ),
    "a pointer without a slash": lambda p: p["meta_fields"]["channel_id"].update(pointer="c"),
    "a pointer with a wrong escape": lambda p: p["meta_fields"]["channel_id"].update(
        pointer="/a~2"
    ),
    "the deadline as a field": lambda p: p["meta_fields"]["channel_id"].update(
        pointer="/deadline_unix_ms"
    ),
    "a schema that is none": lambda p: p["meta_fields"]["channel_id"].update(schema={"type": 3}),
    "a schema that leads nowhere": lambda p: _knowledge(p).update(
        value_schema={"$ref": "urn:patchouli:schema:never:1"}
    ),
    "a schema on the network": lambda p: _knowledge(p).update(
        value_schema={"$ref": "https://example.org/schema.json"}
    ),
    "a value schema that is none": lambda p: _knowledge(p).update(value_schema={"minLength": "x"}),
    "a scope field in an idempotency key": lambda p: _at_once(p).update(
        idempotency={"mode": "keyed", "key_by": ["channel_id", "user_id"]}
    ),
    "a scope field in a batch key": lambda p: [
        _batch(p)["publication"].update(key_by=["user_id"]),
        _batch(p)["consistency"]["snapshot"].update(key_by=["user_id"]),
    ],
    "a scope field in a linearizable key": lambda p: _needs(p)[0].update(key_by=["user_id"]),
    "a scope field in an ordering key": lambda p: _at_once(p)["consistency"]["commit"].update(
        ordering={"kind": "serialize", "key_by": ["user_id"]}
    ),
    "a scope field in a session key": lambda p: _at_once(p)["consistency"].update(
        sessions=[_session("user_id")]
    ),
    "a shared snapshot without a batch": lambda p: _at_once(p)["consistency"].update(
        snapshot={"mode": "shared", "key_by": ["transaction_id"]}
    ),
    "a batch without a shared snapshot": lambda p: _batch(p)["consistency"].update(
        snapshot={"mode": "request"}
    ),
    "another key of the snapshot": lambda p: _batch(p)["consistency"]["snapshot"].update(
        key_by=["transaction_id", "channel_id"]
    ),
    "linearizable twice": lambda p: _needs(p).append({"kind": "linearizable", "key_by": []}),
    "linearizable without the authority": lambda p: _at_once(p)["consistency"]["acquire"].update(
        allow_sources=["replica"]
    ),
    "no authority": lambda p: [
        _at_once(p)["consistency"]["acquire"].update(requirements=[]),
        _at_once(p)["consistency"]["acquire"].update(allow_sources=["replica"]),
    ],
    "two sessions of one key": lambda p: _at_once(p)["consistency"].update(
        sessions=[_session("channel_id"), _session("channel_id")]
    ),
    "a session in a batch": lambda p: _batch(p)["consistency"].update(
        sessions=[_session("channel_id")]
    ),
    "a causal token in a batch": lambda p: _batch(p)["consistency"]["acquire"].update(
        requirements=[{"kind": "causal_after", "token": "channel_id"}]
    ),
    "a causal token of an unknown alias": lambda p: _needs(p).append(
        {"kind": "causal_after", "token": "colour"}
    ),
    "equal merge paths": lambda p: _at_once(p)["conflict"].update(
        merge=[CONTENT_MERGE, CONTENT_MERGE]
    ),
    "nested merge paths": lambda p: _at_once(p)["conflict"].update(
        merge=[CONTENT_MERGE, {**CONTENT_MERGE, "path": "/content/text"}]
    ),
    "a group pointer that is none": lambda p: _at_once(p)["conflict"].update(
        merge=[{**CONTENT_MERGE, "group_by": ["kind"]}]
    ),
    "a group pointer twice": lambda p: _at_once(p)["conflict"].update(
        merge=[{**CONTENT_MERGE, "group_by": ["/kind", "/kind"]}]
    ),
}
FINE: dict[str, Document] = {
    "the default": default_policy(),
    "causal and sessions": causal_policy(),
    "no scope": default_policy(scope_by=()),
    "keys in another order": default_policy(
        fields=meta_field("part", TEXT),
        types={
            "knowledge": {
                "value_schema": True,
                "rules": [],
                "fallback": {
                    **behavior(batch=True),
                    "publication": {
                        **behavior(batch=True)["publication"],
                        "key_by": ["part", "transaction_id"],
                    },
                    "consistency": {
                        **behavior(batch=True)["consistency"],
                        "snapshot": {"mode": "shared", "key_by": ["transaction_id", "part"]},
                    },
                },
            }
        },
    ),
    "sibling merge paths": default_policy(
        types={
            "knowledge": {
                "value_schema": {"$ref": "urn:patchouli:schema:knowledge:1"},
                "rules": [],
                "fallback": behavior(
                    merge=[
                        {**CONTENT_MERGE, "path": "/profile", "group_by": []},
                        {**CONTENT_MERGE, "path": "/profiles", "group_by": []},
                    ]
                ),
            }
        }
    ),
}


class PolicyConformance(Conformance):
    """What an implementation starts with; ``open_subject`` raises :class:`PolicyRefused`."""

    def refuses(self, folder: Path, policy: Mapping[str, Any]) -> None:
        """Expect that nothing starts."""
        with pytest.raises(PolicyRefused):
            self.open_subject(folder, policy).close()

    @pytest.mark.parametrize("change", SHAPES.values(), ids=SHAPES)
    @spec("PP-3.1-policy-file")
    def test_155_a_policy_is_closed(self, tmp_path: Path, change: Change) -> None:
        policy = copy.deepcopy(default_policy())
        change(policy)
        self.refuses(tmp_path, policy)

    @pytest.mark.parametrize("change", MEANINGS.values(), ids=MEANINGS)
    @spec("PP-3.2-refused-consistency")
    def test_156_a_policy_does_not_contradict_itself(self, tmp_path: Path, change: Change) -> None:
        policy = copy.deepcopy(default_policy())
        change(policy)
        self.refuses(tmp_path, policy)

    @pytest.mark.parametrize("policy", FINE.values(), ids=FINE)
    @spec("PP-3.1-policy-file")
    def test_155_what_is_right_starts(self, house: House, policy: Document) -> None:
        actor = self.enter(house, policy, plugin_route_id="p", transaction_id="t", part="p")
        assert actor.found({"ids": ["k"]}, types=["knowledge"]) == []

    @spec("PP-3.1-policy-file")
    def test_159_nothing_is_made_by_a_refused_start(self, tmp_path: Path) -> None:
        policy = copy.deepcopy(default_policy())
        policy["version"] = 2
        self.refuses(tmp_path, policy)
        assert [path for path in tmp_path.rglob("*") if path.suffix == ".db"] == []
