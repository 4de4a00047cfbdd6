"""A small content tree with every kind of gate and effect, for simulated playthroughs."""

from __future__ import annotations

from pathlib import Path

from talebearer.content import compile_content, write_default_enums

POOL = """\
location: the-quay
role: docker
strategy: weighted
lines:
  - {id: odo_d_001, text: "The tide.", variants: ["The ebb.", "The flood."], role: docker,
     access: [public, peer], trust: surface, situation: [social, arrival], topic: [routine]}
  - {id: odo_d_002, text: "The price.", role: docker, access: [public], trust: surface,
     situation: [social], topic: [cargo], cooldown: 60,
     effects: [{add: {counter: asked}}, {stamp: {timer: rang}}, {set: {value: weather, to: rain}}],
     knowledge_grant: {fact_id: people.him, confidence: suspects}}
  - {id: odo_d_003, text: "Asked twice.", role: docker, access: [public], trust: surface,
     situation: [social], topic: [cargo], once: player,
     prerequisites: {counters: [{counter: asked, ">=": 2}], values: [{value: weather, "=": rain}]}}
  - {id: odo_d_004, text: "You left.", role: docker, access: [public, hostile], trust: surface,
     situation: [social, confrontation], mood: [hostile],
     prerequisites: {interaction: {target: "npc:odo", state: walked_away}}}
  - {id: odo_d_005, text: "Of him.", role: docker, access: [public], trust: surface,
     situation: [social], topic: [money], prerequisites: {gossip: {about: "npc:ida"}}}
  - {id: odo_d_006, text: "Yes, the price.", role: docker, access: [public], trust: surface,
     situation: [social], prerequisites: {reply_to: {line: odo_d_002, within: 200}}}
  - {id: odo_d_007, text: "Trusted.", role: docker, access: [insider], trust: secret,
     situation: [alone], topic: [money], prerequisites: {chance: 0.5}}
  - {id: odo_d_008, text: "Friend.", role: docker, access: [peer], trust: real,
     situation: [social], prerequisites: {relationship: {target: "npc:odo", state: friendly}}}
"""
OTHER = """\
location: the-hall
role: clerk
lines:
  - {id: ida_d_001, text: "Sign here.", role: clerk, access: [public], trust: surface, class: whisper,
     situation: [social, routine]}
  - {id: ida_d_002, text: "Loud!", role: clerk, access: [public], trust: surface, class: shout,
     situation: [confrontation]}
  - {id: ida_d_003, text: "Red hat.", role: clerk, access: [public], trust: surface,
     situation: [social], prerequisites: {entity_attributes: [{entity: "npc:odo", key: hat, value: red}]}}
  - {id: odo_d_001, text: "An id that another pool has.", role: clerk, access: [public],
     trust: surface, situation: [social]}
"""
THOUGHTS = """\
character: detective
location: the-quay
lines:
  - {id: pc-detective_m_d_001, text: "Rope.", trigger: enter_location}
  - {id: pc-detective_m_d_002, text: "A bell.", trigger: hear_sound, cooldown: 100}
  - {id: pc-detective_m_d_003, text: "A crate.", trigger: discover_evidence,
     prerequisites: {event: {item: crate}}}
  - {id: pc-detective_m_d_004, text: "I went.", trigger: post_conversation, priority: 9,
     prerequisites: {interaction: {target: "npc:odo", state: walked_away, within: 1000}}}
"""
GENERAL = """\
character: smuggler
location: general
lines:
  - {id: pc-smuggler_m_s_001, text: "Doors.", trigger: enter_location}
  - {id: pc-smuggler_m_s_002, text: "Still here.", trigger: time_idle}
  - {id: pc-smuggler_m_s_003, text: "Him again.", trigger: return_visit,
     prerequisites: {facts: [{fact_id: people.him, min_confidence: knows_of}]}}
"""
FILES = {
    "c/dialogue/the-quay/odo.yaml": POOL,
    "c/dialogue/the-hall/ida.yaml": OTHER,
    "c/monologue/detective/the-quay.yaml": THOUGHTS,
    "c/monologue/smuggler/general.yaml": GENERAL,
    "global/npcs/odo.yaml": "name: Odo\nrole: docker\nlocation: the-quay\n",
    "global/npcs/ida.yaml": "name: Ida\nrole: clerk\nlocation: the-quay\n",
    "global/knowledge/people.yaml": (
        "category: people\nfacts:\n  - {id: people.him, description: Him.}\n"
    ),
    "global/state.yaml": (
        "counters: [{id: asked, scope: pair}]\n"
        "values: [{id: weather, scope: world, type: text}]\n"
        "timers: [{id: rang, scope: world}]\n"
        "classes: [{id: shout}, {id: whisper, excluded_by: [shout]}]\n"
    ),
}


def small_tree(root: Path) -> Path:
    """Write the tree below *root* and return its content folder."""
    content = root / "content"
    write_default_enums(content / "global" / "enums")
    for name, text in FILES.items():
        path = content / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    triggers = content / "global" / "enums" / "triggers.yaml"
    text = triggers.read_text(encoding="utf-8")
    marked = text.replace(
        "value: discover_evidence",
        "value: discover_evidence\n    fields: [{name: item, type: text}]",
    )
    assert marked != text
    triggers.write_text(marked, encoding="utf-8")
    return content


def small_pack(root: Path) -> bytes:
    """Return the pack of the tree, which is written below *root*."""
    return compile_content(small_tree(root)).data
