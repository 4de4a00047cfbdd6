"""The conformance corpus of selection: seeded cases with the plain reference's answers.

``--write`` makes ``tests/fixtures/selection/corpus.jsonl`` again, ``--check`` fails when it is not what
the reference says now. docs/reference/corpus.md says what each member means.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from talebearer.errors import TalebearerError
from talebearer.lines import STRATEGIES, SplitMix64
from talebearer.memory import Event, Mind
from talebearer.testing import ReferenceAnswer, ReferenceSelector
from talebearer.vocabulary import EventKind

CORPUS = Path(__file__).resolve().parent.parent / "tests/fixtures/selection/corpus.jsonl"
FORMAT = "talebearer.selection-corpus"
VERSION = 1
CASES = 48
STEPS = 9
SCOPES = ["line", "pair", "player", "character", "world"]
SIGNS = ["=", "!=", "<", "<=", ">", ">="]
ODO, WICK = "npc:odo", "npc:wick"
FACTS = ["tide.late", "tide.early"]
FORMER = ("p/dialogue/quay/odo", "x_d_099")
CONFIDENCES = ["suspects", "knows_of", "knows_details", "direct"]
RELATIONS = ["unknown", "known", "friendly", "person_of_interest", "hostile"]
STATES = ["active", "completed", "walked_away", "confrontation", "conflict_abandoned"]
SEEN = {"kind": "direct_observation", "payload": {}}
DECLARED = {
    "timers": {f"t-{scope}": {"scope": scope} for scope in SCOPES},
    "counters": {f"c-{scope}": {"scope": scope, "initial": 1} for scope in SCOPES},
    "values": {
        **{f"v-{scope}": {"scope": scope, "type": "number"} for scope in SCOPES},
        "w-player": {"scope": "player", "type": "text", "initial": "rain"},
        "f-player": {"scope": "player", "type": "flag"},
    },
    "classes": {
        "aside": {"interrupts": [], "excluded_by": ["shout", "speech"]},
        "shout": {"interrupts": ["speech"], "excluded_by": ["shout", "speech"]},
        "speech": {"interrupts": [], "excluded_by": ["speech"]},
    },
}


class Dice:
    """Draws that only the seed decides, on every machine."""

    def __init__(self, seed: int) -> None:
        self._numbers = SplitMix64(seed)

    def below(self, bound: int) -> int:
        """Return a number from 0 to below *bound*."""
        return (self._numbers.next() * bound) >> 64

    def one(self, values: Sequence[Any]) -> Any:
        """Return one of *values*."""
        return values[self.below(len(values))]

    def some(self, values: Sequence[Any], least: int, most: int) -> list[Any]:
        """Return *least* to *most* of *values*, in their order."""
        count = least + self.below(most - least + 1)
        left = list(values)
        while len(left) > count:
            del left[self.below(len(left))]
        return left

    def often(self, percent: int) -> bool:
        """Return whether something holds that does so *percent* times in 100."""
        return self.below(100) < percent


# --- conditions ----------------------------------------------------------------------------------


def _comparison(dice: Dice) -> dict[str, Any]:
    return {sign: dice.below(4) for sign in dice.some(SIGNS, 1, 2)}


def _ages(dice: Dice, least: int = 1) -> dict[str, Any]:
    return {name: dice.below(7) for name in dice.some(["within", "older_than"], least, 2)}


def _fact(dice: Dice) -> dict[str, Any]:
    forms: list[dict[str, Any]] = [
        {"min_confidence": dice.one(CONFIDENCES)},
        {"confidence": dice.one(CONFIDENCES)},
        {"absent": True},
        {"min_confidence": "suspects", "fact_state": "stale"},
    ]
    return {"facts": [{"fact_id": dice.one(FACTS), **dice.one(forms)}]}


def _gossip(dice: Dice) -> dict[str, Any]:
    how: dict[str, Any] = dice.one([{}, {"state": "walked_away"}, {"state": "confrontation"}])
    return {"gossip": [{"about": dice.one([ODO, WICK]), **how}]}


def _attribute(dice: Dice) -> dict[str, Any]:
    how = dice.one([{"=": "3"}, {"!=": "red"}, _comparison(dice)])
    return {"entity_attributes": [{"entity": dice.one([ODO, WICK]), "key": "debt", **how}]}


def _relationship(dice: Dice) -> dict[str, Any]:
    forms = [{"state": dice.one(RELATIONS)}, {"states": dice.some(RELATIONS, 1, 3)}]
    return {"relationships": [{"target": dice.one([ODO, WICK]), **dice.one(forms)}]}


def _interaction(dice: Dice) -> dict[str, Any]:
    state = {"state": dice.one(STATES)} if dice.often(60) else {}
    gate = {"target": dice.one([ODO, ODO, WICK]), **state, **_ages(dice, least=0)}
    return {"interactions": [{**gate, "count": _comparison(dice)}]}


def _timer(dice: Dice) -> dict[str, Any]:
    how: dict[str, Any] = {"never": True} if dice.often(30) else _ages(dice)
    return {"timers": [{"timer": f"t-{dice.one([*SCOPES, 'nobody'])}", **how}]}


def _counter(dice: Dice) -> dict[str, Any]:
    name = dice.one([*SCOPES, "nobody"])
    return {"counters": [{"counter": f"c-{name}", **_comparison(dice)}]}


def _value(dice: Dice) -> dict[str, Any]:
    forms: list[dict[str, Any]] = [
        {"value": "w-player", "=": "rain"},
        {"value": "f-player", "!=": True},
        *({"value": f"v-{dice.one(SCOPES)}", **_comparison(dice)} for _ in range(4)),
    ]
    return {"values": [dice.one(forms)]}


def _event(dice: Dice) -> dict[str, Any]:
    return {"event": dice.one([{"size": _comparison(dice)}, {"what": {"=": "bell"}}])}


def _reply(dice: Dice) -> dict[str, Any]:
    forms = [{"character": dice.one(["odo", "wick"])}, {"line": "p/dialogue/quay/odo#x_d_001"}]
    late = {"within": 2 + dice.below(5)} if dice.often(50) else {}
    return {"reply_to": {**dice.one(forms), "after": dice.below(3), **late}}


def _chance(dice: Dice) -> dict[str, Any]:
    return {"chance": 100_000 + dice.below(800_000)}


def _named(dice: Dice) -> dict[str, Any]:
    return {"conditions": [dice.one(["named", "named", "nobody"])]}


def _all(dice: Dice) -> dict[str, Any]:
    return {"all_of": [condition(dice) for _ in range(2)]}


def _any(dice: Dice) -> dict[str, Any]:
    return {"any_of": [condition(dice) for _ in range(1 + dice.below(3))]}


def _not(dice: Dice) -> dict[str, Any]:
    return {"not": condition(dice)}


LEAVES: tuple[Callable[[Dice], dict[str, Any]], ...] = (
    _fact,
    _gossip,
    _attribute,
    _relationship,
    _interaction,
    _timer,
    _counter,
    _value,
    _event,
    _reply,
    _chance,
)
GATES = (*LEAVES, _named, _all, _any, _not)


def condition(dice: Dice, first: int | None = None) -> dict[str, Any]:
    """Return a condition, of one gate or two."""
    leaves = LEAVES if first is None else (GATES[first % len(GATES)],)
    found: dict[str, Any] = dice.one(leaves)(dice)
    return {**dice.one(LEAVES)(dice), **found} if dice.often(15) else found


def effect(dice: Dice) -> dict[str, Any]:
    """Return something that a line does when it is heard."""
    scope = dice.one(SCOPES)
    forms: list[dict[str, Any]] = [
        {"add": {"counter": f"c-{scope}", "by": dice.below(5) - 2}},
        {"set": {"value": f"v-{scope}", "to": dice.below(4)}},
        {"set": {"value": "w-player", "to": dice.one(["rain", "sun"])}},
        {"stamp": {"timer": f"t-{scope}"}},
        {"grant": {"fact_id": dice.one(FACTS), "confidence": dice.one(CONFIDENCES)}},
    ]
    chosen: dict[str, Any] = dice.one(forms)
    return chosen


# --- packs ---------------------------------------------------------------------------------------


def _extras(dice: Dice, first: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if dice.often(40):
        found["when"] = condition(dice, first)
    if dice.often(40):
        found["effects"] = [effect(dice)]
    if dice.often(15):
        found["once"] = dice.one(SCOPES)
    if dice.often(15):
        found["cooldown"] = dice.below(5)
    if dice.often(12):
        found["class"] = dice.one(["aside", "shout", "speech", "nobodys"])
    if dice.often(25):
        found["variants"] = ["Two.", "Three, “quoted”."]
    return found


def _dialogue_line(dice: Dice, number: int, first: int) -> dict[str, Any]:
    return {
        "id": f"x_d_{number:03}",
        "text": f"Line {number}.",
        "role": "clerk",
        "access": dice.one([["public"], ["public", "insider"], ["insider", "public"]]),
        "trust": dice.one(["surface", "surface", "surface", "real"]),
        "situation": dice.some(["social", "alone"], 1, 2),
        "topic": dice.some(["cargo"], 0, 1),
        "mood": dice.some(["warm"], 0, 1),
        **_extras(dice, first + number),
    }


def _thought(dice: Dice, number: int, first: int) -> dict[str, Any]:
    return {
        "id": f"x_m_s_{number:03}",
        "text": f"Thought {number}.",
        "trigger": dice.one(["come", "come", "hear"]),
        "priority": dice.below(4),
        **_extras(dice, first + 7 + number),
    }


def _pool(dice: Dice, path: str, head: dict[str, Any], lines: list[Any]) -> dict[str, Any]:
    strategy = {"strategy": dice.one(sorted(STRATEGIES))} if dice.often(30) else {}
    return {"path": path, **head, **strategy, "lines": lines}


def pack_of(dice: Dice, first: int) -> dict[str, Any]:
    """Return the JSON of a pack; the gates *first* and those after it are in it."""
    talk = {"kind": "dialogue", "location": "quay", "role": "clerk"}
    pools = []
    for stem in ("clerk", "odo"):
        lines = [_dialogue_line(dice, n, first) for n in range(1, 3 + dice.below(3))]
        if stem == "odo":
            lines[0]["aliases"] = ["#".join(FORMER)]
        pools.append(_pool(dice, f"p/dialogue/quay/{stem}", talk, lines))
    for place in ("general", "quay"):
        head = {"kind": "monologue", "character": "smuggler", "location": place}
        thoughts = [_thought(dice, n, first) for n in range(1, 2 + dice.below(3))]
        pools.append(_pool(dice, f"p/monologue/smuggler/{place}", head, thoughts))
    return {
        "format": "talebearer.pack",
        "version": 1,
        "enums": {
            "access": ["public", "insider"],
            "trust": ["surface", "real"],
            "situations": ["social", "alone"],
            "topics": ["cargo", "money"],
            "moods": ["warm"],
            "triggers": ["come", "hear"],
        },
        "characters": {"smuggler": {"letter": "s"}},
        "facts": dict.fromkeys(FACTS, ""),
        "profiles": {
            slug: {"name": slug, "role": "clerk", "attributes": {"debt": 3}}
            for slug in ("odo", "wick")
        },
        "conditions": {"named": condition(dice)},
        "state": DECLARED,
        "triggers": {"come": {"fields": {"size": "number", "what": "text"}}},
        "pools": pools,
    }


# --- what happens --------------------------------------------------------------------------------


def happening(dice: Dice) -> tuple[str, dict[str, Any]]:
    """Return kind and data of something that happens to the mind."""
    who = dice.one([ODO, ODO, WICK])
    seen = {"target": who, "confidence": "knows_of", "source": SEEN}
    story = {"about": who, "mind": "npc:a", "teller": "npc:b", "confidence": "knows_of"}
    forms: list[tuple[str, dict[str, Any]]] = [
        ("fact_learned", {"fact_id": dice.one(FACTS), "confidence": dice.one(CONFIDENCES)}),
        (
            "fact_state_changed",
            {"fact_id": dice.one(FACTS), "state": dice.one(["stale", "active"])},
        ),
        ("entity_observed", {**seen, "attributes": {"debt": dice.one(["1", "3", "red"])}}),
        ("relationship_changed", {"target": who, "state": dice.one(RELATIONS)}),
        ("interaction_started", {"target": who, "player_initiated": True, "location": "quay"}),
        ("interaction_started", {"target": who, "player_initiated": False, "location": "mill"}),
        ("interaction_walked_away", {"target": who}),
        ("interaction_confrontation", {"target": who}),
        ("interaction_completed", {"target": who, "topics": [], "moods": []}),
        ("interaction_conflict_abandoned", {"target": who}),
        ("line_fired", {"pool": FORMER[0], "line": FORMER[1], "speaker": "odo"}),
        ("gossip_heard", {**story, "fact_id": "tide.late"}),
        (
            "gossip_heard",
            {**story, "fact_id": "interaction.odo_001", "interaction_state": "walked_away"},
        ),
    ]
    kind, data = dice.one(forms)
    return kind, {**data, "source": SEEN} if kind == "fact_learned" else data


class Case:
    """One case while it is made: two minds with their logs, and the steps so far."""

    def __init__(self, number: int) -> None:
        self.dice = Dice(number)
        self.seed = self.dice.below(2**32) - 2**31
        self.pack = pack_of(self.dice, number * 5)
        self.minds = {"party": Mind("party"), "world": Mind("world")}
        self.logs: dict[str, list[Event]] = {"party": [], "world": []}
        self.tick = 0
        self.fond = (None, "bag", "least_recent", "bag", "best_specific")[number % 5]
        self.steps: list[dict[str, Any]] = []

    def tell(self, mind: str, kind: str, data: Mapping[str, Any]) -> dict[str, Any] | None:
        """Let an event happen; return it, or None where it cannot."""
        known = self.minds[mind]
        number = known.next_sequence("s")
        event = Event(
            stream="s", sequence=number, tick=self.tick, kind=EventKind(kind), data=dict(data)
        )
        try:
            known.apply(event)
        except TalebearerError:  # an interaction that cannot go on from where it is
            return None
        self.logs[mind].append(event)
        return {"mind": mind, "event": event.as_json()}

    def happen(self) -> None:
        """Add a step in which something happens."""
        kind, data = happening(self.dice)
        told = self.tell("party", kind, data)
        if told is not None:
            self.steps.append({"happens": told})

    def ask(self) -> None:
        """Add a step in which a line is asked for, mostly kept as heard."""
        dice = self.dice
        more: dict[str, Any] = {
            "tick": self.tick,
            "strategy": self.fond if dice.often(60) else dice.one([None, *sorted(STRATEGIES)]),
            "event": {"size": dice.below(4), "what": dice.one(["bell", "oar"])},
            "speaking": dice.one([[], [], [["speech", "wick"]], [["shout", "odo"]]]),
        }
        reference = ReferenceSelector(self.pack, self.logs, mind="party", seed=self.seed)
        asked: dict[str, Any]
        if dice.often(65):
            scene = {
                "location": "quay",
                "access": dice.one(["public", "public", "insider"]),
                "trust": dice.one(["surface", "real", "real"]),
                "situations": dice.some(["social", "alone"], 1, 2),
                "topics": dice.some(["cargo", "money"], 0, 2),
                "moods": dice.some(["warm"], 0, 1),
            }
            if dice.often(60):  # many lines are left for the strategies
                scene |= {
                    "trust": "real",
                    "situations": ["social", "alone"],
                    "topics": [],
                    "moods": [],
                }
            asked = {"speaker": dice.one(["odo", "wick"]), "scene": scene, **more}
            answer = reference.dialogue(asked["speaker"], scene, **_called(more))
        else:
            trigger = dice.one(["come", "come", "hear"])
            more["event"] = more["event"] if trigger == "come" else {}
            place = dice.one(["quay", "quay", "mill"])
            asked = {"character": "smuggler", "trigger": trigger, "location": place, **more}
            answer = reference.monologue("smuggler", trigger, location=place, **_called(more))
        kept = dice.often(85)
        self.steps.append({"asks": asked, "answer": answered(answer), "kept": kept})
        for mind, kind, data in answer.effects if kept else ():
            assert self.tell(mind, kind, data) is not None, (kind, data)

    def as_json(self, number: int) -> dict[str, Any]:
        """Return the whole case."""
        for _ in range(STEPS):
            self.tick += self.dice.below(3)
            (self.happen if self.dice.often(40) else self.ask)()
        return {"case": number, "seed": self.seed, "pack": self.pack, "steps": self.steps}


def _called(more: Mapping[str, Any]) -> dict[str, Any]:
    return {**more, "speaking": tuple((name, who) for name, who in more["speaking"])}


def answered(answer: ReferenceAnswer) -> dict[str, Any]:
    """Return an answer as the corpus holds it."""
    fates = sorted(answer.fates.items())
    return {
        "lines": [[pool, line, fate] for (pool, line), fate in fates],
        "drawn": None if answer.chosen is None else list(answer.chosen),
        "text": answer.text,
        "interrupts": [list(one) for one in answer.interrupts],
        "effects": [
            {"mind": mind, "kind": kind, "data": dict(data)} for mind, kind, data in answer.effects
        ],
    }


def corpus() -> bytes:
    """Return the whole corpus: a header, then a case a line."""
    head = {"format": FORMAT, "version": VERSION, "cases": CASES}
    values = [head, *(Case(number).as_json(number) for number in range(1, CASES + 1))]
    lines = [
        json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        for value in values
    ]
    return ("\n".join(lines) + "\n").encode()


def main() -> int:
    """Write the corpus, or say whether the one that is there is current."""
    parser = argparse.ArgumentParser(description="The conformance corpus of selection.")
    parser.add_argument("--write", action="store_true", help="make the file again")
    parser.add_argument("--check", action="store_true", help="fail when the file is stale")
    options = parser.parse_args()
    made = corpus()
    if options.write:
        CORPUS.parent.mkdir(parents=True, exist_ok=True)
        CORPUS.write_bytes(made)
    elif not CORPUS.is_file() or CORPUS.read_bytes() != made:
        print(f"{CORPUS.name} is stale: python tools/selection_corpus.py --write")
        return 1
    print(f"{CORPUS.name}: {CASES} cases, {len(made)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
