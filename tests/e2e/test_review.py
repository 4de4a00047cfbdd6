"""``talebearer review``: decisions, the memory that follows, and what is left for players."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from campaigns import MEETING, NOW, create_fixed, open_fixed, seriatim, talebearer, talebearer_here

from talebearer.campaign import Ask, Campaign, DecisionAction
from talebearer.errors import TalebearerError, UnknownName, UnknownReference, UsageFault
from talebearer.server import render_report

A = DecisionAction
LATER = (
    ("GM", "It is quiet in the street."),
    ("Ana", "We look for the smith, Hob Tarrow."),
    ("GM", "Hob Tarrow leans on the door. “Closed,” Hob Tarrow says."),
    ("Ana", "“Hob Tarrow, one question only,” I say."),
    ("GM", "“None,” says Hob Tarrow, and shuts it."),
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A campaign with one session: the party talks with Berra Quist, and then with Hob Tarrow."""
    gap = tuple(("Ana", f"We walk on, street {n}.") for n in range(30))
    (tmp_path / "one.json").write_text(seriatim(*MEETING, *gap, *LATER), encoding="utf-8")
    with create_fixed(tmp_path / "c") as campaign:
        campaign.record(tmp_path / "one.json")
        assert campaign.review().names, "the extractor finds somebody to decide on"
    return tmp_path / "c"


def _dialogue(campaign: Campaign, name: str = "Berra Quist") -> str:
    return next(
        item.id for item in campaign.occurrences() if item.name == name and item.kind == "dialogue"
    )


def _numbers(campaign: Campaign, slug: str = "berra-quist") -> tuple[str, ...]:
    return tuple(campaign.graph().interaction_ids_with(f"npc:{slug}"))


def _sound(campaign: Campaign) -> None:
    """The log folds to the mind, and every citation leads somewhere."""
    assert campaign.doctor().faults == ()
    assert all(campaign.replay(mind=mind) for mind in campaign.minds())


@pytest.mark.spec("NI-review-occurrences")
@pytest.mark.spec("IM-M13-review")
def test_a_rejected_occurrence_leaves_memory_and_its_number_is_not_given_again(
    table: Path,
) -> None:
    with open_fixed(table) as campaign:
        before = _numbers(campaign)
        assert before == ("interaction.berra-quist_001",)
        (made,) = campaign.decide(Ask(action=A.REJECT, subject=_dialogue(campaign)), by="Rosa")
        assert (made.by, made.at, made.in_force, made.stale) == (
            "Rosa",
            NOW.replace("+00:00", ".000Z"),
            True,
            False,
        )
        assert _numbers(campaign) == ()
        _sound(campaign)
        campaign.undo(made.number, by="Mia")
        assert _numbers(campaign) == ("interaction.berra-quist_002",)
        _sound(campaign)
        decided = campaign.review().decisions
        assert [(one.withdrawn_by, one.in_force) for one in decided] == [("Mia", False)]


@pytest.mark.spec("IM-M13-review")
def test_an_accepted_occurrence_keeps_its_number_and_is_no_draft(table: Path) -> None:
    with open_fixed(table) as campaign:
        before = _numbers(campaign)
        reference = _dialogue(campaign)
        campaign.decide(Ask(action=A.ACCEPT, subject=reference, note="I was there"), by="Rosa")
        assert _numbers(campaign) == before
        item = next(item for item in campaign.occurrences() if item.id == reference)
        assert not item.draft
        assert item.decisions == (1,)
        chain = campaign.why(before[0])
        assert chain.children[0].children[0].kind == "decision"
        assert "accepted by Rosa" in chain.children[0].children[0].text
        assert "I was there" in campaign.why("decision:1").text
        _sound(campaign)


@pytest.mark.spec("NI-review-names")
@pytest.mark.spec("IM-M13-review")
def test_a_renamed_npc_keeps_slug_and_number_and_is_found_by_both_names(table: Path) -> None:
    with open_fixed(table) as campaign:
        before = _numbers(campaign)
        campaign.decide(Ask(action=A.RENAME, subject="Berra Quist", name="Bera Quest"), by="R")
        assert _numbers(campaign) == before
        person = campaign.recall("Bera Quest")
        assert (person.name, person.slug) == ("Bera Quest", "berra-quist")
        assert campaign.recall("Berra Quist") == person
        assert {npc.name for npc in campaign.npcs()} >= {"Bera Quest"}
        _sound(campaign)


