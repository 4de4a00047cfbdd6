"""The flow of monologue."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from talebearer.errors import UsageFault
from talebearer.lines import Explanation, Pack, Selector, query_monologue
from talebearer.memory import EventDraft, Mind
from talebearer.vocabulary import EventKind

Tell = Callable[..., Mind]
SMUGGLER = "campaigns/tollhouse/monologue/smuggler"


def explain(selector: Selector, **asked: Any) -> Explanation:
    """Explain the smuggler's thoughts on coming to the quay, or what is asked instead."""
    given: dict[str, Any] = {"location": "the-quay", "tick": 1000, **asked}
    character = given.pop("character", "smuggler")
    trigger = given.pop("trigger", "enter_location")
    return selector.explain_monologue(character, trigger, **given)


def texts(explanation: Explanation) -> list[str]:
    """Return the texts in the draw."""
    return [verdict.text for verdict in explanation.eligible]


def fate(explanation: Explanation, text: str) -> tuple[str | None, str]:
    """Return stage and detail of one line."""
    found = next(verdict for verdict in explanation.verdicts if verdict.text == text)
    return found.dropped_by, found.detail


@pytest.mark.spec("LP-4.4-location-first")
@pytest.mark.spec("LP-L12-general-last")
def test_the_place_comes_before_the_general(selector: Selector) -> None:
    found = explain(selector)
    assert texts(found) == ["Tar and toll money."]
    assert fate(found, "Another door, another price.")[0] == "location"
    assert found.funnel == [
        ("lines", 4),
        ("character", 4),
        ("location", 2),
        ("trigger", 2),
        ("prerequisites", 1),
        ("once", 1),
        ("cooldown", 1),
        ("class", 1),
    ]


@pytest.mark.spec("LP-4.4-location-first")
@pytest.mark.spec("LP-L12-general-last")
def test_the_general_are_asked_when_no_line_of_the_place_is_left(selector: Selector) -> None:
    found = explain(selector, trigger="time_idle")
    assert texts(found) == ["Quiet. Too cheap."]
    assert fate(found, "Tar and toll money.")[0] == "trigger"
    assert texts(explain(selector, location="nowhere")) == ["Another door, another price."]


@pytest.mark.spec("LP-L12-general-last")
def test_a_cooldown_at_the_place_opens_the_general(selector: Selector, tell: Tell) -> None:
    tell("line_fired", tick=900, pool=f"{SMUGGLER}/the-quay", line="pc_m_s_001")
    found = explain(selector, tick=1000)
    assert texts(found) == ["Another door, another price."]
    assert fate(found, "Tar and toll money.") == (
        "cooldown",
        "fired at tick 900, ready at 1500; found: tick 1000",
    )


@pytest.mark.spec("LP-4.3-cooldown")
@pytest.mark.parametrize(("tick", "rested"), [(901, False), (1499, False), (1500, True)])
def test_a_line_rests_for_its_cooldown(
    selector: Selector, tell: Tell, tick: int, rested: bool
) -> None:
    tell("line_fired", tick=900, pool=f"{SMUGGLER}/the-quay", line="pc_m_s_001")
    assert ("Tar and toll money." in texts(explain(selector, tick=tick))) is rested


@pytest.mark.spec("LP-5.3-composite-key")
@pytest.mark.spec("LP-L1-composite-key")
def test_the_same_id_in_another_file_has_its_own_cooldown(selector: Selector, tell: Tell) -> None:
    tell("line_fired", tick=900, pool=f"{SMUGGLER}/general", line="pc_m_s_001")
    assert texts(explain(selector, tick=901)) == ["Tar and toll money."]


@pytest.mark.spec("LP-4.4-character-partition")
def test_no_thought_of_another_character(selector: Selector) -> None:
    assert texts(explain(selector, character="detective")) == ["Wet ink."]
    found = explain(selector, every_pool=True)
    assert fate(found, "Wet ink.") == ("character", "needs detective; found: smuggler")
    assert fate(found, "I owe somebody here.")[0] == "location"
    assert len(found.verdicts) == 6


