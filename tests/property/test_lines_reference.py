"""No scene where the package and a plain reading of the rules differ.

The reference below is written from the rules' sentences over the pack's JSON and a list of what
happened. It shares no code with the package but the draw of the winning index.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from talebearer.lines import (
    Scene,
    Selector,
    load_pack,
    pick_index,
    query_dialogue,
    query_monologue,
)
from talebearer.memory import Event, Mind
from talebearer.vocabulary import EventKind

ACCESS = ["public", "insider", "peer"]
TRUST = ["surface", "real", "secret"]
SITUATIONS = ["social", "routine", "alone"]
TOPICS = ["cargo", "money", "danger"]
MOODS = ["anxious", "warm"]
TRIGGERS = ["enter_location", "time_idle"]
CONFIDENCE = ["suspects", "knows_of", "knows_details", "direct"]
RELATION = ["unknown", "known", "friendly", "person_of_interest", "hostile"]
ENDINGS = ["active", "completed", "walked_away", "confrontation", "conflict_abandoned"]
CHARACTERS = {"smuggler": "s", "detective": "d"}
SLUGS = ["odo", "mira", "stranger"]  # nobody wrote a profile for the stranger
PROFILES = {
    "odo": {"name": "Odo", "role": "clerk", "attributes": {"trade": "tolls"}},
    "mira": {"name": "Mira", "role": "clerk", "attributes": {"trade": "rope", "mood": "sour"}},
}
FACTS = ["ledger.a", "ledger.b", "interaction.odo_001"]
PLACES = ["quay", "mill"]


# What happened: the generator's own record, from which events are made and the reference reads.


@dataclass
class World:
    """Everything a mind went through, plainly."""

    events: list[tuple[int, str, dict[str, Any]]] = field(default_factory=list)
    talks: list[dict[str, Any]] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    relation: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, dict[str, str]] = field(default_factory=dict)
    heard: list[tuple[int, str, str]] = field(default_factory=list)

    def add(self, tick: int, kind: str, **data: Any) -> None:
        self.events.append((tick, kind, data))

    def know(self, who: str) -> None:
        if self.relation.get(who, "unknown") == "unknown":
            self.relation[who] = "known"
        self.attributes.setdefault(who, {})


def play(world: World, tick: int, step: tuple[Any, ...]) -> None:
    """Let one thing happen."""
    what, who, extra = step
    if what == "talk":
        world.add(tick, "interaction_started", target=who, player_initiated=True, location="quay")
        quarrel, end = extra
        if quarrel:
            world.add(tick, "interaction_confrontation", target=who)
        if end == "completed":
            world.add(tick, "interaction_completed", target=who, topics=[])
        else:
            end = "conflict_abandoned" if quarrel else "walked_away"
            world.add(tick, f"interaction_{end}", target=who)
        number = 1 + sum(talk["with"] == who for talk in world.talks)
        fact_id = f"interaction.{who.removeprefix('npc:')}_{number:03}"
        world.talks.append({"with": who, "state": end, "quarrel": quarrel})
        world.facts[fact_id] = "knows_details"
        world.know(who)
    elif what == "learn":
        via = {"kind": "background", "payload": {}}
        world.add(tick, "fact_learned", fact_id=who, confidence=extra, source=via)
        old = world.facts.get(who, extra)
        world.facts[who] = max(old, extra, key=CONFIDENCE.index)
    elif what == "see":
        via = {"kind": "direct_observation", "payload": {}}
        world.add(
            tick,
            "entity_observed",
            target=who,
            confidence="knows_of",
            source=via,
            known=True,
            attributes=extra,
        )
        world.know(who)
        world.attributes[who].update(extra)
    elif what == "relate":
        world.add(tick, "relationship_changed", target=who, state=extra)
        world.relation[who] = extra
        world.attributes.setdefault(who, {})
    else:
        world.add(tick, "line_fired", pool=who, line=extra)
        world.heard.append((tick, who, extra))


def remember(world: World) -> Mind:
    """Return a mind that went through it."""
    mind = Mind("party")
    for sequence, (tick, kind, data) in enumerate(world.events, start=1):
        mind.apply(Event(stream="s", sequence=sequence, tick=tick, kind=EventKind(kind), data=data))
    return mind


# The reference.


def gate_results(prerequisites: dict[str, Any], world: World) -> Iterator[bool]:
    """Yield for each gate whether it is met."""
    for gate in prerequisites.get("facts", []):
        known = world.facts.get(gate["fact_id"])
        least = CONFIDENCE.index(gate["min_confidence"])
        yield known is not None and CONFIDENCE.index(known) >= least
    for gate in prerequisites.get("entity_attributes", []):
        who, key = gate["entity"], gate["key"]
        if who not in world.attributes:
            yield False
        else:
            profile = PROFILES.get(who.removeprefix("npc:"), {"attributes": {}})
            value = world.attributes[who].get(key, profile["attributes"].get(key))
            yield value == gate["value"]
    if "relationship" in prerequisites:
        gate = prerequisites["relationship"]
        now = world.relation.get(gate["target"], "unknown")
        if "states" in gate:
            yield now in gate["states"]
        else:
            yield RELATION.index(now) >= RELATION.index(gate["state"])
    if "interaction" in prerequisites:
        gate = prerequisites["interaction"]
        count = 0
        for talk in world.talks:
            if talk["with"] == gate["target"]:
                wanted = gate.get("state", talk["state"])
                same = talk["quarrel"] if wanted == "confrontation" else talk["state"] == wanted
                count += same
        yield count >= gate["min_count"]


def closed(line: dict[str, Any], world: World) -> bool:
    return not all(gate_results(line.get("prerequisites", {}), world))


def axis(tags: list[str], asked: list[str]) -> int:
    """+1 for each shared tag; 0 without tags or without a request; -1 when all differ."""
    if not tags or not asked:
        return 0
    shared = sum(tag in asked for tag in tags)
    return shared if shared else -1


def speaks_from(pools: list[dict[str, Any]], slug: str, place: str) -> list[dict[str, Any]]:
    role = PROFILES[slug]["role"] if slug in PROFILES else None
    found = []
    for pool in pools:
        if pool["kind"] != "dialogue" or pool["location"] != place:
            continue
        stem = pool["path"].split("/")[-1]
        if stem == slug or (role and pool["role"] == role and stem not in PROFILES):
            found.append(pool)
    return found


def dialogue_fates(
    pools: list[dict[str, Any]], scene: dict[str, Any], world: World, strategy: str
) -> dict[tuple[str, str], Any]:
    """Return each line's stage, or its weight when it can be drawn."""
    fates: dict[tuple[str, str], Any] = {}
    passed = []
    for pool in pools:
        for line in pool["lines"]:
            key = (pool["path"], line["id"])
            if scene["access"] not in line["access"]:
                fates[key] = "access"
            elif not any(active in line["situation"] for active in scene["situations"]):
                fates[key] = "situation"
            elif TRUST.index(scene["trust"]) < TRUST.index(line["trust"]):
                fates[key] = "trust"
            elif closed(line, world):
                fates[key] = "prerequisites"
            else:
                passed.append((key, line))
    own = {(pool["path"], line["id"]) for pool in pools for line in pool["lines"]}
    heard = [(path, line) for _, path, line in world.heard if (path, line) in own]
    if heard and len(passed) > 1 and heard[-1] in [key for key, _ in passed]:
        fates[heard[-1]] = "repeat"
        passed = [(key, line) for key, line in passed if key != heard[-1]]
    score = {
        key: axis(line["topic"], scene["topics"]) + axis(line["mood"], scene["moods"])
        for key, line in passed
    }
    if strategy == "weighted":
        return {**fates, **{key: 2 ** (score[key] + 2) for key, _ in passed}}
    if strategy == "best_specific":
        gates = {
            key: len(list(gate_results(line.get("prerequisites", {}), world)))
            for key, line in passed
        }
        passed = keep_best(passed, gates, fates, "specificity")
    passed = keep_best(passed, score, fates, "score")
    if strategy == "least_recent":
        rest = {}
        for key, _ in passed:
            ticks = [tick for tick, path, line in world.heard if (path, line) == key]
            rest[key] = -max(ticks) if ticks else 1
        passed = keep_best(passed, rest, fates, "recency")
    return {**fates, **{key: 1 for key, _ in passed}}


