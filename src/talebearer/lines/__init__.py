"""What a character says next, and why.

A pack goes in, a line comes out: the four layers, gates on what a mind knows, and a draw that
every machine repeats. Pure: no files, no clock, and nothing outside the standard library, so that
a game can run it in process. A selector never changes the mind; a pick carries its effects.
"""

from talebearer.lines._dialogue import STRATEGIES, Scene, Strategy, query_dialogue
from talebearer.lines._gates import GateResult, Known, look
from talebearer.lines._load import PACK_FORMAT, PACK_VERSION, load_pack
from talebearer.lines._monologue import query_monologue
from talebearer.lines._pack import Enums, Pack
from talebearer.lines._random import SplitMix64, draw_key, pick_index, weighted_index
from talebearer.lines._select import DIALOGUE_REQUEST, Effect, Pick, Selector
from talebearer.lines._types import (
    GENERAL,
    AttributeGate,
    DialogueLine,
    DialoguePool,
    FactGate,
    Gate,
    InteractionGate,
    KnowledgeGrant,
    LineKey,
    MonologueLine,
    MonologuePool,
    Prerequisites,
    Profile,
    RelationshipGate,
)
from talebearer.lines._verdicts import Explanation, Verdict

__all__ = [
    "DIALOGUE_REQUEST",
    "GENERAL",
    "PACK_FORMAT",
    "PACK_VERSION",
    "STRATEGIES",
    "AttributeGate",
    "DialogueLine",
    "DialoguePool",
    "Effect",
    "Enums",
    "Explanation",
    "FactGate",
    "Gate",
    "GateResult",
    "InteractionGate",
    "KnowledgeGrant",
    "Known",
    "LineKey",
    "MonologueLine",
    "MonologuePool",
    "Pack",
    "Pick",
    "Prerequisites",
    "Profile",
    "RelationshipGate",
    "Scene",
    "Selector",
    "SplitMix64",
    "Strategy",
    "Verdict",
    "draw_key",
    "load_pack",
    "look",
    "pick_index",
    "query_dialogue",
    "query_monologue",
    "weighted_index",
]
