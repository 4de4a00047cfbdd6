"""Hostile and odd input: coded errors, inert output, nothing written where it should not be."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from campaigns import MEETING, create_fixed, open_fixed, run_python, seriatim, talebearer_here

from talebearer import Campaign
from talebearer.errors import TalebearerError, UsageFault, visible
from talebearer.server import render_report

ESCAPES = "\x1b[2J\x1b]0;pwned\x07\x9b31m\u202egnp\u2066"


def test_control_and_direction_characters_are_written_out() -> None:
    assert visible("\x1b[2J\u202ex\u200d\té\n") == "\\x1b[2J\\u202ex\u200d\té\n"


def test_a_transcript_cannot_command_the_terminal_or_the_page(tmp_path: Path) -> None:
    lines = (
        *MEETING,
        ("GM", f"“Well,” Berra says. {ESCAPES}"),
        (f"Zed{ESCAPES}", f"Berra, {ESCAPES}!"),
    )
    path = tmp_path / "one.json"
    path.write_text(seriatim(*lines), encoding="utf-8")
    create_fixed(tmp_path / "c").close()
    outputs = [
        talebearer_here("record", "../one.json", cwd=tmp_path / "c"),
        talebearer_here("recall", "berra-quist", cwd=tmp_path / "c"),
        talebearer_here("why", "interaction.berra-quist_001", cwd=tmp_path / "c"),
    ]
    with open_fixed(tmp_path / "c", read_only=True) as campaign:
        page = render_report(campaign)
        stored = "".join(quote.text for o in campaign.occurrences() for quote in o.quotes)
    shown = page + "".join(result.out + result.err for result in outputs)
    assert "\\x1b[2J" in shown
    assert not set(shown) & set("\x1b\x07\x9b\u202e\u2066")
    assert ESCAPES in stored, "the text itself is never rewritten"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('id = "c"\n"\\u001b[31mkey" = 1', "\\x1b[31mkey"),
        ('id = "c"\nseed = ' + "9" * 5000, "campaign.toml"),
        ('id = "c"\nx = ' + "[" * 100_000, "campaign.toml"),
        ('id = "c"\n[content]\npath = "a\\u0000b"', "path"),
        ('id = "c"\n[content]\npath = "' + "x" * 5000 + '"', "path"),
    ],
    ids=["escape", "digits", "nesting", "nul", "long"],
)
def test_odd_settings_are_a_coded_error(tmp_path: Path, text: str, part: str) -> None:
    create_fixed(tmp_path / "c").close()
    (tmp_path / "c" / "campaign.toml").write_text(text, encoding="utf-8")
    result = talebearer_here("npcs", cwd=tmp_path / "c")
    assert result.code == 2, result.err[:300]
    assert "TB107" in result.err
    assert part in result.err
    assert "\x1b" not in result.err


@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [
        (("talk", "Maelis"), "/wait " + "9" * 5000 + "\n/bye\n"),
        (
            (
                "think",
                "--character",
                "detective",
                "--trigger",
                "time_idle",
                "--tick",
                str(2**63 - 1),
            ),
            "",
        ),
        (("record", "sessions/session-01.json", "--max-size", "8796093022208"), ""),
        (("record", "s." + "a" * 250), ""),
        (("npcs", "--campaign", "x" * 5000), ""),
        (("lint", "x" * 5000), ""),
        (("init", "y" * 5000), ""),
        (("init", "blank", "--name", "   "), ""),
        (("report", "-o", ""), ""),
        (("report", "-o", "z" * 300 + ".html"), ""),
        (("recall", ""), ""),
        (("why", ""), ""),
        (("talk", ""), ""),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, tuple) else "",
)
def test_odd_arguments_are_coded_errors(
    recorded: Path, arguments: tuple[str, ...], stdin: str
) -> None:
    result = talebearer_here(*arguments, cwd=recorded, stdin=stdin)
    assert result.code in (2, 3), (result.code, result.err[:300])
    assert "TB901" not in result.err
    assert "Traceback" not in result.err
    assert talebearer_here("doctor", cwd=recorded).code == 0
    assert talebearer_here("talk", "Maelis", cwd=recorded, stdin="/bye\n").code == 0, "play goes on"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TALEBEARER_SEED", "9" * 5000),
        ("TALEBEARER_NOW", "9999-12-31T23:59:59-23:59"),
        ("TALEBEARER_NOW", "0001-01-01T00:00:00+23:59"),
    ],
)
def test_odd_clocks_and_seeds_are_coded_errors(recorded: Path, name: str, value: str) -> None:
    result = talebearer_here("npcs", cwd=recorded, environment={name: value})
    assert result.code == 2
    assert name in result.err


SHELL = {
    "stdin closed": ("talk Maelis <&-", (0,)),
    "stdout closed": ("npcs >&-", (0,)),
    "stdout closed, json": ("npcs --json >&-", (0,)),
    "disk of the output is full": ("npcs >/dev/full", (3,)),
    "disk of the output is full, json": ("npcs --json >/dev/full", (3,)),
    "the reader went away": ("npcs | head -c 1; exit ${PIPESTATUS[0]}", (0,)),
    "an output of ASCII only": ("recall 'Émile Sarrault'", (0,)),
    "an output of ASCII only, json": ("recall 'Émile Sarrault' --json", (0,)),
    "a name that is no UTF-8": ("record $'\\xff.json' --json", (2,)),
    "debug after the command": ("recall nobody --debug", (2,)),
}


@pytest.mark.parametrize("case", SHELL)
def test_odd_streams_end_quietly(recorded: Path, case: str) -> None:
    command, codes = SHELL[case]
    encoding = "ascii:strict" if "ASCII" in case else "utf-8:strict"
    done = subprocess.run(
        [
            "bash",
            "-c",
            f'talebearer() {{ "{sys.executable}" -m talebearer "$@"; }}; talebearer {command}',
        ],
        cwd=recorded,
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        check=False,
        timeout=60,
    )
    text = done.stderr.decode("utf-8", "replace")
    assert done.returncode in codes, (done.returncode, text)
    if "debug" not in case:
        assert "Traceback" not in text
    if command.endswith("--json"):
        import json

        json.loads(done.stdout)


def test_a_trap_in_the_folder_leads_nothing_away(recorded: Path, tmp_path: Path) -> None:
    """Links where temporary files would lie, and a device as a report's place."""
    victim = tmp_path / "victim.txt"
    victim.write_text("mine")
    runs = recorded / "runs"
    for name in ("report.html.part", ".report.html.part"):
        (runs / name).symlink_to(victim)
    assert talebearer_here("report", cwd=recorded).code == 0
    assert victim.read_text() == "mine"
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    result = talebearer_here("report", "-o", str(fifo), cwd=recorded)
    assert result.code == 3
    assert "no regular file" in result.err
    assert fifo.is_fifo()