def keep_best(
    passed: list[Any], value: dict[Any, int], fates: dict[Any, Any], stage: str
) -> list[Any]:
    if not passed:
        return passed
    best = max(value[key] for key, _ in passed)
    fates.update({key: stage for key, _ in passed if value[key] < best})
    return [(key, line) for key, line in passed if value[key] == best]


def monologue_fates(
    pools: list[dict[str, Any]], asked: tuple[str, str, str], world: World, now: int
) -> dict[tuple[str, str], Any]:
    """Return each line's stage, or its weight, for (character, trigger, place)."""
    character, trigger, place = asked
    groups: dict[bool, dict[Any, Any]] = {False: {}, True: {}}
    for pool in pools:
        mine = pool["kind"] == "monologue" and pool["character"] == character
        if not mine or pool["location"] not in (place, "general"):
            continue
        for line in pool["lines"]:
            key = (pool["path"], line["id"])
            ticks = [tick for tick, path, name in world.heard if (path, name) == key]
            if line["trigger"] != trigger:
                fate: Any = "trigger"
            elif closed(line, world):
                fate = "prerequisites"
            elif line["cooldown"] and ticks and now < max(ticks) + line["cooldown"]:
                fate = "cooldown"
            else:
                fate = 2 ** line["priority"]
            groups[pool["location"] == "general"][key] = fate
    if any(isinstance(fate, int) for fate in groups[False].values()):
        groups[True] = dict.fromkeys(groups[True], "location")
    return {**groups[False], **groups[True]}


