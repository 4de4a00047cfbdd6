"""Content that has one of everything a setup can ask for, and setups that fit it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import strategies as st

ODO = "c/dialogue/quay/odo"
CROWD = "c/dialogue/quay/crowd"
THOUGHTS = "c/monologue/detective/quay"
OTHER = "c/monologue/smuggler/quay"

_SAID = "role: docker, access: [public, peer], trust: surface, situation: [social]"
FILES = {
    f"{ODO}.yaml": f"""\
location: quay
role: docker
notes: Odo talks in ropes.
dual_lens:
  smuggler: He counts us.
lines:
  # the tide first
  - {{id: odo_d_001, text: "The tide.", {_SAID}, topic: [routine]}}
  - id: odo_d_002
    text: "The price of it."
    role: docker
    access: [public]
    trust: surface
    situation: [social]
    topic: [cargo]
    effects: [{{add: {{counter: asked}}}}, {{grant: {{fact_id: people.him, confidence: suspects}}}}]
    notes: He means the boy.
    dual_lens:
      detective: A price is a confession.
  - {{id: odo_d_003, text: "Asked twice.", {_SAID}, topic: [cargo],
     prerequisites: {{counters: [{{counter: asked, ">=": 2}}]}}}}
  - {{id: odo_d_004, text: "You walked out on me.", {_SAID},
     prerequisites: {{interaction: {{target: "npc:odo", state: walked_away}}}}}}
  - {{id: odo_d_005, text: "Only friends hear this.", {_SAID}, once: pair,
     prerequisites: {{relationship: {{target: "npc:odo", state: friendly}}}}}}
  - {{id: odo_d_006, text: "Get out.", role: docker, access: [hostile], trust: surface,
     situation: [confrontation]}}
  - {{id: odo_d_007, text: "The tide, again.", {_SAID}, cooldown: 5, class: talk}}
""",
    f"{CROWD}.yaml": f"""\
location: quay
role: docker
lines:
  - {{id: odo_d_001, text: "Mind your feet.", {_SAID}}}
""",
    f"{THOUGHTS}.yaml": """\
character: detective
location: quay
lines:
  - {id: pc-detective_m_d_001, text: "Rope.", trigger: enter_location,
     dual_lens: {smuggler: "She sees rope."}}
  - {id: pc-detective_m_d_002, text: "A bell.", trigger: hear_sound, cooldown: 10, priority: 8,
     prerequisites: {event: {item: bell}}}
  - {id: pc-detective_m_d_003, text: "A price.", trigger: post_conversation,
     prerequisites: {facts: [{fact_id: people.him, min_confidence: suspects}]}}
""",
    f"{OTHER}.yaml": """\
character: smuggler
location: quay
lines:
  - {id: pc-smuggler_m_s_001, text: "Way out: three.", trigger: enter_location}
""",
    "c/monologue/smuggler/general.yaml": """\
character: smuggler
location: general
lines:
  - {id: pc-smuggler_m_s_002, text: "Cheese.", trigger: enter_location}
