"""``talebearer speakers``: from unknown labels to a campaign.toml that knows them."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from campaigns import create_fixed, open_fixed, run_python, seriatim, talebearer_here

from talebearer import Campaign

LINES = (
    ("SPEAKER_00", "The woman behind the counter is Berra Quist. Berra says, “You are late.”"),
    ("SPEAKER_01", "Berra, I am sorry. The ferry was slow."),
    ("SPEAKER_00", "“The ferry is always slow,” Berra says. “Sit down.”"),
    ("SPEAKER_02", "What do you hear from the mill, Berra?"),
    ("SPEAKER_00", "“Nothing good,” Berra says, and pours."),
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A campaign with one recorded session in which nobody is known."""
    (tmp_path / "one.json").write_text(seriatim(*LINES), encoding="utf-8")
    with create_fixed(tmp_path / "c") as campaign:
        campaign.record(tmp_path / "one.json")
    return tmp_path / "c"


@pytest.mark.spec("NI-roster-written")
def test_labels_are_shown_with_time_and_unit_and_then_seated(table: Path) -> None:
    shown = talebearer_here("speakers", cwd=table)
    assert shown.code == 0, shown.err
    assert "one: 3 labels, 3 unknown speakers" in shown.out
    assert "[0:09] 3 SPEAKER_00" in shown.out
    before = (table / "campaign.toml").read_text("utf-8")
    options = ("--gm", "SPEAKER_00=Rosa", "--player", "SPEAKER_01=Ana", "--guest", "SPEAKER_02")
    done = talebearer_here(
        "speakers", "one", *options, "--character", "Ana=Nora Fell", "--json", cwd=table
    )
    assert done.code == 0, done.out
    assert done.json["written"]["changed"]
    assert done.json["sources"][0]["unknown"] == []
    after = (table / "campaign.toml").read_text("utf-8")
    assert [line for line in before.splitlines() if line.startswith("#")] == [
        line for line in after.splitlines() if line.startswith("#")
    ]
    again = talebearer_here("speakers", "one", *options, "--json", cwd=table)
    assert not again.json["written"]["changed"]
    assert (table / "campaign.toml").read_text("utf-8") == after
    replaced = talebearer_here("record", "../one.json", "--replace", "--json", cwd=table)
    assert replaced.json["npcs"] == ["Berra Quist"]
    assert [item["kind"] for item in replaced.json["occurrences"]] == ["dialogue"]


def test_a_file_need_not_be_recorded(tmp_path: Path) -> None:
    (tmp_path / "new.json").write_text(seriatim(*LINES), encoding="utf-8")
    create_fixed(tmp_path / "c").close()
    done = talebearer_here("speakers", "../new.json", "--gm", "SPEAKER_00", cwd=tmp_path / "c")
    assert done.code == 0, done.err
    assert "SPEAKER_00 is SPEAKER_00, game master" in done.out
    assert "2 unknown speakers" in done.out


def test_asking_goes_label_by_label(table: Path) -> None:
    answers = "g\nRosa\np\nAna\nNora Fell, Hest\nx\ns\n"
    done = talebearer_here("speakers", "--interactive", cwd=table, stdin=answers)
    assert done.code == 0, done.err
    with open_fixed(table, read_only=True) as campaign:
        roster = campaign.config.roster
    assert roster.role_of("SPEAKER_00").value == "game_master"
    assert roster.players[0].characters == ("Nora Fell", "Hest")
    assert roster.role_of("SPEAKER_02").value == "unknown"


@pytest.mark.parametrize("answers", ["", "q\n", "s\ns\ns\n"])
def test_asking_without_an_answer_writes_nothing(table: Path, answers: str) -> None:
    before = (table / "campaign.toml").read_bytes()
    assert talebearer_here("speakers", "-i", cwd=table, stdin=answers).code == 0
    assert (table / "campaign.toml").read_bytes() == before


@pytest.mark.spec("NI-roster-refused")
def test_a_contradiction_changes_nothing(table: Path) -> None:
    before = (table / "campaign.toml").read_bytes()
    done = talebearer_here(
        "speakers", "--player", "GM=Ana", "--gm", "SPEAKER_00", "--json", cwd=table
    )
    assert done.code == 2
    problems = done.json["error"]["data"]["problems"]
    assert problems[0]["message"] == "no transcript has the speaker 'GM'"
    assert (table / "campaign.toml").read_bytes() == before


@pytest.mark.parametrize(
    "options",
    [
        ("nowhere.json",),
        ("--character", "Ana=Nora"),
        ("--character", "Ana"),
        ("-i", "--json"),
        ("--player", "=Ana"),
    ],
)
def test_what_makes_no_sense_is_refused(table: Path, options: tuple[str, ...]) -> None:
    done = talebearer_here("speakers", *options, cwd=table)
    assert done.code == 2
    assert "hint" in done.err + done.out


