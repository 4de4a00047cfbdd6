"""Each kind of gate: when it is open, and the words for what it found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from talebearer.lines import GateResult, Pack, Scene, Selector
from talebearer.memory import Mind
from talebearer.vocabulary import Confidence, InteractionState, RelationshipState

Tell = Callable[..., Mind]
Look = Callable[..., GateResult]
SEEN = {"kind": "direct_observation", "payload": {}}
ODO = "npc:odo-renn"


@pytest.fixture
def look(
    make_pack: Callable[..., Pack],
    dialogue: Callable[..., Any],
    dialogue_pool: Callable[..., Any],
    scene: Scene,
    mind: Mind,
) -> Look:
    """Return the single gate of a line, looked at with the mind; *kind* and its JSON value."""

    def ask(kind: str, gate: Any, *, of: Mind | None = None) -> GateResult:
        line = dialogue(1, "Hm.", prerequisites={kind: gate})
        selector = Selector(make_pack(dialogue_pool("odo-renn", "x", line)), of or mind, seed=0)
        (verdict,) = selector.explain_dialogue("odo-renn", scene, tick=9).verdicts
        (result,) = verdict.gates
        assert (verdict.dropped_by is None) is result.met
        return result

    return ask


def converse(tell: Tell, *endings: str, target: str = ODO) -> None:
    """Have conversations that end so; ``quarrel`` is a confrontation that ends completed."""
    for ending in endings:
        tell("interaction_started", target=target, player_initiated=True, location="the-quay")
        if ending in ("quarrel", "conflict_abandoned", "confrontation"):
            tell("interaction_confrontation", target=target)
        if ending in ("quarrel", "completed"):
            tell("interaction_completed", target=target, topics=[])
        elif ending in ("walked_away", "conflict_abandoned"):
            tell(f"interaction_{ending}", target=target)


class TestFacts:
    """Known, active, and well enough."""

    def fact(self, least: str, fact_id: str = "ledger.false_weights") -> list[dict[str, str]]:
        return [{"fact_id": fact_id, "min_confidence": least}]

    @pytest.mark.spec("LP-4.3-fact-confidence")
    @pytest.mark.parametrize("known", Confidence)
    @pytest.mark.parametrize("least", Confidence)
    def test_confidence_is_a_scale(
        self, look: Look, tell: Tell, known: Confidence, least: Confidence
    ) -> None:
        tell("fact_learned", fact_id="ledger.false_weights", confidence=known, source=SEEN)
        result = look("facts", self.fact(least))
        order = ["suspects", "knows_of", "knows_details", "direct"]
        assert result.met is (order.index(known) >= order.index(least))
        assert (result.found, result.fact_ids) == (known, ("ledger.false_weights",))

    def test_what_was_never_learned_is_false(self, look: Look) -> None:
        result = look("facts", self.fact("suspects"))
        assert (result.met, result.found, result.fact_ids) == (False, "never learned", ())

    @pytest.mark.spec("LP-L6-undeclared-is-false")
    def test_what_nobody_declared_is_false_and_says_so(self, look: Look) -> None:
        result = look("facts", self.fact("suspects", "ledger.flase_weights"))
        assert not result.met
        assert result.found == "never learned, and no fact of that id is declared"

    @pytest.mark.spec("LP-4.3-interaction-fact")
    def test_an_interaction_is_a_fact_and_needs_no_declaration(
        self, look: Look, tell: Tell
    ) -> None:
        wanted = self.fact("knows_details", "interaction.odo-renn_001")
        assert look("facts", wanted).found == "never happened"
        converse(tell, "completed")
        assert look("facts", wanted).met

    @pytest.mark.spec("LP-L13-active-only")
    @pytest.mark.parametrize("state", ["stale", "contradicted"])
    def test_only_active_facts_count(self, look: Look, tell: Tell, mind: Mind, state: str) -> None:
        tell("fact_learned", fact_id="ledger.false_weights", confidence="direct", source=SEEN)
        save = mind.snapshot()
        save["facts"]["ledger.false_weights"]["state"] = state
        result = look("facts", self.fact("suspects"), of=Mind.from_snapshot(save))
        assert not result.met
        assert result.found == f"direct, but {state}; only active facts count"


class TestAttributes:
    """The mind's own observation first, the profile second."""

    def gate(self, key: str, value: str, entity: str = ODO) -> list[dict[str, str]]:
        return [{"entity": entity, "key": key, "value": value}]

    def meet(self, tell: Tell, **attributes: str) -> None:
        tell(
            "entity_observed",
            target=ODO,
            confidence="knows_of",
            source=SEEN,
            known=True,
            attributes=attributes,
        )

    @pytest.mark.spec("LP-4.3-entity-attributes")
    def test_of_somebody_never_met(self, look: Look) -> None:
        result = look("entity_attributes", self.gate("trade", "tolls"))
        assert (result.met, result.found, result.entities) == (False, "never met", (ODO,))

    @pytest.mark.spec("LP-4.3-entity-attributes")
    def test_the_profile_tells_of_those_one_knows(self, look: Look, tell: Tell) -> None:
        self.meet(tell)
        result = look("entity_attributes", self.gate("trade", "tolls"))
        assert (result.met, result.found) == (True, "tolls (from the profile)")
        result = look("entity_attributes", self.gate("hat", "red"))
        assert (result.met, result.found) == (False, "has no hat")

    @pytest.mark.spec("LP-4.3-entity-attributes")
    def test_what_was_seen_comes_first(self, look: Look, tell: Tell) -> None:
        self.meet(tell, mood="merry")
        assert look("entity_attributes", self.gate("mood", "merry")).met
        result = look("entity_attributes", self.gate("mood", "sour"))
        assert (result.met, result.found) == (False, "merry")

    @pytest.mark.spec("LP-L6-undeclared-is-false")
    def test_of_a_character_that_nobody_declared(self, look: Look) -> None:
        result = look("entity_attributes", self.gate("trade", "tolls", "npc:odo-ren"))
        assert result.found == "never met, and no such character is declared"