@pytest.mark.spec("NI-review-names")
def test_a_merged_npc_is_the_other_one_and_can_be_taken_apart_again(table: Path) -> None:
    with open_fixed(table) as campaign:
        merge = Ask(action=A.MERGE, subject="Hob Tarrow", name="Berra Quist")
        (made,) = campaign.decide(merge, by="R")
        assert [npc.slug for npc in campaign.npcs()] == ["berra-quist"]
        assert len(_numbers(campaign)) == 2
        assert campaign.recall("Hob Tarrow").slug == "berra-quist"
        _sound(campaign)
        campaign.undo(made.number, by="R")
        assert _numbers(campaign) == ("interaction.berra-quist_001",)
        assert _numbers(campaign, "hob-tarrow") == ("interaction.hob-tarrow_002",)
        _sound(campaign)


@pytest.mark.spec("NI-review-original-kept")
def test_what_was_extracted_stays_as_it_is(table: Path) -> None:
    def extracted(campaign: Campaign) -> list[str]:
        return [
            campaign._book.decoded(kind, entity).digest
            for kind, entity in (
                (ArtifactKind.NPC_LIST, "registry:one"),
                (ArtifactKind.NPC_INTERACTION_LIST, "interactions:one"),
            )
        ]

    from talebearer.vocabulary import ArtifactKind

    with open_fixed(table) as campaign:
        before = extracted(campaign)
        campaign.decide(Ask(action=A.REJECT, subject="Hob Tarrow"), by="R")
        campaign.decide(
            Ask(action=A.EDIT, subject=_dialogue(campaign), kind="other", ranges=[(1, 2)]), by="R"
        )
        assert extracted(campaign) == before
        assert {one.kind for one in campaign.recall("Berra").occurrences} >= {"other"}
        _sound(campaign)


@pytest.mark.spec("NI-review-content-key")
@pytest.mark.spec("IM-M13-review")
def test_decisions_hold_again_when_the_session_is_recorded_anew(table: Path) -> None:
    with open_fixed(table) as campaign:
        campaign.decide(
            Ask(action=A.REJECT, subject="Hob Tarrow"),
            Ask(action=A.ACCEPT, subject=_dialogue(campaign)),
            by="R",
        )
        before = campaign.occurrences()
        numbers = _numbers(campaign)
        recording = campaign.record(table.parent / "one.json", replace=True)
        assert recording.occurrences == before
        assert "Hob Tarrow" not in recording.npcs
        assert _numbers(campaign) == numbers
        _sound(campaign)
        # One unit more at the beginning moves every range; the words are the same.
        data = json.loads((table.parent / "one.json").read_text("utf-8"))
        texts = [("GM", "Welcome back, everybody.")] + [
            (one["speaker"], one["text"]) for one in data["segments"]
        ]
        (table.parent / "one.json").write_text(seriatim(*texts), encoding="utf-8")
        moved = campaign.record(table.parent / "one.json", replace=True)
        assert "Hob Tarrow" not in moved.npcs
        assert [item.draft for item in moved.occurrences if item.kind == "dialogue"] == [False]
        assert campaign.review().stale == ()
        _sound(campaign)


@pytest.mark.spec("NI-review-stale")
def test_a_decision_that_matches_nothing_is_reported_and_kept(table: Path) -> None:
    with open_fixed(table) as campaign:
        campaign.decide(
            Ask(action=A.ACCEPT, subject=_dialogue(campaign)),
            Ask(action=A.REJECT, subject="Hob Tarrow"),
            by="R",
        )
        other = [("GM", "An empty road."), ("Ana", "On we go.")]
        kept = (table.parent / "one.json").read_text("utf-8")
        (table.parent / "one.json").write_text(seriatim(*other), encoding="utf-8")
        recording = campaign.record(table.parent / "one.json", replace=True)
        stale = [one for one in recording.problems if one.code == "TB650"]
        assert len(stale) == 2
        assert campaign.review().stale == (1, 2)
        (table.parent / "one.json").write_text(kept, encoding="utf-8")
        back = campaign.record(table.parent / "one.json", replace=True)
        assert not [one for one in back.problems if one.code == "TB650"]
        assert campaign.review().stale == ()
        assert "Hob Tarrow" not in back.npcs
        _sound(campaign)


