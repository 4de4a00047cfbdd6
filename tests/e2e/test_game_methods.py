"""A game over the daemon's socket: lines, events, reasons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from campaigns import unpack_bundled
from daemons import ThreadDaemon, Wire, open_store_at

from talebearer.server import game_methods
from talebearer.testing import stepping_clock

PICK = "talebearer.line.pick@1"
APPLY = "talebearer.event.apply@1"
WHY = "talebearer.why@1"
MAELIS = "npc:maelis-brandt"
WICK = {"character": "wick"}


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    """A connection to a daemon that serves the bundled campaign."""
    folder = unpack_bundled(tmp_path_factory.mktemp("game") / "bell")
    daemon = ThreadDaemon(
        folder / "run",
        open_store=lambda: open_store_at(folder),
        methods=game_methods(folder, now_ms=stepping_clock()),
    )
    with daemon, Wire(daemon.endpoint) as wire:
        yield wire


def ask(wire: Wire, method: str, **data: Any) -> dict[str, Any]:
    answer = wire.ask(method, data)
    assert "result" in answer, answer
    found: dict[str, Any] = answer["result"]["data"]
    return found


@pytest.mark.spec("LP-L6-game-methods")
def test_a_game_asks_for_lines_tells_events_and_asks_why(wire: Wire) -> None:
    start = {"target": MAELIS, "player_initiated": True, "location": "the-gilded-eel"}
    began = ask(wire, APPLY, kind="interaction_started", data=start)
    assert began["interaction"] == "interaction.maelis-brandt_001"
    first = ask(wire, PICK, speaker="maelis-brandt", topics=["trust"], explain=True)
    assert (first["kept"], first["scene"]["location"]) == (True, "the-gilded-eel")
    drawn = [one for one in first["explanation"]["verdicts"] if one["dropped_by"] is None]
    assert first["pick"]["line_id"] in {one["line_id"] for one in drawn}
    left = ask(wire, APPLY, kind="interaction_walked_away", data={"target": MAELIS})
    assert [step["step"] for step in left["consequences"]][:1] == ["threshold"]
    reason = ask(wire, WHY, reference=f"{first['pick']['pool']}:{first['pick']['line_id']}")
    assert reason["evidence"]["kind"] == "line"
    thought = ask(
        wire, PICK, character="smuggler", trigger="post_conversation", location="the-gilded-eel"
    )
    assert thought["pick"]["effects"][0]["kind"] == "line_fired"


def test_what_is_not_kept_changes_nothing(wire: Wire) -> None:
    asked = {"speaker": "odo-renn", "keep": False}
    assert ask(wire, PICK, **asked)["pick"] == ask(wire, PICK, **asked)["pick"]


@pytest.mark.parametrize(
    ("method", "data", "said"),
    [
        (PICK, {}, "one of 'speaker' and 'character'"),
        (PICK, {"speaker": "odo-renn", "character": "smuggler"}, "one of"),
        (PICK, {"speaker": "odo-renn", "trigger": "time_idle"}, "/trigger"),
        (PICK, {"character": "smuggler", "trigger": "time_idle", "topics": []}, "/topics"),
        (PICK, {"speaker": "odo-renn", "topics": "cargo"}, "/topics"),
        (PICK, {"speaker": "odo-renn", "topics": ["crago"]}, "crago"),
        (PICK, {"speaker": "odo-renn", "event": {"a": []}}, "/event/a"),
        (PICK, {"speaker": "odo-renn", "speaking": [{"class": "x"}]}, "/speaking/0"),
        (PICK, {"speaker": "odo-renn", "tick": "now"}, "/tick"),
        (PICK, {"speaker": "odo-renn", "keep": 1}, "/keep"),
        (PICK, {"speaker": "odo-renn", "more": 1}, "/more"),
        (PICK, {"speaker": "nobody-at-all"}, "nobody-at-all"),
        (PICK, {"speaker": "odo-renn", "mind": "x"}, "no mind"),
        (APPLY, {"kind": "fact_learned"}, "/data"),
        (APPLY, {"kind": "fact_lerned", "data": {}}, "fact_lerned"),
        (APPLY, {"kind": "interaction_started", "data": {}}, "location"),
        (APPLY, {"kind": "interaction_completed", "data": {"target": MAELIS, "topics": []}}, ""),
        (WHY, {"reference": "nothing"}, "nothing"),
        (WHY, {}, "/reference"),
    ],
)
def test_a_wrong_request_is_refused_and_changes_nothing(
    wire: Wire, method: str, data: dict[str, Any], said: str
) -> None:
    before = ask(wire, PICK, speaker="odo-renn", keep=False)
    error = wire.ask(method, data)["error"]
    assert said in error["message"]
    assert ask(wire, PICK, speaker="odo-renn", keep=False) == before


CUP = {"counter": "full_cups", "by": 1, "character": "maelis-brandt"}


@pytest.mark.parametrize(
    ("event", "part"),
    [
        ({"kind": "counter_added", "data": {**CUP, "counter": "ful_cups"}}, "declared nowhere"),
        ({"kind": "counter_added", "data": {"counter": "full_cups", "by": 1}}, "the scope pair"),
        ({"kind": "timer_stamped", "data": {"timer": "bell_named"}}, "the scope world"),
        (
            {"kind": "timer_stamped", "mind": "world", "data": {"timer": "bell_named", **WICK}},
            "the scope world",
        ),
        ({"kind": "value_set", "data": {"value": "nothing", "to": 1}}, "declared nowhere"),
    ],
)
@pytest.mark.spec("LP-L6-written-as-declared")
def test_an_event_that_no_gate_would_read_is_refused(
    wire: Wire, event: dict[str, Any], part: str
) -> None:
    answer = wire.ask(APPLY, event)
    assert part in answer["error"]["message"]


@pytest.mark.spec("LP-L6-written-as-declared")
def test_an_event_as_declared_is_kept(wire: Wire) -> None:
    assert ask(wire, APPLY, kind="counter_added", data=CUP)["event"]["data"] == CUP
    ask(wire, APPLY, kind="timer_stamped", mind="world", data={"timer": "bell_named"})
