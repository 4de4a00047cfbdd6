"""What can be said of lines without playing: fates, and what looks like a slip."""

import pytest
from small_packs import pack, talk, thoughts

from talebearer.content import compile_content
from talebearer.content.coverage import Fate, Targets, reach
from talebearer.errors import findings_content as codes
from talebearer.lines import load_pack


def fates(*pools):
    return [fate.value for fate in reach(pack(*pools)).fates.values()]


def told(*pools, **targets):
    found = reach(pack(*pools), Targets(**targets)).findings
    return [(one.draft.code, one.line[1], one.draft.message) for one in found]


LATE = {"facts": [{"fact_id": "tide.late", "min_confidence": "knows_of"}]}


@pytest.mark.spec("LP-reach-beaten")
@pytest.mark.parametrize("strategy", ["top_scored", "least_recent", "bag"])
def test_a_thought_that_another_always_comes_before_is_beaten(strategy):
    lines = ({"priority": 9}, {"priority": 3}, {"priority": 3, "trigger": "go"})
    assert fates(thoughts(*lines, strategy=strategy)) == ["undecided", "beaten", "undecided"]
    assert fates(thoughts(*lines, strategy="weighted")) == ["said", "said", "said"]


@pytest.mark.spec("LP-reach-beaten")
@pytest.mark.parametrize(
    "rival",
    [
        {"once": "player"},
        {"cooldown": 5},
        {"class": "shout"},
        {"class": "nobodys"},
        {"when": {"counters": [{"counter": "rings", ">": 2}]}},
        {"when": {"chance": 999_999}},
        {"trigger": "go"},
        {"priority": 3},
    ],
)
def test_what_may_be_silent_beats_nothing(rival):
    found = fates(thoughts({"priority": 9, **rival}, {"priority": 3}))
    assert "beaten" not in found


@pytest.mark.spec("LP-reach-beaten")
def test_gates_that_hold_whenever_the_other_s_do_are_no_way_out():
    more = {"priority": 3, "when": {"counters": [{"counter": "rings", ">": 4}], **LATE}}
    less = {"priority": 9, "when": {"counters": [{"counter": "rings", ">": 2}]}}
    add = {"trigger": "go", "effects": [{"add": {"counter": "rings", "by": 1}}]}
    grant = {"grant": {"fact_id": "tide.late", "confidence": "direct"}}
    found = fates(thoughts(less, more, add, {"trigger": "go", "effects": [grant]}))
    assert found[:2] == ["undecided", "beaten"]


@pytest.mark.spec("LP-reach-beaten")
def test_in_a_conversation_it_takes_two_since_one_steps_back():
    two = {"when": {"any_of": [{"chance": 1_000_000}], "not": {"timers": [_within]}}}
    rival = {"when": {"all_of": [{"chance": 1_000_000}, {"chance": 1_000_000}]}}
    assert fates(talk(rival, {}, strategy="best_specific")) == ["undecided", "undecided"]
    assert fates(talk(rival, rival, {}, strategy="best_specific"))[2] == "beaten"
    assert fates(talk(rival, rival, two, strategy="best_specific"))[2] == "undecided"
    wider = {"situation": ["social", "alone"]}
    assert fates(talk(rival, rival, wider, strategy="best_specific"))[2] == "undecided"
    assert fates(talk(rival, rival, {}, strategy="top_scored"))[2] == "said"


_within = {"timer": "rung", "within": 5}


@pytest.mark.spec("LP-reach-beaten")
def test_a_pool_that_is_drawn_from_in_two_ways_beats_nothing():
    """At other places the general pool's own strategy counts, here that of the first file."""
    general = thoughts({"priority": 9}, {"priority": 1}, location="general")
    assert fates(general) == ["undecided", "beaten"]
    quay = thoughts({}, strategy="weighted", location="quay") | {
        "path": "a/monologue/smuggler/quay"
    }
    assert fates(quay, general)[1:] == ["undecided", "undecided"]


CLERKS = {slug: {"name": slug, "role": "clerk"} for slug in ("odo", "wick")}
SURE = {"when": {"all_of": [{"chance": 1_000_000}]}}


def all_fates(*pools, **more):
    """Return the fates by pool stem."""
    found = {}
    for (path, _), fate in reach(pack(*pools, **more)).fates.items():
        found.setdefault(path.rpartition("/")[2], []).append(fate.value)
    return found


