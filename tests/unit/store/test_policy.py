"""Metadata, scope and policies."""

import json

import pytest

from talebearer.errors import InvalidPolicy, InvalidRecord
from talebearer.store import (
    CAMPAIGN_POLICY,
    DEFAULT_POLICY,
    PATTERNS,
    EntityRef,
    canonical_text,
    load_policy,
    policy_from_json,
    shipped_document,
)
from talebearer.testing import sample_knowledge, sample_meta


def document(*, scope_by=("room",), strategy="reject", fields=()):
    """A policy of one's own, beside the shipped ones."""
    behavior = shipped_document("campaign")["entity_types"]["artifact"]["fallback"]
    behavior["conflict"] |= {
        "default_strategy": strategy,
        "strategy_from": "how",
        "base_versions": "on",
    }
    return shipped_document("campaign") | {
        "meta_fields": {
            "room": {"pointer": "/place/room", "schema": {"type": "string"}},
            "how": {"pointer": "/how", "schema": True},
            "on": {"pointer": "/on", "schema": True},
            **dict(fields),
        },
        "entity_identity": {"scope_by": [*scope_by]},
        "entity_types": {
            "note": {"value_schema": {"type": "object"}, "rules": [], "fallback": behavior}
        },
    }


def policy(**options):
    return policy_from_json(document(**options))


def problems(changed):
    with pytest.raises(InvalidPolicy) as error:
        policy_from_json(changed)
    return [one["pointer"] for one in error.value.data["problems"]]


@pytest.mark.spec("PP-3.5-default-policy")
def test_the_default_policy_scopes_by_workspace_and_user():
    assert DEFAULT_POLICY.scope_by == ("workspace_id", "user_id")
    assert sorted(DEFAULT_POLICY.entity_types) == ["artifact", "knowledge", "knowledge_relation"]
    found = {
        name: (one.fallback.conflict.default_strategy, one.rules[0].behavior.batch is not None)
        for name, one in DEFAULT_POLICY.entity_types.items()
    }
    assert found == {
        "artifact": ("mvcc", True),
        "knowledge": ("merge", True),
        "knowledge_relation": ("mvcc", True),
    }
    merge = DEFAULT_POLICY.entity_types["knowledge"].fallback.conflict.merge
    assert [(rule.path, rule.group_by) for rule in merge] == [("/content", ("/kind",))]


@pytest.mark.spec("PP-3.5-default-policy")
@pytest.mark.parametrize("name", ["default", "campaign", *PATTERNS])
def test_shipped_policies_are_ones_that_a_store_starts_with(name, open_store):
    store = open_store(policy=policy_from_json(shipped_document(name)))
    assert store.status()["running"]


def test_a_campaign_publishes_at_once_and_merges_nothing():
    for one in CAMPAIGN_POLICY.entity_types.values():
        assert one.rules == ()
        assert one.fallback.batch is None
        assert one.fallback.conflict.merge == ()


@pytest.mark.spec("PP-3.3-present-field-valid")
@pytest.mark.parametrize(
    "field",
    [
        {"channel_id": ""},
        {"channel_id": None},
        {"conflict_strategy": "force"},
        {"base_versions": "v1"},
        {"base_versions": [1]},
        {"transaction_state": 1},
    ],
)
def test_a_present_field_is_valid_or_the_request_fails(store, field):
    with pytest.raises(InvalidRecord) as error:
        store.create(sample_meta(**field), "knowledge", sample_knowledge())
    assert error.value.data["problems"][0]["pointer"].startswith(f"/{next(iter(field))}")


@pytest.mark.spec("PP-5.6-no-silent-publication")
def test_what_is_staged_in_a_work_unit_is_not_published(store):
    store.create(sample_meta(transaction_id="t"), "knowledge", sample_knowledge())
    assert store.changes(sample_meta()) == []


@pytest.mark.spec("PP-3.4-scope-json")
def test_scope_text_is_sorted_compact_and_unescaped():
    scope = {"workspace_id": "wé/\u2028", "user_id": '"\\\n\x01', "b": {"z": 1, "a": []}}
    expected = '{"b":{"a":[],"z":1},"user_id":"\\"\\\\\\n\\u0001","workspace_id":"wé/\u2028"}'
    assert canonical_text(scope) == expected


