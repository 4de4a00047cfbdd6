"""The four layers, gates, repeats, strategies and grants of dialogue."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable
from typing import Any

import pytest

from talebearer.errors import UsageFault
from talebearer.lines import Explanation, Pack, Scene, Selector, load_pack, query_dialogue
from talebearer.memory import Event, EventDraft, Mind
from talebearer.vocabulary import EventKind, TrustTier

Build = Callable[..., Any]


def ids(explanation: Explanation) -> list[str]:
    """Return the ids in the draw, without slug and zeros, as ``odo 3``."""
    return [verdict.line_id for verdict in explanation.eligible]


def dropped(explanation: Explanation, line_id: str) -> tuple[str | None, str]:
    """Return stage and detail of one line."""
    found = [verdict for verdict in explanation.verdicts if verdict.line_id == line_id]
    return found[0].dropped_by, found[0].detail


def odo(*numbers: int) -> list[str]:
    """Return Odo Renn's line ids."""
    return [f"odo-renn_d_{number:03}" for number in numbers]


def change(scene: Scene, **fields: Any) -> Scene:
    """Return *scene* with other fields."""
    return dataclasses.replace(scene, **fields)


class TestLayers:
    """Access, situation, trust: each drops, and says what it found."""

    @pytest.mark.spec("LP-3.4-layer-1-access")
    def test_access(self, selector: Selector, scene: Scene) -> None:
        found = selector.explain_dialogue("odo-renn", scene, tick=0)
        assert dropped(found, "odo-renn_d_005") == ("access", "needs peer; found: public")

    @pytest.mark.spec("LP-3.4-layer-2-situation")
    def test_situation(self, selector: Selector, scene: Scene) -> None:
        found = selector.explain_dialogue("odo-renn", scene, tick=0)
        assert dropped(found, "odo-renn_d_007")[0] == "situation"
        assert dropped(found, "odo-renn_d_007")[1] == "needs confrontation; found: social"
        both = change(scene, situations=("social", "confrontation"))
        assert odo(7)[0] in ids(selector.explain_dialogue("odo-renn", both, tick=0))

    def test_no_situation_no_line(self, selector: Selector, scene: Scene) -> None:
        nothing = change(scene, situations=())
        assert selector.pick_dialogue("odo-renn", nothing, tick=0) is None

    @pytest.mark.spec("LP-3.4-layer-3-trust")
    @pytest.mark.parametrize("tier", TrustTier)
    def test_trust(self, selector: Selector, scene: Scene, tier: TrustTier) -> None:
        peer = change(scene, access="peer", trust=tier)
        found = selector.explain_dialogue("odo-renn", peer, tick=0)
        stage, detail = dropped(found, "odo-renn_d_005")
        if tier is TrustTier.SURFACE:
            assert (stage, detail) == ("trust", "needs real or beyond; found: surface")
        else:
            assert stage is None

    @pytest.mark.spec("LP-3.4-sequence")
    def test_the_first_layer_that_drops_is_named(self, selector: Selector, scene: Scene) -> None:
        """Odo's fifth line fails access, situation and trust here."""
        quiet = change(scene, situations=("routine",))
        found = selector.explain_dialogue("odo-renn", quiet, tick=0)
        assert dropped(found, "odo-renn_d_005")[0] == "access"
        peer = change(quiet, access="peer")
        found = selector.explain_dialogue("odo-renn", peer, tick=0)
        assert dropped(found, "odo-renn_d_005")[0] == "situation"

    def test_the_funnel_counts_what_is_left(self, selector: Selector, scene: Scene) -> None:
        found = selector.explain_dialogue("odo-renn", scene, tick=0)
        assert found.funnel == [
            ("lines", 9),
            ("access", 8),
            ("situation", 6),
            ("trust", 6),
            ("prerequisites", 4),
            ("once", 4),
            ("cooldown", 4),
            ("class", 4),
            ("repeat", 4),
            ("score", 4),
        ]

    def test_verdicts_are_in_pack_order(self, pack: Pack, selector: Selector, scene: Scene) -> None:
        found = selector.explain_dialogue("odo-renn", scene, tick=0)
        expected = [
            (pool.path, line.id)
            for pool in pack.pools_for("odo-renn", "the-quay")
            for line in pool.lines
        ]
        assert [(verdict.pool, verdict.line_id) for verdict in found.verdicts] == expected