ON_A_FULL_DISK = """
import resource
from talebearer.campaign import Campaign, Seat
from talebearer.errors import StoreFull
from talebearer.extraction import SpeakerRole

with Campaign.open() as campaign:
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, resource.RLIM_INFINITY))
    try:
        campaign.seat(Seat(label="SPEAKER_00", role=SpeakerRole.GAME_MASTER))
    except StoreFull as error:
        print(error.code)
"""


def test_a_full_disk_leaves_the_settings_whole(table: Path) -> None:
    """The new text cannot be written to its end, so the old one stays."""
    path = table / "campaign.toml"
    path.write_text(f"# {'x' * 2_100_000}\n{path.read_text('utf-8')}", encoding="utf-8")
    before = path.read_bytes()
    done = run_python(["-c", ON_A_FULL_DISK], cwd=table)
    assert done.out.strip() == "TB206", done.err
    assert path.read_bytes() == before
    assert not list(table.glob(".*.part"))


def test_a_link_stays_a_link(table: Path, tmp_path: Path) -> None:
    from talebearer.campaign import Seat
    from talebearer.extraction import SpeakerRole

    (table / "campaign.toml").rename(tmp_path / "settings.toml")
    (table / "campaign.toml").symlink_to(tmp_path / "settings.toml")
    with Campaign.open(table) as campaign:
        campaign.seat(Seat(label="SPEAKER_00", role=SpeakerRole.GAME_MASTER))
        assert campaign.config.roster.role_of("SPEAKER_00").value == "game_master"
    assert (table / "campaign.toml").is_symlink()
    assert "SPEAKER_00" in (tmp_path / "settings.toml").read_text("utf-8")


def test_units_that_nobody_is_named_for_are_no_label(tmp_path: Path) -> None:
    with create_fixed(tmp_path / "c"):
        pass
    cues = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Xu>Rain.</v>\n\n00:03.000 --> 00:04.000\nMore rain.\n"
    (tmp_path / "c" / "odd.vtt").write_text(cues, encoding="utf-8")
    shown = talebearer_here("speakers", "odd.vtt", cwd=tmp_path / "c")
    assert "odd.vtt: 1 label, 1 unknown speaker, 1 unit of nobody named" in shown.out
    told = talebearer_here("record", "odd.vtt", cwd=tmp_path / "c")
    assert "unknown speaker 'Xu', 1 unit:" in told.out
    (tmp_path / "c" / "short.txt").write_text("Xu: Rain.\n", encoding="utf-8")
    assert (
        "short.txt, text, 1 unit, "
        in talebearer_here("record", "short.txt", cwd=tmp_path / "c").out
    )
    assert "nobody named, 1 unit" in told.out
    assert "unknown speaker ''" not in told.out


@pytest.mark.spec("NI-roster-unknown-label")
def test_recording_without_a_roster_gives_the_commands_that_seat_everybody(tmp_path: Path) -> None:
    """They run as they stand, from where the recording ran."""
    (tmp_path / "one two.json").write_text(seriatim(*LINES), encoding="utf-8")
    create_fixed(tmp_path / "c").close()
    words = ("one two.json", "--session", "one", "--format", "seriatim", "--campaign", "c")
    done = talebearer_here("record", *words, cwd=tmp_path)
    assert done.code == 0, done.err
    commands = [
        line.split("talebearer ", 1)[1] for line in done.out.splitlines() if "    tale" in line
    ]
    assert len(commands) == 2
    seat, again = (shlex.split(command) for command in commands)
    assert seat == ["speakers", "one", "--interactive", "--campaign", "c"]
    assert again == ["record", *words[:5], "--replace", *words[5:]]
    assert talebearer_here(*seat, cwd=tmp_path, stdin="g\nRosa\ns\ns\n").code == 0
    replaced = talebearer_here(*again, cwd=tmp_path)
    assert replaced.code == 0, replaced.err
    assert "SPEAKER_00'" not in replaced.out


@pytest.mark.spec("NI-roster-unknown-label")
def test_nobody_is_asked_to_seat_units_without_a_label(tmp_path: Path) -> None:
    (tmp_path / "one.srt").write_text(
        "1\n00:00:01,000 --> 00:00:02,000\nBerra Quist says nothing.\n", encoding="utf-8"
    )
    create_fixed(tmp_path / "c").close()
    done = talebearer_here("record", "../one.srt", cwd=tmp_path / "c")
    assert done.code == 0, done.err
    listed = talebearer_here("speakers", cwd=tmp_path / "c")
    for text in (done.out, listed.out):
        assert "nobody named" in text
        assert "--interactive" not in text
    problems = talebearer_here(
        "record", "../one.srt", "--replace", "--json", cwd=tmp_path / "c"
    ).json
    told = {one["code"]: one for one in problems["problems"]}
    assert "label" not in told["TB620"]["hint"]
    assert "label" not in told["TB621"]["hint"]
    assert told["TB621"]["where"] == {"file": "one"}
