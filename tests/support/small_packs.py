"""Packs of a few lines, for tests of what can be said of lines without playing."""

from __future__ import annotations

import json
from typing import Any

from talebearer.lines import Pack, load_pack

TIMERS = {"rung": {"scope": "world"}, "hummed": {"scope": "player"}, "sang": {"scope": "player"}}
STATE = {
    "timers": TIMERS,
    "counters": {"rings": {"scope": "player", "initial": 0}},
    "values": {"weather": {"scope": "world", "type": "text", "initial": "calm"}},
    "classes": {
        "shout": {"interrupts": [], "excluded_by": ["shout"]},
        "talk": {"interrupts": [], "excluded_by": []},
    },
}
SPOKEN = {"role": "clerk", "access": ["public"], "trust": "surface", "situation": ["social"]}


def pack(*pools: dict[str, Any], **more: Any) -> Pack:
    """Return a pack of *pools*."""
    return load_pack(pack_data(*pools, **more))


def pack_data(*pools: dict[str, Any], **more: Any) -> bytes:
    """Return the bytes of a pack of *pools*; *more* are members that differ."""
    value = {
        "format": "talebearer.pack",
        "version": 1,
        "enums": {
            "access": ["public", "peer"],
            "trust": ["surface", "real"],
            "situations": ["social", "alone"],
            "topics": ["cargo"],
            "moods": [],
            "triggers": ["come", "go"],
        },
        "characters": {"smuggler": {"letter": "s"}},
        "facts": {"tide.late": ""},
        "profiles": {},
        "conditions": {},
        "state": STATE,
        "triggers": {},
        "pools": list(pools),
    }
    return json.dumps(value | more).encode()


def thoughts(
    *lines: dict[str, Any], strategy: str = "top_scored", location: str = "quay"
) -> dict[str, Any]:
    """Return a pool of thoughts."""
    return {
        "path": f"p/monologue/smuggler/{location}",
        "kind": "monologue",
        "character": "smuggler",
        "location": location,
        "strategy": strategy,
        "lines": [
            {"id": f"x_m_s_{n:03}", "text": f"Hm {n}.", "trigger": "come", **line}
            for n, line in enumerate(lines, 1)
        ],
    }


def talk(*lines: dict[str, Any], strategy: str = "top_scored", stem: str = "odo") -> dict[str, Any]:
    """Return a pool of dialogue."""
    return {
        "path": f"p/dialogue/quay/{stem}",
        "kind": "dialogue",
        "location": "quay",
        "role": "clerk",
        "strategy": strategy,
        "lines": [
            {"id": f"x_d_{n:03}", "text": f"Hm {n}.", **SPOKEN, **line}
            for n, line in enumerate(lines, 1)
        ],
    }
