"""Idempotency, causal tokens and sessions: cases 91 to 104."""

from __future__ import annotations

import pytest

from talebearer.testing.conformance._policies import behavior, causal_policy, default_policy
from talebearer.testing.conformance._policies import keyed_policy as keyed
from talebearer.testing.conformance._subject import Actor, Conformance, House, ref_of, refused
from talebearer.testing.conformance.values import knowledge

spec = pytest.mark.spec


class IdempotencyConformance(Conformance):
    """What every implementation does with requests that carry an idempotency key."""

    @pytest.fixture
    def actor(self, house: House) -> Actor:
        """A client whose mutations need ``request_id``."""
        return self.enter(house, keyed())

    @spec("PP-5.7-replay")
    def test_091_the_same_request_twice_is_one_write(self, actor: Actor) -> None:
        events = actor.subscribe()
        data = {"type": "knowledge", "value": knowledge("a")}
        first = actor.call("entity.create", data, request_id="r1")
        assert actor.call("entity.create", data, request_id="r1") == first
        made = first.data["entity"]
        update = {"ref": made["ref"], "value": knowledge("b")}
        meta = {"base_versions": [made["version"]], "request_id": "r2"}
        second = actor.call("entity.update", update, **meta)
        assert actor.call("entity.update", update, **meta) == second
        actor.create(knowledge("a"), id="last", request_id="r3")
        kinds = [event["change"]["kind"] for event in events.take(3)]
        assert kinds == ["created", "updated", "created"]

    @spec("PP-5.7-replay")
    def test_091_a_delete_is_replayed(self, actor: Actor) -> None:
        made = actor.create(knowledge("a"), id="k", request_id="r1")
        gone = actor.delete("k", [made], request_id="r2")
        assert actor.delete("k", [made], request_id="r2") == gone
        assert actor.heads("k") == [gone["version"]]

    @spec("PP-5.7-conflict")
    def test_092_the_same_key_with_other_data_conflicts(self, actor: Actor) -> None:
        made = actor.create(knowledge("a"), id="k", request_id="r")
        with refused("IDEMPOTENCY_CONFLICT"):
            actor.create(knowledge("b"), id="k", request_id="r")
        with refused("IDEMPOTENCY_CONFLICT"):
            actor.delete("k", [made], request_id="r")
        assert actor.heads("k") == [made["version"]]

    @spec("PP-5.7-key-needed")
    def test_093_a_mutation_needs_its_key_and_a_read_does_not(self, actor: Actor) -> None:
        with refused("INVALID_REQUEST"):
            actor.create(knowledge("a"), id="k")
        made = actor.create(knowledge("a"), id="k", request_id="r")
        assert actor.heads("k") == [made["version"]]
        assert actor.heads("k", request_id="r") == [made["version"]]
        assert actor.found({}) == ["k"]

    @spec("PP-5.7-replay")
    def test_097_other_metadata_is_not_part_of_the_request(self, actor: Actor) -> None:
        made = actor.create(knowledge("a"), id="k", request_id="r1")
        second = actor.update("k", knowledge("b"), [made], request_id="r2")
        again = actor.update(
            "k", knowledge("b"), ["never"], request_id="r2", conflict_strategy="reject"
        )
        assert again == second

    @spec("PP-5.7-replay")
    def test_091_the_order_of_members_does_not_matter(self, actor: Actor) -> None:
        value = knowledge("a")
        made = actor.create(value, id="k", request_id="r")
        backwards = dict(reversed(list(value.items())))
        data = {"id": "k", "value": backwards, "type": "knowledge"}
        again = actor.call("entity.create", data, request_id="r")
        assert again.data["entity"] == made

    @spec("PP-5.7-replay")
    def test_091_a_replay_comes_before_the_value_is_checked(self, actor: Actor) -> None:
        actor.create(knowledge("a"), id="k", request_id="r")
        with refused("IDEMPOTENCY_CONFLICT"):
            actor.create({"not": "valid"}, id="k", request_id="r")

    @spec("PP-5.7-failures-not-kept")
    def test_091_only_successes_are_kept(self, actor: Actor) -> None:
        with refused("NOT_FOUND"):
            actor.update("k", knowledge("b"), ["v"], request_id="r")
        with refused("INVALID_REQUEST"):
            actor.create({}, id="k", request_id="r")
        actor.create(knowledge("a"), id="k", request_id="r")

    @spec("PP-5.7-scoped")
    def test_091_a_key_belongs_to_its_scope(self, actor: Actor) -> None:
        first = actor.create(knowledge("a"), request_id="r")
        second = actor.also(user_id="other").create(knowledge("b"), request_id="r")
        assert first["version"] != second["version"]

    @spec("PP-5.7-restart")
    def test_091_replays_outlive_a_restart(self, actor: Actor) -> None:
        data = {"type": "knowledge", "value": knowledge("a")}
        first = actor.call("entity.create", data, request_id="r")
        events = actor.subscribe()
        cursor = events.cursor
        events.close()
        actor.subject.restart()
        assert actor.call("entity.create", data, request_id="r") == first
        assert actor.subscribe().cursor == cursor

    @spec("PP-5.7-retention")
    def test_091_a_result_is_replayed_until_its_retention_ends(self, actor: Actor) -> None:
        made = actor.create(knowledge("a"), id="k", request_id="r")
        actor.subject.clock.advance(ms=599_000)
        assert actor.create(knowledge("a"), id="k", request_id="r") == made
        actor.subject.clock.advance(ms=2_000)
        with refused("VERSION_CONFLICT"):
            actor.create(knowledge("a"), id="k", request_id="r")

    @spec("PP-5.7-staged")
    def test_095_a_staged_member_is_replayed(self, actor: Actor) -> None:
        unit = actor.also(transaction_id="t")
        made = unit.create(knowledge("a"), id="k", request_id="r1")
        assert unit.create(knowledge("a"), id="k", request_id="r1") == made
        with refused("IDEMPOTENCY_CONFLICT"):
            unit.create(knowledge("b"), id="k", request_id="r1")
        closing = {"transaction_state": "commit", "request_id": "r2"}
        last = unit.create(knowledge("a"), id="l", **closing)
        assert actor.heads("k") == [made["version"]]
        assert unit.create(knowledge("a"), id="l", **closing) == last
        assert unit.create(knowledge("a"), id="k", request_id="r1") == made

    @spec("PP-5.7-retention")
    def test_095_a_closed_units_key_is_free_after_its_retention(self, actor: Actor) -> None:
        unit = actor.also(transaction_id="t", transaction_state="commit")
        unit.create(knowledge("a"), id="k", request_id="r")
        with refused("IDEMPOTENCY_CONFLICT"):
            actor.create(knowledge("b"), id="l", request_id="r")
        actor.subject.clock.advance(ms=601_000)
        actor.create(knowledge("b"), id="l", request_id="r")

    @spec("PP-5.7-staged")
    def test_095_a_key_staged_elsewhere_conflicts(self, actor: Actor) -> None:
        actor.create(knowledge("a"), id="k", request_id="r", transaction_id="t")
        with refused("IDEMPOTENCY_CONFLICT"):
            actor.create(knowledge("a"), id="k", request_id="r", transaction_id="other")
        with refused("IDEMPOTENCY_CONFLICT"):
            actor.create(knowledge("a"), id="k", request_id="r")

    @spec("PP-5.7-staged")
    def test_096_an_expired_units_result_is_not_replayed(self, actor: Actor) -> None:
        unit = actor.also(transaction_id="t")
        unit.create(knowledge("a"), id="k", request_id="r")
        actor.subject.clock.advance(ms=3_600_001)
        with refused("WORK_UNIT_EXPIRED"):
            unit.create(knowledge("a"), id="k", request_id="r")
        actor.create(knowledge("b"), id="k", request_id="r")

    @spec("PP-5.7-staged")
    def test_095_a_refused_close_is_not_replayed(self, actor: Actor) -> None:
        base = actor.create(knowledge("a"), id="k", request_id="r0")
        unit = actor.also(transaction_id="t", conflict_strategy="reject")
        unit.update("k", knowledge("b"), [base], request_id="r1")
        actor.update("k", knowledge("c"), [base], request_id="r2")
        closing = {"transaction_state": "commit", "request_id": "r3"}
        with refused("VERSION_CONFLICT"):
            unit.create(knowledge("d"), id="l", **closing)
        with refused("INVALID_REQUEST"):
            unit.create(knowledge("d"), id="l", **closing)
        # What the sealed unit holds is not replayed, and its key keeps its meaning.
        with refused("INVALID_REQUEST"):
            unit.update("k", knowledge("b"), [base], request_id="r1")
        with refused("IDEMPOTENCY_CONFLICT"):
            unit.create(knowledge("other"), id="m", request_id="r1")
        actor.create(knowledge("d"), id="l", request_id="r3")


