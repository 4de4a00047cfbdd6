"""The funnel, the rows, the rolls and the two readings of one moment."""

from __future__ import annotations

from pathlib import Path

import pytest
import rehearsed

from talebearer.errors import UnknownReference, UsageFault
from talebearer.rehearsal import Filter, Rehearsal, Setup

WALKED_OUT = {"interactions": ({"target": "npc:odo", "state": "walked_away"},)}


def _ids(rehearsal: Rehearsal, setup: Setup, shown: Filter) -> list[str]:
    return [row.verdict.line_id for row in rehearsal.ask(setup, shown=shown).rows]


def test_pools_are_listed_with_who_speaks_from_them_and_their_findings(root: Path) -> None:
    text = rehearsed.FILES[f"{rehearsed.ODO}.yaml"].replace("people.him", "people.hmi")
    tried = Rehearsal(rehearsed.write(root, **{f"{rehearsed.ODO}.yaml": text}))
    crowd, odo, thoughts = tried.pools[:3]
    assert (crowd.path, crowd.kind, crowd.speakers) == (
        rehearsed.CROWD,
        "dialogue",
        ("crowd", "odo"),
    )
    assert (odo.speakers, odo.lines, odo.warnings, odo.errors) == (("odo",), 7, 1, 0)
    assert odo.file == f"content/{rehearsed.ODO}.yaml"
    assert (thoughts.kind, thoughts.character) == ("monologue", "detective")
    (finding,) = tried.loaded.findings_of(rehearsed.ODO, "odo_d_002")
    assert "people.hmi" in finding.message
    assert finding.where.line == 16
    rows = tried.ask(tried.first_setup(rehearsed.ODO)).rows
    row = next(one for one in rows if one.verdict.line_id == "odo_d_002")
    assert (row.findings, row.where.line, row.where.column) == (1, 9, 5)


@pytest.mark.spec("LP-rehearsal-ask")
def test_a_first_setup_is_one_in_which_something_comes(rehearsal: Rehearsal) -> None:
    for pool in rehearsal.pools:
        answer = rehearsal.ask(rehearsal.first_setup(pool.path))
        assert answer.eligible > 0, pool.path
        assert answer.pick is not None
    with pytest.raises(UnknownReference):
        rehearsal.first_setup("c/dialogue/quay/nobody")


def test_an_empty_pool_begins_as_the_other_pools_of_its_speaker_do(root: Path) -> None:
    empty = "location: quay\nrole: docker\nlines: []\n"
    tried = Rehearsal(rehearsed.write(root, **{f"{rehearsed.CROWD}.yaml": empty}))
    crowd = tried.first_setup(rehearsed.CROWD)
    assert (crowd.speaker, crowd.situations) == ("odo", ("social",))
    assert tried.ask(crowd).eligible > 0
    tried = Rehearsal(rehearsed.write(root, **{f"{rehearsed.ODO}.yaml": empty}))
    assert tried.first_setup(rehearsed.CROWD).situations == ("social",)


@pytest.mark.spec("LP-rehearsal-ask")
def test_rows_say_what_stopped_a_line_and_what_the_mind_would_need(
    rehearsal: Rehearsal, talk: Setup
) -> None:
    answer = rehearsal.ask(talk)
    assert answer.eligible == 4
    assert answer.dropped == {"access": 1, "prerequisites": 3}
    rows = {row.verdict.line_id: row for row in answer.rows[4:]}
    stopped = rows["odo_d_004"].verdict
    assert stopped.dropped_by == "prerequisites"
    assert "walked_away" in stopped.detail
    after = rehearsal.ask(talk.but(given=WALKED_OUT))
    assert "odo_d_004" in [row.verdict.line_id for row in after.rows[: after.eligible]]


@pytest.mark.spec("LP-rehearsal-ask")
def test_a_filter_shows_a_stage_a_pool_a_text_and_a_window(
    rehearsal: Rehearsal, talk: Setup
) -> None:
    assert _ids(rehearsal, talk, Filter(stage="access")) == ["odo_d_006"]
    drawable = _ids(rehearsal, talk, Filter(stage="draw"))
    assert sorted(drawable) == ["odo_d_001", "odo_d_001", "odo_d_002", "odo_d_007"]
    assert _ids(rehearsal, talk, Filter(pool=rehearsed.CROWD)) == ["odo_d_001"]
    assert _ids(rehearsal, talk, Filter(pool="c/none")) == []
    assert _ids(rehearsal, talk, Filter(text="TIDE", order="file")) == ["odo_d_001", "odo_d_007"]
    assert _ids(rehearsal, talk, Filter(text="d_003")) == ["odo_d_003"]
    window = rehearsal.ask(talk, first_row=6, rows=5)
    assert (len(window.rows), window.matching, window.first_row) == (2, 8, 6)


