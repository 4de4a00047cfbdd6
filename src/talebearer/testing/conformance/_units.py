"""Work units: cases 105 to 120."""

from __future__ import annotations

import pytest

from talebearer.testing._samples import sample_relation
from talebearer.testing.conformance._policies import default_policy, entity_type
from talebearer.testing.conformance._subject import Actor, Conformance, House, ref_of, refused
from talebearer.testing.conformance.values import indexed_artifact, knowledge, structured

spec = pytest.mark.spec
COMMIT = {"transaction_state": "commit"}
RELATION = "knowledge_relation"


def unit_of(actor: Actor, name: str = "t") -> Actor:
    """Return the same client inside a work unit."""
    return actor.also(transaction_id=name)


class WorkUnitConformance(Conformance):
    """What every implementation does with requests of one work unit."""

    @spec("PP-5.6-staged-unseen")
    def test_105_what_is_staged_is_seen_inside_only(self, actor: Actor) -> None:
        unit = unit_of(actor)
        made = unit.create(knowledge("a"), id="k")
        assert unit.read("k") == {"state": "active", "variants": [made]}
        with refused("NOT_FOUND"):
            actor.read("k")
        with refused("NOT_FOUND"):
            unit_of(actor, "other").read("k")
        assert actor.found({}) == []

    @spec("PP-5.6-restart")
    def test_106_an_open_unit_outlives_a_restart(self, actor: Actor) -> None:
        unit = unit_of(actor)
        made = unit.create(knowledge("a"), id="k")
        actor.subject.restart()
        assert unit.read("k")["variants"] == [made]
        with refused("NOT_FOUND"):
            actor.read("k")
        unit.create(knowledge("b"), id="l", **COMMIT)
        assert actor.read("k")["variants"] == [made]

    @spec("PP-5.6-publication")
    def test_107_the_close_publishes_everything_together(self, actor: Actor) -> None:
        unit, events = unit_of(actor), actor.subscribe()
        first = unit.create(knowledge("a"), id="k")
        second = unit.update("k", knowledge("b"), [first])
        last = unit.create(indexed_artifact(), id="f", type="artifact", **COMMIT)
        assert actor.read("k")["variants"] == [second]
        assert actor.read("f", type="artifact")["variants"] == [last]
        told = events.take(2)
        assert [event["change"]["ref"]["id"] for event in told] == ["k", "f"]
        assert [event["change"]["kind"] for event in told] == ["created", "created"]
        assert told[0]["change"]["head_versions"] == [second["version"]]

    @spec("PP-5.6-publication")
    def test_107_versions_staged_on_the_way_are_published(self, actor: Actor) -> None:
        unit = unit_of(actor)
        first = unit.create(knowledge("a"), id="k")
        unit.update("k", knowledge("b"), [first], **COMMIT)
        late = actor.update("k", knowledge("c"), [first], conflict_strategy="mvcc")
        assert late["version"] in actor.heads("k")

    @spec("PP-5.6-publication-order")
    def test_108_the_closing_entity_comes_last_with_the_marker(self, actor: Actor) -> None:
        unit, events = unit_of(actor), actor.subscribe()
        for kind, name in (("knowledge", "z"), ("artifact", "m"), ("knowledge", "b")):
            value = knowledge("a") if kind == "knowledge" else indexed_artifact()
            unit.create(value, id=name, type=kind)
        unit.create(indexed_artifact(), id="a", type="artifact", **COMMIT)
        told = events.take(4)
        assert [event["change"]["ref"]["id"] for event in told] == ["m", "b", "z", "a"]
        markers = ["transaction_state" in event["meta"] for event in told]
        assert markers == [False, False, False, True]

    @spec("PP-5.6-sealed")
    def test_109_a_committed_unit_is_not_used_again(self, actor: Actor) -> None:
        unit = unit_of(actor)
        made = unit.create(knowledge("a"), id="k", **COMMIT)
        with refused("INVALID_REQUEST"):
            unit.read("k")
        with refused("INVALID_REQUEST"):
            unit.update("k", knowledge("b"), [made])
        with refused("INVALID_REQUEST"):
            unit.retrieve({})
        assert actor.heads("k") == [made["version"]]

    @spec("PP-5.6-baseline")
    def test_110_all_is_seen_as_of_the_opening(self, actor: Actor) -> None:
        first = actor.create(knowledge("a"), id="k")
        unit = unit_of(actor)
        with refused("NOT_FOUND"):
            unit.read("opens the unit")
        second = actor.update("k", knowledge("b"), [first])
        actor.create(knowledge("c"), id="later")
        assert unit.heads("k") == [first["version"]]
        with refused("NOT_FOUND"):
            unit.read("later")
        with refused("VERSION_CONFLICT") as error:
            unit.update("k", knowledge("d"), [second])
        assert error.value.data["current_versions"] == [first["version"]]

    @spec("PP-5.6-baseline")
    def test_110_the_baseline_outlives_the_pruned_log(self, house: House) -> None:
        policy = default_policy(changes_seconds=60)
        actor = self.enter(house, policy)
        first = actor.create(knowledge("a"), id="k")
        unit = unit_of(actor)
        unit.create(knowledge("b"), id="opens")
        actor.update("k", knowledge("b"), [first])
        actor.subject.clock.advance(ms=120_000)
        actor.subscribe().close()
        assert unit.heads("k") == [first["version"]]

    @spec("PP-5.6-drift")
    def test_111_outside_changes_are_merged_at_the_close(self, actor: Actor) -> None:
        if not self.merges:
            pytest.skip("no merge engine here")
        base = actor.create(structured({"a": 0}), id="k")
        unit = unit_of(actor)
        unit.update("k", structured({"a": 0, "inside": 1}), [base])
        outside = actor.update("k", structured({"a": 0, "outside": 1}), [base])
        inside = unit.heads("k")
        last = unit.update("k", structured({"a": 0, "inside": 2}), inside, **COMMIT)
        found = actor.read("k")
        assert found["variants"] == [last]
        assert last["value"] == structured({"a": 0, "inside": 2, "outside": 1})
        assert outside["version"] != last["version"]

    @spec("PP-5.6-drift")
    def test_111_outside_changes_stay_beside_under_mvcc(self, actor: Actor) -> None:
        base = actor.create(knowledge("a"), id="k")
        unit = unit_of(actor).also(conflict_strategy="mvcc")
        inside = unit.update("k", knowledge("inside"), [base])
        outside = actor.update("k", knowledge("outside"), [base])
        events = actor.subscribe()
        unit.create(knowledge("x"), id="l", **COMMIT)
        assert actor.heads("k") == sorted([inside["version"], outside["version"]])
        assert events.take(1)[0]["change"]["kind"] == "conflicted"

    @spec("PP-5.6-drift")
    def test_111_the_reply_after_drift_is_a_published_head(self, actor: Actor) -> None:
        base = actor.create(knowledge("a"), id="k")
        unit = unit_of(actor).also(conflict_strategy="mvcc")
        unit.read("k")
        actor.update("k", knowledge("outside"), [base])
        reply = unit.call(
            "entity.update",
            {"ref": ref_of("k", "knowledge"), "value": knowledge("inside")},
            base_versions=[base["version"]],
            **COMMIT,
        )
        assert reply.data["entity"] == actor.read("k")["variants"][0]
        assert reply.meta == {}

    @spec("PP-5.6-reject")
    def test_112_a_rejected_close_names_every_conflict_and_publishes_nothing(
        self, actor: Actor
    ) -> None:
        base = actor.create(knowledge("a"), id="k")
        unit = unit_of(actor).also(conflict_strategy="reject")
        unit.update("k", knowledge("inside"), [base])
        outside = actor.update("k", knowledge("outside"), [base])
        with refused("VERSION_CONFLICT") as error:
            unit.create(knowledge("b"), id="l", **COMMIT)
        assert error.value.data["conflicts"] == [
            {"ref": ref_of("k", "knowledge"), "current_versions": [outside["version"]]}
        ]
        assert actor.heads("k") == [outside["version"]]
        with refused("NOT_FOUND"):
            actor.read("l")

    @spec("PP-5.6-reject")
    def test_112_a_created_identity_that_appeared_outside_conflicts(self, actor: Actor) -> None:
        unit = unit_of(actor).also(conflict_strategy="reject")
        unit.create(knowledge("inside"), id="k")
        outside = actor.create(knowledge("outside"), id="k")
        with refused("VERSION_CONFLICT") as error:
            unit.create(knowledge("b"), id="l", **COMMIT)
        assert error.value.data["conflicts"][0]["current_versions"] == [outside["version"]]

    @spec("PP-5.6-reject")
    def test_113_conflicts_come_in_the_order_of_publication(self, actor: Actor) -> None:
        bases = {name: actor.create(knowledge("a"), id=name) for name in ("k", "l")}
        unit = unit_of(actor).also(conflict_strategy="reject")
        staged = {
            name: unit.update(name, knowledge("inside"), [base]) for name, base in bases.items()
        }
        for name, base in bases.items():
            actor.update(name, knowledge("outside"), [base])
        with refused("VERSION_CONFLICT") as error:
            unit.update("k", knowledge("again"), [staged["k"]], **COMMIT)
        refs = [one["ref"]["id"] for one in error.value.data["conflicts"]]
        assert refs == ["l", "k"]

    @spec("PP-5.6-sealed")
    def test_114_a_rejected_unit_is_sealed_until_it_expires(self, actor: Actor) -> None:
        base = actor.create(knowledge("a"), id="k")
        unit = unit_of(actor).also(conflict_strategy="reject")
        unit.update("k", knowledge("inside"), [base])
        actor.update("k", knowledge("outside"), [base])
        with refused("VERSION_CONFLICT"):
            unit.create(knowledge("b"), id="l", **COMMIT)
        for _ in range(2):
            with refused("INVALID_REQUEST"):
                unit.create(knowledge("b"), id="m")
        with refused("INVALID_REQUEST"):
            unit.read("k")
        actor.subject.clock.advance(ms=3_600_001)
        with refused("WORK_UNIT_EXPIRED"):
            unit.read("k")

    @spec("PP-5.6-overlay")
    def test_115_writes_on_one_base_meet_inside_the_unit(self, actor: Actor) -> None:
        base = actor.create(structured({}), id="k")
        unit = unit_of(actor)
        unit.update("k", structured({"a": 1}), [base])
        unit.update("k", structured({"b": 1}), [base])
        inside = unit.read("k")
        unit.create(knowledge("x"), id="l", **COMMIT)
        assert actor.read("k") == inside
        if self.merges:
            assert inside["variants"][0]["value"] == structured({"a": 1, "b": 1})

    @spec("PP-5.6-overlay")
    def test_116_a_search_inside_sees_the_overlay_and_no_later_writes(self, actor: Actor) -> None:
        first = actor.create(knowledge("the old harp"), id="k")
        actor.create(knowledge("another harp"), id="l")
        unit = unit_of(actor)
        unit.update("k", knowledge("the new gong"), [first])
        unit.create(knowledge("a third harp"), id="m")
        actor.create(knowledge("a later harp"), id="n")
        for text in ("harp", "ha"):
            assert sorted(unit.found({"text": text})) == ["l", "m"]
            assert sorted(actor.found({"text": text})) == ["k", "l", "n"]
        assert unit.found({"text": "gong"}) == ["k"]
        assert sorted(unit.found({})) == ["k", "l", "m"]
        assert unit.found({"where": {"/content/text": "the new gong"}}) == ["k"]

    @spec("PP-5.6-overlay")
    def test_116_pages_inside_a_unit_go_on(self, actor: Actor) -> None:
        unit = unit_of(actor)
        for number in range(3):
            unit.create(knowledge("bell"), id=f"k{number}")
        first = unit.retrieve({"order": "id_asc"}, limit=2)
        cursor = first.meta["next_cursor"]
        second = unit.retrieve({"order": "id_asc", "cursor": cursor}, limit=2)
        assert [hit["variants"][0]["ref"]["id"] for hit in second.data["hits"]] == ["k2"]

    @spec("PP-5.6-expiry")
    def test_117_an_expired_unit_leaves_nothing(self, actor: Actor) -> None:
        base = actor.create(knowledge("a"), id="k")
        unit, events = unit_of(actor), actor.subscribe()
        staged = unit.update("k", knowledge("inside"), [base])
        unit.create(knowledge("b"), id="l")
        actor.subject.clock.advance(ms=3_600_000)
        with refused("WORK_UNIT_EXPIRED"):
            unit.read("k")
        with refused("WORK_UNIT_EXPIRED"):
            unit.create(knowledge("c"), **COMMIT)
        assert actor.heads("k") == [base["version"]]
        with refused("NOT_FOUND"):
            actor.read("l")
        with refused("VERSION_CONFLICT"):
            actor.update("k", knowledge("d"), [staged])
        actor.create(knowledge("x"), id="last")
        assert events.take(1)[0]["change"]["ref"]["id"] == "last"
        with refused("WORK_UNIT_EXPIRED"):
            unit.read("k")

    @spec("PP-1.7-check-order")
    def test_117_a_value_is_looked_at_before_its_unit(self, actor: Actor) -> None:
        made = actor.create(knowledge("a"), id="k")
        unit = unit_of(actor)
        with refused("INVALID_REQUEST"):
            unit.update("k", {"no": "knowledge"}, [made])
        second = actor.update("k", knowledge("b"), [made])
        assert unit.heads("k") == [second["version"]], "what was refused has opened no unit"
        actor.subject.clock.advance(ms=3_600_000)
        with refused("INVALID_REQUEST"):
            unit.create({"no": "knowledge"}, id="l")
        with refused("WORK_UNIT_EXPIRED"):
            unit.create(knowledge("c"), id="l")

    @spec("PP-5.6-expiry")
    def test_117_use_does_not_extend_a_unit(self, actor: Actor) -> None:
        unit = unit_of(actor)
        for number in range(3):
            unit.create(knowledge("a"), id=f"k{number}")
            actor.subject.clock.advance(ms=1_199_000)
        unit.read("k0")
        actor.subject.clock.advance(ms=4_000)
        with refused("WORK_UNIT_EXPIRED"):
            unit.read("k0")

    @spec("PP-5.6-descriptor")
    def test_118_one_identity_has_one_policy(self, house: House) -> None:
        policy = default_policy(types=entity_type("artifact", ttl_ms=1_000))
        actor = self.enter(house, policy)
        unit = unit_of(actor)
        unit.create(knowledge("a"), id="k")
        with refused("INVALID_REQUEST"):
            unit.create(indexed_artifact(), type="artifact")
        assert unit.read("k")["state"] == "active"

    @spec("PP-5.6-identity")
    def test_119_scope_and_id_make_the_unit(self, actor: Actor) -> None:
        first, second = unit_of(actor), unit_of(actor, "u")
        other = unit_of(actor.also(user_id="other"))
        first.create(knowledge("a"), id="k")
        second.create(knowledge("b"), id="k")
        other.create(knowledge("c"), id="k", **COMMIT)
        with refused("NOT_FOUND"):
            actor.read("k")
        first.create(knowledge("x"), id="l", **COMMIT)
        assert actor.read("k")["variants"][0]["value"] == knowledge("a")
        assert second.read("k")["variants"][0]["value"] == knowledge("b")

    @spec("PP-5.6-overlay")
    def test_120_a_staged_delete_is_seen_inside_only(self, actor: Actor) -> None:
        made = actor.create(knowledge("a"), id="k")
        unit, events = unit_of(actor), actor.subscribe()
        gone = unit.delete("k", [made])
        assert unit.read("k")["state"] == "deleted"
        assert unit.found({}) == []
        assert actor.read("k")["state"] == "active"
        assert actor.found({}) == ["k"]
        unit.create(knowledge("x"), id="l", **COMMIT)
        assert actor.read("k") == {"state": "deleted", "variants": [gone]}
        assert events.take(1)[0]["change"]["kind"] == "deleted"

    @spec("PP-5.6-close-marker")
    def test_107_only_a_mutation_with_the_marker_closes(self, actor: Actor) -> None:
        unit = unit_of(actor)
        unit.create(knowledge("a"), id="k", transaction_state="commit ")
        unit.read("k", **COMMIT)
        unit.retrieve({}, **COMMIT)
        with refused("NOT_FOUND"):
            actor.read("k")
        with refused("VERSION_CONFLICT"):
            unit.create(knowledge("a"), id="k", **COMMIT)
        with refused("NOT_FOUND"):
            actor.read("k")
        unit.create(knowledge("b"), id="l", **COMMIT)
        assert actor.read("k")["state"] == "active"

    @spec("PP-5.6-close-marker")
    def test_107_a_marker_without_a_unit_closes_nothing(self, actor: Actor) -> None:
        actor.create(knowledge("a"), id="k", **COMMIT)
        assert actor.read("k")["state"] == "active"

    @spec("KM-relation-endpoints")
    def test_035_endpoints_may_be_staged_in_the_same_unit(self, actor: Actor) -> None:
        unit = unit_of(actor)
        unit.create(knowledge("a"), id="k")
        unit.create(knowledge("b"), id="l")
        unit.create(sample_relation("k", "l"), id="r", type=RELATION, **COMMIT)
        assert actor.read("r", type=RELATION)["state"] == "active"

    @spec("KM-relation-endpoints")
    def test_035_an_endpoint_that_never_comes_is_refused(self, actor: Actor) -> None:
        """Refused where it is staged or at the close, and then nothing is published."""
        unit_of(actor, "elsewhere").create(knowledge("a"), id="elsewhere")
        unit = unit_of(actor)
        unit.create(knowledge("a"), id="k")
        with refused("INVALID_REQUEST"):
            unit.create(sample_relation("k", "elsewhere"), id="r", type=RELATION, **COMMIT)
        for name, kind in (("k", "knowledge"), ("r", RELATION)):
            with refused("NOT_FOUND"):
                actor.read(name, type=kind)

    @spec("PP-5.6-drift")
    def test_111_a_drifted_unit_can_be_resolved_by_hand_afterwards(self, actor: Actor) -> None:
        base = actor.create(knowledge("a"), id="k")
        unit = unit_of(actor).also(conflict_strategy="mvcc")
        unit.delete("k", [base])
        actor.update("k", knowledge("b"), [base])
        unit.create(knowledge("x"), id="l", **COMMIT)
        found = actor.read("k")
        assert sorted(one["state"] for one in found["variants"]) == ["active", "deleted"]
        made = actor.update("k", knowledge("c"), found["variants"])
        assert actor.heads("k") == [made["version"]]

    @spec("KM-relation-endpoints")
    def test_035_an_endpoint_that_goes_at_the_close_is_refused(self, actor: Actor) -> None:
        """The request is undone, and the unit goes on without it."""
        made = actor.create(knowledge("a"), id="k")
        unit = unit_of(actor)
        unit.create(sample_relation("k", "k"), id="r", type=RELATION)
        with refused("INVALID_REQUEST"):
            unit.delete("k", [made], **COMMIT)
        assert unit.heads("k") == [made["version"]]
        unit.create(knowledge("b"), id="l", **COMMIT)
        assert actor.read("r", type=RELATION)["state"] == "active"

    @spec("PP-5.6-drift")
    def test_111_what_both_sides_deleted_is_answered_with_the_head_that_is_left(
        self, actor: Actor
    ) -> None:
        made = actor.create(knowledge("a"), id="k")
        unit = unit_of(actor)
        assert unit.heads("k") == [made["version"]]
        actor.delete("k", [made])
        answer = unit.delete("k", [made], **COMMIT)
        assert answer["version"] in actor.heads("k")
        assert answer["state"] == "deleted"
