"""Packs with every gate and effect, and what happens to two minds: for tests of selectors."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from talebearer.errors import TalebearerError
from talebearer.lines import STRATEGIES, Scene, Selector, load_pack
from talebearer.memory import Event, Mind, fold
from talebearer.testing import ReferenceSelector
from talebearer.vocabulary import EventKind

SCOPES = ["line", "pair", "player", "character", "world"]
SLUGS = ["odo", "wick"]
ODO = "npc:odo"
DECLARED = {
    "timers": {f"t-{scope}": {"scope": scope} for scope in SCOPES},
    "counters": {f"c-{scope}": {"scope": scope, "initial": 1} for scope in SCOPES},
    "values": {f"v-{scope}": {"scope": scope, "type": "number"} for scope in SCOPES},
    "classes": {
        "aside": {"interrupts": [], "excluded_by": ["speech", "shout"]},
        "speech": {"interrupts": [], "excluded_by": ["speech"]},
        "shout": {"interrupts": ["speech"], "excluded_by": ["speech", "shout"]},
    },
}
names = st.sampled_from(SCOPES)
ticks = st.integers(0, 6)
ages = st.fixed_dictionaries({}, optional={"within": ticks, "older_than": ticks})
some_ages = ages.filter(bool)
bounds = st.dictionaries(
    st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), st.integers(-1, 3), min_size=1, max_size=2
)
leaves = st.one_of(
    st.builds(
        lambda how: {"facts": [{"fact_id": "a.b", **how}]},
        st.sampled_from(
            [
                {"min_confidence": "knows_of"},
                {"confidence": "suspects"},
                {"absent": True},
                {"absent": True, "fact_state": "stale"},
                {"min_confidence": "suspects", "fact_state": "stale"},
            ]
        ),
    ),
    st.builds(lambda how: {"gossip": [{"about": ODO, **how}]}, st.just({})),
    st.builds(
        lambda how: {"entity_attributes": [{"entity": ODO, "key": "debt", **how}]},
        bounds | st.just({"=": "3"}),
    ),
    st.builds(
        lambda how: {"relationships": [{"target": ODO, **how}]},
        st.sampled_from([{"state": "known"}, {"states": ["unknown", "hostile"]}]),
    ),
    st.builds(
        lambda count, age, state: {
            "interactions": [{"target": ODO, "count": count, **age, **state}]
        },
        bounds.map(lambda found: {sign: abs(most) for sign, most in found.items()}),
        ages,
        st.sampled_from([{}, {"state": "walked_away"}, {"state": "confrontation"}]),
    ),
    st.builds(lambda name, age: {"timers": [{"timer": f"t-{name}", **age}]}, names, some_ages),
    st.builds(lambda name: {"timers": [{"timer": f"t-{name}", "never": True}]}, names),
    st.builds(lambda name, how: {"counters": [{"counter": f"c-{name}", **how}]}, names, bounds),
    st.builds(lambda name, how: {"values": [{"value": f"v-{name}", **how}]}, names, bounds),
    st.builds(lambda how: {"event": {"size": how}}, bounds),
    st.builds(
        lambda whom, after, age: {"reply_to": {**whom, "after": after, **age}},
        st.sampled_from([{"character": "odo"}, {"line": "p/dialogue/quay/odo#x_d_001"}]),
        st.integers(0, 2),
        st.fixed_dictionaries({}, optional={"within": ticks}),
    ),
    st.builds(lambda parts: {"chance": parts}, st.integers(200_000, 900_000)),
    st.builds(lambda name: {"conditions": [name]}, st.sampled_from(["named", "nobody"])),
    st.just({"counters": [{"counter": "undeclared", ">=": 0}]}),
)
conditions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(lambda parts: {"any_of": parts}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda parts: {"all_of": parts}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda part: {"not": part}, inner),
        st.builds(lambda one, other: {**one, **other}, inner, inner),
    ),
    max_leaves=5,
)
effects = st.one_of(
    st.builds(
        lambda name, by: {"add": {"counter": f"c-{name}", "by": by}}, names, st.integers(-2, 2)
    ),
    st.builds(lambda name, to: {"set": {"value": f"v-{name}", "to": to}}, names, st.integers(0, 3)),
    st.builds(lambda name: {"stamp": {"timer": f"t-{name}"}}, names),
    st.just({"grant": {"fact_id": "a.b", "confidence": "knows_of"}}),
)
extras = st.fixed_dictionaries(
    {},
    optional={
        "when": conditions,
        "effects": st.lists(effects, min_size=1, max_size=2),
        "once": st.sampled_from(SCOPES),
        "cooldown": st.integers(0, 4),
        "class": st.sampled_from(["aside", "speech", "shout", "nobodys"]),
        "variants": st.just(["Two.", "Three."]),
    },
)


named_strategies = st.fixed_dictionaries(
    {}, optional={"strategy": st.sampled_from([*STRATEGIES, "bag", "bag"])}
)
maybe = st.just({}) | extras
"""Half of the lines are plain, so that many are left for the later stages."""


@st.composite
def packs(draw: st.DrawFn, parts: st.SearchStrategy[dict[str, Any]] = maybe) -> bytes:
    """Return a pack with two speakers who share a file, and one who thinks."""
    plain = {"text": "One.", "role": "clerk", "access": ["public"], "trust": "surface"}
    pools: list[dict[str, Any]] = []
    for stem in ("clerk", "odo"):
        lines = [
            {**plain, "id": f"x_d_{n:03}", "situation": ["social"], **draw(parts)}
            for n in range(1, draw(st.integers(1, 5)) + 1)
        ]
        if stem == "odo" and draw(st.booleans()):
            lines[-1]["aliases"] = ["p/dialogue/quay/odo#x_d_009"]
        for line in lines:
            line["topic"] = draw(st.sampled_from([[], ["cargo"], ["money"]]))
        pools.append(
            {
                "path": f"p/dialogue/quay/{stem}",
                "kind": "dialogue",
                "location": "quay",
                "role": "clerk",
                "lines": lines,
                **draw(named_strategies),
            }
        )
    thoughts = [
        {
            "id": f"x_m_s_{n:03}",
            "text": "Hm.",
            "trigger": "come",
            "priority": draw(st.integers(0, 3)),
            **draw(extras),
        }
        for n in range(1, draw(st.integers(1, 4)) + 1)
    ]
    if "aliases" not in pools[-1]["lines"][-1] and draw(st.booleans()):
        thoughts[0]["aliases"] = ["p/dialogue/quay/odo#x_d_009"]
    pools.append(
        {
            "path": "p/monologue/smuggler/quay",
            "kind": "monologue",
            "character": "smuggler",
            "location": "quay",
            "lines": thoughts,
            **draw(named_strategies),
        }
    )
    named = draw(conditions.filter(lambda one: "named" not in str(one)))
    return pack_of(pools, conditions={"named": named})


def pack_of(pools: list[dict[str, Any]], *, conditions: dict[str, Any]) -> bytes:
    """Return a pack of *pools*, with the few words, people and declarations that they use."""
    value = {
        "format": "talebearer.pack",
        "version": 1,
        "enums": {
            "access": ["public"],
            "trust": ["surface"],
            "situations": ["social"],
            "topics": ["cargo", "money"],
            "moods": [],
            "triggers": ["come"],
        },
        "characters": {"smuggler": {"letter": "s"}},
        "facts": {"a.b": ""},
        "profiles": {
            slug: {"name": slug, "role": "clerk", "attributes": {"debt": 3}} for slug in SLUGS
        },
        "conditions": conditions,
        "state": DECLARED,
        "triggers": {"come": {"fields": {"size": "number"}}},
        "pools": pools,
    }
    return json.dumps(value).encode()


FORMER = {"pool": "p/dialogue/quay/odo", "line": "x_d_009"}
"""A line under a name that it had once."""
WHY = {"code": "x", "text": "x"}
happenings = st.sampled_from(
    [
        ("fact_learned", {"fact_id": "a.b", "confidence": "suspects"}),
        ("fact_learned", {"fact_id": "a.b", "confidence": "direct"}),
        ("fact_state_changed", {"fact_id": "a.b", "state": "stale"}),
        ("entity_observed", {"target": ODO, "confidence": "knows_of", "attributes": {"debt": "1"}}),
        ("relationship_changed", {"target": ODO, "state": "hostile"}),
        ("standing_changed", {"target": ODO, "delta": 600, "reason": WHY}),
        ("interaction_started", {"target": ODO, "player_initiated": True, "location": "quay"}),
        ("interaction_walked_away", {"target": ODO}),
        ("interaction_confrontation", {"target": ODO}),
        ("interaction_completed", {"target": ODO, "topics": []}),
        ("interaction_conflict_abandoned", {"target": ODO}),
        ("line_fired", {**FORMER, "speaker": "odo"}),
        ("line_fired", {**FORMER, "speaker": "wick", "round": 2, "variant": "0a0a0a0a"}),
        ("counter_added", {"counter": "c-line", "by": 2, **FORMER}),
        ("value_set", {"value": "v-line", "to": 2, **FORMER}),
        ("timer_stamped", {"timer": "t-line", **FORMER}),
        (
            "gossip_heard",
            {
                "about": ODO,
                "mind": "npc:a",
                "fact_id": "interaction.odo_001",
                "teller": "npc:b",
                "confidence": "knows_of",
            },
        ),
    ]
)
steps = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.one_of(
            st.tuples(st.just("happen"), happenings),
            st.tuples(
                st.just("talk"),
                st.tuples(
                    st.sampled_from(SLUGS),
                    st.sampled_from([None, *STRATEGIES]),
                    st.sampled_from([(), (("speech", "wick"),), (("shout", "odo"),)]),
                    st.booleans(),
                ),
            ),
            st.tuples(
                st.just("think"),
                st.tuples(st.sampled_from([None, *STRATEGIES]), st.integers(0, 2), st.booleans()),
            ),
        ),
    ),
    min_size=1,
    max_size=12,
)


class Table:
    """Two minds, their logs, and a selector that follows."""

    def __init__(self, data: bytes) -> None:
        self.pack = load_pack(data)
        self.value = json.loads(data)
        self.minds = {"party": Mind("party"), "world": Mind("world")}
        self.logs: dict[str, list[Event]] = {"party": [], "world": []}
        self.tick = 0
        self.selector = self.fresh()

    def fresh(self) -> Selector:
        minds = {name: fold(name, log) for name, log in self.logs.items()}
        return Selector(self.pack, minds["party"], seed=3, world=minds["world"])

    def follower(self) -> Selector:
        minds = self.minds
        return Selector(self.pack, minds["party"], seed=3, world=minds["world"])

    def tell(self, mind: str, kind: str, data: Any) -> None:
        known = self.minds[mind]
        event = Event(
            stream="s",
            sequence=known.next_sequence("s"),
            tick=self.tick,
            kind=EventKind(kind),
            data=data,
        )
        try:
            known.apply(event)
        except TalebearerError:  # an interaction that cannot go on
            return
        self.logs[mind].append(event)

    def play(self, step: tuple[str, Any]) -> None:
        what, asked = step
        if what == "happen":
            kind, data = asked
            if kind in ("fact_learned", "entity_observed"):
                data = {**data, "source": {"kind": "heard", "payload": {}}}
            self.tell("party", kind, data)
            return
        answers = []
        for selector in (self.selector, self.fresh()):
            if what == "talk":
                answers.append(self.talk(selector, *asked[:3]))
            else:
                answers.append(self.think(selector, *asked[:2]))
        (pick, shown), (pick_anew, shown_anew) = answers
        assert shown == shown_anew
        assert (pick and pick.as_json()) == (pick_anew and pick_anew.as_json())
        drawn = [one for one in shown["verdicts"] if one["dropped_by"] is None]
        if pick is None:
            assert not drawn
            return
        verdict = pick.verdict.as_json()
        matching = [
            one for one in drawn if (one["pool"], one["line_id"]) == (pick.pool, pick.line_id)
        ]
        assert [{**one, "text": pick.text} for one in matching] == [verdict]
        if asked[-1]:
            for effect in pick.effects:
                self.tell(effect.mind, effect.kind, effect.data)

    def talk(self, selector: Selector, speaker: str, strategy: Any, speaking: Any) -> Any:
        scene = Scene(
            location="quay",
            access="public",
            trust="surface",
            situations=("social",),
            topics=("cargo",),
        )
        asked: Any = {"tick": self.tick, "strategy": strategy, "speaking": speaking}
        pick = selector.pick_dialogue(speaker, scene, **asked)
        return pick, selector.explain_dialogue(speaker, scene, **asked).as_json()

    def think(self, selector: Selector, strategy: Any, size: int) -> Any:
        asked: Any = {
            "location": "quay",
            "tick": self.tick,
            "strategy": strategy,
            "event": {"size": size},
        }
        pick = selector.pick_monologue("smuggler", "come", **asked)
        return pick, selector.explain_monologue("smuggler", "come", **asked).as_json()

    # --- the plain reading of the rules ----------------------------------------------------------

    def reference(self) -> ReferenceSelector:
        return ReferenceSelector(self.value, self.logs, mind="party", seed=3)

    def compare(self, asked: tuple[Any, ...]) -> None:
        """Ask the package and the reference the same."""
        how: dict[str, Any] = {"tick": self.tick}
        if asked[0] == "talk":
            _, speaker, strategy, speaking = asked
            how |= {"strategy": strategy, "speaking": speaking}
            scene = Scene(**SCENE)
            pick = self.selector.pick_dialogue(speaker, scene, **how)
            shown = self.selector.explain_dialogue(speaker, scene, **how)
            counted = self.selector.count_dialogue(speaker, scene, **how)
            answer = self.reference().dialogue(speaker, SCENE, **how)
        else:
            _, strategy, size = asked
            how |= {"strategy": strategy, "event": {"size": size}, "location": "quay"}
            pick = self.selector.pick_monologue("smuggler", "come", **how)
            shown = self.selector.explain_monologue("smuggler", "come", **how)
            counted = self.selector.count_monologue("smuggler", "come", **how)
            answer = self.reference().monologue("smuggler", "come", **how)
        fates = {(one.pool, one.line_id): one.dropped_by or one.weight for one in shown.verdicts}
        assert fates == answer.fates
        assert (list(counted.steps), counted.eligible) == (shown.funnel, len(shown.eligible))
        if pick is None:
            assert answer.chosen is None
            return
        assert (pick.pool, pick.line_id) == answer.chosen
        assert pick.text == answer.text
        assert tuple((one.speaking_class, one.character) for one in pick.interrupts) == (
            answer.interrupts
        )
        drafts = [(one.mind, one.kind.value, dict(one.data)) for one in pick.effects]
        assert drafts == [(mind, kind, dict(data)) for mind, kind, data in answer.effects]


SCENE: dict[str, Any] = {
    "location": "quay",
    "access": "public",
    "trust": "surface",
    "situations": ("social",),
    "topics": ("cargo",),
    "moods": (),
}
