"""The change feed: cases 122 to 133."""

from __future__ import annotations

from typing import Any

import pytest

from talebearer.testing.conformance._policies import default_policy
from talebearer.testing.conformance._subject import Actor, Conformance, House, ref_of, refused
from talebearer.testing.conformance.values import indexed_artifact, knowledge

spec = pytest.mark.spec
DAY_MS = 86_400_000


def ids_of(events: list[dict[str, Any]]) -> list[str]:
    """Return the ids of the events' entities."""
    return [event["change"]["ref"]["id"] for event in events]


class FeedConformance(Conformance):
    """What every implementation tells about changes."""

    @spec("PP-5.9-kinds")
    def test_123_each_transition_has_its_kind_and_heads(self, actor: Actor) -> None:
        events = actor.subscribe()
        first = actor.create(knowledge("a"), id="k")
        second = actor.update("k", knowledge("b"), [first])
        third = actor.update("k", knowledge("c"), [first], conflict_strategy="mvcc")
        fourth = actor.update("k", knowledge("d"), [second, third])
        fifth = actor.delete("k", [fourth])
        seen = [(e["change"]["kind"], e["change"]["head_versions"]) for e in events.take(5)]
        assert seen == [
            ("created", [first["version"]]),
            ("updated", [second["version"]]),
            ("conflicted", sorted([second["version"], third["version"]])),
            ("resolved", [fourth["version"]]),
            ("deleted", [fifth["version"]]),
        ]

    @spec("PP-5.9-event-meta")
    def test_124_an_event_carries_the_configured_metadata(self, actor: Actor) -> None:
        events = actor.subscribe()
        made = actor.create(knowledge("a"), id="k", channel_id="c", colour="red")
        actor.update("k", knowledge("b"), [made], conflict_strategy="reject")
        created, updated = events.take(2)
        assert created["meta"] == {**actor.meta, "channel_id": "c"}
        strategy = {"conflict_strategy": "reject", "base_versions": [made["version"]]}
        assert updated["meta"] == {**actor.meta, **strategy}
        assert set(updated["change"]) == {"cursor", "ref", "kind", "head_versions"}
        assert updated["change"]["ref"] == ref_of("k", "knowledge")

    @spec("PP-5.9-event-meta")
    def test_124_a_deadline_is_not_carried(self, actor: Actor) -> None:
        events = actor.subscribe()
        actor.create(knowledge("a"), deadline_unix_ms=2**53)
        assert events.take(1)[0]["meta"] == actor.meta

    @spec("PP-5.9-failed-silent")
    def test_125_what_fails_leaves_no_event(self, actor: Actor) -> None:
        made = actor.create(knowledge("a"), id="k")
        events = actor.subscribe()
        with refused("VERSION_CONFLICT"):
            actor.create(knowledge("a"), id="k")
        with refused("INVALID_REQUEST"):
            actor.create({}, id="l")
        with refused("VERSION_CONFLICT"):
            actor.update("k", knowledge("b"), ["never"])
        with refused("DEADLINE_EXCEEDED"):
            actor.update("k", knowledge("b"), [made], deadline_unix_ms=0)
        actor.create(knowledge("a"), id="last")
        assert ids_of(events.take(1)) == ["last"]

    @spec("PP-5.9-resume")
    def test_126_a_feed_goes_on_after_its_cursor(self, actor: Actor) -> None:
        first = actor.subscribe()
        for number in range(4):
            actor.create(knowledge("a"), id=f"k{number}")
        seen = first.take(4)
        first.close()
        actor.create(knowledge("a"), id="k4")
        second = actor.subscribe(after_cursor=seen[1]["change"]["cursor"])
        assert second.cursor == seen[1]["change"]["cursor"]
        again = second.take(3)
        assert again[:2] == seen[2:]
        actor.create(knowledge("a"), id="k5")
        assert ids_of([*again, *second.take(1)]) == ["k2", "k3", "k4", "k5"]

    @spec("PP-5.9-resume")
    def test_126_a_whole_log_is_replayed_from_zero(self, actor: Actor) -> None:
        for number in range(300):
            actor.create(knowledge("a"), id=f"k{number}")
        events = actor.subscribe(after_cursor="0").take(300)
        assert ids_of(events) == [f"k{number}" for number in range(300)]
        cursors = [int(event["change"]["cursor"]) for event in events]
        assert cursors == sorted(set(cursors))

    @spec("PP-1.9-feed-order")
    def test_127_nothing_older_is_told(self, actor: Actor) -> None:
        empty = actor.subscribe()
        assert empty.cursor == "0"
        actor.create(knowledge("a"), id="old")
        (told,) = empty.take(1)
        events = actor.subscribe()
        assert events.cursor == told["change"]["cursor"]
        actor.create(knowledge("a"), id="new")
        assert ids_of(events.take(1)) == ["new"]

    @pytest.mark.parametrize(
        ("wanted", "expected"),
        [
            ({}, ["a", "b", "a", "b", "end"]),
            ({"types": ["knowledge"]}, ["a", "b", "end"]),
            ({"ids": ["a", "end"]}, ["a", "a", "end"]),
            ({"types": ["knowledge", "knowledge"], "ids": ["b", "end"]}, ["b", "end"]),
            ({"types": ["person", "knowledge"], "ids": ["end"]}, ["end"]),
        ],
    )
    @spec("PP-5.9-filters")
    def test_128_filters_must_all_match(
        self, actor: Actor, wanted: dict[str, Any], expected: list[str]
    ) -> None:
        events = actor.subscribe(filter=wanted)
        for name in ("a", "b"):
            actor.create(knowledge("x"), id=name)
        for name in ("a", "b"):
            actor.create(indexed_artifact(), type="artifact", id=name)
        actor.create(knowledge("x"), id="end")
        assert ids_of(events.take(len(expected))) == expected

    @pytest.mark.parametrize("wanted", [[], "knowledge", {"types": "knowledge"}, {"ids": [3]}])
    @spec("PP-5.9-filters")
    def test_128_a_filter_of_another_shape_is_refused(self, actor: Actor, wanted: Any) -> None:
        with refused("INVALID_REQUEST"):
            actor.subscribe(filter=wanted)

    @spec("PP-5.9-resume")
    def test_129_another_scopes_changes_are_not_told(self, actor: Actor) -> None:
        other = actor.also(user_id="other")
        events, theirs = actor.subscribe(), other.subscribe()
        for number in range(3):
            other.create(knowledge("a"), id=f"theirs{number}")
            actor.create(knowledge("a"), id=f"mine{number}")
        assert ids_of(events.take(3)) == ["mine0", "mine1", "mine2"]
        assert ids_of(theirs.take(3)) == ["theirs0", "theirs1", "theirs2"]

    @spec("PP-5.9-cursor-range")
    def test_130_a_cursor_that_the_scope_never_had_is_expired(self, actor: Actor) -> None:
        events = actor.subscribe()
        actor.create(knowledge("a"))
        (mine,) = events.take(1)
        other = actor.also(user_id="other")
        theirs = other.subscribe()
        other.create(knowledge("a"))
        (later,) = theirs.take(1)
        for cursor in (later["change"]["cursor"], "9" * 30):
            with refused("CURSOR_EXPIRED"):
                actor.subscribe(after_cursor=cursor)
        assert actor.subscribe(after_cursor=mine["change"]["cursor"]).cursor

    @pytest.mark.parametrize("cursor", ["", "x", "-1", "1.0", " 1", "\u0663", "0x1", 1, True])
    @spec("PP-5.9-cursor-range")
    def test_130_what_is_no_cursor_is_refused(self, actor: Actor, cursor: Any) -> None:
        actor.create(knowledge("a"))
        with refused("INVALID_REQUEST"):
            actor.subscribe(after_cursor=cursor)

    @spec("PP-5.9-retention")
    def test_131_old_changes_are_pruned_and_their_cursors_expire(self, house: House) -> None:
        actor = self.enter(house, default_policy(changes_seconds=86_400))
        events = actor.subscribe()
        for number in range(3):
            actor.create(knowledge("a"), id=f"old{number}")
        old = [event["change"]["cursor"] for event in events.take(3)]
        events.close()
        actor.subject.clock.advance(ms=2 * DAY_MS)
        actor.create(knowledge("a"), id="new")
        resumed = actor.subscribe(after_cursor=old[2])
        assert ids_of(resumed.take(1)) == ["new"]
        for cursor in ("0", old[0], old[1]):
            with refused("CURSOR_EXPIRED"):
                actor.subscribe(after_cursor=cursor)
        assert actor.read("old0")["state"] == "active"
        assert actor.found({"ids": ["old1"]}) == ["old1"]

    @spec("PP-5.9-resume")
    def test_126_cursors_outlive_a_restart(self, actor: Actor) -> None:
        events = actor.subscribe()
        actor.create(knowledge("a"), id="k0")
        (seen,) = events.take(1)
        actor.create(knowledge("a"), id="k1")
        actor.subject.restart()
        actor.create(knowledge("a"), id="k2")
        again = actor.subscribe(after_cursor=seen["change"]["cursor"])
        assert ids_of(again.take(2)) == ["k1", "k2"]

    @spec("PP-5.9-clock-backwards")
    def test_126_a_clock_that_steps_back_reorders_nothing(self, actor: Actor) -> None:
        clock = actor.subject.clock
        events = actor.subscribe()
        before = clock.now
        for number in range(4):
            clock.advance(ms=-60_000)
            actor.create(knowledge("a"), id=f"k{number}")
        clock.now = before
        told = events.take(4)
        assert ids_of(told) == ["k0", "k1", "k2", "k3"]
        cursors = [int(event["change"]["cursor"]) for event in told]
        assert cursors == sorted(set(cursors))

    @spec("PP-5.9-batch-complete")
    def test_133_a_closed_work_unit_tells_of_every_member(self, actor: Actor) -> None:
        events = actor.subscribe()
        for number in range(3):
            actor.create(knowledge("a"), id=f"k{number}", transaction_id="t")
        closing = {"transaction_id": "t", "transaction_state": "commit"}
        actor.create(knowledge("a"), id="a-last", **closing)
        told = events.take(4)
        assert ids_of(told) == ["k0", "k1", "k2", "a-last"]
        assert told[3]["meta"]["transaction_state"] == "commit"
        assert "transaction_state" not in told[0]["meta"]
