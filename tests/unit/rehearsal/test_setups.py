"""Setups from outside: bounded, strict, and everything that is wrong at once."""

from __future__ import annotations

from typing import Any

import pytest
import rehearsed

from talebearer.errors import UsageFault
from talebearer.rehearsal import ADDRESS_CHARS_MAX, Rehearsal, Setup, address


def _problems(rehearsal: Rehearsal, query: str) -> list[str]:
    with pytest.raises(UsageFault) as refused:
        rehearsal.read_address(query)
    return [one["where"]["pointer"] for one in refused.value.data["problems"]]


@pytest.mark.spec("LP-rehearsal-forms")
def test_an_address_reads_as_what_it_says(rehearsal: Rehearsal, talk: Setup) -> None:
    setup = talk.but(
        topics=("cargo",),
        event={},
        speaking=(("shout", "vesk"),),
        given={"facts": ({"fact_id": "people.him", "confidence": "direct", "tick": 2},)},
        tick=7,
    )
    assert address(setup) == (
        "speaker=odo&location=quay&access=public&trust=surface&situation=social&topic=cargo"
        "&speaking=shout%3Avesk&tick=7&seed=0"
        "&given.facts=%7B%22fact_id%22%3A%22people.him%22%2C%22confidence%22%3A%22direct%22%2C%22tick%22%3A2%7D"
    )


@pytest.mark.spec("LP-rehearsal-hostile")
def test_every_fault_of_an_address_is_told_at_once(rehearsal: Rehearsal) -> None:
    query = "speaker=odo&speaker=vesk&tick=1.5&seed=&event.item=%7B&spaeker=x&given.friends=1"
    assert _problems(rehearsal, query) == [
        "$.speaker",
        "$.tick",
        "$.seed",
        "$.event.item",
        "$.spaeker",
        "$.given.friends",
        "$.event.item",
    ]
    words = "speaker=odo&location=key&access=publik&trust=surface&situation=sochal&tick=0&seed=0"
    assert len(_problems(rehearsal, words)) == 2


ODD: list[dict[str, Any]] = [
    {"tick": float("nan")},
    {"tick": 1.5},
    {"tick": True},
    {"tick": -1},
    {"tick": 10**400},
    {"seed": 2**64},
    {"event": {"item": float("inf")}},
    {"speaker": "odo\n"},
    {"speaker": None},
    {"situations": "social"},
    {"situations": ["social"] * 3_000},
    {"topics": ["cargo", "cargo"]},
    {"given": {"facts": [{"fact_id": "people.him"}]}},
    {"given": {"facts": [{"fact_id": "people.nobody", "confidence": "direct"}]}},
    {"given": {"counters": [{"counter": "asked", "by": 1}]}},
    {"given": {"heard": [{"line": "odo_d_001"}]}},  # two pools have that id
    {"given": [[[[[[[[[]]]]]]]]]},
    {"speaking": [{"class": "whisper", "character": "odo"}]},
    {"strategy": "loudest"},
    {"character": "detective"},
    {"trigger": "hear_sound"},
    {"mind": "everybody"},
    {"name": "x"},
    {"access": None},
    {"given": {"facts": [{"fact_id": "people.him", "confidence": "direct", "tick": 5}]}},
]


@pytest.mark.spec("LP-rehearsal-hostile")
@pytest.mark.parametrize("changed", ODD, ids=str)
def test_what_is_no_setup_is_refused(rehearsal: Rehearsal, changed: dict[str, Any]) -> None:
    rehearsal.read_json(rehearsed.TALK)
    with pytest.raises(UsageFault) as refused:
        rehearsal.read_json({**rehearsed.TALK, **changed})
    assert refused.value.data["problems"]
    assert len(refused.value.message) < 4_000


@pytest.mark.spec("LP-rehearsal-hostile")
def test_an_endless_address_is_not_read(rehearsal: Rehearsal) -> None:
    assert _problems(rehearsal, "topic=cargo&" * ADDRESS_CHARS_MAX)[0] == "$"
    assert _problems(rehearsal, "a=" * 5_000)[0] == "$.a"
    assert _problems(rehearsal, "&".join(["t=1"] * 3_000))[0] == "$"
    assert _problems(rehearsal, "given.facts=" + "[" * 9_000)[0] == "$.given.facts[0]"


def test_what_cannot_have_happened_is_told_with_its_place(
    rehearsal: Rehearsal, talk: Setup
) -> None:
    both = ({"target": "npc:odo", "state": "active"}, {"target": "npc:vesk", "state": "active"})
    with pytest.raises(UsageFault) as refused:
        rehearsal.ask(talk.but(given={"interactions": both}))
    (problem,) = refused.value.data["problems"]
    assert problem["where"]["pointer"] == "$.given.interactions[1]"


def test_a_setup_made_in_python_is_checked_when_it_is_asked(
    rehearsal: Rehearsal, talk: Setup
) -> None:
    assert rehearsal.check(talk) == ()
    wrong = talk.but(access="publik")
    assert len(rehearsal.check(wrong)) == 1
    for ask in (rehearsal.ask, rehearsal.roll, rehearsal.play):
        with pytest.raises(UsageFault, match="publik"):
            ask(wrong)