def test_edits_add_up_and_the_first_extraction_can_be_had_back(table: Path) -> None:
    with open_fixed(table) as campaign:
        first = _dialogue(campaign)
        campaign.decide(Ask(action=A.EDIT, subject=first, kind="other"), by="R")
        now = next(item.id for item in campaign.occurrences() if item.kind == "other")
        campaign.decide(Ask(action=A.EDIT, subject=now, ranges=[(2, 3)]), by="R")
        (item,) = [item for item in campaign.occurrences() if item.kind == "other"]
        assert item.ranges == ((2, 3),)
        with pytest.raises(UsageFault, match="settled it by an edit"):
            campaign.decide(Ask(action=A.ACCEPT, subject=item.id), by="R")
        campaign.undo(1, 2, by="R")
        assert _dialogue(campaign) == first
        _sound(campaign)


def test_an_occurrence_can_be_given_to_somebody_whom_nobody_found(table: Path) -> None:
    with open_fixed(table) as campaign:
        ask = Ask(action=A.EDIT, subject=_dialogue(campaign), name="Sela Brook")
        with pytest.raises(UnknownName, match="nobody goes by"):
            campaign.decide(ask, by="R")
        new = Ask(action=A.EDIT, subject=ask.subject, name="Sela Brook", new=True)
        campaign.decide(new, by="R")
        assert campaign.recall("Sela Brook").interactions
        _sound(campaign)


REFUSED = [
    (Ask(action=A.REJECT, subject="Nobody"), UnknownName),
    (Ask(action=A.REJECT, subject="occurrence:one:0000000000000000"), UnknownReference),
    (Ask(action=A.REJECT, subject="occurrence:../x:0000000000000000"), UnknownReference),
    (Ask(action=A.REJECT, subject="@"), UnknownReference),
    (Ask(action=A.REJECT, subject="@zzzz"), UnknownReference),
    (Ask(action=A.RENAME, subject="Berra Quist", name="Hob Tarrow"), UsageFault),
    (Ask(action=A.RENAME, subject="Berra Quist", name="Berra Quist"), UsageFault),
    (Ask(action=A.RENAME, subject="Berra Quist", name="GM"), UsageFault),
    (Ask(action=A.RENAME, subject="Berra Quist", name=" "), UsageFault),
    (Ask(action=A.RENAME, subject="Berra Quist", name="a\nb"), UsageFault),
    (Ask(action=A.RENAME, subject="Berra Quist", name="x" * 300), UsageFault),
    (Ask(action=A.MERGE, subject="Berra Quist", name="Nobody"), UnknownName),
    (Ask(action=A.MERGE, subject="Berra Quist", name="Berra Quist"), UsageFault),
    (Ask(action=A.EDIT, subject="Berra Quist", kind="other"), UsageFault),
    (Ask(action=A.REJECT, subject="Berra Quist", note="x" * 2_000), UsageFault),
]


@pytest.mark.parametrize(("ask", "error"), REFUSED)
def test_what_makes_no_sense_is_refused_and_changes_nothing(
    table: Path, ask: Ask, error: type[TalebearerError]
) -> None:
    with open_fixed(table) as campaign:
        with pytest.raises(error) as caught:
            campaign.decide(Ask(action=A.HIDE, subject="Berra Quist"), ask, by="R")
        assert caught.value.hint or caught.value.fix
        assert campaign.review().decisions == ()
        assert not (table / "review.json").exists()


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"kind": "dialogue"},
        {"kind": "sung"},
        {"ranges": [(3, 2)]},
        {"ranges": [(1, 999)]},
        {"ranges": []},
        {"name": "GM"},
    ],
)
def test_an_edit_that_cannot_be_is_refused(table: Path, change: dict[str, object]) -> None:
    with open_fixed(table) as campaign:
        ask = Ask(action=A.EDIT, subject=_dialogue(campaign), **change)  # type: ignore[arg-type] # a table
        if change == {"kind": "dialogue"}:
            campaign.decide(ask, by="R")
        with pytest.raises(UsageFault):
            campaign.decide(ask, by="R")


def test_faults_of_several_decisions_come_at_once(table: Path) -> None:
    asks = [Ask(action=A.REJECT, subject=name) for name in ("No One", "Nobody", "Hob Tarrow")]
    with open_fixed(table) as campaign:
        with pytest.raises(UsageFault) as caught:
            campaign.decide(*asks, by="R")
        assert len(caught.value.data["problems"]) == 2
        with pytest.raises(UsageFault, match="who decides"):
            campaign.decide(asks[-1], by="")


