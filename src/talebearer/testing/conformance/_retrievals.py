"""Retrieval: cases 73 to 89."""

from __future__ import annotations

import json
from typing import Any

import pytest

from talebearer.store import moment
from talebearer.testing._samples import sample_relation
from talebearer.testing.conformance._policies import default_policy
from talebearer.testing.conformance._subject import Actor, Conformance, House, ref_of, refused
from talebearer.testing.conformance.values import knowledge, structured, with_profile

spec = pytest.mark.spec
RELATION = "knowledge_relation"


def shelf(actor: Actor, *values: Any) -> None:
    """Create records k0, k1, ... a millisecond apart."""
    for number, value in enumerate(values):
        actor.subject.clock.advance(ms=1)
        actor.create(value, id=f"k{number}")


_FOLDED = "gro\u00dfe \u03bf\u03b4\u03cc\u03c2 \u03bf\u03b4\u03bf\u03c2"
"""Words whose case has more to it than one letter for one: a sharp s, a sigma at the end."""


class RetrieveConformance(Conformance):
    """What every implementation finds."""

    @spec("PP-5.10-retrieve")
    def test_073_nothing_is_found_in_an_empty_scope(self, actor: Actor) -> None:
        for query in ({}, {"text": "harp"}, {"text": "ha"}, {"ids": ["k"]}):
            assert actor.retrieve(query).data == {"hits": []}

    @pytest.mark.parametrize(
        "text",
        [
            "HARP",
            "harp tower",
            "tHE HARp",
            "  harp ",
            "\u00c9TUDE",
            "GROSSE",
            "\u039f\u0394\u039f\u03a3",
        ],
    )
    @spec("PP-5.10-text")
    def test_074_text_is_found_in_any_case(self, actor: Actor, text: str) -> None:
        shelf(
            actor,
            knowledge(f"under the Harp Tower, an \u00e9tude; {_FOLDED}"),
            knowledge("nothing"),
        )
        (hit,) = actor.retrieve({"text": text}).data["hits"]
        assert hit["score"] > 0
        assert hit["variants"] == actor.read("k0")["variants"]

    @pytest.mark.parametrize(
        "text", ["\u53e4\u3044\u9418\u304c", "\u9418\u304c", "\u9418", "\u0627\u0644", "xy"]
    )
    @spec("PP-5.10-short-text")
    def test_075_short_and_non_latin_text_is_found(self, actor: Actor, text: str) -> None:
        shelf(
            actor,
            knowledge("\u53e4\u3044\u9418\u304c\u9cf4\u308b \u0627\u0644\u062c\u0631\u0633 xYz"),
            knowledge("no"),
        )
        (hit,) = actor.retrieve({"text": text}).data["hits"]
        assert hit["variants"][0]["ref"]["id"] == "k0"
        assert hit["score"] > 0
        if len(text) < 3:
            assert hit["score"] == 1.0

    @pytest.mark.parametrize(
        "text",
        ["harp*", "harp OR nothing", '"harp"', "h_rp", "%", "NEAR(harp)", "harp AND", "-harp", "^h",
         "value_json:harp", "')", "harp\x00"],
    )  # fmt: skip
    @spec("PP-5.10-text")
    def test_076_operators_are_literals(self, actor: Actor, text: str) -> None:
        shelf(actor, knowledge("the harp rang"), knowledge("nothing rang"))
        assert actor.found({"text": text}) == []

    @spec("PP-5.10-text")
    def test_076_a_literal_operator_is_found(self, actor: Actor) -> None:
        shelf(actor, knowledge("100% of h_rp* (NEAR)"), knowledge("the harp"))
        for text in ("100%", "h_rp*", "(near)", "%", "p*"):
            assert actor.found({"text": text}) == ["k0"]

    @spec("PP-5.10-order")
    def test_077_everything_comes_newest_first(self, actor: Actor) -> None:
        shelf(actor, knowledge("a"), knowledge("b"), knowledge("c"))
        hits = actor.retrieve({}).data["hits"]
        assert [hit["variants"][0]["ref"]["id"] for hit in hits] == ["k2", "k1", "k0"]
        assert [hit["score"] for hit in hits] == [0, 0, 0]

    @pytest.mark.parametrize(
        ("order", "expected"),
        [
            ("newest", ["k2", "k1", "k0"]),
            ("oldest", ["k0", "k1", "k2"]),
            ("id_asc", ["k0", "k1", "k2"]),
            ("id_desc", ["k2", "k1", "k0"]),
        ],
    )
    @spec("PP-5.10-order")
    def test_077_orders(self, actor: Actor, order: str, expected: list[str]) -> None:
        shelf(actor, knowledge("harp"), knowledge("harp"), knowledge("harp"))
        assert actor.found({"order": order}) == expected
        assert actor.found({"order": order, "text": "harp"}) == expected

    @spec("PP-5.10-order")
    def test_077_ties_go_by_type_and_id(self, actor: Actor) -> None:
        for name in ("b", "a"):
            actor.create(knowledge("x"), id=name)
        actor.create(sample_relation("a", "b"), type=RELATION, id="a")
        for order in ("newest", "oldest"):
            hits = actor.retrieve({"order": order}).data["hits"]
            refs = [hit["variants"][0]["ref"] for hit in hits]
            assert refs == [
                ref_of("a", "knowledge"), ref_of("b", "knowledge"), ref_of("a", RELATION)
            ]  # fmt: skip

    @spec("PP-5.10-where")
    def test_078_ids_and_predicates_all_hold(self, actor: Actor) -> None:
        shelf(actor, *(structured({"n": number, "kind": "a"}) for number in range(4)))
        query = {
            "ids": ["k3", "k2", "k1"],
            "where": {
                "/content/value/n": {"$gte": 2},
                "/content/value/kind": "a",
                "/content/kind": "structured",
            },
            "order": "id_asc",
        }
        assert actor.found(query) == ["k2", "k3"]

    @pytest.mark.parametrize(
        ("predicate", "expected"),
        [
            ({"$eq": 2}, ["k2"]),
            (2, ["k2"]),
            ({"$ne": 2}, ["k0", "k1", "k3"]),
            ({"$lt": 1}, ["k0"]),
            ({"$lte": 1}, ["k0", "k1"]),
            ({"$gt": 2}, ["k3"]),
            ({"$gte": 1.5}, ["k2", "k3"]),
            ({"$gt": "1"}, []),
            ({"$lt": None}, []),
            ({"$lt": True}, []),
        ],
    )
    @spec("PP-5.10-where")
    def test_078_operators(self, actor: Actor, predicate: Any, expected: list[str]) -> None:
        shelf(actor, *(structured({"n": number}) for number in range(4)))
        query = {"where": {"/content/value/n": predicate}, "order": "id_asc"}
        assert actor.found(query) == expected

    @spec("PP-5.10-where")
    def test_078_texts_compare_by_bytes(self, actor: Actor) -> None:
        shelf(actor, *(structured({"s": text}) for text in ("B", "a", "\uffff", "\U0001f514")))
        for bound, expected in (
            ("Z", ["k1", "k2", "k3"]), ("\uffff", ["k3"]), ("a", ["k2", "k3"])
        ):  # fmt: skip
            query = {"where": {"/content/value/s": {"$gt": bound}}, "order": "id_asc"}
            assert actor.found(query) == expected

    @spec("PP-5.10-where")
    def test_078_pointers_are_escaped_and_reach_into_lists(self, actor: Actor) -> None:
        shelf(actor, structured({"a/b": {"~": [0, {"$.x": "'"}]}}), structured([[7]]))
        assert actor.found({"where": {"/content/value/a~1b/~0/1/$.x": "'"}}) == ["k0"]
        assert actor.found({"where": {"/content/value/0/0": 7}}) == ["k1"]

    @spec("PP-5.10-contains")
    def test_079_contains_finds_members_and_parts(self, actor: Actor) -> None:
        for name in ("k0", "k1"):
            actor.create(knowledge("a"), id=name)
        actor.create(sample_relation("k0", "k1"), type=RELATION, id="r")
        for side, expected in (("/from", ["r"]), ("/to", [])):
            member = {"$contains": ref_of("k0", "knowledge")}
            assert actor.found({"where": {side: member}}, types=[RELATION]) == expected
        assert actor.found({"where": {"/type": {"$contains": "rived_f"}}}) == ["r"]
        assert actor.found({"where": {"/type": {"$contains": "RIVED"}}}) == []

    @pytest.mark.parametrize(
        "predicate", [None, {"$ne": 1}, {"$eq": None}, {"$lt": 3}, {"$contains": 1}]
    )
    @spec("PP-5.10-absent")
    def test_080_what_is_absent_matches_nothing(self, actor: Actor, predicate: Any) -> None:
        shelf(actor, structured({"n": None}), structured([]))
        for pointer in ("/content/value/x", "/content/value/0", "/content/value/-", "/content/n"):
            assert actor.found({"where": {pointer: predicate}}) == []

    @pytest.mark.parametrize("wanted", [True, "1", [1], 1.0, {"n": 1}, None])
    @spec("PP-5.10-exact-types")
    def test_081_equality_is_exact_in_types(self, actor: Actor, wanted: Any) -> None:
        shelf(actor, structured({"n": 1}))
        for predicate in (wanted, {"$eq": wanted}):
            assert actor.found({"where": {"/content/value/n": predicate}}) == []
        assert actor.found({"where": {"/content/value/n": {"$ne": wanted}}}) == ["k0"]

    @spec("PP-5.10-where")
    def test_082_two_operators_are_a_literal(self, actor: Actor) -> None:
        both = {"$gte": 1, "$lt": 5}
        shelf(actor, structured({"n": 3}), structured({"n": both}))
        assert actor.found({"where": {"/content/value/n": both}}) == ["k1"]

    @spec("PP-5.10-pages")
    def test_083_pages_go_on_where_the_last_one_ended(self, actor: Actor) -> None:
        shelf(actor, *(knowledge("a harp") for _ in range(3)))
        for query in ({}, {"text": "harp"}, {"text": "ha"}, {"order": "id_asc"}):
            first = actor.retrieve(query, limit=2)
            second = actor.retrieve({**query, "cursor": first.meta["next_cursor"]}, limit=2)
            ids = [hit["variants"][0]["ref"]["id"] for hit in (*first.data["hits"],
                                                               *second.data["hits"])]  # fmt: skip
            assert sorted(ids) == ["k0", "k1", "k2"]
            assert "next_cursor" not in second.meta

    @spec("PP-5.10-pages")
    def test_083_a_full_last_page_has_no_cursor(self, actor: Actor) -> None:
        shelf(actor, knowledge("a"), knowledge("b"))
        assert actor.retrieve({}, limit=2).meta == {}

    @pytest.mark.parametrize(
        "other",
        [
            {"ids": ["k0", "k1"]},
            {"ids": ["k0", "k1", "k2"], "order": "oldest"},
            {"ids": ["k0", "k1", "k2"], "text": "a"},
            {"ids": ["k0", "k1", "k2"], "where": {"/content/kind": "text"}},
        ],
    )
    @spec("PP-5.10-cursor-bound")
    def test_084_a_cursor_belongs_to_its_query(self, actor: Actor, other: Any) -> None:
        shelf(actor, *(knowledge("a") for _ in range(3)))
        query = {"ids": ["k0", "k1", "k2"]}
        cursor = actor.retrieve(query, limit=1).meta["next_cursor"]
        assert actor.retrieve({**query, "cursor": cursor}, limit=100).data["hits"]
        with refused("INVALID_REQUEST"):
            actor.retrieve({**other, "cursor": cursor}, limit=1)
        with refused("INVALID_REQUEST"):
            actor.retrieve({**query, "cursor": cursor}, limit=1, types=["knowledge"])
        with refused("INVALID_REQUEST"):
            actor.also(user_id="other").retrieve({**query, "cursor": cursor}, limit=1)

    @pytest.mark.parametrize("cursor", ["", "x", "{}", "[]", "null", 3, None, '["a"]'])
    @spec("PP-5.10-cursor-bound")
    def test_084_a_made_up_cursor_is_refused(self, actor: Actor, cursor: Any) -> None:
        with refused("INVALID_REQUEST"):
            actor.retrieve({"cursor": cursor})

    @pytest.mark.parametrize(
        "query",
        ["the harp", "", "[]", "3", "null", '"harp"', {"texts": "harp"}, {"text": ""},
         {"text": " \n"}, {"text": 3}, {"ids": []}, {"ids": ["a", "a"]}, {"ids": [" "]},
         {"ids": "a"}, {"where": []}, {"where": {"content": 1}}, {"where": {"": 1}},
         {"where": {"/a~2": 1}}, {"where": {"/a~": 1}}, {"where": {"/a": {"$like": 1}}},
         {"where": {"/a": {"$": 1}}}, {"order": "best"}, {"order": None}, {"limit": 3}],
    )  # fmt: skip
    @spec("PP-5.10-query-shape")
    def test_085_a_query_of_another_shape_is_refused(self, actor: Actor, query: Any) -> None:
        with refused("INVALID_REQUEST"):
            actor.retrieve(query)

    @spec("PP-5.10-query-shape")
    def test_086_relevance_needs_text(self, actor: Actor) -> None:
        with refused("INVALID_REQUEST"):
            actor.retrieve({"order": "relevance"})
        assert actor.found({"order": "relevance", "text": "harp"}) == []

    @pytest.mark.parametrize("limit", [0, 101, -1, 1.5, "10", True])
    @spec("PP-5.10-limits")
    def test_087_limits(self, actor: Actor, limit: Any) -> None:
        with refused("INVALID_REQUEST"):
            actor.retrieve({}, limit=limit)

    @pytest.mark.parametrize("types", [[], ["person"], ["knowledge", ""], "knowledge", [3]])
    @spec("PP-5.10-limits")
    def test_087_types(self, actor: Actor, types: Any) -> None:
        with refused("INVALID_REQUEST"):
            actor.call("entity.retrieve", {"query": "{}", "types": types})

    @spec("PP-5.10-limits")
    def test_087_ten_hits_unless_told(self, actor: Actor) -> None:
        shelf(actor, *(knowledge("a") for _ in range(12)))
        assert len(actor.retrieve({}).data["hits"]) == 10
        assert len(actor.retrieve({}, limit=100).data["hits"]) == 12
        assert len(actor.retrieve({}, types=["knowledge", "knowledge"], limit=1).data["hits"]) == 1

    @spec("PP-1.7-check-order")
    def test_087_the_order_of_checks(self, actor: Actor) -> None:
        with refused("DEADLINE_EXCEEDED"):
            actor.retrieve("no object", limit=0, types=[], deadline_unix_ms=0)

    @spec("PP-5.10-conflicts")
    def test_088_a_conflict_is_one_hit_with_all_heads(self, actor: Actor) -> None:
        base = actor.create(knowledge("base"), id="k")
        actor.update("k", knowledge("the harp"), [base])
        actor.delete("k", [base])
        for query in ({"text": "harp"}, {"where": {"/content/text": "the harp"}}, {}):
            (hit,) = actor.retrieve(query).data["hits"]
            assert hit["variants"] == actor.read("k")["variants"]

    @spec("PP-5.10-conflicts")
    def test_088_all_conditions_hold_on_one_head(self, actor: Actor) -> None:
        base = actor.create(structured({}), id="k")
        for value in ({"a": "harp"}, {"b": "tower"}):
            actor.update("k", structured(value), [base], conflict_strategy="mvcc")
        both = {"text": "harp", "where": {"/content/value/b": "tower"}}
        assert actor.found(both) == []
        assert actor.found({"text": "harp", "where": {"/content/value/a": "harp"}}) == ["k"]

    @spec("PP-5.10-current-only")
    def test_089_only_what_is_current_is_found(self, actor: Actor) -> None:
        base = actor.create(knowledge("the old harp"), id="k")
        made = actor.update("k", knowledge("the new gong"), [base])
        assert actor.found({"text": "harp"}) == []
        assert actor.found({"text": "gong"}) == ["k"]
        actor.delete("k", [made])
        assert actor.found({"text": "gong"}) == []
        assert actor.found({}) == []

    @spec("KM-identity-scope-boundary")
    def test_089_another_scope_finds_nothing(self, actor: Actor) -> None:
        shelf(actor, knowledge("the harp"))
        for meta in ({"user_id": "other"}, {"workspace_id": "other"}, {"user_id": "%"}):
            for query in ({}, {"text": "harp"}, {"ids": ["k0"]}, {"text": "ha"}):
                assert actor.found(query, **meta) == []

    @spec("PP-3.3-rules")
    def test_087_types_agree_on_one_work_unit(self, house: House) -> None:
        """One type in a work unit and one that publishes at once are not asked together."""
        policy = default_policy()
        policy["entity_types"]["artifact"]["rules"] = []
        actor = self.enter(house, policy, transaction_id="t")
        with refused("INVALID_REQUEST"):
            actor.retrieve({}, types=["artifact", "knowledge"])
        assert actor.found({}, types=["knowledge"]) == []
        assert actor.found({}, types=["artifact"]) == []

    @spec("KM-S1-expired-left-out")
    def test_089_what_has_expired_is_left_out_when_asked(self, actor: Actor) -> None:
        """Expiry is descriptive: nothing sweeps, and a search leaves out what has passed."""
        now = actor.subject.clock.now
        times = {"past": moment(now - 1), "now": moment(now), "later": moment(now + 60_000),
                 "never": None, "odd": "some day", "zoneless": "2001-01-01T00:00:00"}  # fmt: skip
        for name, until in times.items():
            value = knowledge("harp")
            value["metadata"]["core"]["lifecycle"]["expires_at"] = until
            actor.create(value, id=name)
        left = ["later", "never", "odd", "zoneless"]
        for query in (
            {},
            {"text": "harp"},
            {"ids": [*times]},
            {"where": {"/content/kind": "text"}},
        ):
            assert sorted(actor.found(query, exclude_expired=True)) == left
            assert sorted(actor.found(query, exclude_expired=False)) == sorted(times)
            assert sorted(actor.found(query)) == sorted(times)
        actor.subject.clock.advance(ms=60_000)
        assert "later" not in actor.found({}, exclude_expired=True)
        assert actor.read("past")["state"] == "active"

    @pytest.mark.parametrize("exclude", ["yes", 1, []])
    @spec("KM-S1-expired-left-out")
    def test_089_leaving_out_is_true_or_false(self, actor: Actor, exclude: Any) -> None:
        with refused("INVALID_REQUEST"):
            actor.retrieve({}, exclude_expired=exclude)

    @spec("PP-5.10-where")
    def test_078_a_profile_dimension_is_found(self, actor: Actor) -> None:
        shelf(actor, with_profile(retrieval=["causal", "exact"]), with_profile())
        assert actor.found({"where": {"/profile/retrieval": {"$contains": "causal"}}}) == ["k0"]

    @spec("KM-identity-scope-boundary")
    @pytest.mark.parametrize(
        "odd", ["') OR 1=1 --", '"]', "$.x", "a'b", "\x00", "\u202e", "%", "_", "*", "a/b~c"]
    )
    def test_078_odd_keys_and_values_are_only_data(self, actor: Actor, odd: str) -> None:
        shelf(actor, structured({odd: odd}), structured({"x": "y"}))
        pointer = "/content/value/" + odd.replace("~", "~0").replace("/", "~1")
        assert actor.found({"where": {pointer: odd}}) == ["k0"]
        assert actor.found({"where": {pointer: "y"}}) == []
        assert (
            actor.also(user_id=odd).found(json.loads(json.dumps({"where": {pointer: odd}}))) == []
        )
