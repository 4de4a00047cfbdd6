"""Joined content: cases 53 to 62 and 72, and the table of merge outcomes."""

from __future__ import annotations

from typing import Any

import pytest

from talebearer.testing.conformance._policies import CONTENT_MERGE, default_policy
from talebearer.testing.conformance._subject import Actor, Conformance, House, refused
from talebearer.testing.conformance.values import knowledge, structured

spec = pytest.mark.spec

FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"

TEXT_OUTCOMES = [
    ("some value", "some day", "another value", ["another day"]),
    ("base", "outside", "inside", ["inoutsidide", "outinsidide"]),
    ("a", "ab", "ab", ["abb"]),
    ("some value", "some day", "some day", ["some ddayy"]),
    ("one two three", "one three", "one twooo three", ["one toohree"]),
    (
        "\u9418\u304c\u9cf4\u308b",
        "\u9418\u304c\u9759\u304b\u306b\u9cf4\u308b",
        "\u9418\u304c\u9cf4\u308b\u3002",
        ["\u9418\u304c\u9759\u304b\u306b\u9cf4\u308b\u3002"],
    ),
    (f"hi {FAMILY}", f"hi {FAMILY}!", f"oh hi {FAMILY}", [f"oh hi {FAMILY}!"]),
]
VALUE_OUTCOMES: list[tuple[Any, Any, Any, list[Any]]] = [
    ({"left": 0, "right": 0}, {"left": 1, "right": 0}, {"left": 0, "right": 2},
     [{"left": 1, "right": 2}]),
    ({"n": 0}, {"n": 1}, {"n": 2}, [{"n": 1}, {"n": 2}]),
    ({"a": 1}, {}, {"a": 2}, [{"a": 2}]),
    ({"a": 1, "b": 1}, {"b": 1}, {"a": 1, "b": 2}, [{"b": 2}]),
    ({}, {"m": {"a": 1}}, {"m": {"b": 2}}, [{"m": {"a": 1}}, {"m": {"b": 2}}]),
    ({"m": {"a": 1, "b": 1}}, {"m": {"a": 2, "b": 1}}, {"m": {"a": 1, "b": 2}},
     [{"m": {"a": 2, "b": 2}}]),
    ({"v": "x"}, {"v": 1}, {"v": "xy"}, [{"v": 1}]),
    ([1, 2], [1, 2, 3], [1, 2, 4], [[1, 2, 3, 4], [1, 2, 4, 3]]),
    ([1, 2, 3], [1, 3], [1, 2, 3, 4], [[1, 3, 4]]),
    (["a", "b"], ["z", "a", "b"], ["a", "b", "c"], [["z", "a", "b", "c"]]),
    ([{"a": 1}, {"b": 1}], [{"a": 2}, {"b": 1}], [{"a": 1}, {"b": 2}], [[{"a": 2}, {"b": 2}]]),
    ([1, 2], [], [1, 5], [[5]]),
]  # fmt: skip


