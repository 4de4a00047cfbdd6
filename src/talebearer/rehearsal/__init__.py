"""What lines will do, tried before anybody plays.

A content folder goes in; what a writer wants to see comes out: who would say what in a scene and why not
the rest, whole conversations, playthroughs by the thousand. Every line is picked by the engine that
games ask; nothing here decides anything that the engine does not, and nothing is kept in a store.
"""

from typing import TYPE_CHECKING

from talebearer._doors import opened_on_use

if TYPE_CHECKING:
    from talebearer.rehearsal._ask import ORDERS, ROWS_MAX, Answer, Filter, Row
    from talebearer.rehearsal._cases import AddedCase, setup_of_case
    from talebearer.rehearsal._changes import Change, MindChanges
    from talebearer.rehearsal._content import Loaded, Notes, PoolView
    from talebearer.rehearsal._lens import Lens, Reading
    from talebearer.rehearsal._read import ADDRESS_CHARS_MAX, address
    from talebearer.rehearsal._rehearsal import Rehearsal
    from talebearer.rehearsal._roll import DRAWS_MAX, Rolled, Rolls
    from talebearer.rehearsal._saved import SavedScenes
    from talebearer.rehearsal._setup import Setup
    from talebearer.rehearsal._talk import MOVES, Move, Played, Turn

__all__ = [
    "ADDRESS_CHARS_MAX",
    "DRAWS_MAX",
    "MOVES",
    "ORDERS",
    "ROWS_MAX",
    "AddedCase",
    "Answer",
    "Change",
    "Filter",
    "Lens",
    "Loaded",
    "MindChanges",
    "Move",
    "Notes",
    "Played",
    "PoolView",
    "Reading",
    "Rehearsal",
    "Rolled",
    "Rolls",
    "Row",
    "SavedScenes",
    "Setup",
    "Turn",
    "address",
    "setup_of_case",
]

__getattr__ = opened_on_use(
    __name__,
    {
        "_ask": "ORDERS ROWS_MAX Answer Filter Row",
        "_cases": "AddedCase setup_of_case",
        "_changes": "Change MindChanges",
        "_content": "Loaded Notes PoolView",
        "_lens": "Lens Reading",
        "_read": "ADDRESS_CHARS_MAX address",
        "_rehearsal": "Rehearsal",
        "_roll": "DRAWS_MAX Rolled Rolls",
        "_saved": "SavedScenes",
        "_setup": "Setup",
        "_talk": "MOVES Move Played Turn",
    },
)