def test_a_campaign_open_for_reading_writes_nothing(recorded: Path) -> None:
    def files() -> dict[Path, int]:
        return {
            path: path.stat().st_mtime_ns
            for path in recorded.rglob("*")
            if path.is_file() and "talebearer.db" not in path.name
        }

    before = files()
    with open_fixed(recorded, read_only=True) as campaign:
        with pytest.raises(UsageFault):
            campaign.record(recorded / "sessions" / "session-01.json", replace=True)
        with pytest.raises(UsageFault):
            campaign.talk("Maelis")
    assert files() == before


def test_a_reader_follows_the_writer_beside_it(recorded: Path) -> None:
    with open_fixed(recorded) as writer, open_fixed(recorded, read_only=True) as reader:
        assert not reader.recall("Maelis").walked_away
        writer.talk("Maelis").walk_away()
        assert reader.recall("Maelis").walked_away
        assert reader.doctor().faults == ()


@pytest.mark.parametrize("value", [None, 5, b"x", 0.5])
def test_wrong_types_are_coded_errors(recorded: Path, value: object) -> None:
    with open_fixed(recorded) as campaign:
        talk = campaign.talk("Maelis")
        calls = [
            lambda: campaign.talk(value),  # type: ignore[arg-type]
            lambda: campaign.recall(value),  # type: ignore[arg-type]
            lambda: campaign.why(value),  # type: ignore[arg-type]
            lambda: talk.say(value),  # type: ignore[arg-type]
            lambda: talk.at(value),  # type: ignore[arg-type]
            lambda: talk.wait(str(value)),  # type: ignore[arg-type]
        ]
        for call in calls:
            with pytest.raises(TalebearerError):
                call()
        assert talk.say().text


def test_content_may_change_under_a_campaign(recorded: Path) -> None:
    """A profile is renamed, a line that was said is removed, then all content: memory is shown."""
    with open_fixed(recorded) as campaign:
        talk = campaign.talk("wick")
        said = talk.say().reference
        talk.complete()
    assert said is not None
    npcs = recorded / "content" / "global" / "npcs"
    (npcs / "wick.yaml").rename(npcs / "wicked.yaml")
    pool = next((recorded / "content").rglob("dialogue/chandlers-row/wick.yaml"))
    pool.unlink()
    with open_fixed(recorded, read_only=True) as campaign:
        assert campaign.recall("wick").slug == "wick"
        assert "no longer has it" in campaign.why(said).text
        assert "wick" in render_report(campaign)
    (recorded / "content").rename(recorded / "elsewhere")
    for command in (("npcs",), ("recall", "wick"), ("why", "interaction.wick_001"), ("report",)):
        assert talebearer_here(*command, cwd=recorded).code == 0, command
    assert talebearer_here("doctor", cwd=recorded).code == 1
    assert talebearer_here("talk", "wick", cwd=recorded).code == 2


def test_an_init_that_was_cut_off_can_be_made_again(tmp_path: Path) -> None:
    script = (
        "import resource, signal\n"
        "from talebearer import Campaign\n"
        "from talebearer.errors import StoreError\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, resource.RLIM_INFINITY))\n"
        "for template in (None, 'drowned-bell'):\n"
        "    try:\n"
        "        Campaign.create('c', template=template)\n"
        "    except StoreError as error:\n"
        "        print(error.code)\n"
    )
    result = run_python(["-c", script], cwd=tmp_path)
    assert result.code == 0, result.err
    assert result.out.split() == ["TB206", "TB206"]
    assert list(tmp_path.iterdir()) == []
    with Campaign.create(tmp_path / "c", name="A\nname \x1b with “odd” \\ things") as campaign:
        assert campaign.config.name == "A\nname \x1b with “odd” \\ things"
