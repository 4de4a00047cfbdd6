"""A small hand-written pack, and a mind to play it to."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from talebearer.lines import Pack, Scene, Selector, load_pack
from talebearer.memory import Event, Mind
from talebearer.vocabulary import EventKind

QUAY = "campaigns/tollhouse/dialogue/the-quay"
THOUGHTS = "campaigns/tollhouse/monologue"


def dialogue(number: int, text: str, *, slug: str = "odo-renn", **fields: Any) -> dict[str, Any]:
    """Return a dialogue line that anybody hears in company."""
    plain = {
        "id": f"{slug}_d_{number:03}",
        "text": text,
        "role": "toll-clerk",
        "access": ["public", "peer", "hostile"],
        "trust": "surface",
        "situation": ["social"],
        "topic": [],
        "mood": [],
        "tags": [],
    }
    return {**plain, **fields}


def thought(number: int, text: str, *, letter: str = "s", **fields: Any) -> dict[str, Any]:
    """Return a monologue line for coming to a place."""
    plain = {
        "id": f"pc_m_{letter}_{number:03}",
        "text": text,
        "trigger": "enter_location",
        "priority": 5,
        "cooldown": 0,
        "tags": [],
    }
    return {**plain, **fields}


def dialogue_pool(stem: str, role: str, *lines: dict[str, Any]) -> dict[str, Any]:
    """Return a dialogue pool at the quay."""
    path = f"{QUAY}/{stem}"
    head = {"path": path, "kind": "dialogue", "location": "the-quay", "role": role}
    return {**head, "lines": list(lines)}


def monologue_pool(
    character: str, stem: str, *lines: dict[str, Any], location: str | None = None
) -> dict[str, Any]:
    """Return a monologue pool."""
    path = f"{THOUGHTS}/{character}/{stem}"
    head = {"path": path, "kind": "monologue", "character": character}
    return {**head, "location": location or stem, "lines": list(lines)}


WALKED_OUT = {
    "interaction": {"target": "npc:odo-renn", "state": "walked_away", "min_count": 1},
}
KNOWS_WEIGHTS = {"facts": [{"fact_id": "ledger.false_weights", "min_confidence": "knows_of"}]}

POOLS = [
    dialogue_pool("mira-soot", "dock-worker", dialogue(1, "Mind the rope.", slug="mira-soot")),
    dialogue_pool(
        "odo-renn",
        "toll-clerk",
        dialogue(1, "Papers first, weather after."),
        dialogue(2, "Two crates short, and I count twice.", topic=["cargo"]),
        dialogue(3, "The fee went up. Ask why and it goes up again.", topic=["money"]),
        dialogue(4, "Not so loud.", topic=["cargo", "danger"], mood=["anxious"]),
        dialogue(
            5,
            "The scale lies. It has lied since spring.",
            access=["peer"],
            trust="real",
            topic=["cargo"],
            knowledge_grant={"fact_id": "ledger.false_weights", "confidence": "knows_of"},
        ),
        dialogue(6, "You left me talking to the tide.", prerequisites=WALKED_OUT),
        dialogue(7, "Say that again, in front of them.", situation=["confrontation"]),
        dialogue(8, "So you have seen the scale.", prerequisites=KNOWS_WEIGHTS),
    ),
    dialogue_pool(
        "pc-smuggler", "toll-clerk", dialogue(1, "I pay, you look away.", slug="pc-smuggler")
    ),
    dialogue_pool(
        "toll-clerk",
        "toll-clerk",
        dialogue(1, "Next!", slug="toll-clerk", situation=["routine"]),
    ),
    monologue_pool("detective", "the-quay", thought(1, "Wet ink.", letter="d")),
    monologue_pool(
        "smuggler",
        "general",
        thought(1, "Another door, another price."),
        thought(2, "Quiet. Too cheap.", trigger="time_idle"),
    ),
    monologue_pool(
        "smuggler",
        "the-quay",
        thought(1, "Tar and toll money.", cooldown=600),
        thought(2, "He will still be at that desk.", priority=7, prerequisites=WALKED_OUT),
    ),
    monologue_pool(
        "smuggler",
        "old-debts",
        thought(1, "I owe somebody here.", trigger="return_visit"),
        location="the-mill",
    ),
]

PACK: dict[str, Any] = {
    "format": "talebearer.pack",
    "version": 1,
    "enums": {
        "access": ["public", "insider", "authority", "peer", "hostile"],
        "trust": ["surface", "real", "secret"],
        "situations": ["social", "routine", "confrontation"],
        "topics": ["cargo", "money", "danger"],
        "moods": ["anxious", "warm"],
        "triggers": ["enter_location", "time_idle", "return_visit"],
    },
    "characters": {"smuggler": {"letter": "s"}, "detective": {"letter": "d"}},
    "facts": {"ledger.false_weights": "The toll scale is off."},
    "profiles": {
        "odo-renn": {
            "name": "Odo Renn",
            "aliases": ["the clerk"],
            "role": "toll-clerk",
            "location": "the-quay",
            "attributes": {"trade": "tolls", "mood": "sour"},
            "scene": {},
            "tolerance": {},
        },
        "mira-soot": {
            "name": "Mira Soot",
            "aliases": [],
            "role": None,
            "location": "the-quay",
            "attributes": {},
            "scene": {},
            "tolerance": {},
        },
    },
    "conditions": {},
    "pools": POOLS,
}

MakePack = Callable[..., Pack]
Tell = Callable[..., Mind]


def encode(value: Any) -> bytes:
    """Return *value* as a pack's bytes."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return (text + "\n").encode()