def test_a_policy_of_ones_own(open_store):
    store = open_store(policy=policy())
    made = store.create({"place": {"room": "attic"}}, "note", {"any": 1}, id="n")
    with pytest.raises(InvalidRecord):
        store.create({"place": {}}, "note", {}, id="n")
    meta = {"place": {"room": "attic"}, "on": [made.version]}
    assert store.update(meta, made.ref, {"any": 2}).active


@pytest.mark.spec("PP-6-scope-empty")
def test_without_scope_fields_all_share_one_scope(open_store):
    store = open_store(policy=policy(scope_by=()))
    store.create({"place": {"room": "attic"}}, "note", {}, id="n")
    assert store.read({}, EntityRef("note", "n")).state == "active"


def test_a_strategy_that_is_none_is_refused_also_where_its_schema_lets_it_through(open_store):
    store = open_store(policy=policy())
    with pytest.raises(InvalidRecord):
        store.create({"place": {"room": "attic"}, "how": "force"}, "note", {})


@pytest.mark.parametrize("bases", [[], "v", ["v", "v"], [1], [""], {}])
def test_base_versions_are_distinct_texts_whatever_their_schema_says(open_store, bases):
    store = open_store(policy=policy())
    meta = {"place": {"room": "attic"}}
    store.create(meta, "note", {}, id="n")
    with pytest.raises(InvalidRecord):
        store.delete({**meta, "on": bases}, EntityRef("note", "n"))


NOTE = "/entity_types/note"
FALLBACK = f"{NOTE}/fallback"


def batch(key):
    return {
        "mode": "batch",
        "key_by": key,
        "close_when": {"kind": "marker", "field": "how", "equals": 1},
        "staging_ttl_ms": 1,
        "on_expire": "discard",
    }


