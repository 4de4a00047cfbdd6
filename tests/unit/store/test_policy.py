"""Metadata, scope and policies."""

import pytest

from talebearer.errors import InvalidRecord, UsageFault
from talebearer.store import (
    DEFAULT_POLICY,
    ConflictStrategy,
    EntityRef,
    MetaField,
    Policy,
    TypeRule,
    canonical_text,
)
from talebearer.testing import sample_knowledge, sample_meta

ANY = TypeRule(value_schema={"type": "object"}, default_strategy=ConflictStrategy.REJECT)


def policy(**members):
    fields = {
        "room": MetaField(pointer="/place/room", schema={"type": "string"}),
        "how": MetaField(pointer="/how", schema={"enum": ["merge", "mvcc", "reject"]}),
        "on": MetaField(pointer="/on", schema={"type": "array"}),
    }
    defaults = {
        "meta_fields": fields,
        "scope_by": ("room",),
        "entity_types": {"note": ANY},
        "strategy_from": "how",
        "base_versions": "on",
    }
    return Policy(**(defaults | members))


@pytest.mark.spec("PP-3.5-default-policy")
def test_the_default_policy_scopes_by_workspace_and_user():
    assert DEFAULT_POLICY.scope_by == ("workspace_id", "user_id")
    assert sorted(DEFAULT_POLICY.entity_types) == ["artifact", "knowledge", "knowledge_relation"]
    strategies = {name: rule.default_strategy for name, rule in DEFAULT_POLICY.entity_types.items()}
    assert strategies == {"artifact": "mvcc", "knowledge": "merge", "knowledge_relation": "mvcc"}


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
def test_a_work_unit_across_calls_is_refused_and_not_published(store):
    with pytest.raises(UsageFault):
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


@pytest.mark.spec("PP-3.2-refused")
@pytest.mark.parametrize(
    "members",
    [
        {"scope_by": ("nowhere",)},
        {"scope_by": ("room", "room")},
        {"scope_by": ("how",)},
        {"base_versions": "nowhere"},
        {"work_unit_by": "nowhere"},
    ],
)
def test_unknown_and_repeated_aliases_are_refused(members):
    with pytest.raises(UsageFault):
        policy(**members)


@pytest.mark.spec("PP-3.2-refused")
@pytest.mark.parametrize("pointer", ["", "room", "/a~2", "/deadline_unix_ms"])
def test_wrong_and_reserved_pointers_are_refused(pointer):
    fields = dict(policy().meta_fields) | {"x": MetaField(pointer=pointer, schema={})}
    with pytest.raises(UsageFault):
        policy(meta_fields=fields)