# Generators.

words = st.sampled_from
targets = words([f"npc:{slug}" for slug in SLUGS])


def some(values: list[str], *, least: int = 0) -> st.SearchStrategy[list[str]]:
    return st.lists(words(values), min_size=least, unique=True)


def most(values: list[str]) -> st.SearchStrategy[list[str]]:
    """All values as often as not, so that many lines pass and the later stages see some."""
    return st.one_of(st.just(values), some(values, least=1))


fact_gates = st.fixed_dictionaries({"fact_id": words(FACTS), "min_confidence": words(CONFIDENCE)})
attribute_gates = st.fixed_dictionaries(
    {
        "entity": targets,
        "key": words(["trade", "mood"]),
        "value": words(["tolls", "rope", "sour", "merry"]),
    }
)
relationship_gates = st.one_of(
    st.fixed_dictionaries({"target": targets, "state": words(RELATION)}),
    st.fixed_dictionaries({"target": targets, "states": some(RELATION, least=1)}),
)
interaction_gates = st.fixed_dictionaries(
    {"target": targets, "min_count": st.integers(1, 3)}, optional={"state": words(ENDINGS)}
)
prerequisites = st.fixed_dictionaries(
    {},
    optional={
        "facts": st.lists(fact_gates, max_size=2),
        "entity_attributes": st.lists(attribute_gates, max_size=1),
        "relationship": relationship_gates,
        "interaction": interaction_gates,
    },
)
dialogue_lines = st.fixed_dictionaries(
    {
        "text": st.just("Hm."),
        "role": st.just("clerk"),
        "access": most(ACCESS),
        "trust": words(["surface", *TRUST]),
        "situation": most(SITUATIONS),
        "topic": some(TOPICS),
        "mood": some(MOODS),
    },
    optional={"prerequisites": prerequisites},
)
thoughts = st.fixed_dictionaries(
    {
        "text": st.just("Hm."),
        "trigger": words(TRIGGERS),
        "priority": st.integers(0, 10),
        "cooldown": words([0, 1, 5, 100]),
    },
    optional={"prerequisites": prerequisites},
)


