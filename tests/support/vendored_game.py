"""A game with a vendored copy and nothing else: it plays, saves, and goes back in time.

Run as ``python -I -S vendored_game.py COPY PACK``; its own folder and every package are off the path.
"""

import pickle
import sys

copy, pack_file = sys.argv[1:]
sys.path[:] = [copy, *(path for path in sys.path if "python3" in path and "site-" not in path)]

import talebearer  # noqa: E402 - the path is set first
from talebearer.lines import Scene, Selector, load_pack  # noqa: E402 - likewise
from talebearer.memory import Event, Mind, fold  # noqa: E402 - likewise
from talebearer.vocabulary import EventKind  # noqa: E402 - likewise

assert talebearer.__file__.startswith(copy), talebearer.__file__
with open(pack_file, "rb") as stream:  # noqa: PTH123 - what a game would write
    pack = load_pack(stream.read())
BRAM = "npc:bram-holt"
scene = Scene(location="the-quay", access="peer", trust="real", situations=("social",))
log: list[Event] = []


def happen(mind: Mind, kind: EventKind, **data: object) -> None:
    """Tell the mind, and keep the event in the log."""
    event = Event(
        stream="live",
        sequence=mind.next_sequence("live"),
        tick=len(log) + 1,
        kind=kind,
        data=data,
    )
    mind.apply(event)
    log.append(event)


def say(mind: Mind) -> str:
    """Pick a line, remember it and return it."""
    pick = Selector(pack, mind, seed=7).pick_dialogue("bram-holt", scene, tick=len(log))
    assert pick is not None
    for effect in pick.effects:
        happen(mind, effect.kind, **effect.data)
    return pick.text


mind = Mind("party")
happen(mind, EventKind.INTERACTION_STARTED, target=BRAM, player_initiated=True, location="the-quay")
said = [say(mind)]
mark = len(log)
happen(mind, EventKind.INTERACTION_WALKED_AWAY, target=BRAM)
happen(mind, EventKind.INTERACTION_STARTED, target=BRAM, player_initiated=True, location="the-quay")
said.append(say(mind))

# A save is a pickle of the mind, as Ren'Py makes one of everything.
saved = pickle.loads(pickle.dumps(mind))
assert saved.dumps() == mind.dumps()
assert saved.graph.has_walked_away_from(BRAM)

# A rollback is a shorter log, folded; from there the same steps lead to the same words.
whole = list(log)
mind = fold("party", whole[:mark])
del log[mark:]
assert not mind.graph.has_walked_away_from(BRAM)
happen(mind, EventKind.INTERACTION_WALKED_AWAY, target=BRAM)
happen(mind, EventKind.INTERACTION_STARTED, target=BRAM, player_initiated=True, location="the-quay")
again = say(mind)
assert again == said[-1], (again, said)
assert mind.dumps() == saved.dumps()
assert log == whole

foreign = [
    name
    for name, module in sys.modules.items()
    if "site-packages" in str(getattr(module, "__file__", "")) or name == "talebearer.content"
]
assert not foreign, foreign
print(*said, sep="\n")