@pytest.fixture
def value() -> dict[str, Any]:
    """The pack as a JSON value, to be bent."""
    return copy.deepcopy(PACK)


@pytest.fixture(scope="session")
def pack() -> Pack:
    """The pack, loaded."""
    return load_pack(encode(PACK))


@pytest.fixture
def make_pack() -> MakePack:
    """Load the pack with other pools, or bytes of any JSON value."""

    def make(*pools: dict[str, Any]) -> Pack:
        return load_pack(encode({**PACK, "pools": list(pools)}))

    return make


@pytest.fixture
def mind() -> Mind:
    """A mind that knows nothing."""
    return Mind("party")


@pytest.fixture
def tell(mind: Mind) -> Tell:
    """Apply one live event to the mind."""

    def apply(kind: str, *, tick: int = 1, **data: Any) -> Mind:
        sequence = mind.next_sequence("live")
        event = Event(stream="live", sequence=sequence, tick=tick, kind=EventKind(kind), data=data)
        mind.apply(event)
        return mind

    return apply


@pytest.fixture
def walk_out(tell: Tell) -> Callable[[], None]:
    """Begin a conversation with Odo Renn and leave in the middle of it."""

    def leave() -> None:
        start = {"target": "npc:odo-renn", "player_initiated": True, "location": "the-quay"}
        tell("interaction_started", **start)
        tell("interaction_walked_away", target="npc:odo-renn")

    return leave


@pytest.fixture
def scene() -> Scene:
    """A stranger in company at the quay."""
    return Scene(location="the-quay", access="public", trust="surface", situations=("social",))


@pytest.fixture
def selector(pack: Pack, mind: Mind) -> Selector:
    """A selector over the pack and the mind."""
    return Selector(pack, mind, seed=7)


@pytest.fixture(name="encode")
def encode_fixture() -> Callable[[Any], bytes]:
    """The pack encoder."""
    return encode


@pytest.fixture(name="dialogue")
def dialogue_fixture() -> Callable[..., dict[str, Any]]:
    """The builder of a dialogue line."""
    return dialogue


@pytest.fixture(name="dialogue_pool")
def dialogue_pool_fixture() -> Callable[..., dict[str, Any]]:
    """The builder of a dialogue pool."""
    return dialogue_pool


@pytest.fixture(name="thought")
def thought_fixture() -> Callable[..., dict[str, Any]]:
    """The builder of a monologue line."""
    return thought


@pytest.fixture(name="monologue_pool")
def monologue_pool_fixture() -> Callable[..., dict[str, Any]]:
    """The builder of a monologue pool."""
    return monologue_pool