@st.composite
def pools(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Dialogue pools of characters and roles, and monologue pools of both characters."""
    made = []
    stems = draw(some(["odo", "mira", "stranger", "clerk", "porter"], least=1))
    for stem in stems:
        lines = draw(st.lists(dialogue_lines, max_size=6))
        numbered = [{**line, "id": f"x_d_{n:03}"} for n, line in enumerate(lines)]
        head = {"kind": "dialogue", "location": "quay", "role": draw(words(["clerk", "porter"]))}
        made.append({"path": f"dialogue/quay/{stem}", **head, "lines": numbered})
    for stem in draw(some(["quay", "mill", "general", "debts"])):
        character = draw(words(list(CHARACTERS)))
        letter = CHARACTERS[character]
        lines = draw(st.lists(thoughts, max_size=5))
        numbered = [{**line, "id": f"x_m_{letter}_{n:03}"} for n, line in enumerate(lines)]
        place = draw(words([*PLACES, "general"])) if stem == "debts" else stem
        head = {"kind": "monologue", "character": character, "location": place}
        made.append({"path": f"monologue/{character}/{stem}", **head, "lines": numbered})
    return sorted(made, key=lambda pool: pool["path"])


@st.composite
def worlds(draw: st.DrawFn, of: list[dict[str, Any]]) -> World:
    keys = [(pool["path"], line["id"]) for pool in of for line in pool["lines"]]
    steps = [
        st.tuples(
            st.just("talk"),
            targets,
            st.tuples(st.booleans(), words(["completed", "left"])),
        ),
        st.tuples(st.just("learn"), words(FACTS[:2]), words(CONFIDENCE)),
        st.tuples(
            st.just("see"),
            targets,
            st.dictionaries(words(["trade", "mood"]), words(["tolls", "merry"])),
        ),
        st.tuples(st.just("relate"), targets, words(RELATION)),
    ]
    if keys:
        steps += 2 * [words(keys).map(lambda key: ("hear", *key))]
    world = World()
    for tick, step in enumerate(draw(st.lists(st.one_of(*steps), max_size=8)), start=1):
        play(world, tick, step)
    return world


scenes = st.fixed_dictionaries(
    {
        "location": st.just("quay"),
        "access": words(ACCESS),
        "trust": words([*TRUST, "secret"]),
        "situations": most(SITUATIONS),
        "topics": some(TOPICS),
        "moods": some(MOODS),
    }
)


def encode(made: list[dict[str, Any]]) -> bytes:
    enums = {
        "access": ACCESS,
        "trust": TRUST,
        "situations": SITUATIONS,
        "topics": TOPICS,
        "moods": MOODS,
        "triggers": TRIGGERS,
    }
    value = {
        "format": "talebearer.pack",
        "version": 1,
        "enums": enums,
        "characters": {name: {"letter": letter} for name, letter in CHARACTERS.items()},
        "facts": {"ledger.a": "A."},
        "profiles": PROFILES,
        "conditions": {},
        "pools": made,
    }
    return json.dumps(value).encode()


def fates_of(explanation: Any) -> dict[tuple[str, str], Any]:
    return {
        (verdict.pool, verdict.line_id): verdict.dropped_by or verdict.weight
        for verdict in explanation.verdicts
    }


def check_draw(explanation: Any, fates: dict[Any, Any], pick: Any, **key: Any) -> None:
    """The pick is the one that the reference's weights give, and its chance is exact."""
    drawn = [(name, weight) for name, weight in fates.items() if isinstance(weight, int)]
    total = sum(weight for _, weight in drawn)
    for verdict in explanation.eligible:
        weight = fates[verdict.pool, verdict.line_id]
        assert verdict.probability == Fraction(weight, total)
    if not drawn:
        assert pick is None
        return
    order = [(verdict.pool, verdict.line_id) for verdict in explanation.verdicts]
    drawn.sort(key=lambda item: order.index(item[0]))
    index = pick_index([weight for _, weight in drawn], seed=3, mind="party", **key)
    assert (pick.pool, pick.line.id) == drawn[index][0]
    assert pick.verdict in explanation.eligible


@pytest.mark.spec("LP-3.4-sequence")
@pytest.mark.spec("LP-L2-score")
@settings(max_examples=80, deadline=None)
@given(st.data())
def test_dialogue_is_what_the_rules_say(data: st.DataObject) -> None:
    made = data.draw(pools())
    world = data.draw(worlds(made))
    scene = data.draw(scenes)
    speaker = data.draw(words(SLUGS))
    strategy = data.draw(words(["top_scored", "weighted", "best_specific", "least_recent"]))
    tick = data.draw(st.integers(0, 12))
    mind = remember(world)
    selector = Selector(load_pack(encode(made)), mind, seed=3)
    asked = Scene(**{k: tuple(v) if isinstance(v, list) else v for k, v in scene.items()})
    candidates = speaks_from(made, speaker, "quay")
    expected = dialogue_fates(candidates, scene, world, strategy)
    found = selector.explain_dialogue(speaker, asked, tick=tick, strategy=strategy)
    assert fates_of(found) == expected
    check_draw(
        found,
        expected,
        selector.pick_dialogue(speaker, asked, tick=tick, strategy=strategy),
        tick=tick,
        pools=[pool["path"] for pool in candidates],
        request="dialogue",
        draw=mind.picks_at(tick),
    )


@pytest.mark.spec("LP-4.4-sequence")
@settings(max_examples=80, deadline=None)
@given(st.data())
def test_monologue_is_what_the_rules_say(data: st.DataObject) -> None:
    made = data.draw(pools())
    world = data.draw(worlds(made))
    character, trigger = data.draw(words(list(CHARACTERS))), data.draw(words(TRIGGERS))
    place = data.draw(words(PLACES))
    tick = data.draw(st.integers(0, 12))
    mind = remember(world)
    pack = load_pack(encode(made))
    selector = Selector(pack, mind, seed=3)
    expected = monologue_fates(made, (character, trigger, place), world, tick)
    found = selector.explain_monologue(character, trigger, location=place, tick=tick)
    assert fates_of(found) == expected
    candidates = pack.monologue_pools_for(character, place)
    check_draw(
        found,
        expected,
        selector.pick_monologue(character, trigger, location=place, tick=tick),
        tick=tick,
        pools=[pool.path for pool in candidates],
        request=trigger,
        draw=mind.picks_at(tick),
    )


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_the_queries_are_what_the_rules_say(data: st.DataObject) -> None:
    """Without a pack there are no profiles, so gates on attributes read the mind only."""
    made = data.draw(pools())
    for pool in made:
        for line in pool["lines"]:
            line.get("prerequisites", {}).pop("entity_attributes", None)
    world = data.draw(worlds(made))
    scene = data.draw(scenes)
    mind = remember(world)
    pack = load_pack(encode(made))
    unheard = World(**{**world.__dict__, "heard": []})
    for pool, value in zip(
        pack.dialogue_pools, [pool for pool in made if pool["kind"] == "dialogue"], strict=True
    ):
        names = ("access", "situations", "trust", "topics", "moods")
        lines = query_dialogue(pool, *(scene[name] for name in names), knowledge=mind.graph)
        fates = dialogue_fates([value], scene, unheard, "top_scored")
        assert {line.id for line in lines} == {key[1] for key in fates if fates[key] == 1}
    fired = {(path, line): tick for tick, path, line in world.heard}
    asked = ("smuggler", "time_idle", "quay")
    thoughts = query_monologue(
        pack.monologue_pools_for("smuggler", "quay"), *asked[:2], mind.graph, fired, 9
    )
    fates = monologue_fates(made, asked, world, 9)
    drawn = [key[1] for key in fates if isinstance(fates[key], int)]
    assert sorted(line.id for line in thoughts) == sorted(drawn)


@pytest.mark.spec("LP-L5-elsewhere")
@settings(max_examples=20, deadline=None)
@given(st.data())
def test_a_pool_elsewhere_changes_no_pick(data: st.DataObject) -> None:
    made = data.draw(pools())
    world = data.draw(worlds(made))
    asked = Scene(location="quay", access="public", trust="secret", situations=("social",))
    lone = {
        "access": ["public"],
        "trust": "surface",
        "situation": ["social"],
        "id": "y_d_001",
        "text": "Hm.",
        "role": "clerk",
    }
    path = "dialogue/mill/clerk"
    more = {"path": path, "kind": "dialogue", "location": "mill", "role": "clerk", "lines": [lone]}
    mind = remember(world)
    before = Selector(load_pack(encode(made)), mind, seed=3)
    after = Selector(load_pack(encode([*made, more])), mind, seed=3)
    for slug in SLUGS:
        assert before.pick_dialogue(slug, asked, tick=4) == after.pick_dialogue(slug, asked, tick=4)
