"""The command line itself: help, versions, JSON errors, findings, interruption."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from campaigns import LABELLED_MEETING, talebearer, talebearer_here

from talebearer import __version__

COMMANDS = (
    "init",
    "record",
    "estimate",
    "npcs",
    "recall",
    "talk",
    "think",
    "why",
    "lint",
    "coverage",
    "build",
    "facts",
    "schemas",
    "vendor",
    "report",
    "demo",
    "eval",
    "doctor",
)


def test_version(tmp_path: Path) -> None:
    assert talebearer("--version", cwd=tmp_path).out == f"talebearer {__version__}\n"


def test_printing_the_version_imports_nothing_heavy(tmp_path: Path) -> None:
    script = (
        "import sys; sys.argv = ['talebearer', '--version']\n"
        "from talebearer.cli import main; main()\n"
        "heavy = {'typer', 'click', 'rich', 'apsw', 'orjson', 'jsonschema_rs', 'dataclasses'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_help_lists_every_command_and_imports_no_engine(tmp_path: Path) -> None:
    script = (
        "import sys; from talebearer.cli._main import run; run(['--help'])\n"
        "heavy = {'rich', 'apsw', 'orjson', 'jsonschema_rs', 'yaml', 'jinja2'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    for command in COMMANDS:
        assert f"  {command} " in done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example_and_json(command: str, tmp_path: Path) -> None:
    result = talebearer_here(command, "--help", cwd=tmp_path)
    assert result.code == 0
    assert "Example: " in result.out
    assert "--json" in result.out


def test_a_usage_fault_is_exit_2_in_words_and_in_json(tmp_path: Path) -> None:
    result = talebearer_here("recall", cwd=tmp_path)
    assert (result.code, result.out) == (2, "")
    assert "TB111" in result.err
    assert "talebearer recall --help" in result.err
    as_json = talebearer_here("recall", "--json", cwd=tmp_path)
    assert as_json.code == 2
    assert as_json.json["error"]["code"] == "TB111"


def test_no_arguments_shows_help(tmp_path: Path) -> None:
    result = talebearer_here(cwd=tmp_path)
    assert "Usage: talebearer" in result.out + result.err


def test_our_own_bug_is_exit_70(tmp_path: Path) -> None:
    script = (
        "import sys; from talebearer.cli import _main\n"
        "from talebearer.cli.commands import lint\n"
        "import talebearer.content as content\n"
        "content.lint = lambda *_, **__: 1 // 0\n"
        "sys.exit(_main.run(['lint', '.']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 70
    assert "TB901: ZeroDivisionError" in done.stderr
    assert "Traceback" not in done.stderr


def test_lint_reports_every_fault_with_its_place_and_exits_1(bundled: Path) -> None:
    pool = next((bundled / "content").rglob("dialogue/the-gilded-eel/maelis-brandt.yaml"))
    pool.write_text(
        "location: the-gilded-eel\n"
        "role: innkeeper\n"
        "lines:\n"
        "  - id: maelis-brandt_d_1\n"
        "    text: ''\n"
        "    role: innkeeper\n"
        "    access: []\n"
        "    trust: deep\n"
        "    situation: [social]\n"
        "    topic: [crago]\n",
        encoding="utf-8",
    )
    result = talebearer_here("lint", "content", cwd=bundled)
    assert result.code == 1
    for line, column in ((4, 9), (5, 11), (7, 13), (8, 12), (10, 13)):
        assert f"maelis-brandt.yaml:{line}:{column}" in result.out, (line, column, result.out)
    assert "cargo" in result.out
    as_json = talebearer_here("lint", "content", "--json", cwd=bundled)
    assert as_json.code == 1
    assert as_json.json["counts"]["error"] == 5
    refused = talebearer_here("talk", "Maelis", cwd=bundled)
    assert refused.code == 2
    assert "TB106" in refused.err
    assert "maelis-brandt.yaml:8:12" in refused.err


def test_lint_of_the_bundled_content_is_clean(bundled: Path) -> None:
    result = talebearer_here("lint", "content", "--strict", cwd=bundled)
    assert result.code == 0, result.out


def test_lint_of_no_folder(tmp_path: Path) -> None:
    result = talebearer_here("lint", "nowhere", cwd=tmp_path)
    assert result.code == 2
    assert "TB111" in result.err


def test_init_refuses_a_folder_that_holds_something(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("x")
    result = talebearer_here("init", ".", cwd=tmp_path)
    assert result.code == 2
    assert "TB111" in result.err


def test_a_new_campaign_is_sound_and_its_content_lints(tmp_path: Path) -> None:
    made = talebearer_here("init", "mine", "--name", "Mine", "--json", cwd=tmp_path)
    assert made.code == 0, made.err
    assert "campaign.toml" in made.json["files"]
    assert talebearer_here("lint", "mine/content", "--strict", cwd=tmp_path).code == 0
    doctor = talebearer_here("doctor", "--campaign", "mine", "--json", cwd=tmp_path)
    assert doctor.code == 0, doctor.err
    assert doctor.json["faults"] == []


def test_doctor_finds_a_damaged_file(recorded: Path) -> None:
    blobs = sorted((recorded / "artifacts" / "objects").rglob("*"))
    blob = next(path for path in blobs if path.is_file())
    blob.chmod(0o600)
    blob.write_bytes(blob.read_bytes()[:-1] + b"!")
    result = talebearer_here("doctor", cwd=recorded)
    assert result.code == 1
    assert "1 fault" in result.out


def test_a_closed_pipe_is_no_traceback(recorded: Path) -> None:
    command = f"{sys.executable} -m talebearer npcs --json | head -c 1"
    done = subprocess.run(
        ["bash", "-c", command], cwd=recorded, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr


def _interrupt(process: subprocess.Popen[bytes]) -> int:
    """Press Ctrl-C until *process* ends, six times at most, and return its exit code.

    Once is not always enough: an interrupt between the prompt and the read behind it is noticed by
    the interpreter only when that read returns, and the next press is what makes it return.
    """
    for _ in range(6):
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            return process.wait(10)
    raise AssertionError("interrupts do not end the program")


def test_an_interrupted_conversation_is_kept(recorded: Path) -> None:
    """Ctrl-C in a terminal ends the program with 130; what was said stays said."""
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "talebearer", "talk", "Maelis"],
        cwd=recorded,
        stdin=follower,
        stdout=follower,
        stderr=follower,
        start_new_session=True,
    ) as process:
        os.close(follower)
        try:
            seen = b""
            while b"> " not in seen:
                assert select.select([leader], [], [], 60)[0], seen
                seen += os.read(leader, 4096)
            assert _interrupt(process) == 130, seen
        finally:
            process.kill()
    os.close(leader)
    taken_up = talebearer_here("talk", "Maelis", cwd=recorded, stdin="/bye\n")
    assert "You take up where you left off." in taken_up.out


def test_clock_and_seed_must_be_readable(recorded: Path) -> None:
    for name, value in (("TALEBEARER_NOW", "today"), ("TALEBEARER_SEED", "x")):
        result = talebearer_here("npcs", cwd=recorded, environment={name: value})
        assert result.code == 2
        assert name in result.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("init", "file/inside"),
        ("init", "file"),
        ("demo", "file"),
        ("record", "file/inside"),
        ("record", "."),
        ("report", "-o", "file/inside"),
        ("report", "-o", "."),
        ("lint", "file"),
        ("coverage", "file"),
        ("npcs", "--campaign", "file"),
        ("npcs", "--campaign", "nowhere"),
        ("doctor", "--campaign", "file/inside"),
    ],
    ids=" ".join,
)
def test_a_path_that_cannot_be_used_is_a_clear_error(
    bundled: Path, arguments: tuple[str, ...]
) -> None:
    (bundled / "file").write_text("a file")
    result = talebearer_here(*arguments, cwd=bundled)
    assert result.code in (2, 3), result
    assert "TB901" not in result.err
    assert "hint:" in result.err


def test_demo_into_another_campaign_is_refused(tmp_path: Path) -> None:
    assert talebearer_here("init", "mine", cwd=tmp_path).code == 0
    result = talebearer_here("demo", "mine", cwd=tmp_path)
    assert result.code == 2
    assert "is the campaign 'mine'" in result.err


def test_every_command_states_the_exit_codes(tmp_path: Path) -> None:
    assert "Exit codes: 0 fine" in talebearer_here("npcs", "--help", cwd=tmp_path).out


def test_eval_scores_labelled_excerpts(tmp_path: Path) -> None:
    import json

    (tmp_path / "a.json").write_text(json.dumps(LABELLED_MEETING), encoding="utf-8")
    result = talebearer_here("eval", ".", "--json", cwd=tmp_path)
    assert result.code == 0, result.err
    assert result.json["scores"]["strict"]["f1"] == 1
    assert result.json["baseline"]["f1"] == 0, "the baseline calls it a mention"
    table = talebearer_here("eval", ".", cwd=tmp_path)
    assert "a-meeting" in table.out
    missing = talebearer_here("eval", "nowhere", cwd=tmp_path)
    assert missing.code == 2
    assert "TB111" in missing.err