@pytest.mark.spec("LP-rehearsal-find")
@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("price", ["odo_d_002"]),
        ("CARGO", ["odo_d_002", "odo_d_003"]),
        ("cargo twice", ["odo_d_003"]),
        ("twice cargo", ["odo_d_003"]),
        ('"tide, again"', ["odo_d_007"]),
        ('"again, tide"', []),
        ("topic:car", ["odo_d_002", "odo_d_003"]),
        ("topics:cargo", ["odo_d_002", "odo_d_003"]),
        ("topic:argo", []),
        ("tide -", []),
        ("routine", ["odo_d_001"]),
        ("confrontation", ["odo_d_006"]),
        ("situation:confrontation", ["odo_d_006"]),
        ("access:hostile", ["odo_d_006"]),
        ("hostile", []),
        ("class:talk", ["odo_d_007"]),
        ("pool:c/dialogue/quay/crowd", ["odo_d_001"]),
        ("id:odo_d_001 feet", ["odo_d_001"]),
        ("tag:", []),
        ("unknown:cargo", []),
        ("  ", [*(f"odo_d_00{number}" for number in range(1, 8)), "odo_d_001"]),
    ],
)
def test_lines_are_found_by_their_words_ids_and_tags(
    rehearsal: Rehearsal, talk: Setup, words: str, found: list[str]
) -> None:
    assert sorted(_ids(rehearsal, talk, Filter(text=words))) == sorted(found)


@pytest.mark.spec("LP-rehearsal-find")
def test_thoughts_are_found_by_trigger_and_tags_and_a_saved_tag_at_once(root: Path) -> None:
    tried = Rehearsal(rehearsed.write(root))
    thought = tried.first_setup(rehearsed.THOUGHTS)
    assert _ids(tried, thought, Filter(text="hear_sound")) == ["pc-detective_m_d_002"]
    assert _ids(tried, thought, Filter(text="priority:8")) == ["pc-detective_m_d_002"]
    assert _ids(tried, thought, Filter(text="tag:hemp")) == []
    text = rehearsed.FILES[f"{rehearsed.THOUGHTS}.yaml"]
    tagged = text.replace('text: "Rope.",', 'text: "Rope.", tags: [Hemp twist],')
    rehearsed.write(root, **{f"{rehearsed.THOUGHTS}.yaml": tagged})
    assert tried.reload()
    for words in ("tag:hemp", "twist", '"HEMP twist"', 'tag:"hemp twist"'):
        assert _ids(tried, thought, Filter(text=words)) == ["pc-detective_m_d_001"], words


def test_one_line_is_asked_for_by_its_whole_id(rehearsal: Rehearsal, talk: Setup) -> None:
    assert _ids(rehearsal, talk, Filter(line="odo_d_001")) == ["odo_d_001", "odo_d_001"]
    one = Filter(line="odo_d_001", pool=rehearsed.CROWD)
    assert _ids(rehearsal, talk, one) == ["odo_d_001"]
    assert _ids(rehearsal, talk, Filter(line="odo_d_00")) == []


@pytest.mark.parametrize(
    ("shown", "first", "rows"),
    [
        (Filter(), -1, 5),
        (Filter(), 0, 201),
        (Filter(), 0, True),
        (Filter(stage="nowhere"), 0, 5),
        (Filter(order="size"), 0, 5),
        (Filter(text="x" * 201), 0, 5),
    ],
)
def test_a_window_or_a_filter_that_is_none_is_refused(
    rehearsal: Rehearsal, talk: Setup, shown: Filter, first: int, rows: int
) -> None:
    with pytest.raises(UsageFault):
        rehearsal.ask(talk, first_row=first, rows=rows, shown=shown)


def test_a_thought_shows_the_lines_of_other_places_on_demand(rehearsal: Rehearsal) -> None:
    thought = rehearsal.first_setup(rehearsed.THOUGHTS)
    here = rehearsal.ask(thought)
    everywhere = rehearsal.ask(thought, shown=Filter(every_pool=True))
    assert (here.matching, everywhere.matching) == (3, 5)
    assert everywhere.dropped["character"] == 2


