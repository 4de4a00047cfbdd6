"""Plays the conformance corpus of selection, with the package or with a copy that stands alone.

Run as ``python -I -S selection_player.py COPY CORPUS``; its own folder and every package are off the path.
It shows a port all that there is to do: load a pack, tell minds events, ask, compare.
"""

import json
import sys

if __name__ == "__main__":
    copy = sys.argv[1]
    sys.path[:] = [copy, *(path for path in sys.path if "python3" in path and "site-" not in path)]

from talebearer.lines import Scene, Selector, load_pack
from talebearer.memory import Event, Mind


def play(case):
    """Play one case; raise AssertionError where an answer differs."""
    pack = load_pack(json.dumps(case["pack"]).encode())
    minds = {"party": Mind("party"), "world": Mind("world")}
    selector = Selector(pack, minds["party"], seed=case["seed"], world=minds["world"])
    asked = 0
    for number, step in enumerate(case["steps"]):
        if "happens" in step:
            minds[step["happens"]["mind"]].apply(Event.from_json(step["happens"]["event"]))
            continue
        asked += 1
        pick, explanation = ask(selector, step["asks"])
        answer = answer_of(pick, explanation)
        assert answer == step["answer"], (case["case"], number, answer, step["answer"])
        for draft in pick.effects if pick is not None and step["kept"] else ():
            mind = minds[draft.mind]
            mind.apply(draft.event("s", mind.next_sequence("s"), tick=step["asks"]["tick"]))
    return asked


def ask(selector, asked):
    """Return pick and explanation of one request."""
    how = {
        "tick": asked["tick"],
        "strategy": asked["strategy"],
        "event": asked["event"],
        "speaking": [tuple(one) for one in asked["speaking"]],
    }
    if "speaker" in asked:
        scene = Scene(
            **{key: tuple(v) if isinstance(v, list) else v for key, v in asked["scene"].items()}
        )
        explanation = selector.explain_dialogue(asked["speaker"], scene, **how)
        return selector.pick_dialogue(asked["speaker"], scene, **how), explanation
    how["location"] = asked["location"]
    explanation = selector.explain_monologue(asked["character"], asked["trigger"], **how)
    return selector.pick_monologue(asked["character"], asked["trigger"], **how), explanation


def answer_of(pick, explanation):
    """Return what came in the form of the corpus."""
    lines = sorted(
        [one.pool, one.line_id, one.weight if one.dropped_by is None else one.dropped_by]
        for one in explanation.verdicts
    )
    if pick is None:
        return {"lines": lines, "drawn": None, "text": None, "interrupts": [], "effects": []}
    return {
        "lines": lines,
        "drawn": [pick.pool, pick.line_id],
        "text": pick.text,
        "interrupts": [[one.speaking_class, one.character] for one in pick.interrupts],
        "effects": [effect.as_json() for effect in pick.effects],
    }


def play_all(file):
    """Play a corpus; return how many cases it has and how many lines were asked for."""
    with open(file, encoding="utf-8") as stream:  # noqa: PTH123 - what a game would write
        head = json.loads(next(stream))
        assert (head["format"], head["version"]) == ("talebearer.selection-corpus", 1), head
        asked = [play(json.loads(line)) for line in stream]
    assert len(asked) == head["cases"]
    return len(asked), sum(asked)


if __name__ == "__main__":
    import talebearer

    assert talebearer.__file__.startswith(copy), talebearer.__file__
    print(*play_all(sys.argv[2]))