@pytest.mark.spec("NI-review-journal")
def test_decisions_go_from_one_copy_of_a_campaign_to_another(table: Path, tmp_path: Path) -> None:
    with open_fixed(table) as campaign:
        campaign.decide(Ask(action=A.REJECT, subject="Hob Tarrow"), by="Rosa")
        campaign.decide(Ask(action=A.ACCEPT, subject=_dialogue(campaign)), by="Mia")
        campaign.undo(1, by="Mia")
        expected = [(one.text, one.in_force) for one in campaign.review().decisions]
        occurrences = campaign.occurrences()
    with create_fixed(tmp_path / "other") as other:
        other.record(tmp_path / "one.json")
        done = other.import_decisions(table / "review.json")
        assert [(one.text, one.in_force) for one in done] == expected
        assert other.occurrences() == occurrences
        assert other.import_decisions(table / "review.json") == ()
        _sound(other)
    text = (table / "review.json").read_text("utf-8")
    assert json.loads(text)["version"] == 1
    assert '"by": "Rosa"' in text


@pytest.mark.spec("NI-roster")
def test_an_imported_decision_makes_nobody_of_the_table_an_npc(table: Path, tmp_path: Path) -> None:
    row = {
        "number": 1,
        "action": "rename",
        "subject": {"name": "Hob Tarrow"},
        "change": {"name": "gm"},
        "by": "R",
        "at": "2026-01-01T00:00:00Z",
    }
    other = {"format": "talebearer.review", "version": 1, "campaign": "x", "decisions": [row]}
    (tmp_path / "theirs.json").write_text(json.dumps(other), encoding="utf-8")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe{}")
    with open_fixed(table) as campaign:
        with pytest.raises(UsageFault, match="at the table"):
            campaign.import_decisions(tmp_path / "theirs.json")
        with pytest.raises(UsageFault, match="not UTF-8"):
            campaign.import_decisions(tmp_path / "bytes.json")
        assert campaign.review().decisions == ()


def test_the_same_decisions_give_the_same_bytes(table: Path, tmp_path: Path) -> None:
    import shutil

    copy = Path(shutil.copytree(table, tmp_path / "copy"))
    for folder, seed in ((table, "1"), (copy, "2")):
        done = talebearer(
            *("review", "reject", "Hob Tarrow", "--by", "Rosa"),
            cwd=folder,
            environment={"PYTHONHASHSEED": seed},
        )
        assert done.code == 0, done.err
    assert (table / "review.json").read_bytes() == (copy / "review.json").read_bytes()
    shown = [
        talebearer_here("recall", "Berra", "--json", cwd=folder).out for folder in (table, copy)
    ]
    assert shown[0] == shown[1]


def test_live_play_goes_on_over_a_decision(table: Path) -> None:
    with open_fixed(table) as campaign:
        campaign.talk("Berra Quist").walk_away()
        campaign.decide(Ask(action=A.REJECT, subject=_dialogue(campaign)), by="R")
        assert _numbers(campaign) == ("interaction.berra-quist_002",)
        assert campaign.recall("Berra Quist").walked_away
        campaign.decide(Ask(action=A.REJECT, subject="Berra Quist"), by="R")
        assert campaign.recall("Berra Quist").walked_away, "what was played stays"
        assert campaign.talk("Berra Quist").complete().interaction.endswith("_003")
        _sound(campaign)


# --- the command line --------------------------------------------------------------------------


def test_the_command_line_decides_lists_and_undoes(table: Path) -> None:
    listed = talebearer_here("review", "list", "--json", cwd=table)
    assert listed.code == 0, listed.err
    (dialogue,) = [
        one
        for one in listed.json["occurrences"]
        if one["kind"] == "dialogue" and one["name"] == "Berra Quist"
    ]
    digits = "@" + dialogue["id"].rpartition(":")[2][:6]
    edited = talebearer_here(
        *("review", "edit", digits, "--kind", "other", "--range", "1-2", "--range", "4"),
        *("--by", "Rosa", "--json"),
        cwd=table,
    )
    assert edited.code == 0, edited.out
    (decision,) = edited.json["decisions"]
    assert (decision["new_kind"], decision["new_ranges"]) == ("other", [[1, 2], [4, 4]])
    shown = talebearer_here("review", "list", cwd=table)
    assert "now other of Berra Quist 1–2, 4" in shown.out
    assert "[0:03] 1 GM:" in shown.out
    undone = talebearer_here("review", "undo", "1", "--by", "Mia", cwd=table)
    assert "withdrawn by Mia" in undone.out
    assert talebearer_here("review", "undo", "1", "--by", "Mia", cwd=table).code == 2
    assert talebearer_here("review", "undo", "9", "--by", "Mia", cwd=table).code == 2
    assert "0 decisions" not in talebearer_here("review", "list", "--decisions", cwd=table).out