class TestRelationships:
    """At or beyond a state, or one of several."""

    @pytest.mark.spec("LP-4.3-relationship-at-or-beyond")
    @pytest.mark.spec("LP-M5-relationship-order")
    @pytest.mark.parametrize("wanted", RelationshipState)
    @pytest.mark.parametrize("now", RelationshipState)
    def test_at_or_beyond(
        self, look: Look, tell: Tell, now: RelationshipState, wanted: RelationshipState
    ) -> None:
        tell("relationship_changed", target=ODO, state=now)
        order = ["unknown", "known", "friendly", "person_of_interest", "hostile"]
        result = look("relationship", {"target": ODO, "state": wanted})
        assert result.met is (order.index(now) >= order.index(wanted))
        assert result.found == now

    @pytest.mark.spec("LP-M5-relationship-states")
    @pytest.mark.parametrize("now", RelationshipState)
    def test_one_of_several(self, look: Look, tell: Tell, now: RelationshipState) -> None:
        tell("relationship_changed", target=ODO, state=now)
        result = look("relationship", {"target": ODO, "states": ["known", "hostile"]})
        assert result.met is (now in ("known", "hostile"))
        assert result.text == f"the relationship to {ODO} is known or hostile"

    @pytest.mark.spec("LP-4.3-relationship-at-or-beyond")
    def test_of_somebody_never_met_it_is_unknown(self, look: Look) -> None:
        result = look("relationship", {"target": ODO, "state": "unknown"})
        assert (result.met, result.found) == (True, "unknown: never met")
        assert not look("relationship", {"target": ODO, "state": "known"}).met


class TestInteractions:
    """History with somebody."""

    @pytest.mark.spec("IM-6-interaction-state")
    @pytest.mark.spec("LP-M2-sticky-confrontation")
    @pytest.mark.spec("LP-M8-exact-state")
    @pytest.mark.parametrize("state", InteractionState)
    @pytest.mark.parametrize("ending", [*InteractionState, "quarrel"])
    def test_states_match_exactly_but_confrontation_sticks(
        self, look: Look, tell: Tell, state: InteractionState, ending: str
    ) -> None:
        converse(tell, ending)
        result = look("interaction", {"target": ODO, "state": state})
        if state is InteractionState.CONFRONTATION:
            expected = ending in ("confrontation", "quarrel", "conflict_abandoned")
        else:
            expected = {"quarrel": "completed"}.get(ending, ending) == state
        assert result.met is expected
        assert result.fact_ids == (("interaction.odo-renn_001",) if expected else ())

    @pytest.mark.spec("IM-6-any-state")
    @pytest.mark.parametrize("ending", [*InteractionState, "quarrel"])
    def test_without_a_state_any_counts(self, look: Look, tell: Tell, ending: str) -> None:
        assert not look("interaction", {"target": ODO}).met
        converse(tell, ending)
        result = look("interaction", {"target": ODO})
        assert (result.met, result.found) == (True, "1 interaction")

    @pytest.mark.spec("IM-6-min-count")
    def test_enough_of_them(self, look: Look, tell: Tell) -> None:
        wanted = {"target": ODO, "state": "completed", "min_count": 3}
        converse(tell, "completed", "walked_away", "completed")
        result = look("interaction", wanted)
        assert (result.met, result.found) == (False, "2 of 3 interactions")
        assert result.fact_ids == ("interaction.odo-renn_001", "interaction.odo-renn_003")
        converse(tell, "completed")
        assert look("interaction", wanted).met

    @pytest.mark.spec("IM-6-min-count")
    def test_enough_quarrels(self, look: Look, tell: Tell) -> None:
        wanted = {"target": ODO, "state": "confrontation", "min_count": 2}
        converse(tell, "quarrel", "completed")
        assert not look("interaction", wanted).met
        converse(tell, "conflict_abandoned")
        assert look("interaction", wanted).met

    def test_another_character_does_not_count(self, look: Look, tell: Tell) -> None:
        converse(tell, "completed", target="npc:odo")
        assert look("interaction", {"target": ODO}).found == "never met"

    @pytest.mark.spec("LP-L6-undeclared-is-false")
    def test_a_character_that_nobody_declared(self, look: Look) -> None:
        result = look("interaction", {"target": "npc:odo-ren"})
        assert (result.met, result.found) == (
            False,
            "never met, and no such character is declared",
        )


@pytest.mark.spec("LP-4.3-no-prerequisites")
def test_an_empty_prerequisites_object_is_always_open(
    make_pack: Callable[..., Pack],
    dialogue: Callable[..., Any],
    dialogue_pool: Callable[..., Any],
    scene: Scene,
    mind: Mind,
) -> None:
    pool = dialogue_pool("odo-renn", "x", dialogue(1, "Hm.", prerequisites={}))
    pick = Selector(make_pack(pool), mind, seed=0).pick_dialogue("odo-renn", scene, tick=0)
    assert pick.line.text == "Hm."