@pytest.mark.spec("LP-reach-beaten")
def test_lines_of_one_s_role_and_one_s_own_beat_each_other_as_they_are_drawn_together():
    def both(clerk, odo, **more):
        pools = [talk(*clerk, strategy="best_specific", stem="clerk")]
        return all_fates(*pools, talk(*odo, strategy="best_specific"), **more)

    assert both([SURE, SURE], [{}], profiles=CLERKS)["odo"] == ["beaten"]
    assert both([SURE], [SURE, {}], profiles=CLERKS)["odo"] == ["undecided", "beaten"]
    assert both([SURE], [{}], profiles=CLERKS)["odo"] == ["undecided"]
    # Without a profile Odo does not speak from the role's file.
    assert both([SURE, SURE], [{}])["odo"] == ["undecided"]
    # Wick, who has no file of his own, says what Odo never does.
    assert both([{}], [SURE, SURE], profiles=CLERKS)["clerk"] == ["undecided"]
    assert both([{}, SURE, SURE], [{}], profiles=CLERKS)["clerk"][0] == "beaten"


@pytest.mark.spec("LP-reach-beaten")
def test_thoughts_of_one_place_beat_each_other_whichever_file_they_are_in():
    topic = thoughts({"priority": 9}) | {"path": "p/monologue/smuggler/tides"}
    assert all_fates(thoughts({"priority": 3}), topic)["quay"] == ["beaten"]
    elsewhere = topic | {"location": "inn"}
    assert all_fates(thoughts({"priority": 3}), elsewhere)["quay"] == ["undecided"]
    anywhere = topic | {"location": "general"}
    found = all_fates(thoughts({"priority": 3}), anywhere)
    assert found == {"quay": ["undecided"], "tides": ["undecided"]}
    low = all_fates(thoughts({"priority": 9}), anywhere | {"lines": thoughts({})["lines"]})
    assert low["tides"] == ["undecided"], "it comes where there are no others"


@pytest.mark.spec("LP-reach-beaten")
def test_the_file_of_the_place_says_how_thoughts_are_drawn():
    quay = thoughts({"priority": 9}, {"priority": 1}, strategy="weighted")
    first = thoughts({"priority": 1}) | {"path": "a/monologue/smuggler/tides"}
    assert set(all_fates(first, quay)["quay"]) == {"said"}
    assert all_fates(first, quay | {"strategy": "bag"})["quay"] == ["undecided", "beaten"]


def test_what_beats_a_line_from_another_file_is_named_with_its_file():
    topic = thoughts({"priority": 9}) | {"path": "p/monologue/smuggler/tides"}
    (found,) = told(thoughts({"priority": 3, "text": "Oh."}), topic)
    assert found[0] == codes.ALWAYS_BEATEN
    assert "x_m_s_001 of p/monologue/smuggler/tides can be said" in found[2]


@pytest.mark.spec("LP-reach-needs-game")
def test_what_no_line_writes_only_the_game_opens():
    grant = {"effects": [{"grant": {"fact_id": "tide.late", "confidence": "suspects"}}]}
    assert fates(talk({"when": LATE}, grant)) == ["needs_game", "said"]
    grant["effects"][0]["grant"]["confidence"] = "knows_of"
    assert fates(talk({"when": LATE}, grant)) == ["undecided", "said"]


@pytest.mark.spec("LP-reach-needs-game")
@pytest.mark.parametrize(
    ("gate", "effect", "fate"),
    [
        ({"values": [{"value": "weather", "=": "storm"}]}, None, "needs_game"),
        (
            {"values": [{"value": "weather", "=": "storm"}]},
            {"set": {"value": "weather", "to": "strom"}},
            "needs_game",
        ),
        (
            {"values": [{"value": "weather", "=": "storm"}]},
            {"set": {"value": "weather", "to": "storm"}},
            "undecided",
        ),
        ({"values": [{"value": "weather", "=": "calm"}]}, None, "undecided"),
        ({"counters": [{"counter": "rings", ">=": 2}]}, None, "needs_game"),
        (
            {"counters": [{"counter": "rings", ">=": 2}]},
            {"add": {"counter": "rings", "by": -1}},
            "needs_game",
        ),
        (
            {"counters": [{"counter": "rings", ">=": 2}]},
            {"add": {"counter": "rings", "by": 1}},
            "undecided",
        ),
        ({"timers": [{"timer": "rung", "within": 9}]}, None, "needs_game"),
        ({"timers": [{"timer": "rung", "within": 9}]}, {"stamp": {"timer": "rung"}}, "undecided"),
        ({"timers": [{"timer": "rung", "never": True}]}, None, "undecided"),
        ({"relationships": [{"target": "npc:odo", "state": "hostile"}]}, None, "undecided"),
    ],
)
def test_state_opens_what_lines_can_make_of_it(gate, effect, fate):
    lines = [{"when": gate}, {"effects": [effect]} if effect else {}]
    assert fates(talk(*lines))[0] == fate


@pytest.mark.spec("LP-reach-needs-game")
def test_lines_that_wait_for_each_other_open_nothing():
    grant = [{"grant": {"fact_id": "tide.late", "confidence": "direct"}}]
    ring = {"when": LATE, "effects": [{"stamp": {"timer": "rung"}}]}
    learn = {"when": {"timers": [{"timer": "rung", "within": 9}]}, "effects": grant}
    assert fates(talk(ring, learn)) == ["needs_game", "needs_game"]
    assert fates(talk(ring, learn, {"effects": grant})) == ["undecided", "undecided", "said"]