class TestScore:
    """Layer 4: a shared tag attracts, foreign tags repel, no tags are neutral."""

    @pytest.mark.spec("LP-3.4-layer-4-score")
    @pytest.mark.parametrize(
        ("topics", "moods", "expected"),
        [
            ((), (), odo(1, 2, 3, 4)),
            (("cargo",), (), odo(2, 4)),
            (("cargo", "danger"), (), odo(4)),
            (("cargo",), ("anxious",), odo(4)),
            (("money",), (), odo(3)),
            ((), ("warm",), odo(1, 2, 3)),
            (("money",), ("anxious",), odo(3)),
        ],
    )
    def test_the_top_score_is_drawn_from(
        self,
        selector: Selector,
        scene: Scene,
        topics: tuple[str, ...],
        moods: tuple[str, ...],
        expected: list[str],
    ) -> None:
        asked = change(scene, topics=topics, moods=moods)
        assert ids(selector.explain_dialogue("odo-renn", asked, tick=0)) == expected

    @pytest.mark.spec("LP-3.4-neutral-untagged")
    def test_a_line_without_tags_is_neutral(self, selector: Selector, scene: Scene) -> None:
        asked = change(scene, topics=("danger",), moods=("warm",))
        found = selector.explain_dialogue("odo-renn", asked, tick=0)
        scores = {verdict.line_id: verdict.score for verdict in found.verdicts}
        assert [scores[line] for line in odo(1, 2, 3, 4)] == [0, -1, -1, 0]
        assert dropped(found, odo(2)[0]) == ("score", "score -1; the best is 0")

    @pytest.mark.spec("LP-9.2-query-dialogue")
    def test_the_query_gives_the_top_scored(self, pack: Pack) -> None:
        pool = pack.pools_for("odo-renn", "the-quay")[0]
        lines = query_dialogue(pool, "public", ["social"], TrustTier.SURFACE, ["cargo"], [])
        assert [line.id for line in lines] == odo(2, 4)
        assert query_dialogue(pool, "insider", ["social"], "surface", [], []) == []
        assert query_dialogue(pool, "public", ["social"], "no-tier", [], []) == []

    @pytest.mark.spec("LP-9.2-query-dialogue")
    def test_the_query_asks_what_is_known(
        self, pack: Pack, mind: Mind, walk_out: Callable[[], None]
    ) -> None:
        walk_out()
        pool = pack.pools_for("odo-renn", "the-quay")[0]
        asked = (pool, "public", ["social"], "surface", [], [])
        assert odo(6)[0] not in [line.id for line in query_dialogue(*asked)]
        assert odo(6)[0] in [line.id for line in query_dialogue(*asked, knowledge=mind.graph)]


class TestWalkOut:
    """What a character says before and after one left in the middle."""

    @pytest.mark.spec("LP-L11-dialogue-prerequisites")
    @pytest.mark.spec("IM-6-interaction-prerequisite")
    def test_before_and_after(
        self, selector: Selector, scene: Scene, walk_out: Callable[[], None]
    ) -> None:
        before = selector.explain_dialogue("odo-renn", scene, tick=5)
        assert ids(before) == odo(1, 2, 3, 4)
        assert dropped(before, odo(6)[0]) == (
            "prerequisites",
            "needs: a walked_away interaction with npc:odo-renn; found: never met",
        )
        walk_out()
        after = selector.explain_dialogue("odo-renn", scene, tick=5)
        assert ids(after) == odo(1, 2, 3, 4, 6)
        pick = selector.pick_dialogue("odo-renn", scene, tick=5, strategy="best_specific")
        assert pick.line.text == "You left me talking to the tide."
        assert pick.verdict.gates[0].fact_ids == ("interaction.odo-renn_001",)


