"""Deadlines and controls: cases 17 and 150 to 153."""

from __future__ import annotations

from typing import Any

import pytest

from talebearer.testing._samples import sample_artifact_metadata
from talebearer.testing.conformance._policies import default_policy
from talebearer.testing.conformance._subject import Actor, Conformance, House, refused
from talebearer.testing.conformance.values import knowledge
from talebearer.testing.model import Refused

spec = pytest.mark.spec


class ControlConformance(Conformance):
    """What holds for every method: shapes, deadlines, controls."""

    @pytest.mark.parametrize("deadline", [0, 1])
    @spec("PP-1.8-deadlines")
    def test_150_a_past_deadline_stores_nothing(self, actor: Actor, deadline: int) -> None:
        with refused("DEADLINE_EXCEEDED"):
            actor.create(knowledge("a"), id="k", deadline_unix_ms=deadline)
        with refused("NOT_FOUND"):
            actor.read("k")

    @spec("PP-1.8-deadlines")
    def test_150_a_deadline_is_reached_at_its_millisecond(self, actor: Actor) -> None:
        now = actor.subject.clock.now
        with refused("DEADLINE_EXCEEDED"):
            actor.create(knowledge("a"), id="k", deadline_unix_ms=now)
        actor.create(knowledge("a"), id="k", deadline_unix_ms=now + 60_000)

    @spec("PP-1.8-deadlines")
    def test_151_a_deadline_that_passes_on_the_way_rolls_back(self, house: House) -> None:
        """The clock gains a millisecond each time it is read, so some deadline is met midway."""
        actor = self.enter(house, default_policy(idempotency_seconds=1))
        clock = actor.subject.clock
        results = []
        for margin in range(1, 40):
            name, reason = f"k{margin}", None
            clock.step = 1
            try:
                actor.create(knowledge("a"), id=name, deadline_unix_ms=clock.now + margin)
            except Refused as fault:
                reason = fault.reason
            finally:
                clock.step = 0
            assert reason in (None, "DEADLINE_EXCEEDED")
            if reason is None:
                assert actor.read(name)["state"] == "active"
            else:
                with refused("NOT_FOUND"):
                    actor.read(name)
            results.append(reason is None)
        assert results == sorted(results), "once there is time enough, there stays enough"
        assert not results[0]
        assert results[-1]

    @pytest.mark.parametrize("deadline", [-1, 1.5, "9", None, True, [], 2.0])
    @spec("PP-1.8-deadlines")
    def test_152_a_deadline_is_a_count(self, actor: Actor, deadline: Any) -> None:
        with refused("INVALID_REQUEST"):
            actor.create(knowledge("a"), id="k", deadline_unix_ms=deadline)
        with refused("INVALID_REQUEST"):
            actor.call("control.status", {}, deadline_unix_ms=deadline)
        with refused("NOT_FOUND"):
            actor.read("k")

    @spec("PP-1.8-deadlines")
    def test_153_every_method_has_its_deadline(self, actor: Actor) -> None:
        late = {"deadline_unix_ms": 1}
        actor.create(knowledge("a"), id="k")
        upload = {"media_type": "a/b", "metadata": sample_artifact_metadata()}
        calls: list[tuple[str, dict[str, Any]]] = [
            ("entity.read", {"ref": {"type": "knowledge", "id": "k"}}),
            ("entity.retrieve", {"query": "{}"}),
            ("artifact.upload.begin", upload),
            ("control.status", {}),
            ("control.checkpoint", {}),
        ]
        for method, data in calls:
            with refused("DEADLINE_EXCEEDED"):
                actor.call(method, data, **late)
        with refused("DEADLINE_EXCEEDED"):
            actor.also(**late).subscribe()

    @spec("PP-1.4-controls")
    def test_017_controls_take_no_data(self, actor: Actor) -> None:
        for method in ("control.status", "control.checkpoint"):
            actor.call(method, {})
            with refused("INVALID_REQUEST"):
                actor.call(method, {"now": True})

    @spec("PP-1.4-controls")
    def test_020_a_checkpoint_is_completed(self, actor: Actor) -> None:
        actor.create(knowledge("a"))
        assert actor.call("control.checkpoint", {}).data == {"completed": True}

    @spec("PP-6-scope-empty")
    def test_157_without_scope_fields_all_share_one_scope(self, house: House) -> None:
        actor = self.enter(house, default_policy(scope_by=()))
        made = actor.create(knowledge("a"), id="k")
        stranger = Actor(actor.subject, workspace_id="elsewhere", user_id="somebody")
        assert stranger.heads("k") == [made["version"]]
        assert Actor(actor.subject).heads("k") == [made["version"]]

    @pytest.mark.parametrize(
        ("scope", "other"),
        [
            ("%", "x"), ("_", "x"), ("a'b", "ab"), ('"', '\\"'), ("a\x00b", "a"),
            ("\u202eab", "ab"), ('"]} OR 1=1 --', "x"), ("$.x", "x"), ("bell ", "bell"),
            ("Bell", "bell"), ("e\u0301", "\u00e9"), ("\U0010ffff", "\uffff"),
        ],
    )  # fmt: skip
    @spec("KM-identity-scope-boundary")
    def test_040_odd_scopes_never_meet(self, actor: Actor, scope: str, other: str) -> None:
        one, two = actor.also(user_id=scope), actor.also(user_id=other)
        for owner, text in ((one, "one"), (two, "two")):
            for name in (scope, other):
                owner.create(knowledge(text), id=name)
        for owner, text in ((one, "one"), (two, "two")):
            hits = owner.retrieve({"ids": [scope, other]}).data["hits"]
            texts = [variant["value"]["content"]["text"]
                     for hit in hits for variant in hit["variants"]]  # fmt: skip
            assert texts == [text, text]
