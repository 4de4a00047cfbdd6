"""The page of ``talebearer coverage`` in a real browser: dark and light, large, by keyboard, and quiet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from browsers import shown
from campaigns import talebearer_here, unpack_bundled

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.debian, pytest.mark.slow]
WIDE, LARGE = {"width": 1280, "height": 900}, {"width": 640, "height": 450}
"""A screen, and the same one at 200 %."""
CONTRAST_MIN = 4.5
"""Of text, by WCAG 2.2, level AA."""
CONTRASTS = """() => {
  const parts = text => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = node => {
    for (; node; node = node.parentElement) {
      const colour = parts(getComputedStyle(node).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
  };
  const found = {};
  for (const node of document.querySelectorAll("td, th, p, a, h2, h3, li, span, code")) {
    if (!node.textContent.trim()) continue;
    const pair = [light(parts(getComputedStyle(node).color)), light(behind(node))];
    const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    const name = node.tagName.toLowerCase() + "." + node.className;
    found[name] = Math.min(found[name] ?? 99, ratio);
  }
  return found;
}"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of the bundled content, of which more is asked than it has."""
    folder = unpack_bundled(tmp_path_factory.mktemp("coverage") / "bell")
    wanted = folder / "content" / "global" / "coverage.yaml"
    wanted.write_text("roles:\n  - {role: toll-clerk, each: 4}\n")
    done = talebearer_here("coverage", "content", "--reach", "--html", "page.html", cwd=folder)
    assert done.code == 0, done.err
    return (folder / "page.html").as_uri()


@pytest.mark.spec("LP-10-coverage-page")
def test_the_heat_map_can_be_read_dark_and_light(browser: Browser, address: str) -> None:
    papers = {}
    for scheme in ("light", "dark"):
        with shown(browser, address, viewport=WIDE, color_scheme=scheme) as opened:
            page = opened.page
            heading = page.get_by_role("heading", name="toll-clerk at tollhouse-quay")
            assert heading.is_visible()
            panel = page.get_by_role("region", name="toll-clerk at tollhouse-quay")
            cells = panel.locator("tbody td")
            told = {
                cells.nth(at).get_attribute("class"): cells.nth(at).inner_text()
                for at in range(cells.count())
            }
            assert told["gap"].endswith("gap")
            levels = sorted(name for name in told if name != "gap")
            assert len(levels) >= 4, "there is more and less"
            assert all(told[name].isdigit() for name in levels if name != "l0")
            colours = page.evaluate(
                "names => names.map(n => getComputedStyle("
                "document.querySelector(`.heat td.${n}`)).backgroundColor)",
                levels,
            )
            assert len(set(colours)) == len(levels), "each level has a colour of its own"
            faint = {k: v for k, v in page.evaluate(CONTRASTS).items() if v < CONTRAST_MIN}
            assert not faint
            papers[scheme] = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert papers["light"] != papers["dark"]


@pytest.mark.spec("LP-10-coverage-page")
def test_at_200_percent_and_by_keyboard_nothing_is_out_of_reach(
    browser: Browser, address: str
) -> None:
    with shown(browser, address, viewport=LARGE, device_scale_factor=2) as opened:
        page = opened.page
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(wide) == 0, "the page itself does not scroll sideways"
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent").startswith("Gaps: ")
        ring = "getComputedStyle(document.activeElement).outlineStyle"
        assert page.evaluate(ring) == "solid"
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        assert page.url.endswith("#roles")
        assert page.evaluate("document.querySelector('#roles').getBoundingClientRect().top") < 9
        name = "document.activeElement.getAttribute('aria-labelledby')"
        while "toll-clerk" not in page.evaluate(
            f"document.getElementById({name})?.textContent ?? ''"
        ):
            page.keyboard.press("Tab")
            assert page.evaluate("document.activeElement !== document.body"), "tables are reached"
        assert page.evaluate(ring) == "solid"
        box = "document.activeElement"
        assert page.evaluate(f"{box}.scrollWidth > {box}.clientWidth"), "the table is wider"
        page.keyboard.press("ArrowRight")
        page.wait_for_function(f"{box}.scrollLeft > 0")
        head = page.evaluate(f"{box}.querySelector('tbody th').getBoundingClientRect().left")
        left = page.evaluate(f"{box}.getBoundingClientRect().left")
        assert head == pytest.approx(left, abs=1), "what a row is about stays in sight"
