"""The documents' commands and programs run, and print what the documents say."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from campaigns import NOW, talebearer, talebearer_here
from sybil import Document, Example
from sybil.parsers.markdown import CodeBlockParser

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
ENVIRONMENT = {"TALEBEARER_NOW": NOW, "TALEBEARER_SEED": "4", "COLUMNS": "100", "TERM": "dumb"}


def _blocks(path: Path) -> list[tuple[str, str]]:
    """Return the (language, text) of every block that can run, and of what a program prints."""
    blocks: list[tuple[str, str]] = []

    def keep(language: str) -> CodeBlockParser:
        def take(example: Example) -> None:
            blocks.append((language, str(example.parsed)))

        return CodeBlockParser(language=language, evaluator=take)

    parsers = [keep(language) for language in ("console", "python", "text")]
    for example in Document.parse(str(path), *parsers):
        example.evaluate()
    return blocks


def _path() -> str:
    return f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def _run(command: list[str], cwd: Path) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, **ENVIRONMENT, "PATH": _path()},
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


def _matches(expected: str, printed: str) -> bool:
    """Whether *printed* is *expected*, where ``...`` stands for anything."""

    def flat(text: str) -> str:
        return "\n".join(line.rstrip() for line in text.strip().splitlines())

    pattern = ".*?".join(re.escape(part) for part in flat(expected).split("..."))
    return re.fullmatch(pattern, flat(printed), re.DOTALL) is not None


RUNNABLE = [path for path in DOCUMENTS if {"console", "python"} & {k for k, _ in _blocks(path)}]


@pytest.mark.parametrize("path", RUNNABLE, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_a_document_shows_is_what_happens(
    path: Path, tmp_path: Path, demo_template: Path
) -> None:
    shutil.copytree(demo_template, tmp_path, dirs_exist_ok=True)
    try:
        _show(path, tmp_path)
    finally:
        # A document that serves a store ends its daemon itself, unless it has failed before.
        for endpoint in tmp_path.glob("*.sock"):
            talebearer("stop", "--endpoint", endpoint.name, cwd=tmp_path)


def _output(command: str, cwd: Path, *, real: bool) -> str:
    """Return what *command* prints.

    Those of the README (*real*), and all that need a shell, are run by one, with the program as it is
    installed; the others need no start of Python to show what they print.
    """
    words = _words(command)
    if real or words is None:
        return _run(["bash", "-c", command], cwd)
    done = talebearer_here(*words, cwd=cwd, environment={"PATH": _path()})
    assert done.code == 0, f"{command}: {done.err}"
    return done.out


def _words(command: str) -> list[str] | None:
    """Return the arguments of a plain ``talebearer`` command; None if it needs a shell."""
    if set(command) & set("|&;<>$`*?(){}~#\\"):
        return None
    program, *words = shlex.split(command)
    return words if program == "talebearer" else None


def _show(path: Path, tmp_path: Path) -> None:
    printed = ""
    for language, text in _blocks(path):
        if language == "console":
            first, _, expected = text.partition("\n")
            assert first.startswith("$ "), first
            output = _output(first.removeprefix("$ "), tmp_path, real=path.name == "README.md")
            assert _matches(expected, output), f"{first}\n{output}"
        elif language == "python":
            printed = _run([sys.executable, "-c", text], tmp_path)
        elif printed:
            assert _matches(text, printed), printed
            printed = ""
    assert not printed, "the program's output is not shown in a text block after it"


def test_readme_runs() -> None:
    assert ROOT / "README.md" in RUNNABLE


def test_links_between_documents_lead_somewhere() -> None:
    missing = []
    for path in [*DOCUMENTS, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]:
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
            if not (path.parent / target).exists():
                missing.append(f"{path.name}: {target}")
    assert not missing, missing


def test_the_first_screen_shows_units_as_the_session_has_them() -> None:
    """The quoted units of the README are those of the bundled session, word for word."""
    from talebearer.transcripts import load

    session = ROOT / "src/talebearer/bundled/drowned-bell/sessions/session-02.vtt"
    units = {unit.unit_id: unit.text for unit in load(session)[1].units}
    first = (ROOT / "README.md").read_text(encoding="utf-8").split("```text\n")[1].split("```")[0]
    for line in first.strip().splitlines():
        match = re.fullmatch(r"\[[\d:]+\] (\d+) \w+:\s+(.*)", line)
        assert match, line
        assert units[int(match[1])].startswith(match[2]), line
