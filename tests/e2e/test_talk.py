"""Conversations and thoughts, as a script on standard input would have them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from campaigns import open_fixed, run_python, talebearer_here

from talebearer.errors import IllegalTransition, UnknownName, UsageFault

MAELIS = "Maelis Brandt"


@pytest.mark.spec("LP-L11-walk-out")
def test_a_walk_out_changes_what_is_said_next(recorded: Path) -> None:
    """The same question gets another answer, and its gate names the walk-out."""
    first = talebearer_here("talk", "Maelis", "--json", cwd=recorded, stdin="personal\n/leave\n")
    assert first.code == 0, first.err
    assert first.json_lines[-1]["outcome"]["state"] == "walked_away"
    left = first.json_lines[0]["interaction"]
    second = talebearer_here("talk", "Maelis", "--json", cwd=recorded, stdin="personal\n" * 6)
    replies = [turn["reply"] for turn in second.json_lines if turn["turn"] == "line"]
    rests_on = {fact for reply in replies for gate in reply["gates"] for fact in gate["fact_ids"]}
    assert left in rests_on
    assert second.json_lines[-1]["outcome"]["state"] == "completed"


@pytest.mark.spec("LP-L11-walk-out")
def test_before_a_walk_out_no_line_speaks_of_one(recorded: Path) -> None:
    result = talebearer_here("talk", "Maelis", "--json", cwd=recorded, stdin="personal\n" * 6)
    gates = [
        gate["text"]
        for turn in result.json_lines
        if turn["turn"] == "line"
        for gate in turn["reply"]["gates"]
    ]
    assert not [text for text in gates if "walked_away" in text and "maelis" in text]


def test_every_command_of_a_conversation(recorded: Path) -> None:
    script = "cargo, money\n/mood warm\n/why\n/wait 600\n/at tollhouse-quay\n/confront\n\n/leave\n"
    result = talebearer_here("talk", "Jorik", "--json", cwd=recorded, stdin=script)
    assert result.code == 0, result.err
    turns = result.json_lines
    assert [turn["turn"] for turn in turns] == [
        "start",
        "line",
        "scene",
        "why",
        "scene",
        "scene",
        "state",
        "line",
        "state",
    ]
    assert turns[6]["outcome"]["state"] == "confrontation"
    assert turns[8]["outcome"]["state"] == "conflict_abandoned"
    assert turns[7]["reply"]["tick"] > turns[1]["reply"]["tick"] + 600
    assert turns[3]["evidence"]["kind"] == "line"
    assert turns[2]["scene"]["moods"] == ["warm"]
    assert turns[5]["scene"]["location"] == "tollhouse-quay"


def test_the_end_of_input_is_a_goodbye(recorded: Path) -> None:
    result = talebearer_here("talk", "odo-renn", cwd=recorded, stdin="routine")
    assert result.code == 0, result.err
    assert "is now completed" in result.out


def test_a_wrong_line_is_named_and_the_conversation_goes_on(recorded: Path) -> None:
    script = "crago\n/moood warm\n/wait soon\n/at nowhere\n/leave now\nmoney\n/bye\n"
    result = talebearer_here("talk", "Maelis", cwd=recorded, stdin=script)
    assert result.code == 2
    assert "line 1: TB111" in result.err
    assert "did you mean cargo?" in result.err
    assert "did you mean /mood?" in result.err
    assert "line 4: TB105" in result.err
    assert "line 5: TB111" in result.err
    assert "Maelis Brandt: " in result.out
    assert "is now completed" in result.out


def test_one_conversation_at_a_time(recorded: Path) -> None:
    with open_fixed(recorded) as campaign:
        talk = campaign.talk("maelis-brandt")
        log = campaign.timeline()
        with pytest.raises(IllegalTransition) as caught:
            campaign.talk("Odo Renn")
        assert talk.interaction in caught.value.message
        assert campaign.timeline() == log


def test_a_conversation_that_was_cut_off_is_taken_up_again(recorded: Path) -> None:
    with open_fixed(recorded) as campaign:
        interaction = campaign.talk(MAELIS).interaction
    with open_fixed(recorded) as campaign:
        talk = campaign.talk(MAELIS)
        assert talk.resumed
        assert talk.interaction == interaction
        talk.complete()
        with pytest.raises(IllegalTransition):
            talk.say()


def test_completion_records_the_topics(recorded: Path) -> None:
    with open_fixed(recorded) as campaign:
        talk = campaign.talk(MAELIS)
        talk.say("cargo")
        talk.say("money", "cargo")
        talk.complete()
        view = campaign.recall(MAELIS).interactions[-1]
    assert view.topics == ("cargo", "money")
    assert view.location == "the-gilded-eel"


def test_no_line_is_repeated_at_once_while_another_fits(recorded: Path) -> None:
    with open_fixed(recorded) as campaign:
        talk = campaign.talk(MAELIS)
        said = [talk.say().reference for _ in range(12)]
    assert all(one != other for one, other in pairwise(said))


@pytest.mark.spec("IM-M7-apart")
@pytest.mark.spec("IM-M9-party")
def test_players_memories_never_mix(recorded: Path) -> None:
    with open_fixed(recorded) as campaign:
        campaign.talk(MAELIS, mind="pc:ilse-varr").walk_away()
        assert campaign.recall(MAELIS, mind="pc:ilse-varr").walked_away
        assert not campaign.recall(MAELIS).walked_away
        assert campaign.recall(MAELIS, mind="pc:ilse-varr").occurrences == ()


def test_a_thought_follows_the_walk_out_and_rests_for_its_cooldown(recorded: Path) -> None:
    with open_fixed(recorded) as campaign:
        talk = campaign.talk(MAELIS)
        talk.walk_away()
        thought = campaign.think("detective", "post_conversation")
        assert thought.text is not None
        assert thought.location == "the-gilded-eel"
        assert any(talk.interaction in gate.fact_ids for gate in thought.gates)
        again = campaign.think("detective", "post_conversation")
        assert again.reference != thought.reference


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("--character", "detectiv", "--trigger", "time_idle"), "did you mean detective?"),
        (("--character", "detective", "--trigger", "time_idel"), "did you mean time_idle?"),
        (("--character", "smuggler", "--trigger", "time_idle", "--tick", "1"), "in the past"),
        (("--character", "smuggler", "--trigger", "time_idle", "--location", "moon"), "no place"),
    ],
)
def test_a_thought_that_cannot_be_asked_for(
    recorded: Path, arguments: tuple[str, ...], part: str
) -> None:
    result = talebearer_here("think", *arguments, cwd=recorded)
    assert result.code == 2
    assert part in result.err


def test_characters_thoughts_never_cross(recorded: Path) -> None:
    with open_fixed(recorded) as campaign:
        references = [
            campaign.think("smuggler", trigger, location="tollhouse-quay").reference or ""
            for trigger in campaign.pack.enums.triggers
        ]
    assert any(references)
    assert all("/smuggler/" in reference for reference in references if reference)


def test_an_npc_without_lines_has_nothing_to_say(recorded: Path) -> None:
    with open_fixed(recorded) as campaign:
        reply = campaign.talk("Sergeant Pell").say()
        assert reply.text is None
        assert reply.funnel[0] == ("lines", 0)


def test_wrong_uses_of_a_conversation(recorded: Path) -> None:
    with open_fixed(recorded) as campaign:
        talk = campaign.talk(MAELIS)
        with pytest.raises(UsageFault):
            talk.why()
        with pytest.raises(UsageFault):
            talk.wait(-1)
        with pytest.raises(UnknownName):
            talk.at("the-gilded-eels")


@pytest.mark.spec("IM-M12-one-tick-a-turn")
def test_live_turns_follow_the_last_unit_one_tick_each(recorded: Path) -> None:
    with open_fixed(recorded) as campaign:
        last = campaign.sessions()[-1]
        talk = campaign.talk(MAELIS)
        ticks = [talk.say().tick, talk.say().tick, talk.complete().tick]
        started = campaign.recall(MAELIS).interactions[-1].started_tick
    assert started == last.base_tick + last.unit_count + 1
    assert ticks == [started + 1, started + 2, started + 3]


def test_what_snapshots_take_grows_no_faster_than_the_log(recorded: Path) -> None:
    """A long conversation writes few snapshots, and a reader still sees its last word."""
    with open_fixed(recorded) as campaign:
        talk = campaign.talk(MAELIS)
        for _ in range(300):
            talk.say()
        heard = campaign.timeline()[-1]
        versions = _versions(recorded, "mind:party")
        assert versions < 12
    with open_fixed(recorded, read_only=True) as campaign:
        assert campaign.timeline()[-1] == heard
        assert campaign.graph().in_progress_id == talk.interaction
        assert campaign.doctor().faults == ()


def _versions(folder: Path, entity_id: str) -> int:
    import apsw

    connection = apsw.Connection(str(folder / "talebearer.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        query = "select count(*) from patchouli_entity_version where entity_id = ?"
        return int(connection.execute(query, (entity_id,)).fetchall()[0][0])
    finally:
        connection.close()


def test_with_json_every_line_of_input_gives_one_document(recorded: Path) -> None:
    lines = ["/help", "", "/mood", "/mood warm", "/at tollhouse-quay", "/wait 5", "/why", "nope"]
    script = "\n".join([*lines, "/bye"]) + "\n"
    result = talebearer_here("talk", "Maelis", "--json", cwd=recorded, stdin=script)
    turns = [turn["turn"] for turn in result.json_lines]
    expected = ["help", "line", "scene", "scene", "scene", "scene", "why", "error", "state"]
    assert turns == ["start", *expected]


def test_a_turn_that_fails_changes_neither_store_nor_memory(recorded: Path) -> None:
    """The disk is full for one turn; then the conversation goes on as if it had not been."""
    script = (
        "import resource, signal\n"
        "from pathlib import Path\n"
        "from campaigns import open_fixed\n"
        "from talebearer.errors import StoreError\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "with open_fixed(Path('.')) as campaign:\n"
        "    talk = campaign.talk('Maelis')\n"
        "    log = campaign.timeline()\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))\n"
        "    failed = 0\n"
        "    for act in (talk.say, talk.confront, talk.walk_away):\n"
        "        try:\n"
        "            act()\n"
        "        except StoreError as error:\n"
        "            failed += error.code == 'TB206'\n"
        "    infinity = resource.RLIM_INFINITY\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (infinity, infinity))\n"
        "    assert failed == 3, failed\n"
        "    assert campaign.timeline() == log\n"
        "    assert talk.state == 'active'\n"
        "    assert talk.say().text\n"
        "    assert talk.complete().state == 'completed'\n"
        "    assert campaign.doctor().faults == ()\n"
    )
    result = run_python(["-c", script], cwd=recorded)
    assert result.code == 0, result.err