def test_what_the_game_writes_is_no_hindrance():
    found = reach(pack(talk({"when": LATE})), Targets(by_game={"fact": frozenset({"tide.*"})}))
    assert found.undecided == (("p/dialogue/quay/odo", "x_d_001"),)
    assert found.findings == ()


@pytest.mark.spec("LP-reach-looks")
def test_an_answer_to_a_line_that_is_never_said_dangles():
    dead = {"when": {"counters": [{"counter": "rings", ">": 2}, {"counter": "rings", "<": 2}]}}
    answer = {"when": {"reply_to": {"line": "p/dialogue/quay/odo#x_d_001"}}}
    assert told(talk(dead, answer)) == [
        (
            codes.CONTRADICTION,
            "x_d_001",
            "x_d_001 is never said: never at once: the counter rings is > 2; "
            "the counter rings is < 2",
        ),
        (codes.DANGLING_REPLY, "x_d_002", "x_d_002 answers x_d_001, which is never said"),
    ]


@pytest.mark.spec("LP-reach-looks")
def test_nobody_answers_a_thought():
    answer = {"when": {"reply_to": {"line": "p/monologue/smuggler/quay#x_m_s_001"}}}
    ((code, _, message),) = told(talk(answer), thoughts({}))
    assert code == codes.DANGLING_REPLY
    assert message.endswith("which is a thought that nobody hears")


def marked(asks, writes, **more):
    gate = {"timers": [{"timer": asks, "older_than": 600}]}
    fresh = {"timers": [{"timer": asks, "never": True}]}
    return {"when": {"any_of": [fresh, gate]}, "effects": [{"stamp": {"timer": writes}}], **more}


@pytest.mark.spec("LP-reach-looks")
def test_a_copied_gate_asks_for_another_mark_than_its_siblings_would():
    pairs = [marked("rung", "rung"), marked("hummed", "hummed")]
    (slip,) = told(talk(*pairs, marked("rung", "sang")))
    assert slip[:2] == (codes.GATE_SLIP, "x_d_003")
    assert "the timer rung is not there yet and writes the timer sang" in slip[2]
    assert told(talk(*pairs, marked("sang", "sang"))) == []
    assert told(talk(*pairs, marked("rung", "sang", once="player"))) == []
    assert told(talk(pairs[0], marked("rung", "sang"))) == [], "one sibling is no pattern"


@pytest.mark.spec("LP-reach-looks")
def test_a_chain_that_asks_for_what_has_happened_is_no_slip():
    pairs = [marked("rung", "rung"), marked("hummed", "hummed")]
    after = {
        "when": {"timers": [{"timer": "rung", "within": 9}]},
        "effects": [{"stamp": {"timer": "sang"}}],
    }
    assert told(talk(*pairs, after)) == []


@pytest.mark.spec("LP-reach-looks")
def test_twins_are_told_and_lines_that_differ_in_anything_are_not():
    same = {"text": "The  tide is late."}
    ((code, line, message),) = told(talk(same, {"text": "the tide is late."}))
    assert (code, line) == (codes.SAME_LINE, "x_d_002")
    assert message == "x_d_002 is x_d_001 again: text, tags and gates"
    assert told(talk(same, {**same, "mood": [], "topic": ["cargo"]})) == []
    assert told(talk(same, {**same, "trust": "real"})) == []
    assert told(talk(same), talk(same, stem="wick")) == [], "two speakers may say the same"


@pytest.mark.spec("LP-reach-looks")
def test_a_cooldown_longer_than_a_session_is_told():
    assert told(talk({"cooldown": 144_000})) == []
    ((code, _, message),) = told(talk({"cooldown": 144_001}))
    assert code == codes.LONG_COOLDOWN
    assert message == "x_d_001 rests 144001 ticks; a session has 144000"
    assert told(talk({"cooldown": 5}), session_ticks=4) != []


def test_the_counts_are_of_all_lines_and_each_has_one_fate():
    found = reach(pack(talk({}, {"when": LATE}), thoughts({"priority": 9}, {"priority": 1})))
    assert found.counts() == {
        "said": 1,
        "undecided": 1,
        "needs_game": 1,
        "beaten": 1,
        "never": 0,
    }
    assert found.of(Fate.BEATEN) == (("p/monologue/smuggler/quay", "x_m_s_002"),)


def test_the_bundled_campaign_has_no_dead_line(bundled):
    content = bundled / "content"
    found = reach(load_pack(compile_content(content).data))
    assert found.findings == ()
    assert found.counts()["undecided"] + found.counts()["said"] == len(found.fates)
