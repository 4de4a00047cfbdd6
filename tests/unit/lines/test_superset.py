"""Gates and effects beyond the specification's own."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from typing import Any

import pytest

from talebearer.errors import InvalidPack, UsageFault
from talebearer.lines import GateResult, Pack, Scene, Selector, load_pack
from talebearer.memory import Event, Mind
from talebearer.vocabulary import EventKind

Tell = Callable[..., Mind]
ODO = "npc:odo-renn"
SEEN = {"kind": "direct_observation", "payload": {}}
WEIGHTS = "ledger.false_weights"
STATE = {
    "timers": {"bell": {"scope": "player"}, "tea": {"scope": "pair"}},
    "counters": {"toasts": {"scope": "player", "initial": 2}, "told": {"scope": "line"}},
    "values": {
        "tide": {"scope": "world", "type": "text", "initial": "in"},
        "debt": {"scope": "player", "type": "number"},
        "lamp": {"scope": "player", "type": "flag", "initial": False},
    },
    "classes": {
        "speech": {"excluded_by": ["speech", "shout"]},
        "shout": {"interrupts": ["speech"], "excluded_by": ["shout", "speech"]},
    },
}
TRIGGERS = {"enter_location": {"fields": {"item": "text", "size": "number", "wet": "flag"}}}


@pytest.fixture
def build(value: dict[str, Any], encode: Any) -> Callable[..., Pack]:
    """Load the pack with these pools, its state declared."""

    def make(*pools: Any, **more: Any) -> Pack:
        found = {**copy.deepcopy(value), "state": STATE, "triggers": TRIGGERS, **more}
        return load_pack(encode({**found, "pools": list(pools)}))

    return make


@pytest.fixture
def look(
    build: Callable[..., Pack], dialogue: Any, dialogue_pool: Any, scene: Scene, mind: Mind
) -> Callable[..., GateResult]:
    """Return the one gate of a line with this condition."""

    def ask(condition: dict[str, Any], *, tick: int = 9, **more: Any) -> GateResult:
        line = dialogue(1, "Hm.", when=condition)
        world = more.pop("world", None)
        pack = build(dialogue_pool("odo-renn", "x", line), **more)
        selector = Selector(pack, mind, seed=0, world=world)
        (verdict,) = selector.explain_dialogue("odo-renn", scene, tick=tick).verdicts
        (result,) = verdict.gates
        assert (verdict.dropped_by is None) is result.met
        return result

    return ask


def talk(tell: Tell, *endings: str, tick: int = 1) -> None:
    for ending in endings:
        start = {"target": ODO, "player_initiated": True, "location": "the-quay"}
        tell("interaction_started", tick=tick, **start)
        data = {"topics": []} if ending == "completed" else {}
        tell(f"interaction_{ending}", tick=tick, target=ODO, **data)


class TestFacts:
    @pytest.mark.parametrize(
        ("known", "gate", "met"),
        [
            ("knows_of", {"confidence": "knows_of"}, True),
            ("direct", {"confidence": "knows_of"}, False),
            ("direct", {"absent": True}, False),
            (None, {"absent": True}, True),
            (None, {"confidence": "suspects"}, False),
        ],
    )
    def test_exactly_and_absent(
        self, look: Any, tell: Tell, known: str | None, gate: Any, met: bool
    ) -> None:
        if known is not None:
            tell("fact_learned", fact_id=WEIGHTS, confidence=known, source=SEEN)
        assert look({"facts": [{"fact_id": WEIGHTS, **gate}]}).met is met

    def test_what_nobody_declared_is_not_absent_either(self, look: Any) -> None:
        result = look({"facts": [{"fact_id": "ledger.nothing", "absent": True}]})
        assert (result.met, result.found) == (
            False,
            "never learned, and no fact of that id is declared",
        )
        assert look({"facts": [{"fact_id": "interaction.odo-renn_001", "absent": True}]}).met

    @pytest.mark.spec("LP-L13-fact-state-gate")
    def test_another_state(self, look: Any, tell: Tell) -> None:
        tell("fact_learned", fact_id=WEIGHTS, confidence="direct", source=SEEN)
        tell("fact_state_changed", fact_id=WEIGHTS, state="stale")
        gate = {"fact_id": WEIGHTS, "fact_state": "stale", "min_confidence": "knows_of"}
        assert look({"facts": [gate]}).met
        assert look({"facts": [{"fact_id": WEIGHTS, "absent": True}]}).met
        assert not look({"facts": [{**gate, "fact_state": "contradicted"}]}).met


@pytest.mark.spec("LP-M7-gossip-gate")
@pytest.mark.parametrize(
    ("gate", "met"),
    [
        ({"about": ODO}, True),
        ({"about": ODO, "state": "walked_away", "target": "npc:mira-soot"}, True),
        ({"about": ODO, "state": "completed"}, False),
        ({"about": ODO, "state": "confrontation"}, False),
        ({"about": ODO, "target": "npc:vesk"}, False),
        ({"about": "npc:mira-soot"}, False),
    ],
)
def test_gossip_is_read_by_whom_it_is_about_how_it_ended_and_to_whom(
    look: Any, tell: Tell, gate: Any, met: bool
) -> None:
    tell(
        "gossip_heard",
        about=ODO,
        mind=ODO,
        fact_id="interaction.mira-soot_001",
        teller="npc:mira-soot",
        confidence="knows_of",
        target="npc:mira-soot",
        interaction_state="walked_away",
    )
    result = look({"gossip": [gate]})
    assert result.met is met
    assert result.fact_ids == (("gossip.odo-renn_001",) if met else ())


@pytest.mark.parametrize(
    ("seen", "bounds", "met"),
    [
        ("12", {">=": 12}, True),
        ("12", {">": 10, "<": 12}, False),
        ("-1.5", {"<": 0}, True),
        ("many", {">=": 0}, False),
        ("12", {"=": "12"}, True),
        ("12", {"!=": "13"}, True),
        ("12", {"=": True}, False),
        (None, {"!=": "x"}, False),
    ],
)
def test_attributes_compare_as_numbers_and_texts(
    look: Any, tell: Tell, seen: str | None, bounds: Any, met: bool
) -> None:
    attributes = {} if seen is None else {"age": seen}
    tell("entity_observed", target=ODO, confidence="direct", source=SEEN, attributes=attributes)
    gate = {"entity": ODO, "key": "age", **bounds}
    assert look({"entity_attributes": [gate]}).met is met


class TestInteractions:
    @pytest.mark.spec("LP-L6-never-met")
    @pytest.mark.parametrize(
        ("gate", "never", "once"),
        [
            ({"count": 0}, True, False),
            ({"count": {"<=": 1}}, True, True),
            ({"count": {"!=": 1}}, True, False),
            ({"count": {">=": 2}}, False, False),
            ({"count": 0, "within": 5}, False, False),
            ({"count": {">=": 0}, "older_than": 5}, False, True),
            ({"within": 5}, False, False),
            ({"within": 8}, False, True),
            ({"older_than": 7}, False, True),
            ({"older_than": 8}, False, False),
            ({"older_than": 7, "within": 8}, False, True),
        ],
    )
    def test_counts_from_zero_and_ages(
        self, look: Any, tell: Tell, gate: Any, never: bool, once: bool
    ) -> None:
        """What never happened is neither young nor old."""
        asked = {"interactions": [{"target": ODO, **gate}]}
        assert look(asked).met is never
        talk(tell, "completed")
        assert look(asked).met is once

    def test_several_at_once(self, look: Any, tell: Tell) -> None:
        wanted = [{"target": ODO, "state": state} for state in ("completed", "walked_away")]
        both = {"all_of": [{"interactions": wanted}]}
        talk(tell, "completed")
        assert not look(both).met
        talk(tell, "walked_away")
        assert look(both).met


class TestCells:
    @pytest.mark.parametrize(
        ("gate", "never", "stamped"),
        [
            ({"never": True}, True, False),
            ({"within": 8}, False, True),
            ({"within": 7}, False, False),
            ({"older_than": 7}, False, True),
            ({"older_than": 8}, False, False),
        ],
    )
    def test_timers(self, look: Any, tell: Tell, gate: Any, never: bool, stamped: bool) -> None:
        asked = {"timers": [{"timer": "bell", **gate}]}
        assert look(asked).met is never
        tell("timer_stamped", tick=1, timer="bell")
        result = look(asked)
        assert result.met is stamped
        assert result.cells == (("timer", "party", ("bell", "", "", "")),)

    def test_counters_begin_at_their_initial_value(self, look: Any, tell: Tell) -> None:
        asked = {"counters": [{"counter": "toasts", ">=": 3}]}
        assert (look(asked).met, look(asked).found) == (False, "2")
        tell("counter_added", counter="toasts", by=1)
        assert look(asked).met

    @pytest.mark.parametrize(
        ("name", "bounds", "met"),
        [
            ("tide", {"=": "in"}, True),
            ("tide", {"!=": 3}, False),
            ("debt", {"!=": 3}, False),
            ("lamp", {"=": False}, True),
            ("lamp", {"=": 0}, False),
        ],
    )
    def test_values_are_of_their_type_or_nothing(
        self, look: Any, name: str, bounds: Any, met: bool
    ) -> None:
        assert look({"values": [{"value": name, **bounds}]}).met is met

    def test_what_the_world_holds_is_for_every_mind(self, look: Any) -> None:
        world = Mind("world")
        data = {"value": "tide", "to": "out"}
        world.apply(Event(stream="s", sequence=1, tick=1, kind=EventKind.VALUE_SET, data=data))
        result = look({"values": [{"value": "tide", "=": "out"}]}, world=world)
        assert result.met
        assert result.cells[0][1] == "world"

    @pytest.mark.spec("LP-L6-undeclared-is-false")
    @pytest.mark.parametrize(
        ("condition", "found"),
        [
            ({"timers": [{"timer": "x", "never": True}]}, "no timer of that id is declared"),
            ({"counters": [{"counter": "x", "=": 0}]}, "no counter of that id is declared"),
            ({"values": [{"value": "x", "!=": 0}]}, "no value of that id is declared"),
            ({"conditions": ["x"]}, "no condition of that name is declared"),
            ({"event": {"x": {"!=": 0}}}, "no trigger has a field of that name"),
        ],
    )
    def test_what_nobody_declared_is_false_and_says_so(
        self, look: Any, condition: Any, found: str
    ) -> None:
        assert (look(condition).met, look(condition).found) == (False, found)
        assert look({"not": condition}).met


YES: dict[str, Any] = {"interactions": [{"target": ODO, "count": 0}]}
NO: dict[str, Any] = {"interactions": [{"target": ODO}]}


class TestLogic:
    @pytest.mark.spec("LP-L6-superset")
    @pytest.mark.parametrize(
        ("condition", "met"),
        [
            ({"all_of": [YES, YES]}, True),
            ({"all_of": [YES, NO]}, False),
            ({"any_of": [NO, YES]}, True),
            ({"any_of": [NO, NO]}, False),
            ({"not": NO}, True),
            ({"not": {**YES, "any_of": [NO]}}, True),
            ({"conditions": ["yes"]}, True),
            ({"conditions": ["no"]}, False),
            ({"conditions": ["through"]}, True),
        ],
    )
    def test_all_any_not_and_named(self, look: Any, condition: Any, met: bool) -> None:
        named = {"yes": YES, "no": NO, "through": {"not": {"conditions": ["no"]}}}
        assert look(condition, conditions=named).met is met

    def test_named_conditions_in_a_circle_are_refused(self, look: Any) -> None:
        named = {"a": {"conditions": ["b"]}, "b": {"not": {"conditions": ["a"]}}}
        with pytest.raises(InvalidPack, match="a -> b -> a"):
            look(YES, conditions=named)

    def test_conditions_that_double_at_every_step_are_answered_at_once(self, look: Any) -> None:
        """Thirty steps would be a thousand million answers."""
        named: dict[str, Any] = {"c0": YES}
        for n in range(1, 31):
            inner = {"conditions": [f"c{n - 1}"]}
            named[f"c{n}"] = {"all_of": [inner, inner]}
        assert look({"conditions": ["c30"]}, conditions=named).met

    def test_a_named_condition_says_what_of_it_is_not_met(self, look: Any) -> None:
        named = {
            "met": YES,
            "never": {"not": {"conditions": ["met"]}},
            "both": {"conditions": ["met"], "all_of": [NO]},
        }
        found = look({"conditions": ["never"]}, conditions=named)
        assert (found.met, found.found) == (False, "not: the condition met: met")
        assert [part.kind for part in found.parts] == ["not"]
        found = look({"conditions": ["both"]}, conditions=named)
        assert found.found.startswith(next(part.text for part in found.parts if not part.met))

    def test_too_deep_is_refused(self, look: Any) -> None:
        deep: dict[str, Any] = YES
        for _ in range(100):
            deep = {"not": deep}
        with pytest.raises(InvalidPack, match="deep"):
            look(deep)


class TestReplies:
    @pytest.mark.parametrize(
        ("gate", "met"),
        [
            ({"line": "p/q#x_d_001"}, True),
            ({"line": "p/q#x_d_002"}, False),
            ({"character": "wick"}, True),
            ({"character": "odo-renn"}, False),
            ({"character": "wick", "after": 5}, True),
            ({"character": "wick", "after": 6}, False),
            ({"character": "wick", "within": 5}, True),
            ({"character": "wick", "within": 4}, False),
        ],
    )
    def test_the_last_thing_said_is_answered(
        self, look: Any, tell: Tell, gate: Any, met: bool
    ) -> None:
        assert not look({"reply_to": gate}).met
        tell("line_fired", tick=3, pool="p/q", line="x_d_009", speaker="vesk")
        tell("line_fired", tick=4, pool="p/q", line="x_d_001", speaker="wick")
        tell("line_fired", tick=5, pool="p/q", line="x_m_s_001")
        assert look({"reply_to": gate}).met is met

    def test_a_renamed_line_is_answered_under_its_former_name(
        self, build: Any, dialogue: Any, dialogue_pool: Any, scene: Scene, mind: Mind, tell: Tell
    ) -> None:
        path = "campaigns/tollhouse/dialogue/the-quay/odo-renn"
        new = dialogue(2, "New.", aliases=[f"{path}#odo-renn_d_009"])
        answer = dialogue(3, "So.", when={"reply_to": {"line": f"{path}#odo-renn_d_002"}})
        selector = Selector(build(dialogue_pool("odo-renn", "x", new, answer)), mind, seed=1)
        tell("line_fired", pool=path, line="odo-renn_d_009", speaker="odo-renn")
        found = selector.explain_dialogue("odo-renn", scene, tick=2)
        assert [one.text for one in found.eligible] == ["So."]
        assert found.verdicts[0].dropped_by == "repeat"


class TestEvents:
    @pytest.mark.parametrize(
        ("gate", "event", "met"),
        [
            ({"item": {"=": "lamp"}}, {"item": "lamp"}, True),
            ({"item": {"=": "lamp"}}, {"item": "rope"}, False),
            ({"item": {"!=": "lamp"}}, {}, False),
            ({"size": {">": 1, "<=": 3}}, {"size": 3}, True),
            ({"wet": {"=": True}, "size": {"=": 1}}, {"wet": True, "size": 1}, True),
        ],
    )
    def test_fields_of_what_happened(
        self,
        build: Any,
        thought: Any,
        monologue_pool: Any,
        mind: Mind,
        gate: Any,
        event: Any,
        met: bool,
    ) -> None:
        pool = monologue_pool("smuggler", "the-quay", thought(1, "Hm.", when={"event": gate}))
        selector = Selector(build(pool), mind, seed=1)
        asked: Any = {"location": "the-quay", "tick": 1, "event": event}
        assert (selector.pick_monologue("smuggler", "enter_location", **asked) is not None) is met

    @pytest.mark.parametrize(
        ("event", "said"),
        [({"itme": "lamp"}, "did you mean item"), ({"size": "big"}, "give a number")],
    )
    def test_what_the_trigger_does_not_declare_is_a_mistake(
        self, build: Any, thought: Any, monologue_pool: Any, mind: Mind, event: Any, said: str
    ) -> None:
        pool = monologue_pool("smuggler", "the-quay", thought(1, "Hm."))
        selector = Selector(build(pool), mind, seed=1)
        with pytest.raises(UsageFault) as caught:
            selector.pick_monologue(
                "smuggler", "enter_location", location="the-quay", tick=1, event=event
            )
        assert said in caught.value.hint


@pytest.fixture
def say(mind: Mind, tell: Tell, scene: Scene) -> Callable[..., list[Any]]:
    """Let somebody speak for some ticks, and the minds remember it."""

    def speak(
        pack: Pack,
        ticks: range,
        *,
        speaker: str = "odo-renn",
        world: Mind | None = None,
        **asked: Any,
    ) -> list[Any]:
        world = Mind("world") if world is None else world
        selector = Selector(pack, mind, seed=5, world=world)
        picks = []
        for tick in ticks:
            pick = selector.pick_dialogue(speaker, scene, tick=tick, **asked)
            picks.append(pick)
            for effect in pick.effects if pick else ():
                if effect.mind == "world":
                    place = world.next_sequence("s")
                    world.apply(effect.event("s", place, tick=tick))
                else:
                    tell(effect.kind, tick=tick, **effect.data)
        return picks

    return speak


class TestOnceAndCooldown:
    @pytest.mark.parametrize(
        ("scope", "again", "other", "stranger"),
        [
            ("line", False, False, True),
            ("player", False, False, True),
            ("pair", False, True, True),
            ("character", False, True, False),
            ("world", False, False, False),
        ],
    )
    @pytest.mark.spec("LP-L6-once")
    def test_once_in_its_scope(
        self,
        build: Any,
        dialogue: Any,
        dialogue_pool: Any,
        say: Any,
        scene: Scene,
        value: Any,
        scope: str,
        again: bool,
        other: bool,
        stranger: bool,
    ) -> None:
        """Odo says it; then Odo again, Mira to the same, and Odo to another mind."""
        value["profiles"]["mira-soot"]["role"] = "toll-clerk"
        shared = dialogue_pool("toll-clerk", "toll-clerk", dialogue(1, "Once.", once=scope))
        pack = build(shared, profiles=value["profiles"])
        world = Mind("world")
        assert say(pack, range(1, 3), world=world)[1:] == [None]
        found = say(pack, range(3, 4), speaker="mira-soot", world=Mind.loads(world.dumps()))
        assert (found[0] is not None) is other
        elsewhere = Selector(pack, Mind("pc:wren"), seed=1, world=world)
        assert (elsewhere.pick_dialogue("odo-renn", scene, tick=9) is not None) is stranger

    def test_a_spoken_line_rests_with_its_speaker(
        self, build: Any, dialogue: Any, dialogue_pool: Any, say: Any, value: Any
    ) -> None:
        value["profiles"]["mira-soot"]["role"] = "toll-clerk"
        shared = dialogue_pool("toll-clerk", "toll-clerk", dialogue(1, "Hm.", cooldown=3))
        pack = build(shared, profiles=value["profiles"])
        assert [one is not None for one in say(pack, range(1, 8))] == [
            True,
            False,
            False,
            True,
            False,
            False,
            True,
        ]
        assert say(pack, range(8, 9), speaker="mira-soot") != [None]

    def test_a_renamed_line_is_no_fresh_one_and_a_new_one_is(
        self, build: Any, dialogue: Any, dialogue_pool: Any, say: Any
    ) -> None:
        path = "campaigns/tollhouse/dialogue/the-quay/odo-renn"
        say(build(dialogue_pool("odo-renn", "x", dialogue(1, "Old.", once="player"))), range(1, 2))
        renamed = dialogue(2, "Old.", once="player", aliases=[f"{path}#odo-renn_d_001"])
        assert say(build(dialogue_pool("odo-renn", "x", renamed)), range(2, 3)) == [None]
        new = dialogue(3, "New.", once="player")
        found = say(build(dialogue_pool("odo-renn", "x", renamed, new)), range(3, 4))
        assert found[0].text == "New."
        back = dialogue(1, "Of the old name.", once="player")
        found = say(build(dialogue_pool("odo-renn", "x", back, renamed)), range(4, 5))
        assert found[0].text == "Old.", "a name that a line has now counts for that line alone"

    @pytest.mark.spec("LP-L1-one-claim")
    def test_a_former_name_that_two_lines_claim_is_the_last_one_s(
        self, build: Any, dialogue: Any, dialogue_pool: Any, say: Any
    ) -> None:
        path = "campaigns/tollhouse/dialogue/the-quay/odo-renn"
        say(build(dialogue_pool("odo-renn", "x", dialogue(1, "Old.", once="player"))), range(1, 2))
        claim = [f"{path}#odo-renn_d_001"]
        first = dialogue(2, "First.", once="player", aliases=claim)
        last = dialogue(3, "Last.", once="player", aliases=claim)
        found = say(build(dialogue_pool("odo-renn", "x", last, first)), range(2, 4))
        assert [one and one.text for one in found] == ["First.", None]


class TestVariants:
    @pytest.mark.spec("LP-L6-variants")
    def test_none_comes_again_before_all_were_heard_nor_twice_in_a_row(
        self, build: Any, dialogue: Any, dialogue_pool: Any, say: Any
    ) -> None:
        line = dialogue(1, "One.", variants=["Two.", "Three."])
        picks = say(build(dialogue_pool("odo-renn", "x", line)), range(1, 31))
        texts = [pick.text for pick in picks]
        assert all(pick.line.text == pick.text for pick in picks)
        for start in range(0, 30, 3):
            assert sorted(texts[start : start + 3]) == ["One.", "Three.", "Two."]
        assert all(one != then for one, then in itertools.pairwise(texts))
        assert len({tuple(texts[start : start + 3]) for start in range(0, 30, 3)}) > 1

    def test_an_edit_hides_no_text_and_repeats_none(
        self, build: Any, dialogue: Any, dialogue_pool: Any, say: Any
    ) -> None:
        def pack(*variants: str) -> Pack:
            return build(
                dialogue_pool("odo-renn", "x", dialogue(1, "One.", variants=list(variants)))
            )

        before = [pick.text for pick in say(pack("Two.", "Three."), range(1, 3))]
        after = say(pack("New.", "Two.", "Three."), range(3, 5))
        left = {"One.", "Two.", "Three.", "New."} - set(before)
        assert {pick.text for pick in after} == left


class TestStrategies:
    @pytest.mark.spec("LP-L3-bag")
    def test_each_line_of_a_bag_once_before_any_comes_again(
        self, build: Any, dialogue: Any, dialogue_pool: Any, say: Any
    ) -> None:
        lines = [dialogue(n, f"Line {n}.") for n in range(1, 5)]
        pack = build({**dialogue_pool("odo-renn", "x", *lines), "strategy": "bag"})
        texts = [pick.text for pick in say(pack, range(1, 13))]
        for start in range(0, 12, 4):
            assert len(set(texts[start : start + 4])) == 4
        more = build(
            {**dialogue_pool("odo-renn", "x", *lines, dialogue(5, "New.")), "strategy": "bag"}
        )
        later = [pick.text for pick in say(more, range(13, 19))]
        assert later[0] == "New.", "it is behind the others"
        assert len(set(later[1:])) == 5

    @pytest.mark.spec("LP-L3-pool-strategy")
    def test_a_pool_names_its_strategy_and_a_call_another(
        self, build: Any, dialogue: Any, dialogue_pool: Any, scene: Scene, mind: Mind
    ) -> None:
        known = {"interactions": [{"target": ODO, "count": 0}]}
        lines = [dialogue(1, "Plain."), dialogue(2, "Gated.", when=known)]
        shared = {**dialogue_pool("toll-clerk", "toll-clerk"), "strategy": "weighted"}
        own = {**dialogue_pool("odo-renn", "x", *lines), "strategy": "best_specific"}
        selector = Selector(build(own, shared), mind, seed=1)
        found = selector.explain_dialogue("odo-renn", scene, tick=1)
        assert [one.text for one in found.eligible] == ["Gated."]
        found = selector.explain_dialogue("odo-renn", scene, tick=1, strategy="top_scored")
        assert len(found.eligible) == 2


class TestClasses:
    @pytest.fixture
    def selector(self, build: Any, dialogue: Any, dialogue_pool: Any, mind: Mind) -> Selector:
        classes = ("speech", "shout", "nobodys")
        lines = [dialogue(n, name, **{"class": name}) for n, name in enumerate(classes, 1)]
        return Selector(build(dialogue_pool("odo-renn", "x", *lines)), mind, seed=1)

    @pytest.mark.spec("LP-L6-classes")
    @pytest.mark.parametrize(
        ("speaking", "left"),
        [
            ([], ["speech", "shout"]),
            ([("speech", "wick")], ["shout"]),
            ([("shout", "wick")], []),
            ([("speech", "wick"), ("shout", "vesk")], []),
        ],
    )
    def test_what_is_spoken_excludes_or_is_cut_short(
        self, selector: Selector, scene: Scene, speaking: Any, left: list[str]
    ) -> None:
        found = selector.explain_dialogue("odo-renn", scene, tick=1, speaking=speaking)
        assert [one.text for one in found.eligible] == left
        assert found.verdicts[2].detail == "no class nobodys is declared"
        assert {one.dropped_by for one in found.verdicts} - {None} == {"class"}
        pick = selector.pick_dialogue("odo-renn", scene, tick=1, speaking=speaking)
        if left == ["shout"]:
            assert pick.interrupts == (("speech", "wick"),)
            assert pick.as_json()["interrupts"] == [{"class": "speech", "character": "wick"}]

    def test_an_undeclared_class_in_a_request_is_a_mistake(
        self, selector: Selector, scene: Scene
    ) -> None:
        with pytest.raises(UsageFault) as caught:
            selector.pick_dialogue("odo-renn", scene, tick=1, speaking=[("speach", "wick")])
        assert "speech" in caught.value.hint


class TestChance:
    def test_it_comes_as_often_as_it_says_and_shifts_no_draw(
        self, build: Any, dialogue: Any, dialogue_pool: Any, scene: Scene, mind: Mind
    ) -> None:
        """Of 400 draws at a quarter 100 are expected, with a standard deviation below 9."""
        plain = [dialogue(n, f"Line {n}.") for n in range(1, 4)]
        sure = dialogue(4, "Sure.", when={"chance": 1_000_000})
        seldom = dialogue(4, "Seldom.", when={"chance": 250_000})
        ungated = Selector(
            build(dialogue_pool("odo-renn", "x", *plain, dialogue(4, "Sure."))), mind, seed=1
        )
        always = Selector(build(dialogue_pool("odo-renn", "x", *plain, sure)), mind, seed=1)
        alone = Selector(build(dialogue_pool("odo-renn", "x", seldom)), mind, seed=1)
        came = 0
        for tick in range(400):
            before = ungated.pick_dialogue("odo-renn", scene, tick=tick)
            assert always.pick_dialogue("odo-renn", scene, tick=tick).text == before.text
            came += alone.pick_dialogue("odo-renn", scene, tick=tick) is not None
        assert 60 < came < 140


class TestEffects:
    def test_each_goes_to_the_mind_of_its_scope(
        self, build: Any, dialogue: Any, dialogue_pool: Any, scene: Scene, mind: Mind
    ) -> None:
        line = dialogue(
            1,
            "Cheers.",
            effects=[
                {"grant": {"fact_id": WEIGHTS, "confidence": "suspects"}},
                {"add": {"counter": "toasts"}},
                {"add": {"counter": "told", "by": -2}},
                {"set": {"value": "tide", "to": "out"}},
                {"stamp": {"timer": "tea"}},
            ],
        )
        pack = build(dialogue_pool("odo-renn", "x", line))
        pick = Selector(pack, mind, seed=1).pick_dialogue("odo-renn", scene, tick=1)
        path = "campaigns/tollhouse/dialogue/the-quay/odo-renn"
        here = {"pool": path, "line": "odo-renn_d_001"}
        assert [(one.mind, one.kind.value, one.data) for one in pick.effects[2:]] == [
            ("party", "counter_added", {"counter": "toasts", "by": 1}),
            ("party", "counter_added", {"counter": "told", "by": -2, **here}),
            ("world", "value_set", {"value": "tide", "to": "out"}),
            ("party", "timer_stamped", {"timer": "tea", "character": "odo-renn"}),
        ]
        assert pick.line.knowledge_grant.fact_id == WEIGHTS

    @pytest.mark.parametrize(
        "effect",
        [
            {"add": {"counter": "nothing"}},
            {"set": {"value": "tide"}},
            {"stamp": {"timer": "bell"}, "add": {"counter": "toasts"}},
            {"shout": {}},
        ],
    )
    def test_what_cannot_be_kept_is_refused(
        self, build: Any, dialogue: Any, dialogue_pool: Any, effect: Any
    ) -> None:
        with pytest.raises(InvalidPack, match=r"effects\[0\]"):
            build(dialogue_pool("odo-renn", "x", dialogue(1, "Hm.", effects=[effect])))