@pytest.mark.spec("LP-4.4-trigger")
def test_only_lines_of_the_trigger(selector: Selector) -> None:
    found = explain(selector, location="the-mill", trigger="return_visit")
    assert texts(found) == ["I owe somebody here."]
    assert selector.pick_monologue("detective", "time_idle", location="the-quay", tick=0) is None


@pytest.mark.spec("LP-4.4-priority-weight")
@pytest.mark.spec("LP-L4-weights")
def test_the_weight_doubles_with_each_priority(
    selector: Selector, walk_out: Callable[[], None]
) -> None:
    walk_out()
    found = explain(selector)
    assert [verdict.weight for verdict in found.eligible] == [2**5, 2**7]
    assert [verdict.probability for verdict in found.eligible] == [Fraction(1, 5), Fraction(4, 5)]


@pytest.mark.spec("LP-4.4-priority-weight")
def test_the_draw_follows_the_weights(selector: Selector, walk_out: Callable[[], None]) -> None:
    """Of 1,000 draws 800 are expected, with a standard deviation below 13."""
    walk_out()
    picks = [
        selector.pick_monologue("smuggler", "enter_location", location="the-quay", tick=tick)
        for tick in range(10, 1010)
    ]
    assert 740 < sum(pick.line.priority == 7 for pick in picks) < 860


@pytest.mark.spec("LP-4.3-prerequisites-and")
@pytest.mark.spec("IM-6-combined")
def test_every_gate_must_be_open(
    make_pack: Callable[..., Pack],
    thought: Callable[..., Any],
    monologue_pool: Callable[..., Any],
    mind: Mind,
    walk_out: Callable[[], None],
    tell: Tell,
) -> None:
    both = {
        "facts": [{"fact_id": "ledger.false_weights", "min_confidence": "knows_of"}],
        "interaction": {"target": "npc:odo-renn", "state": "walked_away"},
    }
    pack = make_pack(monologue_pool("smuggler", "the-quay", thought(1, "So.", prerequisites=both)))
    selector = Selector(pack, mind, seed=1)
    walk_out()
    stage, detail = fate(explain(selector), "So.")
    assert stage == "prerequisites"
    assert "ledger.false_weights" in detail
    assert [gate.met for gate in explain(selector).verdicts[0].gates] == [False, True]
    heard = {"kind": "heard", "payload": {}}
    tell("fact_learned", fact_id="ledger.false_weights", confidence="direct", source=heard)
    assert texts(explain(selector)) == ["So."]


def test_a_pick_says_that_it_fired(selector: Selector) -> None:
    pick = selector.pick_monologue("smuggler", "enter_location", location="the-quay", tick=0)
    data = {"pool": f"{SMUGGLER}/the-quay", "line": "pc_m_s_001"}
    assert pick.effects == (EventDraft(mind="party", kind=EventKind.LINE_FIRED, data=data),)
    assert pick.verdict.probability == 1


@pytest.mark.parametrize(
    ("character", "trigger", "near"),
    [("smugler", "enter_location", "smuggler"), ("smuggler", "enter", "enter_location")],
)
def test_undeclared_words_are_refused(
    selector: Selector, character: str, trigger: str, near: str
) -> None:
    with pytest.raises(UsageFault) as caught:
        selector.pick_monologue(character, trigger, location="the-quay", tick=0)
    assert near in caught.value.hint


@pytest.mark.spec("LP-9.2-query-monologue")
def test_the_query_takes_pools_and_cooldowns(
    pack: Pack, mind: Mind, walk_out: Callable[[], None]
) -> None:
    def asked(fired: dict[tuple[str, str], int]) -> list[str]:
        lines = query_monologue(
            pack.monologue_pools, "detective", "enter_location", mind.graph, fired, 10
        )
        return [line.text for line in lines]

    assert asked({}) == ["Wet ink."]
    pools = pack.monologue_pools_for("smuggler", "the-quay")
    key = (f"{SMUGGLER}/the-quay", "pc_m_s_001")
    walk_out()
    lines = query_monologue(pools, "smuggler", "enter_location", mind.graph, {key: 9}, 10)
    assert [line.id for line in lines] == ["pc_m_s_002"]
    lines = query_monologue(pools, "smuggler", "enter_location", None, {key: 9}, 10)
    assert [line.text for line in lines] == ["Another door, another price."]