class TestRepeat:
    """No line twice in a row while another passes."""

    def hear(self, tell: Callable[..., Mind], line: str, *, pool: str = "odo-renn") -> None:
        path = f"campaigns/tollhouse/dialogue/the-quay/{pool}"
        tell("line_fired", pool=path, line=line, speaker="odo-renn")

    @pytest.mark.spec("LP-L3-no-immediate-repeat")
    def test_the_last_line_steps_back(
        self, selector: Selector, scene: Scene, tell: Callable[..., Mind]
    ) -> None:
        """The only line about money steps back before scoring, so any of the others comes."""
        self.hear(tell, "odo-renn_d_003")
        asked = change(scene, topics=("money",))
        found = selector.explain_dialogue("odo-renn", asked, tick=2)
        assert dropped(found, "odo-renn_d_003")[0] == "repeat"
        assert ids(found) == odo(1)

    @pytest.mark.spec("LP-L3-no-immediate-repeat")
    def test_only_the_very_last_one(
        self, selector: Selector, scene: Scene, tell: Callable[..., Mind]
    ) -> None:
        self.hear(tell, "odo-renn_d_003")
        self.hear(tell, "odo-renn_d_007")
        asked = change(scene, topics=("money",))
        assert ids(selector.explain_dialogue("odo-renn", asked, tick=2)) == odo(3)

    @pytest.mark.spec("LP-L3-no-immediate-repeat")
    def test_a_lone_line_stays(
        self, selector: Selector, scene: Scene, tell: Callable[..., Mind]
    ) -> None:
        self.hear(tell, "odo-renn_d_007")
        quarrel = change(scene, situations=("confrontation",))
        assert ids(selector.explain_dialogue("odo-renn", quarrel, tick=2)) == odo(7)

    @pytest.mark.spec("LP-L3-no-immediate-repeat")
    def test_two_lines_take_turns(
        self,
        make_pack: Build,
        dialogue: Build,
        dialogue_pool: Build,
        scene: Scene,
        mind: Mind,
        tell: Callable[..., Mind],
    ) -> None:
        pool = dialogue_pool("odo-renn", "x", dialogue(1, "Tick."), dialogue(2, "Tock."))
        selector = Selector(make_pack(pool), mind, seed=1)
        said = []
        for tick in range(6):
            pick = selector.pick_dialogue("odo-renn", scene, tick=tick)
            said.append(pick.line.text)
            self.hear(tell, pick.line.id)
        assert set(said) == {"Tick.", "Tock."}
        assert all(first != then for first, then in itertools.pairwise(said))

    @pytest.mark.spec("LP-L1-composite-key")
    def test_the_same_id_in_the_role_s_file_is_no_repeat(
        self,
        make_pack: Build,
        dialogue: Build,
        dialogue_pool: Build,
        scene: Scene,
        mind: Mind,
        tell: Callable[..., Mind],
    ) -> None:
        own = dialogue_pool("odo-renn", "toll-clerk", dialogue(1, "Mine."))
        shared = dialogue_pool("toll-clerk", "toll-clerk", dialogue(1, "Ours."))
        selector = Selector(make_pack(own, shared), mind, seed=1)
        self.hear(tell, "odo-renn_d_001", pool="toll-clerk")
        found = selector.explain_dialogue("odo-renn", scene, tick=2)
        assert [verdict.text for verdict in found.eligible] == ["Mine."]

    def test_lines_of_others_do_not_count(
        self, selector: Selector, scene: Scene, tell: Callable[..., Mind]
    ) -> None:
        self.hear(tell, "odo-renn_d_003")
        self.hear(tell, "mira-soot_d_001", pool="mira-soot")
        found = selector.explain_dialogue("odo-renn", scene, tick=2)
        assert dropped(found, "odo-renn_d_003")[0] == "repeat"


class TestStrategies:
    """Named ways to draw."""

    @pytest.mark.spec("LP-L3-strategies")
    def test_weighted_doubles_with_each_point(self, selector: Selector, scene: Scene) -> None:
        asked = change(scene, topics=("cargo", "danger"), moods=("anxious",))
        found = selector.explain_dialogue("odo-renn", asked, tick=0, strategy="weighted")
        weights = {verdict.line_id: verdict.weight for verdict in found.eligible}
        assert weights == dict(zip(odo(1, 2, 3, 4), (4, 8, 2, 32), strict=True))
        assert sum(verdict.probability for verdict in found.eligible) == 1
        assert found.funnel[-1] == ("repeat", 4)

    @pytest.mark.spec("LP-L3-strategies")
    def test_least_recent_comes_round(
        self, pack: Pack, selector: Selector, scene: Scene, tell: Callable[..., Mind]
    ) -> None:
        heard = []
        for tick in range(1, 9):
            pick = selector.pick_dialogue("odo-renn", scene, tick=tick, strategy="least_recent")
            heard.append(pick.line.id)
            for effect in pick.effects:
                tell(effect.kind, tick=tick, **effect.data)
        assert sorted(heard[:4]) == odo(1, 2, 3, 4)
        assert heard[4:] == heard[:4]

    @pytest.mark.spec("LP-L3-strategies")
    def test_least_recent_keeps_to_the_subject(
        self, selector: Selector, scene: Scene, tell: Callable[..., Mind]
    ) -> None:
        """Lines never heard do not come before those with the top score."""
        pool = "campaigns/tollhouse/dialogue/the-quay/odo-renn"
        for number in (2, 4, 7):
            tell("line_fired", tick=number, pool=pool, line=odo(number)[0])
        asked = change(scene, topics=("cargo",))
        found = selector.explain_dialogue("odo-renn", asked, tick=9, strategy="least_recent")
        assert ids(found) == odo(2)
        assert dropped(found, odo(1)[0])[0] == "score"

    def test_least_recent_says_when(
        self, selector: Selector, scene: Scene, tell: Callable[..., Mind]
    ) -> None:
        pool = "campaigns/tollhouse/dialogue/the-quay/odo-renn"
        for number in (1, 2):
            tell("line_fired", tick=number, pool=pool, line=odo(number)[0])
        found = selector.explain_dialogue("odo-renn", scene, tick=9, strategy="least_recent")
        assert dropped(found, odo(1)[0]) == (
            "recency",
            "heard at tick 1; another was never heard",
        )

    @pytest.mark.spec("LP-L3-strategies")
    def test_best_specific_counts_gates(
        self, selector: Selector, scene: Scene, walk_out: Callable[[], None]
    ) -> None:
        walk_out()
        found = selector.explain_dialogue("odo-renn", scene, tick=2, strategy="best_specific")
        assert ids(found) == odo(6)
        assert dropped(found, odo(1)[0]) == ("specificity", "gates 0; the best is 1")

    @pytest.mark.spec("LP-L3-strategies")
    def test_an_unknown_one_is_refused(self, selector: Selector, scene: Scene) -> None:
        with pytest.raises(UsageFault, match="TB111") as caught:
            selector.pick_dialogue("odo-renn", scene, tick=0, strategy="top-scored")
        assert "top_scored" in caught.value.hint


