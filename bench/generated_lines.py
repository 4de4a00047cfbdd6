"""Packs of lines of one shape, and scenes to ask for them: the same for everybody."""

from __future__ import annotations

import json
from typing import Any

from generated_content import Numbers

ACCESS = [f"a{n}" for n in range(5)]
TRUST = ["surface", "real", "secret"]
SITUATIONS = [f"s{n}" for n in range(13)]
TOPICS = [f"t{n}" for n in range(12)]
MOODS = [f"m{n}" for n in range(10)]
TRIGGERS = [f"x{n}" for n in range(9)]
TEXT_CHARS = 75
TRUST_OF_TEN = [0, 0, 0, 0, 0, 0, 1, 1, 1, 2]
Line = dict[str, Any]


def _some(numbers: Numbers, values: list[str], least: int, most: int) -> list[str]:
    count = least + numbers.below(most - least + 1)
    start = numbers.below(len(values))
    return [values[(start + 7 * n) % len(values)] for n in range(count)]


def lines(count: int) -> list[Line]:
    """Return *count* lines: tags as in the specification's example pools, 75 characters of text."""
    numbers = Numbers(7)
    return [
        {
            "id": f"c{n // 999}_d_{n % 999 + 1:03}",
            "text": f"{n:07} The tide was late again and nobody at the quay would say."[
                :TEXT_CHARS
            ].ljust(TEXT_CHARS, "."),
            "role": "clerk",
            "access": _some(numbers, ACCESS, 1, 3),
            "trust": TRUST[TRUST_OF_TEN[numbers.below(10)]],
            "situation": _some(numbers, SITUATIONS, 1, 4),
            "topic": _some(numbers, TOPICS, 0, 2),
            "mood": _some(numbers, MOODS, 0, 2),
        }
        for n in range(count)
    ]


def thoughts(count: int, gates: int) -> list[Line]:
    """Return *count* thoughts of which each asks one of *gates* facts."""
    numbers = Numbers(8)
    return [
        {
            "id": f"c{n // 999}_m_s_{n % 999 + 1:03}",
            "text": f"{n:07}".ljust(TEXT_CHARS, "."),
            "trigger": TRIGGERS[numbers.below(len(TRIGGERS))],
            "priority": numbers.below(11),
            "when": {"facts": [{"fact_id": f"tide.f{n % gates}", "min_confidence": "suspects"}]},
        }
        for n in range(count)
    ]


def pack(talk: list[Line], thought: list[Line], facts: int) -> bytes:
    """Return a pack with one speaker and one thinker."""
    value = {
        "format": "talebearer.pack",
        "version": 1,
        "enums": {
            "access": ACCESS,
            "trust": TRUST,
            "situations": SITUATIONS,
            "topics": TOPICS,
            "moods": MOODS,
            "triggers": TRIGGERS,
        },
        "characters": {"smuggler": {"letter": "s"}},
        "facts": {f"tide.f{n}": "" for n in range(facts)},
        "profiles": {"clerk": {"name": "Clerk", "role": "clerk", "attributes": {}}},
        "conditions": {},
        "state": {"timers": {}, "counters": {}, "values": {}, "classes": {}},
        "triggers": {},
        "pools": [
            {
                "path": "p/dialogue/quay/clerk",
                "kind": "dialogue",
                "location": "quay",
                "role": "clerk",
                "lines": talk,
            },
            {
                "path": "p/monologue/smuggler/quay",
                "kind": "monologue",
                "character": "smuggler",
                "location": "quay",
                "lines": thought,
            },
        ],
    }
    return json.dumps(value).encode()


def scenes(count: int) -> list[dict[str, Any]]:
    """Return *count* scenes: one access, one trust, two situations, two topics, one mood."""
    numbers = Numbers(9)
    return [
        {
            "location": "quay",
            "access": ACCESS[numbers.below(len(ACCESS))],
            "trust": TRUST[numbers.below(len(TRUST))],
            "situations": tuple(_some(numbers, SITUATIONS, 2, 2)),
            "topics": tuple(_some(numbers, TOPICS, 2, 2)),
            "moods": tuple(_some(numbers, MOODS, 1, 1)),
        }
        for _ in range(count)
    ]


def ink(talk: list[Line]) -> str:
    """Return the equivalent Ink: every line a sticky choice with a condition."""
    head = ["VAR access = 0", "VAR trust = 0"]
    head += [f"VAR {name} = false" for name in SITUATIONS]
    choices = []
    for at, line in enumerate(talk):
        access = " or ".join(f"access == {ACCESS.index(name)}" for name in line["access"])
        active = " or ".join(
            f"{name} == true" for name in line["situation"]
        )  # a bare one is a list
        trust = f"trust >= {TRUST.index(line['trust'])}"
        choices.append(f"+ {{({access}) and {trust} and ({active})}} [{at}] -> top")
    return "\n".join([*head, "-> top", "=== top ===", "Say.", *choices]) + "\n"
