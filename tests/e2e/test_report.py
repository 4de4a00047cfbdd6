"""The report: complete, inert whatever the transcript says, and right in a real browser."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsers import shown
from campaigns import MEETING, create_fixed, open_fixed, seriatim, talebearer_here

from talebearer.server import render_report

if TYPE_CHECKING:
    from playwright.sync_api import Browser


class _Links(HTMLParser):
    """Collects ids, and everything that points somewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            if name in ("href", "src") and value:
                self.links.append(value)


def _parsed(page: str) -> _Links:
    parser = _Links()
    parser.feed(page)
    return parser


def test_the_page_shows_every_occurrence_and_points_only_into_itself(recorded: Path) -> None:
    with open_fixed(recorded) as campaign:
        campaign.talk("Maelis").walk_away()
        page = render_report(campaign)
        ids = [occurrence.id for occurrence in campaign.occurrences()]
    assert ids
    assert all(entity_id in page for entity_id in ids)
    found = _parsed(page)
    assert found.links
    assert all(link.startswith("#") and link[1:] in found.ids for link in found.links)
    assert not found.tags & {"script", "iframe", "img", "link", "object", "form"}


def test_a_hostile_transcript_stays_text(tmp_path: Path) -> None:
    attack = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    lines = (*MEETING, ("GM", f"Berra says, “{attack}”"), ("Ana", f"Berra, {attack}?"))
    path = tmp_path / "one.json"
    path.write_text(seriatim(*lines), encoding="utf-8")
    with create_fixed(tmp_path / "c") as campaign:
        campaign.record(path)
        page = render_report(campaign)
    assert attack not in page
    assert not _parsed(page).tags & {"script", "img"}


def test_the_picture_of_the_minds_says_what_it_shows(recorded: Path) -> None:
    with open_fixed(recorded) as campaign:
        for _ in range(6):
            campaign.talk("Maelis").walk_away()
        edges = campaign.picture().edges
        page = render_report(campaign)
    svg = page.split('class="minds"')[1].split("</svg>")[0]
    assert svg.count("<path") == len(edges)
    assert 'class="r-hostile"' in svg
    assert "hearsay" in svg
    assert "party walked out on npc:maelis-brandt" in page


def test_an_empty_campaign_has_a_page(tmp_path: Path) -> None:
    create_fixed(tmp_path / "c").close()
    result = talebearer_here("report", "--json", cwd=tmp_path / "c")
    assert result.code == 0, result.err
    assert "No session is recorded yet." in Path(tmp_path, "c", result.json["report"]).read_text(
        "utf-8"
    )


def test_a_report_into_a_missing_folder_is_refused(recorded: Path) -> None:
    result = talebearer_here("report", "-o", "nowhere/x.html", cwd=recorded)
    assert result.code == 2
    assert "nowhere" in result.err


@pytest.mark.debian
@pytest.mark.slow
def test_the_page_in_a_browser(recorded: Path, tmp_path: Path, browser: Browser) -> None:
    """No console error, no request beyond the file, no sideways scrolling, details that open."""
    with open_fixed(recorded) as campaign:
        campaign.talk("Maelis").walk_away()
        page_file = tmp_path / "report.html"
        page_file.write_text(render_report(campaign), encoding="utf-8")
    with shown(browser, page_file.as_uri(), viewport={"width": 390, "height": 800}) as opened:
        page = opened.page
        assert page.title() == "The Drowned Bell: what is remembered"
        assert page.locator("svg.timeline").count() == 2
        assert page.locator("svg.minds").count() == 1
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390, "the page scrolls sideways on a phone"
        first = page.locator("#npc-maelis-brandt details").first
        assert page.locator("#npc-maelis-brandt blockquote").first.is_visible()
        assert not first.locator("blockquote").is_visible()
        first.locator("summary").click()
        assert first.locator("blockquote").is_visible()
