"""``talebearer eval``: table, JSON and the page with the misses quoted."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browsers import shown
from campaigns import talebearer_here

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ATTACK = "</blockquote><script>alert(1)</script><img src=x onerror=alert(2)>\u202e"
LINES = (
    ("GM", "The woman behind the counter is Berra Quist. Berra says, “You are late.”"),
    ("ANA", "“Berra, I am sorry.” I sit down."),
    ("GM", "“The ferry is always slow,” Berra says."),
    ("ANA", f"Do you remember Hob Tarrow? {ATTACK} " + "And so on and on. " * 30),
    ("GM", "You do. Nothing else happens."),
)


def _labelled(*interactions: tuple[str, str, int, int]) -> dict[str, Any]:
    return {
        "id": "first-one",
        "source_id": "one",
        "party": ["Nora Fell"],
        "players": {"ANA": "Nora Fell"},
        "gm": "GM",
        "units": [
            {"id": number, "speaker": speaker, "text": text}
            for number, (speaker, text) in enumerate(LINES, 1)
        ],
        "npcs": [{"name": "Berra Quist", "aliases": ["Berra"]}, {"name": "Hob Tarrow"}],
        "interactions": [
            {
                "name": name,
                "kind": kind,
                "why": f"because {ATTACK}",
                "source_refs": [{"source_id": "one", "start_unit_id": first, "end_unit_id": last}],
            }
            for name, kind, first, last in interactions
        ],
    }


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    """One excerpt: the extractor calls the first a dialogue, and finds no second of Hob Tarrow."""
    folder = tmp_path / "labels"
    folder.mkdir()
    excerpt = _labelled(
        ("Berra Quist", "combat_ally", 1, 3),
        ("Hob Tarrow", "other", 5, 5),
    )
    (folder / "one.json").write_text(json.dumps(excerpt), encoding="utf-8")
    return folder


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: set[str] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            assert not name.startswith("on"), "no handler can stand in a page"
            if name == "id" and value:
                self.ids.add(value)
            if name in ("href", "src") and value:
                self.links.append(value)


@pytest.mark.spec("NI-eval-page")
def test_the_page_quotes_every_miss_and_stays_inert(labelled: Path, tmp_path: Path) -> None:
    done = talebearer_here("eval", "labels", "--html", "page.html", "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    assert done.json["page"] == "page.html"
    (excerpt,) = done.json["scores"]["excerpts"]
    assert len(excerpt["missed"]) == 2
    page = (tmp_path / "page.html").read_text("utf-8")
    assert ATTACK not in page
    assert "\u202e" not in page
    parsed = _Tags()
    parsed.feed(page)
    assert not {"script", "img", "iframe", "link", "object", "form"} & set(parsed.tags)
    assert parsed.links
    assert all(link.startswith("#") and link[1:] in parsed.ids for link in parsed.links)
    assert "Wrong kind: 1" in page
    assert "Missed: 1" in page
    assert f"False: {len(excerpt['false'])}" in page
    assert "You do. Nothing else happens." in page
    again = talebearer_here("eval", "labels", "--html", "page.html", cwd=tmp_path)
    assert again.code == 0
    assert (tmp_path / "page.html").read_text("utf-8") == page
    assert "baseline" in again.out
    assert "units cited, found" in again.out


def test_a_page_that_cannot_be_a_file_is_refused(labelled: Path, tmp_path: Path) -> None:
    for place in ("labels", "nowhere/page.html"):
        done = talebearer_here("eval", "labels", "--html", place, cwd=tmp_path)
        assert done.code == 2
        assert "TB111" in done.err


@pytest.mark.debian
@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_in_a_browser(
    labelled: Path, tmp_path: Path, scheme: Any, browser: Browser
) -> None:
    """No console error, no request, no sideways scrolling, colours of the reader's scheme."""
    assert talebearer_here("eval", "labels", "--html", "page.html", cwd=tmp_path).code == 0
    phone = {"viewport": {"width": 390, "height": 800}, "color_scheme": scheme}
    with shown(browser, (tmp_path / "page.html").as_uri(), **phone) as opened:
        page = opened.page
        page.on("dialog", lambda dialog: opened.said.append(dialog.message))
        assert page.title() == "rules on labels: scores and misses"
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.locator("#excerpt-1 blockquote").first.is_visible()
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert paper == {"light": "rgb(251, 250, 247)", "dark": "rgb(23, 25, 28)"}[scheme]
        page.locator("#excerpt-1 summary").click()
        assert not page.locator("#excerpt-1 blockquote").first.is_visible()