REFUSED = {
    "an unknown member": ({"extra": 1}, ""),
    "another version": ({"version": 2}, "/version"),
    "no retention": ({"retention": {"changes_seconds": 0}}, "/retention/changes_seconds"),
    "an unknown scope alias": (
        {"entity_identity": {"scope_by": ["nowhere"]}},
        "/entity_identity/scope_by/0",
    ),
    "a scope alias twice": (
        {"entity_identity": {"scope_by": ["room", "room"]}},
        "/entity_identity/scope_by/1",
    ),
    "the deadline": (
        {"meta_fields": {"x": {"pointer": "/deadline_unix_ms", "schema": {}}}},
        "/meta_fields/x/pointer",
    ),
    "no pointer": (
        {"meta_fields": {"x": {"pointer": "/a~2", "schema": {}}}},
        "/meta_fields/x/pointer",
    ),
    "no schema": (
        {"meta_fields": {"x": {"pointer": "/x", "schema": {"type": "nope"}}}},
        "/meta_fields/x/schema",
    ),
    "a reference to the network": (
        {"entity_types": {"note": {"value_schema": {"$ref": "https://example.org/x"}}}},
        f"{NOTE}/value_schema",
    ),
    "an unknown base alias": (
        {"entity_types": {"note": {"fallback": {"conflict": {"base_versions": "x"}}}}},
        f"{FALLBACK}/conflict/base_versions",
    ),
    "scope in a key": (
        {
            "entity_types": {
                "note": {"fallback": {"idempotency": {"mode": "keyed", "key_by": ["room"]}}}
            }
        },
        f"{FALLBACK}/idempotency/key_by/0",
    ),
    "nested merge paths": (
        {
            "entity_types": {
                "note": {
                    "fallback": {
                        "conflict": {
                            "merge": [
                                {"path": path, "strategy": "automerge", "group_by": []}
                                for path in ("/a/b", "/a")
                            ]
                        }
                    }
                }
            }
        },
        f"{FALLBACK}/conflict/merge/1/path",
    ),
    "a group twice": (
        {
            "entity_types": {
                "note": {
                    "fallback": {
                        "conflict": {
                            "merge": [
                                {"path": "/a", "strategy": "automerge", "group_by": ["/k", "/k"]}
                            ]
                        }
                    }
                }
            }
        },
        f"{FALLBACK}/conflict/merge/0/group_by/1",
    ),
    "changes kept for ages": (
        {"retention": {"changes_seconds": 10**30}},
        "/retention/changes_seconds",
    ),
    "results kept for ages": (
        {"retention": {"idempotency_seconds": 3_155_760_001}},
        "/retention/idempotency_seconds",
    ),
    "replicas alone": (
        {
            "entity_types": {
                "note": {
                    "fallback": {
                        "consistency": {
                            "acquire": {"allow_sources": ["replica"], "requirements": []}
                        }
                    }
                }
            }
        },
        f"{FALLBACK}/consistency/acquire/allow_sources",
    ),
    "two linearizable": (
        {
            "entity_types": {
                "note": {
                    "fallback": {
                        "consistency": {
                            "acquire": {
                                "requirements": [{"kind": "linearizable", "key_by": []}] * 2
                            }
                        }
                    }
                }
            }
        },
        f"{FALLBACK}/consistency/acquire/requirements/1",
    ),
    "equal sessions": (
        {
            "entity_types": {
                "note": {
                    "fallback": {
                        "consistency": {
                            "sessions": [
                                {"key_by": ["how"], "guarantees": ["monotonic_reads"]},
                                {"key_by": ["how"], "guarantees": ["read_your_writes"]},
                            ]
                        }
                    }
                }
            }
        },
        f"{FALLBACK}/consistency/sessions/1/key_by",
    ),
    "a batch without a shared snapshot": (
        {"entity_types": {"note": {"fallback": {"publication": batch(["how"])}}}},
        f"{FALLBACK}/publication",
    ),
    "a shared snapshot without a batch": (
        {
            "entity_types": {
                "note": {
                    "fallback": {"consistency": {"snapshot": {"mode": "shared", "key_by": ["how"]}}}
                }
            }
        },
        f"{FALLBACK}/consistency/snapshot",
    ),
    "a batch by other fields than its snapshot": (
        {
            "entity_types": {
                "note": {
                    "fallback": {
                        "consistency": {"snapshot": {"mode": "shared", "key_by": ["on"]}},
                        "publication": batch(["how"]),
                    }
                }
            }
        },
        f"{FALLBACK}/publication/key_by",
    ),
    "a batch with sessions": (
        {
            "entity_types": {
                "note": {
                    "fallback": {
                        "consistency": {
                            "snapshot": {"mode": "shared", "key_by": ["how"]},
                            "sessions": [{"key_by": ["on"], "guarantees": ["monotonic_reads"]}],
                        },
                        "publication": batch(["how"]),
                    }
                }
            }
        },
        f"{FALLBACK}/publication",
    ),
    "a rule twice": (
        {
            "entity_types": {
                "note": {
                    "rules": [
                        {
                            "name": "r",
                            "when": {"all_present": ["how"]},
                            "behavior": document()["entity_types"]["note"]["fallback"],
                        }
                    ]
                    * 2
                }
            }
        },
        f"{NOTE}/rules/1/name",
    ),
}


def changed(into, changes):
    for name, value in changes.items():
        if isinstance(value, dict) and isinstance(into.get(name), dict) and "mode" not in value:
            changed(into[name], value)
        else:
            into[name] = value
    return into


@pytest.mark.spec("PP-3.2-refused")
@pytest.mark.parametrize("name", REFUSED)
def test_a_store_does_not_start_with(name):
    changes, pointer = REFUSED[name]
    assert problems(changed(document(), json.loads(json.dumps(changes)))) == [pointer]


@pytest.mark.spec("PP-3.2-refused")
def test_all_problems_come_at_once():
    wrong = changed(document(), {"meta_fields": {"x": {"pointer": "/a~", "schema": {"type": 1}}}})
    wrong["entity_identity"]["scope_by"] = ["y"]
    assert problems(wrong) == [
        "/entity_identity/scope_by/0",
        "/meta_fields/x/pointer",
        "/meta_fields/x/schema",
    ]


@pytest.mark.spec("PP-3.2-refused")
@pytest.mark.parametrize("text", ["", "{", "[1,", '{"a": NaN}', "[]", "\xff", "[" * 100_000])
def test_a_file_that_is_no_policy_is_refused(tmp_path, text):
    path = tmp_path / "policy.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidPolicy):
        load_policy(path)
    with pytest.raises(InvalidPolicy):
        load_policy(tmp_path / "none.json")


def test_a_policy_is_read_from_its_file(tmp_path):
    path = tmp_path / "policy.json"
    path.write_text(json.dumps(shipped_document()), encoding="utf-8")
    assert load_policy(path) == DEFAULT_POLICY