def test_who_decides_comes_from_the_environment_or_is_asked_for(table: Path) -> None:
    nobody = {"TALEBEARER_BY": "", "USER": "", "LOGNAME": ""}
    done = talebearer_here("review", "accept", "Hob Tarrow", cwd=table, environment=nobody)
    assert done.code == 2
    assert "--by" in done.err
    named = {**nobody, "USER": "sam"}
    done = talebearer_here("review", "accept", "Hob Tarrow", "--json", cwd=table, environment=named)
    assert done.json["decisions"][0]["by"] == "sam"


@pytest.mark.parametrize(
    "words",
    [
        ("edit", "@0000"),
        ("edit", "@0000", "--kind", "other", "--range", "x"),
        ("--json",),
        ("import", "nowhere.json"),
    ],
)
def test_a_command_that_makes_no_sense_is_refused(table: Path, words: tuple[str, ...]) -> None:
    done = talebearer_here("review", *words, cwd=table, environment={"TALEBEARER_BY": "Rosa"})
    assert done.code == 2, done.out
    assert "TB1" in done.err + done.out


@pytest.mark.spec("NI-review-interactive")
def test_going_through_asks_about_each_name_and_then_each_occurrence(table: Path) -> None:
    with open_fixed(table, read_only=True) as campaign:
        review = campaign.review()
    answers = ["x", "a"] + ["s"] * (len(review.names) - 1)
    answers += ["k", "sung", "k", "other", "u", "g", "1-2, x", "g", "1-2,4"]
    answers += ["h", "a"] + ["s"] * len(review.occurrences)
    done = talebearer_here("review", "--by", "Rosa", cwd=table, stdin="\n".join(answers) + "\n")
    assert done.code == 0, done.err
    assert "'sung' is no kind" in done.err
    assert "units as 12 or 12-14" in done.out
    with open_fixed(table, read_only=True) as campaign:
        after = campaign.review()
    assert after.open_names == review.open_names - 1
    assert after.open_occurrences <= review.open_occurrences - 2
    assert [one.action for one in after.decisions][:3] == ["accept", "edit", "edit"]
    assert after.decisions[1].withdrawn_at is not None


def test_the_end_of_input_ends_the_asking(table: Path) -> None:
    done = talebearer_here("review", "--by", "Rosa", cwd=table)
    assert done.code == 0, done.err
    assert "0 decisions made by Rosa" in done.out


# --- for players -------------------------------------------------------------------------------


@pytest.mark.spec("NI-review-players")
def test_a_hidden_npc_is_nowhere_in_what_players_see(recorded: Path) -> None:
    with open_fixed(recorded) as campaign:
        campaign.talk("Vesk").walk_away()
        campaign.talk("Maelis").walk_away()
        campaign.decide(Ask(action=A.HIDE, subject="Vesk"), by="R")
        assert [npc.game_master_only for npc in campaign.npcs() if npc.slug == "vesk"] == [True]
        players = campaign.for_players()
        page = render_report(players)
        assert "vesk" not in page.casefold()
        assert "game master" in page, "units that name the hidden one are withheld"
        assert "vesk" in render_report(campaign).casefold()
        assert all(npc.slug != "vesk" for npc in players.npcs())
        with pytest.raises(UnknownName) as caught:
            players.recall("Vesk")
        assert "vesk" not in caught.value.hint.casefold()
        edges = players.picture().edges
        assert edges
        assert not [edge for edge in edges if "vesk" in repr(edge)]
        assert campaign.recall("Vesk").walked_away, "the game master's memory is whole"