def test_a_gate_on_the_event_reads_the_setup(rehearsal: Rehearsal) -> None:
    thought = rehearsal.first_setup(rehearsed.THOUGHTS).but(trigger="hear_sound")
    assert rehearsal.ask(thought).pick is None
    pick = rehearsal.ask(thought.but(event={"item": "bell"})).pick
    assert pick is not None
    assert pick.line_id == "pc-detective_m_d_002"


@pytest.mark.spec("LP-rehearsal-roll")
def test_rolls_without_memory_come_as_often_as_their_odds(
    rehearsal: Rehearsal, talk: Setup
) -> None:
    setup = talk.but(strategy="weighted", topics=("cargo",))
    draws = 6_000
    rolls = rehearsal.roll(setup, draws, remember=False)
    exact = {
        (row.verdict.pool, row.verdict.line_id): row.verdict.probability
        for row in rehearsal.ask(setup, shown=Filter(stage="draw")).rows
    }
    assert {(one.pool, one.line_id): one.odds for one in rolls.lines} == exact
    assert sum(one.count for one in rolls.lines) == draws
    for one in rolls.lines:
        assert one.odds is not None
        expected = float(one.odds) * draws
        # Seven standard deviations, and the draws repeat: this fails for another distribution only.
        assert abs(one.count - expected) < 7 * expected**0.5, one


@pytest.mark.spec("LP-rehearsal-roll")
def test_rolls_with_memory_are_what_is_heard_in_a_row(rehearsal: Rehearsal, talk: Setup) -> None:
    rolls = rehearsal.roll(talk.but(strategy="bag"), 9)
    assert rolls == rehearsal.roll(talk.but(strategy="bag"), 9)
    assert rolls.repeats == 0
    assert [one.first is None for one in rolls.lines if one.odds] == [False] * 4
    assert rolls.heard_again == 9 - len({key for key in rolls.order if key})
    assert min(one.gap or 99 for one in rolls.lines) > 1
    once = rehearsal.roll(talk.but(access="hostile", situations=("confrontation",)), 3)
    assert [one.count for one in once.lines] == [3]
    assert (once.repeats, once.lines[0].gap) == (2, 1)
    silent = rehearsal.roll(talk.but(access="authority", situations=("arrival",)), 3)
    assert (silent.nothing, silent.lines, silent.order) == (3, (), (None, None, None))


@pytest.mark.parametrize(("draws", "wait"), [(0, 1), (10_001, 1), (True, 1), (5, -1), (5, 10**10)])
def test_rolls_are_bounded(rehearsal: Rehearsal, talk: Setup, draws: int, wait: int) -> None:
    with pytest.raises(UsageFault):
        rehearsal.roll(talk, draws, wait=wait)


@pytest.mark.spec("LP-rehearsal-lens")
def test_two_characters_read_what_was_said(rehearsal: Rehearsal, talk: Setup) -> None:
    seen = rehearsal.lens(talk, pool=rehearsed.ODO, line_id="odo_d_002")
    detective, smuggler = seen.readings
    assert (seen.notes, seen.trigger) == ("He means the boy.", "post_conversation")
    assert detective.note == "A price is a confession."
    assert smuggler.note == "He counts us."  # the file's, since the line has none
    assert detective.thought is not None
    assert detective.thought.line_id == "pc-detective_m_d_003"  # its gate: what the line has told
    assert (smuggler.thought, smuggler.eligible) == (None, 0)
    before = rehearsal.lens(talk, pool=rehearsed.ODO, line_id="odo_d_001")
    assert before.readings[0].thought is None


@pytest.mark.spec("LP-rehearsal-lens")
def test_two_characters_think_at_one_moment(rehearsal: Rehearsal) -> None:
    thought = rehearsal.first_setup(rehearsed.THOUGHTS)
    seen = rehearsal.lens(thought, pool=rehearsed.THOUGHTS, line_id="pc-detective_m_d_001")
    detective, smuggler = seen.readings
    assert (detective.is_own, smuggler.is_own) == (True, False)
    assert smuggler.note == "She sees rope."
    assert smuggler.thought is not None
    assert smuggler.thought.line_id == "pc-smuggler_m_s_001"
    with pytest.raises(UsageFault):
        rehearsal.lens(
            thought, pool=rehearsed.THOUGHTS, line_id="pc-detective_m_d_001", trigger="rain"
        )