class CausalConformance(Conformance):
    """What every implementation does with causal tokens and sessions."""

    @pytest.fixture
    def actor(self, house: House) -> Actor:
        """A client of the causal pattern, with a participant."""
        return self.enter(house, causal_policy(), plugin_route_id="p")

    @spec("PP-5.8-token")
    def test_098_a_write_gives_a_token_that_reads_can_ask_for(self, actor: Actor) -> None:
        data = {"type": "knowledge", "value": knowledge("a"), "id": "k"}
        made = actor.call("entity.create", data)
        token = made.meta["causal_token"]
        assert token == made.data["entity"]["version"]
        ref = {"ref": ref_of("k", "knowledge")}
        assert actor.call("entity.read", ref, causal_token=token).meta == {"causal_token": token}
        assert actor.retrieve({}, causal_token=token).meta == {"causal_token": token}
        actor.subject.restart()
        assert actor.call("entity.read", ref, causal_token=token).meta == {"causal_token": token}

    @spec("PP-5.8-token")
    def test_098_a_read_gives_the_latest_token_of_the_scope(self, actor: Actor) -> None:
        assert actor.retrieve({}).meta == {}
        actor.create(knowledge("a"), id="k")
        latest = actor.create(knowledge("b"), id="l")
        found = actor.call("entity.read", {"ref": ref_of("k", "knowledge")})
        assert found.meta == {"causal_token": latest["version"]}

    @spec("PP-5.8-unknown-token")
    def test_099_an_unknown_token_is_not_reached(self, actor: Actor) -> None:
        other = actor.also(user_id="other")
        earlier = other.create(knowledge("a"), id="k")
        made = actor.create(knowledge("a"), id="k")
        later = other.create(knowledge("a"), id="l")
        for token in ("never", earlier["version"], later["version"]):
            with refused("OVERLOADED"):
                actor.read("k", causal_token=token)
            with refused("OVERLOADED"):
                actor.retrieve({}, causal_token=token)
            with refused("OVERLOADED"):
                actor.update("k", knowledge("b"), [made], causal_token=token)
        assert actor.heads("k") == [made["version"]]

    @spec("PP-5.8-optional-token")
    def test_100_a_token_is_optional_and_a_participant_is_not(self, actor: Actor) -> None:
        actor.create(knowledge("a"), id="k")
        assert actor.read("k")["state"] == "active"
        del actor.meta["plugin_route_id"]
        with refused("INVALID_REQUEST"):
            actor.read("k")
        with refused("INVALID_REQUEST"):
            actor.create(knowledge("a"))
        with refused("INVALID_REQUEST"):
            actor.retrieve({})

    @spec("PP-5.8-optional-token")
    def test_100_a_required_token_must_be_there(self, house: House) -> None:
        policy = causal_policy()
        fallback = policy["entity_types"]["knowledge"]["fallback"]
        fallback["consistency"]["acquire"]["requirements"][0]["optional"] = False
        actor = self.enter(house, policy, plugin_route_id="p")
        with refused("INVALID_REQUEST"):
            actor.read("k")

    @spec("PP-5.8-replay")
    def test_094_a_replay_needs_its_token_reached(self, house: House) -> None:
        policy = causal_policy(replay_by=("request_id",))
        actor = self.enter(house, policy, plugin_route_id="p", request_id="r")
        data = {"type": "knowledge", "value": knowledge("a"), "id": "k"}
        first, never = actor.call("entity.create", data), {"causal_token": "never"}
        with refused("OVERLOADED"):
            actor.call("entity.create", data, **never)
        assert actor.call("entity.create", data) == first

    @pytest.mark.parametrize("guarantee", ["monotonic_reads", "read_your_writes"])
    @spec("PP-5.8-sessions")
    def test_101_a_session_reads_what_it_wrote(self, house: House, guarantee: str) -> None:
        policy = causal_policy(guarantees=(guarantee,))
        actor = self.enter(house, policy, plugin_route_id="p")
        for number in range(3):
            made = actor.create(knowledge("a"), id=f"k{number}")
            assert actor.heads(f"k{number}") == [made["version"]]
            assert actor.also(plugin_route_id="q").heads(f"k{number}") == [made["version"]]
        actor.subject.restart()
        assert actor.read("k0")["state"] == "active"

    @spec("PP-5.8-token-outlives-log")
    def test_103_a_token_outlives_the_pruned_log(self, house: House) -> None:
        policy = causal_policy()
        policy["retention"]["changes_seconds"] = 60
        actor = self.enter(house, policy, plugin_route_id="p")
        made = actor.create(knowledge("a"), id="k")
        actor.subject.clock.advance(ms=120_000)
        actor.subscribe().close()
        found = actor.call(
            "entity.read", {"ref": ref_of("k", "knowledge")}, causal_token=made["version"]
        )
        assert found.meta == {"causal_token": made["version"]}

    @spec("PP-5.8-token")
    def test_098_each_of_several_tokens_must_be_reached(self, house: House) -> None:
        policy = causal_policy()
        policy["meta_fields"]["second_token"] = {
            "pointer": "/after/token",
            "schema": {"type": "string"},
        }
        fallback = policy["entity_types"]["knowledge"]["fallback"]
        needs = fallback["consistency"]["acquire"]["requirements"]
        needs.append({"kind": "causal_after", "token": "second_token", "optional": True})
        actor = self.enter(house, policy, plugin_route_id="p")
        made = actor.create(knowledge("a"), id="k")["version"]
        reply = actor.call(
            "entity.read",
            {"ref": ref_of("k", "knowledge")},
            causal_token=made,
            after={"token": made},
        )
        assert reply.meta == {"causal_token": made, "second_token": made}
        with refused("OVERLOADED"):
            actor.read("k", causal_token=made, after={"token": "never"})

    @spec("PP-5.8-sources")
    def test_158_linearizable_reads_with_replicas_allowed_go_to_the_authority(
        self, house: House
    ) -> None:
        actor = self.enter(house, default_policy(sources=("replica", "authority")))
        made = actor.create(knowledge("a"), id="k")
        assert actor.heads("k") == [made["version"]]
        assert actor.found({}) == ["k"]

    @spec("PP-5.8-sources")
    def test_104_types_of_different_sources_are_asked_together(self, house: House) -> None:
        """Every behavior allows the authority, or the policy is refused; so there is always one."""
        policy = default_policy()
        policy["entity_types"]["artifact"]["fallback"] = behavior(
            sources=("authority", "replica"), requirements=()
        )
        actor = self.enter(house, policy)
        actor.create(knowledge("a"), id="k")
        assert actor.found({}, types=["artifact", "knowledge"]) == ["k"]
