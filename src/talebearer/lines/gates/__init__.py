"""Gates: is a condition met by what a mind knows, and what was found.

A gate answers fast (``holds``) and in words (``look``); the second asks the first, so they cannot
disagree. What never happened, and what nobody declared, is never met; ``not`` turns an answer round
whatever it rests on. A gate also says what it reads, so that it is asked again only when that changes.
"""

from talebearer.lines.gates._base import (
    CHANCE,
    LATE,
    LINE,
    SAID,
    SPEAKER,
    TIMED,
    Asked,
    Gate,
    GateResult,
    Known,
    ReadKey,
)
from talebearer.lines.gates._cells import CounterGate, TimerGate, ValueGate
from talebearer.lines.gates._compare import Comparison
from talebearer.lines.gates._facts import FactGate, GossipGate
from talebearer.lines.gates._logic import AllOf, AnyOf, Named, Not
from talebearer.lines.gates._moment import ChanceGate, EventGate, ReplyGate
from talebearer.lines.gates._people import AttributeGate, InteractionGate, RelationshipGate
from talebearer.lines.gates._read import DEPTH_MAX, NAME, NUMBER_MAX, TICKS_MAX, ConditionReader

__all__ = [
    "CHANCE",
    "DEPTH_MAX",
    "LATE",
    "LINE",
    "NAME",
    "NUMBER_MAX",
    "SAID",
    "SPEAKER",
    "TICKS_MAX",
    "TIMED",
    "AllOf",
    "AnyOf",
    "Asked",
    "AttributeGate",
    "ChanceGate",
    "Comparison",
    "ConditionReader",
    "CounterGate",
    "EventGate",
    "FactGate",
    "Gate",
    "GateResult",
    "GossipGate",
    "InteractionGate",
    "Known",
    "Named",
    "Not",
    "ReadKey",
    "RelationshipGate",
    "ReplyGate",
    "TimerGate",
    "ValueGate",
]