@pytest.mark.spec("NI-review-players")
def test_every_view_of_players_is_without_the_hidden(recorded: Path) -> None:
    with open_fixed(recorded) as campaign:
        campaign.talk("Halene").walk_away()
        campaign.talk("Maelis").complete()
        campaign.decide(Ask(action=A.HIDE, subject="Halene Voss"), by="R")
    for words in (
        ("npcs",),
        ("recall", "Maelis"),
        ("recall", "Wick"),
        ("why", "interaction.maelis-brandt_001"),
        ("mind", "show"),
        ("mind", "facts"),
        ("mind", "timeline"),
        ("mind", "events"),
    ):
        shown = talebearer_here(*words, "--for", "players", "--json", cwd=recorded)
        assert shown.code == 0, shown.err
        assert "halene" not in shown.out.casefold()
        whole = talebearer_here(*words, "--json", cwd=recorded)
        assert whole.code == 0
    report = talebearer_here("report", "--for", "players", "--json", cwd=recorded)
    assert report.json["report"].endswith("report-players.html")
    text = (recorded / report.json["report"]).read_text("utf-8").casefold()
    assert "halene" not in text


@pytest.mark.spec("NI-review-players")
def test_why_knows_nothing_of_the_hidden_for_players(recorded: Path) -> None:
    """Neither by an id, nor by another's evidence, nor in the hint of an error; nor what is unsaid."""
    with open_fixed(recorded) as campaign:
        campaign.talk("Halene").walk_away()
        occurrence = next(one.id for one in campaign.occurrences() if one.slug == "halene-voss")
        campaign.decide(Ask(action=A.HIDE, subject="Halene Voss"), by="R")
        unsaid = campaign.pack.dialogue_pools[0]
    line = f"{unsaid.path}:{unsaid.lines[0].id}"
    hidden = ("interaction.halene-voss_001", occurrence, "decision:1", line)
    for reference in (*hidden, "interaction.halene-vos_001"):
        for command in (("why",), ("mind", "why")):
            asked = (*command, reference, "--for", "players", "--json")
            done = talebearer_here(*asked, cwd=recorded)
            assert done.code == 2, reference
            error = done.json["error"]
            assert error["code"] == "TB113"
            assert "halene" not in error["hint"].casefold()
    for reference in hidden:
        assert talebearer_here("why", reference, cwd=recorded).code == 0, reference
    own = talebearer_here(
        "mind", "show", "npc:halene-voss", "--for", "players", "--json", cwd=recorded
    )
    assert own.json["text"].splitlines()[1:] == ["people: 0", "facts: 0"]


@pytest.mark.spec("NI-review-players")
def test_a_hidden_occurrence_leaves_no_trace_in_counts_and_relationships(table: Path) -> None:
    """It was the only conversation: without it the party has only heard of her, if at all."""
    with open_fixed(table) as campaign:
        reference = _dialogue(campaign)
        campaign.decide(Ask(action=A.HIDE, subject=reference), by="R")
        players = campaign.for_players()
        person = players.recall("Berra Quist")
        assert person.interactions == ()
        assert person.relationship == "unknown"
        assert all(item.kind != "dialogue" for item in person.occurrences)
        (npc,) = [npc for npc in players.npcs() if npc.slug == "berra-quist"]
        assert "dialogue" not in npc.kinds
        assert reference not in render_report(players)
        with pytest.raises(UnknownReference):
            players.why(reference)
        with pytest.raises(UnknownReference):
            players.why("decision:1")
        assert campaign.recall("Berra Quist").interactions
        with pytest.raises(UsageFault):
            players.decide(Ask(action=A.SHOW, subject=reference), by="R")
        campaign.decide(Ask(action=A.SHOW, subject=reference), by="R")
        assert campaign.for_players().recall("Berra Quist").interactions


@pytest.mark.spec("NI-review-names")
@pytest.mark.parametrize("odd", ["@Nix", "occurrence:one:Nix", "name:Nix", "@abcd"])
def test_a_name_that_looks_like_an_id_is_a_name_with_name_in_front(table: Path, odd: str) -> None:
    by = ("--by", "Rosa")
    assert (
        talebearer_here("review", "rename", "Berra Quist", f"name:{odd}", *by, cwd=table).code == 0
    )
    done = talebearer_here("review", "accept", f"name:{odd}", *by, "--json", cwd=table)
    assert done.code == 0, done.err
    assert f"{odd} accepted" in done.json["decisions"][0]["text"]
    merged = talebearer_here("review", "rename", f"name:{odd}", "Berra", *by, cwd=table)
    assert merged.code == 0, merged.err
    with open_fixed(table) as campaign:
        assert "Berra" in {one.shown for one in campaign.review().names}
        with pytest.raises(UnknownReference, match="occurrences") as caught:
            campaign.decide(Ask(action=DecisionAction.ACCEPT, subject="@zzzz"), by="Rosa")
        assert "name:@" in caught.value.hint