class TestRefusals:
    """A word that no line can have is a mistake, not a scene without lines."""

    @pytest.mark.parametrize(
        ("fields", "near"),
        [
            ({"access": "pubilc"}, "public"),
            ({"trust": "reel"}, "real"),
            ({"situations": ("sociall",)}, "social"),
            ({"topics": ("crago",)}, "cargo"),
            ({"moods": ("warmth",)}, "warm"),
        ],
    )
    def test_words_of_the_scene(
        self, selector: Selector, scene: Scene, fields: dict[str, Any], near: str
    ) -> None:
        with pytest.raises(UsageFault) as caught:
            selector.explain_dialogue("odo-renn", change(scene, **fields), tick=0)
        assert f"did you mean {near}?" in caught.value.hint

    @pytest.mark.parametrize("tick", [-1, True, 1.0])
    def test_ticks(self, selector: Selector, scene: Scene, tick: Any) -> None:
        with pytest.raises(UsageFault):
            selector.pick_dialogue("odo-renn", scene, tick=tick)

    def test_speakers(self, selector: Selector, scene: Scene) -> None:
        with pytest.raises(UsageFault, match="Odo Renn"):
            selector.pick_dialogue("Odo Renn", scene, tick=0)

    def test_seeds(self, pack: Pack, mind: Mind) -> None:
        with pytest.raises(UsageFault):
            Selector(pack, mind, seed="7")  # type: ignore[arg-type]  # reason: what is tested


class TestEffects:
    """A pick changes nothing; it says what would."""

    @pytest.fixture
    def friend(self, scene: Scene) -> Scene:
        return change(scene, access="peer", trust="real", topics=("cargo",))

    @pytest.mark.spec("LP-L13-grant")
    def test_a_grant_is_told_by_the_speaker(self, selector: Selector, friend: Scene) -> None:
        picks = [selector.pick_dialogue("odo-renn", friend, tick=tick) for tick in range(40)]
        granting = next(pick for pick in picks if pick.line.knowledge_grant)
        assert granting.effects == (
            EventDraft(
                mind="party",
                kind=EventKind.LINE_FIRED,
                data={"pool": granting.pool, "line": "odo-renn_d_005", "speaker": "odo-renn"},
            ),
            EventDraft(
                mind="party",
                kind=EventKind.FACT_LEARNED,
                data={
                    "fact_id": "ledger.false_weights",
                    "confidence": "knows_of",
                    "source": {"kind": "told_by", "payload": {"entity": "npc:odo-renn"}},
                },
            ),
        )

    @pytest.mark.spec("LP-L13-grant")
    def test_memory_takes_the_effects_and_the_gate_opens(
        self, selector: Selector, friend: Scene, tell: Callable[..., Mind], mind: Mind
    ) -> None:
        assert odo(8)[0] not in ids(selector.explain_dialogue("odo-renn", friend, tick=1))
        picks = [selector.pick_dialogue("odo-renn", friend, tick=tick) for tick in range(40)]
        granting = next(pick for pick in picks if pick.line.knowledge_grant)
        for effect in granting.effects:
            tell(effect.kind, **effect.data)
        fact = mind.graph.fact("ledger.false_weights")
        assert (fact.confidence, fact.learned_via.payload["entity"]) == ("knows_of", "npc:odo-renn")
        neutral = change(friend, topics=())
        assert odo(8)[0] in ids(selector.explain_dialogue("odo-renn", neutral, tick=2))

    def test_the_mind_is_left_as_it_was(
        self, selector: Selector, friend: Scene, mind: Mind
    ) -> None:
        before = mind.dumps()
        selector.pick_dialogue("odo-renn", friend, tick=1)
        selector.explain_dialogue("odo-renn", friend, tick=1)
        selector.pick_monologue("smuggler", "enter_location", location="the-quay", tick=1)
        assert mind.dumps() == before

    def test_a_pick_is_ready_for_json(self, selector: Selector, scene: Scene) -> None:
        pick = selector.pick_dialogue("odo-renn", scene, tick=1)
        value = pick.as_json()
        assert value["effects"][0]["kind"] == "line_fired"
        assert value["verdict"]["probability_ratio"] == "1/4"
        funnel = selector.explain_dialogue("odo-renn", scene, tick=1).as_json()["funnel"]
        assert funnel[0] == ["lines", 9]