""",
    "global/npcs/odo.yaml": "name: Odo Renn\nrole: docker\nlocation: quay\n",
    "global/npcs/vesk.yaml": "name: Vesk\nlocation: quay\n",
    "global/knowledge/people.yaml": (
        "category: people\nfacts:\n  - {id: people.him, description: Him.}\n"
        "  - {id: people.her, description: Her.}\n"
    ),
    "global/state.yaml": (
        "counters: [{id: asked, scope: pair}]\nvalues: [{id: weather, scope: world, type: text}]\n"
        "timers: [{id: rang, scope: world}]\nclasses: [{id: talk, excluded_by: [shout]}, {id: shout}]\n"
    ),
    "global/enums/triggers.yaml": (
        "values:\n  - {value: enter_location}\n  - {value: post_conversation}\n"
        "  - {value: hear_sound, fields: [{name: item, type: text}, {name: loud, type: number}]}\n"
    ),
}
TALK = {
    "speaker": "odo",
    "location": "quay",
    "access": "public",
    "trust": "surface",
    "situations": ["social"],
    "tick": 0,
    "seed": 0,
}


def write(root: Path, **changed: str) -> Path:
    """Write the content below *root* and return it."""
    for name, text in {**FILES, **changed}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def _some(*words: str) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(words), max_size=3, unique=True)


TICKS = st.integers(0, 50)
TEXTS = st.text(st.characters(categories=("L", "N", "P", "S", "Zs"), exclude_characters="\x85"),
                min_size=1, max_size=12).filter(str.isprintable)  # fmt: skip
NPCS = st.sampled_from(["npc:odo", "npc:vesk"])
FACTS = st.sampled_from(["people.him", "people.her"])
LEVELS = st.sampled_from(["suspects", "believes", "knows_of", "knows_details", "direct"])


def _entries(needed: dict[str, Any], optional: dict[str, Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.fixed_dictionaries(needed, optional=optional), min_size=1, max_size=2)


GIVEN: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "facts": _entries(
            {"fact_id": FACTS, "confidence": st.sampled_from(["suspects", "knows_of", "direct"])},
            {"fact_state": st.sampled_from(["active", "stale"]), "tick": TICKS},
        ),
        "attributes": _entries({"entity": NPCS, "key": TEXTS, "value": TEXTS}, {"tick": TICKS}),
        "relationships": _entries(
            {"target": NPCS, "state": st.sampled_from(["friendly", "hostile", "known"])},
            {"tick": TICKS},
        ),
        "interactions": _entries(
            {"target": NPCS, "state": st.sampled_from(["completed", "walked_away"])},
            {"confronted": st.just(False), "location": st.just("quay"), "tick": TICKS},
        ),
        "gossip": _entries(
            {"about": st.just("npc:odo"), "teller": st.just("npc:vesk"), "fact_id": FACTS}, {}
        ),
        "heard": _entries(
            {"line": st.sampled_from(["odo_d_002", f"{CROWD}#odo_d_001"])},
            {"speaker": st.just("odo"), "tick": TICKS},
        ),
        "counters": _entries(
            {"counter": st.just("asked"), "by": st.integers(-3, 3), "character": st.just("odo")}, {}
        ),
        "values": _entries({"value": st.just("weather"), "to": TEXTS}, {"tick": TICKS}),
        "timers": _entries({"timer": st.just("rang"), "tick": TICKS}, {}),
    },
)
_ALWAYS = {"tick": st.integers(50, 10**12), "seed": st.integers(-(2**63) + 1, 2**63 - 1)}
_COMMON = {
    "strategy": st.sampled_from(["top_scored", "weighted", "bag", "least_recent", "best_specific"]),
    "given": GIVEN.filter(bool),
    "mind": st.sampled_from(["pc:detective", "npc:vesk"]),
    "speaking": _entries({"class": st.just("shout"), "character": st.sampled_from(["odo", "vesk"])},
                         {}),
}  # fmt: skip
TALKS = st.fixed_dictionaries(
    {
        "speaker": st.sampled_from(["odo", "vesk", "crowd"]),
        "location": st.just("quay"),
        "access": st.sampled_from(["public", "peer", "hostile"]),
        "trust": st.sampled_from(["surface", "real"]),
        "situations": _some("social", "arrival", "confrontation"),
        **_ALWAYS,
    },
    optional={
        "topics": st.sampled_from([["cargo"], ["routine", "cargo"]]),
        "moods": st.just(["anxious"]),
        **_COMMON,
    },
)
NUMBERS = st.integers(-(10**15), 10**15) | st.floats(allow_nan=False, allow_infinity=False)
_THOUGHT = {
    "character": st.sampled_from(["detective", "smuggler"]),
    "location": st.just("quay"),
    **_ALWAYS,
}
THOUGHTS_SETUPS = st.one_of(
    st.fixed_dictionaries(
        {**_THOUGHT, "trigger": st.just("hear_sound")},
        optional={
            "event": st.fixed_dictionaries(
                {}, optional={"item": TEXTS | st.just(""), "loud": NUMBERS}
            ).filter(bool),
            **_COMMON,
        },
    ),
    st.fixed_dictionaries(
        {**_THOUGHT, "trigger": st.sampled_from(["enter_location", "post_conversation"])},
        optional=_COMMON,
    ),
)
SETUPS: st.SearchStrategy[dict[str, Any]] = TALKS | THOUGHTS_SETUPS
"""Setups as JSON objects, in the form that ``Setup.as_json`` gives."""
