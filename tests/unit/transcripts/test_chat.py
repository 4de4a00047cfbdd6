"""Discord exports and combat logs."""

import json
from typing import Any

import pytest

from talebearer.errors import InvalidTranscript
from talebearer.errors.findings_transcripts import (
    ATTACHMENTS,
    COUNTED_FROM_FIRST,
    EMPTY_UNITS,
    EVENTS_WORDED,
    NO_SPEAKERS,
    UNUSABLE_TIME,
)
from talebearer.transcripts import Transcript, parse


def read(value: object, **options: str) -> Transcript:
    data = value if isinstance(value, str) else json.dumps(value)
    return parse(data.encode(), source_id="s", **options)


def codes(transcript: Transcript) -> list[str]:
    return [problem.code for problem in transcript.problems]


def message(content: str, second: int = 0, **more: Any) -> dict[str, Any]:
    author = {"id": "5", "name": "gm", "nickname": "The GM", "isBot": False}
    stamp = f"2026-05-01T20:00:{second:02}+00:00"
    return {"type": "Default", "timestamp": stamp, "content": content, "author": author} | more


def export(*messages: object) -> dict[str, Any]:
    return {"guild": {"id": "1"}, "channel": {"id": "2"}, "messages": list(messages)}


@pytest.mark.spec("NI-F5-discord")
def test_messages_with_nicknames_names_and_bots():
    bot = {"name": "Mira the Smith", "nickname": "", "isBot": True}
    found = read(
        export(
            message("The tide is out."),
            message("Two coins,\nplease.", 5, author=bot),
            message("joined.", 7, type="GuildMemberJoin", author={"name": "ben"}),
        )
    )
    assert (found.format, codes(found)) == ("discord", [COUNTED_FROM_FIRST])
    assert [(u.speaker, u.text, u.start_s, u.tags) for u in found.units] == [
        ("The GM", "The tide is out.", 0.0, ()),
        ("Mira the Smith", "Two coins, please.", 5.0, ("bot",)),
        ("ben", "joined.", 7.0, ("GuildMemberJoin",)),
    ]


@pytest.mark.spec("NI-F5-discord")
def test_replies_and_files_are_counted_in_a_warning():
    found = read(
        export(
            message("Look.", attachments=[{"fileName": "map.png"}]),
            message("", 1, embeds=[{}]),
            message("Yes.", 2, type="Reply", reference={"messageId": "9"}),
        )
    )
    assert codes(found) == [EMPTY_UNITS, ATTACHMENTS, COUNTED_FROM_FIRST]
    assert "$.messages[0–2]" in found.problems[1].message
    assert found.units[1].tags == ("Reply",)


def test_time_zones_order_and_times_that_are_none():
    found = read(
        export(
            message("b", timestamp="2026-05-01T22:00:10+02:00"),
            message("a", timestamp="2026-05-01T20:00:00.500Z"),
            message("c", timestamp="soon"),
            message("d", timestamp=None),
        )
    )
    assert [unit.start_s for unit in found.units] == [9.5, 0.0, None, None]
    assert UNUSABLE_TIME in codes(found)
    assert "soon" in found.problems[0].message


@pytest.mark.parametrize(
    "wrong", [7, {"content": 7}, message("a", author="x"), message("a", author={"name": []})]
)
def test_a_damaged_export_names_the_place(wrong: object):
    with pytest.raises(InvalidTranscript) as caught:
        read(export(message("a"), wrong))
    assert caught.value.data["pointer"].startswith("$.messages[1]")


EVENTS = [
    {"type": "encounter_start", "timestamp": "2026-05-01T20:00:00Z", "name": "Quay"},
    {"type": "initiative", "timestamp": "2026-05-01T20:00:04Z", "actor": "Ogre", "value": 17},
    {"type": "hp_change", "at": None, "actor": {"name": "Ogre"}, "value": -7, "dead": False},
]


@pytest.mark.spec("NI-F5-combat")
@pytest.mark.parametrize(
    "text",
    [json.dumps(EVENTS), json.dumps({"events": EVENTS}), "\n".join(map(json.dumps, EVENTS))],
)
def test_events_of_a_combat_log_are_put_into_words(text: str):
    found = read(text)
    assert found.format == "pf2e"
    assert [(u.text, u.start_s, u.tags) for u in found.units] == [
        ("encounter_start: name Quay", 0.0, ("combat",)),
        ("initiative: actor Ogre, value 17", 4.0, ("combat",)),
        ("hp_change: actor (name Ogre), value -7, dead no", None, ("combat",)),
    ]
    assert codes(found) == [NO_SPEAKERS, COUNTED_FROM_FIRST, EVENTS_WORDED]


def test_other_lists_of_events_are_no_combat_log():
    with pytest.raises(InvalidTranscript):
        read({"events": [{"type": "click"}]})
    with pytest.raises(InvalidTranscript):
        read({"events": 7}, format="pf2e")
