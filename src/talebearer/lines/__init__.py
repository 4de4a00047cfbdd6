"""What a character says next, and why.

A pack goes in, a line comes out: the four layers, gates on what a mind knows, and a draw that
every machine repeats. Pure: no files, no clock, and nothing outside the standard library, so that
a game can run it in process. A selector never changes the mind; a pick carries its effects.
"""

from talebearer.lines._declared import (
    Declared,
    DeclaredCounter,
    DeclaredValue,
    FieldType,
    Profile,
    Scope,
    SpeakingClass,
)
from talebearer.lines._explain import Verdicts
from talebearer.lines._pack import Enums, Pack
from talebearer.lines._pick import Pick
from talebearer.lines._pools import DialoguePool, MonologuePool
from talebearer.lines._query import query_dialogue, query_monologue
from talebearer.lines._random import SplitMix64, draw_key, number_of, pick_index, weighted_index
from talebearer.lines._request import DIALOGUE_REQUEST
from talebearer.lines._scene import Scene, Speech
from talebearer.lines._select import Selector
from talebearer.lines._strategies import STRATEGIES
from talebearer.lines._types import (
    GENERAL,
    AddCounter,
    DialogueLine,
    Effect,
    KnowledgeGrant,
    LineKey,
    MonologueLine,
    Prerequisites,
    SetValue,
    StampTimer,
)
from talebearer.lines._verdicts import Explanation, Funnel, Verdict
from talebearer.lines.gates import (
    AllOf,
    AnyOf,
    AttributeGate,
    ChanceGate,
    Comparison,
    CounterGate,
    EventGate,
    FactGate,
    Gate,
    GateResult,
    GossipGate,
    InteractionGate,
    Known,
    Named,
    Not,
    RelationshipGate,
    ReplyGate,
    TimerGate,
    ValueGate,
)
from talebearer.lines.loading import PACK_FORMAT, PACK_VERSION, PackShelf, load_pack

__all__ = [
    "DIALOGUE_REQUEST",
    "GENERAL",
    "PACK_FORMAT",
    "PACK_VERSION",
    "STRATEGIES",
    "AddCounter",
    "AllOf",
    "AnyOf",
    "AttributeGate",
    "ChanceGate",
    "Comparison",
    "CounterGate",
    "Declared",
    "DeclaredCounter",
    "DeclaredValue",
    "DialogueLine",
    "DialoguePool",
    "Effect",
    "Enums",
    "EventGate",
    "Explanation",
    "FactGate",
    "FieldType",
    "Funnel",
    "Gate",
    "GateResult",
    "GossipGate",
    "InteractionGate",
    "KnowledgeGrant",
    "Known",
    "LineKey",
    "MonologueLine",
    "MonologuePool",
    "Named",
    "Not",
    "Pack",
    "PackShelf",
    "Pick",
    "Prerequisites",
    "Profile",
    "RelationshipGate",
    "ReplyGate",
    "Scene",
    "Scope",
    "Selector",
    "SetValue",
    "SpeakingClass",
    "Speech",
    "SplitMix64",
    "StampTimer",
    "TimerGate",
    "ValueGate",
    "Verdict",
    "Verdicts",
    "draw_key",
    "load_pack",
    "number_of",
    "pick_index",
    "query_dialogue",
    "query_monologue",
    "weighted_index",
]
