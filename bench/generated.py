"""A generated session of any length: speech with names, quotes, fights and talk without any."""

from __future__ import annotations

import json

NAMES = (
    "Oswin Hale",
    "Berra Quist",
    "Captain Ludo Farr",
    "Mother Sennet",
    "Tavish Crook",
    "Ysolde Marr",
)
TEMPLATES = (
    "{first} looks up from the table. “You came back, then. I did not think that you would.”",
    "I ask {first} whether anybody has seen the lantern since the flood.",
    "Does a nineteen hit? Because I rolled a nineteen, and I would like it to hit.",
    "Roll initiative, everybody. {name} draws a blade and steps between you and the stairs.",
    "{name} swings at the nearest of the reavers, for eleven points of damage.",
    "Wait, who has the rope? I thought that we left the rope at the inn.",
    "Somebody mentions {name} again, in the tone that people keep for bad weather.",
    "Okay, let us take five minutes. There is tea.",
    "{first} is standing at the window and says nothing.",
    "“Tell me what you heard on the road,” I say, and I put two coins on the bar.",
)


def seriatim(unit_count: int) -> str:
    """Return a seriatim transcript of *unit_count* units as JSON text."""
    speakers = ("GM", "Ana", "GM", "Ben", "GM", "Dee")
    segments = []
    for index in range(unit_count):
        name = NAMES[(index // 40) % len(NAMES)]
        text = TEMPLATES[index % len(TEMPLATES)].format(name=name, first=name.split()[-1])
        segments.append(
            {
                "id": index + 1,
                "start": index * 3.4,
                "end": index * 3.4 + 3.1,
                "speaker": speakers[index % len(speakers)],
                "text": text,
            }
        )
    metadata = {"application": "seriatim", "version": "1.1.0", "output_schema": "minimal"}
    return json.dumps({"metadata": metadata, "segments": segments}, ensure_ascii=False)
