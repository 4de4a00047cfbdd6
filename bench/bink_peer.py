"""The Ink runtime's side of a benchmark: evaluates all choices for each scene, when it is told to.

Run as ``python bink_peer.py STORY SCENES``; for each line on its standard input it plays all scenes once
and prints the processor seconds and, for each scene, the choices that are open.
"""

import json
import sys
import time
from pathlib import Path

from bink.story import Story

ACCESS, TRUST, SITUATIONS = (
    [f"a{n}" for n in range(5)],
    ["surface", "real", "secret"],
    [f"s{n}" for n in range(13)],
)
story = Story(Path(sys.argv[1]).read_text(encoding="utf-8-sig"))
scenes = json.loads(Path(sys.argv[2]).read_text())
for _ in sys.stdin:
    started = time.process_time()
    seen = []
    for scene in scenes:
        story.set_variable("access", ACCESS.index(scene["access"]))
        story.set_variable("trust", TRUST.index(scene["trust"]))
        for name in SITUATIONS:
            story.set_variable(name, name in scene["situations"])
        story.choose_path_string("top")
        story.continue_maximally()
        choices = story.get_current_choices()
        drawn = choices[len(choices) // 2] if len(choices) else None
        seen.append((choices, drawn))
    seconds = time.process_time() - started
    opened = [[int(text) for text in choices] for choices, _ in seen]
    print(json.dumps({"seconds": seconds, "open": opened}), flush=True)