class MergeConformance(Conformance):
    """What the strategy ``merge`` does with concurrent content."""

    @pytest.fixture(autouse=True)
    @classmethod
    def needs_an_engine(cls) -> None:
        """Skip where there is no merge engine."""
        if not cls.merges:
            pytest.skip("no merge engine here: merge behaves as mvcc")

    @pytest.mark.parametrize(("base", "left", "right", "outcomes"), TEXT_OUTCOMES)
    @spec("PP-5.5-merge-join")
    def test_053_texts_join(
        self, actor: Actor, base: str, left: str, right: str, outcomes: list[str]
    ) -> None:
        merged = _merged(actor, knowledge(base), knowledge(left), knowledge(right))
        assert merged["content"]["text"] in outcomes

    @pytest.mark.parametrize(("base", "left", "right", "outcomes"), VALUE_OUTCOMES)
    @spec("PP-5.5-merge-join")
    def test_054_values_join(
        self, actor: Actor, base: Any, left: Any, right: Any, outcomes: list[Any]
    ) -> None:
        merged = _merged(actor, structured(base), structured(left), structured(right))
        assert merged["content"]["value"] in outcomes

    @spec("PP-5.5-merge-join")
    def test_053_other_metadata_leaves_two_heads_with_joined_content(self, actor: Actor) -> None:
        base = actor.create(knowledge("some value"), id="k")
        earlier = actor.update("k", knowledge("some day", note="one"), [base])
        later = actor.update("k", knowledge("another value", note="two"), [base])
        found = actor.read("k")
        assert found["state"] == "conflicted"
        texts = [one["value"]["content"]["text"] for one in found["variants"]]
        assert texts == ["another day", "another day"]
        assert earlier["version"] not in [one["version"] for one in found["variants"]]
        assert later in found["variants"]
        assert later["value"]["metadata"]["extensions"]["test.note"] == {"text": "two"}

    @spec("PP-5.5-merge-groups")
    def test_055_kinds_of_content_are_not_joined(self, actor: Actor) -> None:
        base = actor.create(knowledge("a"), id="k")
        first = actor.update("k", knowledge("b"), [base])
        second = actor.update("k", structured({"b": 1}), [base])
        assert actor.heads("k") == sorted([first["version"], second["version"]])

    @spec("PP-5.5-merge-join")
    def test_056_three_writers_keep_their_edits(self, actor: Actor) -> None:
        empty = {"a": 0, "b": 0, "c": 0}
        base = actor.create(structured(empty), id="k")
        for name in empty:
            actor.update("k", structured({**empty, name: 1}), [base])
        found = actor.read("k")
        assert found["state"] == "active"
        assert found["variants"][0]["value"] == structured({"a": 1, "b": 1, "c": 1})

    @spec("PP-5.5-merge-join")
    def test_058_removing_and_adding_both_apply(self, actor: Actor) -> None:
        merged = _merged(
            actor, structured({"a": 1}), structured({}), structured({"a": 1, "b": [None]})
        )
        assert merged["content"]["value"] == {"b": [None]}

    @spec("PP-6-slow-writer")
    def test_056_a_slow_writer_takes_nothing_away(self, actor: Actor) -> None:
        """Read the first version, write long after others wrote: all of theirs is in the join."""
        first = actor.create(structured({}), id="k")
        latest, theirs = first, {}
        for number in range(2, 10):
            theirs[f"v{number}"] = number
            latest = actor.update("k", structured(theirs), [latest])
        late = actor.update("k", structured({"late": True}), [first])
        assert late["value"] == structured({**theirs, "late": True})
        assert actor.read("k") == {"state": "active", "variants": [late]}

    @spec("PP-5.5-merge-documents")
    def test_060_a_write_on_two_heads_descends_from_both(self, actor: Actor) -> None:
        """Its later merges know both histories: what either side added is there once."""
        base = actor.create(structured({"a": 0}), id="k")
        left = actor.update("k", structured({"a": 0, "l": 1}, note="l"), [base])
        right = actor.update(
            "k", structured({"a": 0, "r": 1}, note="r"), [base], conflict_strategy="mvcc"
        )
        joint = actor.update("k", structured({"a": 0, "l": 1, "r": 1}), [left, right])
        assert actor.heads("k") == [joint["version"]]
        actor.update("k", structured({"a": 0, "l": 1, "r": 1, "x": 1}), [joint])
        last = actor.update("k", structured({"a": 0, "l": 2, "r": 1}), [joint])
        assert last["value"]["content"]["value"] == {"a": 0, "l": 2, "r": 1, "x": 1}

    @spec("PP-5.5-merge-join")
    def test_061_json_types_survive_a_merge(self, actor: Actor) -> None:
        base = {
            "int": 1, "big": 2**63 - 1, "low": -(2**63), "uint": 2**64 - 1, "float": 1.5,
            "whole": 2.0, "yes": True, "no": False, "null": None, "text": "t",
            "nested": [[], {}, [{"a": [None, True]}]],
        }  # fmt: skip
        merged = _merged(
            actor, structured(base), structured({**base, "l": 1}), structured({**base, "r": 2.5})
        )
        value = merged["content"]["value"]
        assert value == {**base, "l": 1, "r": 2.5}
        for name in base:
            assert type(value[name]) is type(base[name])

    @spec("PP-5.5-merge-join")
    def test_062_a_merged_conflict_is_resolved(self, actor: Actor) -> None:
        base = actor.create(knowledge("some value"), id="k")
        actor.update("k", knowledge("some day", note="one"), [base])
        actor.update("k", knowledge("another value", note="two"), [base])
        variants = actor.read("k")["variants"]
        made = actor.update("k", variants[0]["value"], variants)
        assert actor.read("k") == {"state": "active", "variants": [made]}
        assert made["value"]["content"]["text"] == "another day"

    @spec("PP-5.5-merge-join")
    def test_072_the_same_edit_twice_duplicates_text(self, actor: Actor) -> None:
        base = actor.create(knowledge("a"), id="k")
        for _ in range(2):
            last = actor.update("k", knowledge("ab"), [base])
        assert last["value"]["content"]["text"] == "abb"

    @spec("PP-5.5-merge-join")
    def test_065_a_tombstone_survives_beside_merged_heads(self, actor: Actor) -> None:
        base = actor.create(knowledge("a"), id="k")
        gone = actor.delete("k", [base])
        actor.update("k", knowledge("ab"), [base])
        actor.update("k", knowledge("ac"), [base])
        found = actor.read("k")["variants"]
        assert gone in found
        (active,) = [one for one in found if one["state"] == "active"]
        assert active["value"]["content"]["text"] in ("abc", "acb")

    @spec("PP-5.5-merge-join")
    def test_054_heads_of_other_strategies_are_joined_later(self, actor: Actor) -> None:
        """Documents are kept whatever the strategy, so a later merge finds them."""
        base = actor.create(structured({}), id="k")
        for name in ("a", "b"):
            actor.update("k", structured({name: 1}), [base], conflict_strategy="mvcc")
        last = actor.update("k", structured({"c": 1}), [base])
        assert last["value"]["content"]["value"] == {"a": 1, "b": 1, "c": 1}
        assert actor.read("k") == {"state": "active", "variants": [last]}

    @pytest.mark.parametrize("value", [{"": 1}, [2**64 - 1, {"": {"": 0}}]])
    @spec("KM-S3-merge-fallback")
    def test_061_what_the_engine_cannot_hold_stays_side_by_side(
        self, actor: Actor, value: Any
    ) -> None:
        base = actor.create(structured(value), id="k")
        first = actor.update("k", structured([value]), [base])
        second = actor.update("k", structured([value, 1]), [base])
        assert actor.heads("k") == sorted([first["version"], second["version"]])
        assert second["value"] == structured([value, 1])

    @spec("KM-S3-merge-fallback")
    def test_061_very_long_text_stays_side_by_side(self, actor: Actor) -> None:
        long = "b" * 16_385
        base = actor.create(knowledge(long), id="k")
        made = [actor.update("k", knowledge(long + end), [base]) for end in ("c", "d")]
        assert actor.heads("k") == sorted(one["version"] for one in made)

    @spec("PP-5.5-otherwise-reject")
    def test_071_otherwise_reject_still_joins_what_it_can(self, house: House) -> None:
        actor = self.enter(house, default_policy(otherwise="reject", merge=[CONTENT_MERGE]))
        base = actor.create(structured({}), id="k")
        actor.update("k", structured({"a": 1}), [base])
        last = actor.update("k", structured({"b": 1}), [base])
        assert last["value"]["content"]["value"] == {"a": 1, "b": 1}
        actor.delete("k", [last])
        with refused("VERSION_CONFLICT"):
            actor.update("k", structured({"c": 1}), [base])

    @spec("PP-5.9-kinds")
    def test_123_a_merge_into_one_head_is_an_update(self, actor: Actor) -> None:
        base = actor.create(structured({}), id="k")
        events = actor.subscribe()
        actor.update("k", structured({"a": 1}), [base])
        last = actor.update("k", structured({"b": 1}), [base])
        kinds = [(one["change"]["kind"], one["change"]["head_versions"]) for one in events.take(2)]
        assert kinds[1] == ("updated", [last["version"]])


def _merged(actor: Actor, base: Any, left: Any, right: Any) -> Any:
    """Return the one head's value after two writes on *base*."""
    first = actor.create(base, id="k")
    actor.update("k", left, [first])
    reply = actor.update("k", right, [first])
    assert actor.read("k") == {"state": "active", "variants": [reply]}
    return reply["value"]
