"""Pages stand on one skeleton: inert, without anything from outside, and content in them is text."""

from __future__ import annotations

from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import pytest
from playing import small_tree

from talebearer.content import compile_content
from talebearer.content.coverage import coverage, read_targets
from talebearer.lines import load_pack
from talebearer.rehearsal.simulation import Simulation, simulate
from talebearer.server import coverage_svg, render_coverage, render_simulation

TEMPLATES = files("talebearer.server.pages") / "templates"
SKELETON, PARTS = "page.html.j2", "words.html.j2"
ATTACK = "<script>alert(1)</script>&'"
HIDDEN = "\u202e"
RUNS_OR_LOADS = {"script", "iframe", "img", "link", "object", "form", "base"}


class Parsed(HTMLParser):
    """Tags, and what leads elsewhere."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.policy = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        given = dict(attrs)
        assert not [name for name in given if name.startswith("on")], "a handler in a page"
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"] or ""


@pytest.fixture
def content(tmp_path: Path) -> Path:
    """A small tree in which a line attacks whoever shows it."""
    content = small_tree(tmp_path)
    path = content / "c/dialogue/the-quay/odo.yaml"
    text = path.read_text(encoding="utf-8").replace("The tide.", ATTACK)
    path.write_text(text, encoding="utf-8")
    return content


def check(page: str, parsed: Parsed) -> None:
    assert page.startswith("<!doctype html>\n")
    assert parsed.policy == "default-src 'none'; style-src 'unsafe-inline'"
    assert not parsed.tags & RUNS_OR_LOADS
    assert all(link.startswith("#") for link in parsed.links)
    assert HIDDEN not in page


@pytest.mark.parametrize(
    "name", sorted(one.name for one in TEMPLATES.iterdir() if one.name not in (SKELETON, PARTS))
)
def test_every_page_extends_the_skeleton(name: str) -> None:
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    assert text.startswith(f'{{% extends "{SKELETON}" %}}\n')
    assert "color-scheme" not in text, "light and dark are the skeleton's"


def test_a_simulation_shows_content_as_text_only(content: Path) -> None:
    pack = compile_content(content).data
    page = render_simulation(simulate(pack, Simulation(playthroughs=5, turns=20, seed=1)))
    check(page, Parsed(page))
    assert "&lt;script&gt;alert(1)" in page


def test_a_simulation_of_which_nothing_was_heard_has_a_page(content: Path) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    pack = compile_content(content).data
    result = simulate(pack, Simulation(playthroughs=5, turns=20, seed=1), progress=stop)
    page = render_simulation(result)
    check(page, Parsed(page))


def test_coverage_shows_content_as_text_only(content: Path) -> None:
    found = coverage(load_pack(compile_content(content).data), read_targets(content))
    page = render_coverage(found, title=ATTACK + HIDDEN)
    check(page, Parsed(page))
    assert "&lt;script&gt;alert(1)" in page
    assert "<script" not in coverage_svg(found, title=ATTACK)
