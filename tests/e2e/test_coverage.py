"""``talebearer coverage``: tables, JSON, page, picture and exit codes."""

from __future__ import annotations

import json
import shutil
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from campaigns import talebearer, talebearer_here

CONTENT = Path(__file__).parents[2] / "src" / "talebearer" / "bundled" / "drowned-bell" / "content"
POOL = "campaigns/x/dialogue/quay/odo.yaml"
TEXT = """\
location: quay
role: clerk
lines:
  - id: odo_d_001
    text: "Late again."
    role: clerk
    access: [public]
    trust: surface
    situation: [social]
  - id: odo_d_002
    text: "<script>alert(1)</script>"
    role: clerk
    access: [peer]
    trust: surface
    situation: [alone]
    prerequisites:
      interactions: [{target: "npc:odo", count: 0}, {target: "npc:odo", state: completed}]
"""


@pytest.fixture
def content(tmp_path: Path) -> Path:
    path = tmp_path / "content" / POOL
    path.parent.mkdir(parents=True)
    path.write_text(TEXT)
    return tmp_path / "content"


@pytest.mark.spec("LP-10-coverage-command")
def test_a_gap_is_told_and_fails_only_on_demand(content: Path, tmp_path: Path) -> None:
    told = talebearer_here("coverage", str(content), cwd=tmp_path)
    assert told.code == 0, told.err
    assert "clerk at quay: 2 lines" in told.out
    assert "gap: clerk at quay, access public, trust surface: nothing for alone" in told.out
    assert "2 gaps, " in told.out
    assert talebearer_here("coverage", str(content), "--fail-on-gap", cwd=tmp_path).code == 1
    wanted = content / "global" / "coverage.yaml"
    wanted.parent.mkdir()
    wanted.write_text("scenes: {access: [public], situations: [social]}\n")
    assert talebearer_here("coverage", str(content), "--fail-on-gap", cwd=tmp_path).code == 0
    reached = talebearer_here("coverage", str(content), "--fail-on-gap", "--reach", cwd=tmp_path)
    assert reached.code == 1
    assert "quay/odo.yaml:17:7: warning TB476: odo_d_002 is never said" in reached.out


@pytest.mark.spec("LP-10-coverage-command")
def test_the_json_has_the_same(content: Path, tmp_path: Path) -> None:
    found = json.loads(
        talebearer_here("coverage", str(content), "--reach", "--json", cwd=tmp_path).out
    )
    assert len(found["gaps"]) == 2
    assert found["reach"]["counts"] == {
        "said": 1,
        "undecided": 0,
        "needs_game": 0,
        "beaten": 0,
        "never": 1,
    }
    assert found["reach"]["lines"]["never"] == ["campaigns/x/dialogue/quay/odo#odo_d_002"]
    assert found["roles"][0]["lines"] == 2


class Page(HTMLParser):
    """Every tag and attribute of a page, and whether one could run or load something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]


@pytest.mark.spec("LP-10-coverage-command")
def test_page_and_picture_are_written_and_hold_nothing_that_runs(
    content: Path, tmp_path: Path
) -> None:
    hostile = content / POOL.replace("quay/odo", "quay/wick")
    hostile.write_text(TEXT.replace("odo_d_002", "odo_d_003"))
    done = talebearer_here(
        *("coverage", str(content), "--reach", "--html", "page.html", "--svg", "heat.svg"),
        cwd=tmp_path,
    )
    assert done.code == 0, done.err
    page = Page((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert "script" not in page.tags
    assert all(link.startswith("#") for link in page.links)
    picture = ElementTree.parse(tmp_path / "heat.svg").getroot()
    titles = [one.text for one in picture.iter() if one.tag.endswith("title")]
    assert "public, surface, social: 2 written, 2 to hear" in titles
    assert "public, surface, alone: 0 written, 0 to hear; a gap" in titles


@pytest.mark.spec("LP-10-coverage-command")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--role", "clark"], "did you mean clerk?"),
        (["--location", "kuay"], "did you mean quay?"),
        (["--place", "kuay"], "did you mean quay?"),
        (["--character", "spy"], "no line has the character 'spy'"),
        (["--html", "nowhere/page.html"], "nowhere is not a folder"),
        (["--svg", "."], "is a folder"),
    ],
)
def test_what_cannot_be_done_is_said(
    content: Path, tmp_path: Path, arguments: list[str], words: str
) -> None:
    done = talebearer_here("coverage", str(content), *arguments, cwd=tmp_path)
    assert done.code == 2
    assert words in done.err


@pytest.mark.spec("LP-10-coverage-command")
def test_content_with_errors_is_refused_with_all_of_them(content: Path, tmp_path: Path) -> None:
    wanted = content / "global" / "coverage.yaml"
    wanted.parent.mkdir()
    wanted.write_text("scenes: {access: [pubic]}\nsession_ticks: none\n")
    done = talebearer_here("coverage", str(content), cwd=tmp_path)
    assert done.code == 2
    assert "coverage.yaml:1:19" in done.err
    assert "coverage.yaml:2:16" in done.err


def test_the_bundled_campaign_has_no_gaps_and_no_line_that_is_never_said(tmp_path: Path) -> None:
    shutil.copytree(CONTENT, tmp_path / "content")
    done = talebearer_here("coverage", "content", "--reach", "--fail-on-gap", cwd=tmp_path)
    assert done.code == 0, done.out
    assert "0 gaps" in done.out


def test_the_page_is_the_same_under_every_hash_seed(content: Path, tmp_path: Path) -> None:
    pages = set()
    for seed in ("0", "1"):
        environment = {"PYTHONHASHSEED": seed}
        done = talebearer(
            *("coverage", str(content), "--reach", "--html", f"{seed}.html", "--no-cache"),
            cwd=tmp_path,
            environment=environment,
        )
        assert done.code == 0, done.err
        pages.add((tmp_path / f"{seed}.html").read_bytes())
    assert len(pages) == 1