def test_a_shared_line_is_said_by_whoever_speaks(selector: Selector, scene: Scene) -> None:
    quiet = change(scene, situations=("routine",))
    pick = selector.pick_dialogue("odo-renn", quiet, tick=0)
    assert pick.line.text == "Next!"
    assert pick.effects[0].data["speaker"] == "odo-renn"


def test_a_trust_tier_of_the_campaign_s_own(
    value: dict[str, Any], encode: Callable[[Any], bytes], scene: Scene
) -> None:
    value["enums"]["trust"] = ["surface", "kin", "real"]
    value["pools"][1]["lines"][0]["trust"] = "kin"
    selector = Selector(load_pack(encode(value)), Mind("party"), seed=1)
    assert odo(1)[0] not in ids(selector.explain_dialogue("odo-renn", scene, tick=0))
    kin = change(scene, trust="kin")
    assert odo(1)[0] in ids(selector.explain_dialogue("odo-renn", kin, tick=0))


def test_picks_of_one_tick_differ_by_the_count_of_lines_heard(
    selector: Selector, scene: Scene, mind: Mind
) -> None:
    """Lines of anybody heard in a tick move the draw on, so equal pools do not march in step."""
    seen = set()
    for sequence in range(1, 30):
        seen.add(selector.pick_dialogue("odo-renn", scene, tick=3).line.id)
        data = {"pool": "elsewhere", "line": f"x_d_{sequence:03}"}
        mind.apply(
            Event(
                stream="live",
                sequence=sequence,
                tick=3,
                kind=EventKind.LINE_FIRED,
                data=data,
            )
        )
    assert seen == set(odo(1, 2, 3, 4))


@pytest.mark.spec("LP-3.3-tags-ignored")
@pytest.mark.spec("LP-5.4-id-is-the-reference")
def test_new_texts_and_tags_change_no_pick(
    value: dict[str, Any], encode: Callable[[Any], bytes], scene: Scene, selector: Selector
) -> None:
    for pool in value["pools"]:
        for line in pool["lines"]:
            line["text"], line["tags"] = "New.", ["cargo", "urgent"]
    other = Selector(load_pack(encode(value)), Mind("party"), seed=7)
    for tick in range(20):
        before = selector.pick_dialogue("odo-renn", scene, tick=tick)
        after = other.pick_dialogue("odo-renn", scene, tick=tick)
        assert (before.pool, before.line.id) == (after.pool, after.line.id)


@pytest.mark.spec("LP-3.4-random-among-top")
def test_every_top_line_comes_up(selector: Selector, scene: Scene) -> None:
    picks = [selector.pick_dialogue("odo-renn", scene, tick=tick) for tick in range(100)]
    assert {pick.line.id for pick in picks} == set(odo(1, 2, 3, 4))


def test_a_pick_without_its_verdict_is_the_same_line(selector: Selector, scene: Scene) -> None:
    full = selector.pick_dialogue("odo-renn", scene, tick=5)
    bare = selector.pick_dialogue("odo-renn", scene, tick=5, verdict=False)
    assert full is not None
    assert bare is not None
    assert (bare.pool, bare.line_id, bare.text) == (full.pool, full.line_id, full.text)
    assert bare.effects == full.effects
    with pytest.raises(UsageFault, match="without its verdict"):
        _ = bare.verdict
