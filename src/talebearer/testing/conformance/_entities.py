"""Creating, reading, updating and deleting: cases 24 to 52 and 62 to 71."""

from __future__ import annotations

from typing import Any

import pytest

from talebearer.testing._samples import sample_relation
from talebearer.testing.conformance._policies import default_policy
from talebearer.testing.conformance._subject import Actor, Conformance, House, ref_of, refused
from talebearer.testing.conformance.values import (
    indexed_artifact,
    knowledge,
    managed_artifact,
    structured,
    with_profile,
)

spec = pytest.mark.spec
RELATION = "knowledge_relation"


def conflict_of(actor: Actor, count: int, *, id: str = "k") -> list[dict[str, Any]]:
    """Make an entity with *count* concurrent heads."""
    base = actor.create(knowledge("base"), id=id)
    return [
        actor.update(id, knowledge(f"writer {number}"), [base], conflict_strategy="mvcc")
        for number in range(count)
    ]


class EntityConformance(Conformance):
    """What every implementation does with single entities."""

    # --- create and read -----------------------------------------------------------------------

    @spec("PP-5.1-create")
    def test_024_a_created_record_is_returned_and_read(self, actor: Actor) -> None:
        value = knowledge("the bell")
        made = actor.create(value, id="bell")
        expected = {"ref": ref_of("bell", "knowledge"), "state": "active", "value": value}
        assert made == {**expected, "version": made["version"]}
        assert actor.read("bell") == {"state": "active", "variants": [made]}

    @spec("PP-6-create-generated-id")
    def test_025_an_id_is_made_when_none_is_given(self, actor: Actor) -> None:
        first, second = actor.create(knowledge("a")), actor.create(knowledge("a"), id=None)
        assert first["ref"]["id"] != second["ref"]["id"]
        assert actor.read(first["ref"]["id"])["variants"] == [first]

    @spec("PP-5.1-create-conflict")
    def test_026_creating_what_exists_names_its_heads(self, actor: Actor) -> None:
        made = actor.create(knowledge("a"), id="k")
        with refused("VERSION_CONFLICT") as error:
            actor.create(knowledge("b"), id="k")
        assert error.value.data["current_versions"] == [made["version"]]

    @spec("PP-5.1-create-conflict")
    def test_027_creating_over_a_tombstone_names_it(self, actor: Actor) -> None:
        gone = actor.delete("k", [actor.create(knowledge("a"), id="k")])
        with refused("VERSION_CONFLICT") as error:
            actor.create(knowledge("b"), id="k")
        assert error.value.data["current_versions"] == [gone["version"]]

    @spec("PP-6-type-separates")
    def test_028_one_id_under_two_types_is_two_entities(self, actor: Actor) -> None:
        first = actor.create(knowledge("a"), id="k")
        second = actor.create(sample_relation("k", "k"), id="k", type=RELATION)
        assert actor.read("k")["variants"] == [first]
        assert actor.read("k", type=RELATION)["variants"] == [second]

    @pytest.mark.parametrize(
        "value",
        [
            with_profile(epistemic="certain"),
            with_profile(retrieval=[]),
            with_profile(temporal={"kind": "instant"}),
            {**knowledge("a"), "content": {"kind": "text", "text": ""}},
            {**knowledge("a"), "id": "k"},
            None,
            "text",
        ],
    )
    @spec("KM-knowledge-profile")
    def test_029_what_the_schema_refuses_is_not_stored(self, actor: Actor, value: Any) -> None:
        with refused("INVALID_REQUEST"):
            actor.create(value, id="k")
        with refused("NOT_FOUND"):
            actor.read("k")

    @pytest.mark.parametrize("member", ["id", "revision"])
    @spec("KM-identity-value-without-id")
    def test_030_identity_stands_outside_the_value(self, actor: Actor, member: str) -> None:
        value = knowledge("a")
        value["metadata"]["core"][member] = "k"
        with refused("INVALID_REQUEST"):
            actor.create(value)

    @spec("KM-artifact-managed-identity")
    def test_031_managed_bytes_need_an_identity(self, actor: Actor) -> None:
        for missing in ("digest", "byte_length"):
            with refused("INVALID_REQUEST"):
                actor.create({**managed_artifact(), missing: None}, type="artifact")
        made = actor.create(indexed_artifact(), type="artifact")
        assert made["value"]["digest"] is None

    @pytest.mark.parametrize("side", ["from", "to"])
    @spec("KM-relation-sides")
    def test_032_a_side_is_knowledge_and_not_empty(self, actor: Actor, side: str) -> None:
        actor.create(knowledge("a"), id="k")
        actor.create(indexed_artifact(), type="artifact", id="k")
        for wrong in ([], [ref_of("k", "artifact")]):
            with refused("INVALID_REQUEST"):
                actor.create({**sample_relation("k", "k"), side: wrong}, type=RELATION)

    @spec("KM-relation-cycles")
    def test_033_a_relation_to_oneself_is_valid(self, actor: Actor) -> None:
        actor.create(knowledge("a"), id="k")
        actor.create(knowledge("b"), id="l")
        value = sample_relation("k", "k")
        value["to"].append(ref_of("l", "knowledge"))
        assert actor.create(value, type=RELATION)["value"] == value

    @spec("KM-relation-sides")
    def test_034_references_of_a_side_are_unique(self, actor: Actor) -> None:
        actor.create(knowledge("a"), id="k")
        value = sample_relation("k", "k")
        value["from"] *= 2
        with refused("INVALID_REQUEST"):
            actor.create(value, type=RELATION)

    @spec("KM-relation-endpoints")
    def test_035_an_endpoint_must_be_there_alive_and_in_scope(self, actor: Actor) -> None:
        """Stricter than the protocol sheet, as the knowledge model asks."""
        actor.create(knowledge("a"), id="k")
        actor.also(user_id="other").create(knowledge("a"), id="theirs")
        actor.delete("gone", [actor.create(knowledge("a"), id="gone")])
        for far in ("theirs", "gone", "never"):
            for value in (sample_relation("k", far), sample_relation(far, "k")):
                with refused("INVALID_REQUEST"):
                    actor.create(value, type=RELATION, id="r")
        with refused("NOT_FOUND"):
            actor.read("r", type=RELATION)

    @spec("KM-relation-endpoints")
    def test_035_an_update_is_checked_as_well(self, actor: Actor) -> None:
        actor.create(knowledge("a"), id="k")
        made = actor.create(sample_relation("k", "k"), type=RELATION, id="r")
        with refused("INVALID_REQUEST"):
            actor.update("r", sample_relation("k", "never"), [made], type=RELATION)
        assert actor.heads("r", type=RELATION) == [made["version"]]

    @spec("PP-6-type-unknown")
    def test_036_a_type_that_is_not_configured_is_refused(self, actor: Actor) -> None:
        for kind in ("person", "", "Knowledge"):
            with refused("INVALID_REQUEST"):
                actor.create(knowledge("a"), type=kind)
            with refused("INVALID_REQUEST"):
                actor.read("k", type=kind)

    @pytest.mark.parametrize("missing", ["workspace_id", "user_id"])
    @spec("PP-6-scope-missing")
    def test_037_an_incomplete_scope_is_refused(self, actor: Actor, missing: str) -> None:
        actor.create(knowledge("a"), id="k")
        del actor.meta[missing]
        with refused("INVALID_REQUEST"):
            actor.read("k")
        with refused("INVALID_REQUEST"):
            actor.create(knowledge("a"))
        with refused("INVALID_REQUEST"):
            actor.retrieve({})
        with refused("INVALID_REQUEST"):
            actor.subscribe()

    @pytest.mark.parametrize(
        "meta",
        [
            {"channel_id": 3},
            {"channel_id": None},
            {"channel_id": ""},
            {"transaction_state": 1},
            {"conflict_strategy": "newest"},
            {"base_versions": "v"},
        ],
    )
    @spec("PP-3.3-present-field-valid")
    def test_038_a_present_field_is_valid(self, actor: Actor, meta: dict[str, Any]) -> None:
        with refused("INVALID_REQUEST"):
            actor.create(knowledge("a"), id="k", **meta)
        actor.create(knowledge("a"), id="k")
        with refused("INVALID_REQUEST"):
            actor.read("k", **meta)

    @spec("PP-3.3-present-field-valid")
    def test_039_unknown_metadata_is_ignored(self, actor: Actor) -> None:
        made = actor.create(knowledge("a"), id="k", colour="red", scope={"user_id": "other"})
        assert actor.heads("k", x=None) == [made["version"]]

    @spec("PP-6-scope-other-fields")
    def test_040_scope_is_workspace_and_user_only(self, actor: Actor) -> None:
        actor.create(knowledge("a"), id="k", channel_id="c")
        for meta in ({"workspace_id": "another"}, {"user_id": "another"}):
            with refused("NOT_FOUND"):
                actor.read("k", **meta)
        assert actor.read("k", channel_id="d")["state"] == "active"
        assert actor.read("k")["state"] == "active"

    @spec("PP-5.2-not-found")
    def test_041_what_never_was_is_not_found(self, actor: Actor) -> None:
        with refused("NOT_FOUND"):
            actor.read("never")

    @pytest.mark.parametrize(
        "data",
        [
            {},
            {"type": "knowledge"},
            {"value": knowledge("a")},
            {"type": 3, "value": knowledge("a")},
            {"type": "knowledge", "value": knowledge("a"), "id": ""},
            {"type": "knowledge", "value": knowledge("a"), "id": 7},
        ],
    )
    @spec("PP-6-id-empty")
    def test_016_data_of_another_shape_is_refused(self, actor: Actor, data: Any) -> None:
        with refused("INVALID_REQUEST"):
            actor.call("entity.create", data)

    @pytest.mark.parametrize(
        "ref", [None, {}, "k", {"type": "knowledge"}, {"id": "k"}, {"type": "knowledge", "id": ""}]
    )
    @spec("PP-1.4-methods")
    def test_016_a_reference_has_a_type_and_an_id(self, actor: Actor, ref: Any) -> None:
        for method in ("read", "update", "delete"):
            with refused("INVALID_REQUEST"):
                actor.call(f"entity.{method}", {"ref": ref, "value": knowledge("a")})

    # --- update --------------------------------------------------------------------------------

    @spec("PP-5.3-one-head")
    def test_043_an_update_on_the_head_leaves_one_head(self, actor: Actor) -> None:
        first = actor.create(knowledge("a"), id="k")
        second = actor.update("k", knowledge("b"), [first])
        assert actor.read("k") == {"state": "active", "variants": [second]}

    @pytest.mark.parametrize("bases", [[], ["v", "v"], "v", [1], [""], None, {"v": 1}])
    @spec("PP-5.3-bases-shape")
    def test_044_bases_are_a_set_of_texts(self, actor: Actor, bases: Any) -> None:
        actor.create(knowledge("a"), id="k")
        with refused("INVALID_REQUEST"):
            actor.update("k", knowledge("b"), [], base_versions=bases)
        with refused("INVALID_REQUEST"):
            actor.delete("k", [], base_versions=bases)

    @spec("PP-5.3-bases-shape")
    def test_044_bases_must_be_there(self, actor: Actor) -> None:
        actor.create(knowledge("a"), id="k")
        data = {"ref": ref_of("k", "knowledge"), "value": knowledge("b")}
        with refused("INVALID_REQUEST"):
            actor.call("entity.update", data)
        with refused("INVALID_REQUEST"):
            actor.call("entity.delete", {"ref": data["ref"]})

    @spec("PP-5.3-unknown-base")
    def test_045_a_base_that_never_was_conflicts(self, actor: Actor) -> None:
        made = actor.create(knowledge("a"), id="k")
        for bases in (["never"], [made, "never"]):
            with refused("VERSION_CONFLICT") as error:
                actor.update("k", knowledge("b"), bases)
            assert error.value.data["current_versions"] == [made["version"]]

    @spec("PP-5.3-unknown-base")
    def test_046_the_version_of_another_entity_is_unknown(self, actor: Actor) -> None:
        made = actor.create(knowledge("a"), id="k")
        other = actor.create(knowledge("a"), id="l")
        theirs = actor.also(user_id="other").create(knowledge("a"), id="k")
        for base in (other, theirs):
            with refused("VERSION_CONFLICT") as error:
                actor.update("k", knowledge("b"), [base])
            assert error.value.data["current_versions"] == [made["version"]]

    @spec("PP-6-update-unknown")
    def test_047_what_never_was_is_neither_updated_nor_deleted(self, actor: Actor) -> None:
        with refused("NOT_FOUND"):
            actor.update("never", knowledge("b"), ["v"])
        with refused("NOT_FOUND"):
            actor.delete("never", ["v"])

    @spec("PP-1.7-check-order")
    def test_047_the_order_of_checks_decides_the_error(self, actor: Actor) -> None:
        """An invalid value comes before the missing entity, that before the missing bases."""
        data = {"ref": ref_of("never", "knowledge"), "value": {}}
        with refused("INVALID_REQUEST"):
            actor.call("entity.update", data)
        with refused("NOT_FOUND"):
            actor.call("entity.update", {**data, "value": knowledge("a")})
        with refused("DEADLINE_EXCEEDED"):
            actor.call("entity.update", data, deadline_unix_ms=0)
        with refused("INVALID_REQUEST"):
            actor.call("entity.update", {"value": {}}, deadline_unix_ms=0)
        with refused("DEADLINE_EXCEEDED"):
            actor.create(knowledge("a"), type="person", deadline_unix_ms=0)

    @spec("PP-5.3-reject")
    def test_048_reject_refuses_a_stale_base(self, actor: Actor) -> None:
        first = actor.create(knowledge("a"), id="k")
        second = actor.update("k", knowledge("b"), [first])
        with refused("VERSION_CONFLICT") as error:
            actor.update("k", knowledge("c"), [first], conflict_strategy="reject")
        assert error.value.data["current_versions"] == [second["version"]]
        assert actor.read("k")["variants"] == [second]

    @spec("PP-5.3-reject")
    def test_049_reject_wants_exactly_the_heads(self, actor: Actor) -> None:
        first = actor.create(knowledge("a"), id="k")
        second = actor.update("k", knowledge("b"), [first])
        both = [first, second]
        with refused("VERSION_CONFLICT"):
            actor.update("k", knowledge("c"), both, conflict_strategy="reject")
        with refused("VERSION_CONFLICT"):
            actor.delete("k", both, conflict_strategy="reject")
        assert actor.heads("k") == [second["version"]]
        actor.update("k", knowledge("c"), [second], conflict_strategy="reject")

    @spec("PP-5.3-mvcc")
    def test_050_a_stale_write_stays_beside_the_head(self, actor: Actor) -> None:
        first = actor.create(knowledge("a"), id="k")
        second = actor.update("k", knowledge("b"), [first])
        third = actor.update("k", knowledge("c"), [first], conflict_strategy="mvcc")
        expected = sorted([second, third], key=lambda one: str(one["version"]))
        assert actor.read("k") == {"state": "conflicted", "variants": expected}

    @spec("PP-5.3-resolve")
    def test_051_naming_all_heads_ends_a_conflict(self, actor: Actor) -> None:
        heads = conflict_of(actor, 3)
        made = actor.update("k", knowledge("agreed"), heads, conflict_strategy="mvcc")
        assert actor.read("k") == {"state": "active", "variants": [made]}

    @spec("PP-5.3-resolve")
    def test_052_naming_one_head_leaves_the_other(self, actor: Actor) -> None:
        first, second = conflict_of(actor, 2)
        made = actor.update("k", knowledge("c"), [first], conflict_strategy="mvcc")
        assert actor.heads("k") == sorted([second["version"], made["version"]])

    @spec("PP-3.4-canonical")
    @pytest.mark.parametrize(
        "value",
        [
            {"": 1, "\U0001f514": 2, "\uffff": 3, "a.b": {"": []}},
            [-0.0, 1.0, 1e-7, 123456789.125, 2**63 - 1, -(2**63), 2**64 - 1],
            '\x00\x01\x1f\x7f\u2028\u202e\u0085\\"/',
            [None, True, False, 0, "", [], {}],
        ],
    )
    def test_059_json_comes_back_exactly(self, actor: Actor, value: Any) -> None:
        actor.create(structured(value), id="k")
        back = actor.read("k")["variants"][0]["value"]["content"]["value"]
        assert repr(_ordered(back)) == repr(_ordered(value))

    @spec("PP-3.4-canonical")
    def test_059_a_megabyte_of_text_comes_back(self, actor: Actor) -> None:
        text = "\u9418 rang " * 100_000
        value = structured([text])
        actor.create(value, id="k")
        assert actor.read("k")["variants"][0]["value"] == value

    @spec("PP-3.4-canonical")
    def test_059_cjk_text_is_replaced_exactly(self, actor: Actor) -> None:
        made = actor.create(knowledge("\u9418\u304c\u9cf4\u308b"), id="k")
        longer = knowledge("\u53e4\u3044\u9418\u304c\u9759\u304b\u306b\u9cf4\u308b\u3002")
        actor.update("k", longer, [made])
        assert actor.read("k")["variants"][0]["value"] == longer

    @spec("PP-6-relation-mvcc")
    def test_063_relations_have_no_merge(self, actor: Actor) -> None:
        for name in ("k", "l"):
            actor.create(knowledge("a"), id=name)
        first = actor.create(sample_relation("k", "l"), type=RELATION, id="r")
        second = actor.update("r", sample_relation("l", "k"), [first], type=RELATION)
        third = actor.update("r", sample_relation("l", "l"), [first], type=RELATION)
        expected = sorted([second["version"], third["version"]])
        assert actor.heads("r", type=RELATION) == expected

    @spec("PP-6-strategy-override")
    def test_064_a_request_overrides_the_strategy_for_itself(self, actor: Actor) -> None:
        for name in ("k", "l"):
            actor.create(knowledge("a"), id=name)
        first = actor.create(sample_relation("k", "l"), type=RELATION, id="r")
        actor.update("r", sample_relation("l", "k"), [first], type=RELATION)
        stale = ("r", sample_relation("l", "l"), [first])
        with refused("VERSION_CONFLICT"):
            actor.update(*stale, type=RELATION, conflict_strategy="reject")
        actor.update(*stale, type=RELATION)
        assert actor.read("r", type=RELATION)["state"] == "conflicted"

    @spec("KM-relation-replaced")
    def test_063_a_relation_may_change_all_of_itself(self, actor: Actor) -> None:
        for name in ("k", "l"):
            actor.create(knowledge("a"), id=name)
        first = actor.create(sample_relation("k", "l"), type=RELATION, id="r")
        value = sample_relation("l", "k", "supersedes")
        assert actor.update("r", value, [first], type=RELATION)["value"] == value

    # --- delete --------------------------------------------------------------------------------

    @spec("PP-5.4-tombstone")
    def test_065_deleting_leaves_a_tombstone_without_a_value(self, actor: Actor) -> None:
        gone = actor.delete("k", [actor.create(knowledge("a"), id="k")])
        assert gone["state"] == "deleted"
        assert set(gone) == {"ref", "version", "state"}
        assert actor.read("k") == {"state": "deleted", "variants": [gone]}

    @spec("PP-5.4-stale-delete")
    def test_067_a_stale_delete_stays_beside_the_newer_head(self, actor: Actor) -> None:
        first = actor.create(knowledge("a"), id="k")
        second = actor.update("k", knowledge("b"), [first])
        for strategy in ("merge", "mvcc"):
            actor.delete("k", [first], conflict_strategy=strategy)
        found = actor.read("k")
        assert found["state"] == "conflicted"
        assert second in found["variants"]
        assert [one["state"] for one in found["variants"]].count("deleted") == 2

    @spec("PP-5.4-delete-conflict")
    def test_068_all_heads_can_be_deleted_at_once(self, actor: Actor) -> None:
        gone = actor.delete("k", conflict_of(actor, 3))
        assert actor.read("k") == {"state": "deleted", "variants": [gone]}

    @spec("PP-5.4-delete-again")
    def test_069_a_tombstone_is_deleted_again_or_revived(self, actor: Actor) -> None:
        first = actor.delete("k", [actor.create(knowledge("a"), id="k")])
        second = actor.delete("k", [first])
        assert second["version"] != first["version"]
        events = actor.subscribe()
        back = actor.update("k", knowledge("b"), [second])
        assert actor.read("k") == {"state": "active", "variants": [back]}
        (event,) = events.take(1)
        assert event["change"]["kind"] == "updated"

    @spec("PP-6-mvcc-four-writers")
    def test_070_four_stale_writers_all_keep_their_word(self, actor: Actor) -> None:
        made = conflict_of(actor, 4)
        assert actor.heads("k") == sorted(one["version"] for one in made)

    @spec("PP-5.3-resolve")
    def test_068_a_thousand_heads_collapse_into_one(self, actor: Actor) -> None:
        made = conflict_of(actor, 1_000)
        resolved = actor.update("k", knowledge("agreed"), made, conflict_strategy="mvcc")
        assert actor.read("k") == {"state": "active", "variants": [resolved]}

    @spec("PP-6-slow-writer")
    @pytest.mark.parametrize("strategy", ["reject", "mvcc"])
    def test_050_a_slow_writer_takes_nothing_away(self, actor: Actor, strategy: str) -> None:
        """Read the first version, write long after others wrote: theirs stays."""
        first = actor.create(knowledge("v1"), id="k")
        latest = first
        for number in range(2, 10):
            latest = actor.update("k", knowledge(f"v{number}"), [latest])
        stale = ("k", knowledge("late"), [first])
        if strategy == "reject":
            with refused("VERSION_CONFLICT"):
                actor.update(*stale, conflict_strategy=strategy)
        else:
            actor.update(*stale, conflict_strategy=strategy)
        assert latest in actor.read("k")["variants"]

    @spec("PP-5.5-otherwise-reject")
    def test_071_otherwise_reject_refuses_what_it_cannot_join(self, house: House) -> None:
        """A changed discriminator conflicts even on the exact head, and so does a tombstone."""
        actor = self.enter(house, default_policy(otherwise="reject"))
        made = actor.create(knowledge("a"), id="k")
        for strategy in ("merge", "mvcc", "reject"):
            with refused("VERSION_CONFLICT") as error:
                actor.update("k", structured({"a": 1}), [made], conflict_strategy=strategy)
            assert error.value.data["current_versions"] == [made["version"]]
        second = actor.update("k", knowledge("b"), [made])
        with refused("VERSION_CONFLICT"):
            actor.delete("k", [made])
        assert actor.read("k")["variants"] == [second]


def _ordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _ordered(value[key]) for key in sorted(value)}
    return [_ordered(item) for item in value] if isinstance(value, list) else value
