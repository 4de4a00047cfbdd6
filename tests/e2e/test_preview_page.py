"""The previewer's page in a real browser: what a writer does with it, and what content can't do to it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote_plus as unquote

import pytest
import rehearsed
from browsers import CHROMIUM, Opened
from campaigns import talebearer_here, unpack_bundled
from previews import SECONDS, Preview, opened, previewing

if CHROMIUM is None and os.environ.get("CI") != "true":
    pytest.skip("needs Debian's chromium (apt-get install chromium)", allow_module_level=True)

from playwright.sync_api import Browser, expect

expect.set_options(timeout=SECONDS * 1000)
pytestmark = [pytest.mark.debian, pytest.mark.slow]
EEL = (
    "speaker=maelis-brandt&location=the-gilded-eel&access=public&trust=surface&situation=social"
    "&tick=0&seed=4"
)
LOWTIDE = "campaigns/drowned-bell/systems/saltmere/stations/harbour/districts/lowtide"
POOL = f"{LOWTIDE}/dialogue/the-gilded-eel/maelis-brandt.yaml"
FIXTURES = Path(__file__).parents[1] / "fixtures" / "content"


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled content; what a test changes in it, it puts right again."""
    return unpack_bundled(tmp_path_factory.mktemp("preview") / "bell") / "content"


@pytest.fixture(scope="module")
def preview(content: Path) -> Iterator[Preview]:
    with previewing(content) as running:
        yield running


@pytest.fixture
def shown(browser: Browser, preview: Preview) -> Iterator[Opened]:
    with opened(browser, preview, viewport={"width": 1280, "height": 900}) as found:
        yield found


def test_a_scene_is_set_and_everything_follows(shown: Opened, preview: Preview) -> None:
    page = shown.page
    shown.go(preview.address)
    page.locator("#location").select_option("the-gilded-eel")
    shown.after(lambda: page.locator("#speaker").select_option("maelis-brandt"))
    shown.after(lambda: page.locator("#access").select_option("public"))
    expect(page.locator("#headline")).to_have_text("Maelis Brandt at the gilded eel")
    before = page.locator("#counts").inner_text()
    ms = shown.after(lambda: page.get_by_role("checkbox", name="cargo").first.check())
    print(f"a changed control was shown after {ms:.0f} ms")
    assert page.locator("#counts").inner_text() != before
    picture = page.locator("#funnel svg").get_attribute("aria-label") or ""
    left = [int(count) for count in re.findall(r" (\d+)", picture)]
    assert left == sorted(left, reverse=True)
    assert picture.startswith("Funnel, lines left after each stage: All lines 44, Access ")
    assert str(left[-1]) in page.locator("#counts").inner_text()
    first = page.locator('#lines [aria-posinset="1"]')
    assert re.search(r"\d %", first.inner_text())
    # The chosen line stays chosen while controls are turned.
    third = page.locator('#lines [aria-posinset="3"]')
    chosen = third.locator(".row-why").inner_text().rpartition(" · ")[2]
    third.click()
    expect(page.locator("#detail h3").first).to_have_text(chosen)
    shown.after(lambda: page.locator("#trust").select_option("real"))
    shown.after(lambda: page.locator("#trust").select_option("surface"))
    expect(page.locator("#detail h3").first).to_have_text(chosen)
    shown.after(lambda: page.locator('#funnel button[data-stage="access"]').click())
    expect(first).to_contain_text("needs")
    first.click()
    expect(page.locator("#detail")).to_contain_text("Stopped at Access")
    # The address says it all: back, reload, and the same page elsewhere.
    here = page.url
    assert "topic=cargo" in here
    shown.after(page.go_back)
    assert "stage=" not in page.url
    for _ in ("trust", "trust again", "cargo"):
        shown.after(page.go_back)
    expect(page.get_by_role("checkbox", name="cargo").first).not_to_be_checked()
    assert page.locator("#counts").inner_text() == before
    shown.go(here)
    expect(page.locator('#funnel button[data-stage="access"]')).to_have_attribute(
        "aria-pressed", "true"
    )
    assert shown.rows() <= 200


def test_what_the_mind_knows_opens_gates(shown: Opened, preview: Preview) -> None:
    """Facts are found by their words and set by the keyboard alone; each says how well it is known."""
    page, keys = shown.page, shown.page.keyboard
    shown.go(f"{preview.address}?{EEL}&find=maelis-brandt_d_011")
    expect(page.locator("#detail")).to_contain_text("not met")
    page.locator("#knows summary").press("Enter")
    fact, offered = page.locator("#fact"), page.locator("#fact-list [role=option]")
    fact.focus()
    expect(page.locator("#fact-count")).to_contain_text("facts")
    keys.type("pot-boy SO light")
    expect(offered).to_have_count(1)
    expect(offered).to_contain_text("contraband.light_crates")
    expect(fact).to_have_attribute("aria-activedescendant", "fact-0")
    keys.press("Escape")
    expect(offered.first).to_be_hidden()
    keys.press("ArrowDown")
    shown.after(lambda: keys.press("Enter"))
    expect(page.locator("#detail .unmet")).to_have_count(0)
    known = page.locator("#facts > li")
    expect(known).to_contain_text("are so light that a pot-boy carries one")
    assert "suspects" in unquote(page.url)
    how = known.get_by_role("combobox", name="How well it is known")
    expect(how).to_have_value("suspects")
    how.focus()
    shown.after(lambda: keys.press("End"))
    expect(how).to_be_focused()
    shown.after(
        lambda: known.get_by_role("combobox", name="Whether it holds").select_option("stale")
    )
    expect(page.locator("#detail .unmet")).not_to_have_count(0)
    known.get_by_role("spinbutton", name="Since tick").fill("7")
    shown.after(lambda: keys.press("Enter"))
    expect(page.locator("#tick")).to_have_value("7")
    given = (
        '{"fact_id":"contraband.light_crates","confidence":"direct","fact_state":"stale","tick":7}'
    )
    assert f"given.facts={given}&" in f"{unquote(page.url)}&"
    shown.after(page.get_by_role("button", name="Take away: contraband.light_crates").click)
    expect(known).to_have_count(0)
    # What stopped the chosen line is given at one click.
    shown.after(page.get_by_role("button", name="Let it know contraband.light_crates").click)
    expect(page.locator("#detail")).to_contain_text("Can be heard")
    expect(page.locator("#knows-count")).to_have_text("(1)")
    # Of many facts those that are offered are said to be some.
    fact.fill("")
    fact.fill("nothing has these words")
    expect(page.locator("#fact-count")).to_have_text("No fact of the content has these words.")


def test_what_happened_with_whom_is_listed_changed_and_taken_away(
    shown: Opened, preview: Preview
) -> None:
    page = shown.page
    shown.go(f"{preview.address}?{EEL}&find=maelis-brandt_d_014")
    expect(page.locator("#detail .unmet")).not_to_have_count(0)
    page.locator("#happened summary").click()
    expect(page.locator("#past-none")).to_be_visible()
    expect(page.locator("#with")).to_have_value("npc:maelis-brandt")
    page.locator("#what").select_option("interactions.completed")
    page.locator("#past-tick").fill("40")
    page.locator("#past-ended").fill("90")
    page.locator("#past-topics").get_by_label("cargo").check()
    shown.after(lambda: page.locator("#past-ended").press("Enter"))
    listed = page.locator("#past > li")
    expect(listed).to_contain_text(
        "Maelis Brandt: conversation, completed, about cargo, ticks 40 to 90"
    )
    expect(page.locator("#tick")).to_have_value("90")
    expect(page.locator("#detail .unmet")).to_have_count(0)
    expect(page.locator("#past-tick")).to_have_value("")
    page.locator("#what").select_option("relationships.friendly")
    shown.after(lambda: page.locator("#add-past").click())
    page.locator("#what").select_option("gossip")
    page.locator("#with").select_option("npc:odo-renn")
    page.locator("#past-end").select_option("walked_away")
    page.locator("#past-tick").fill("12")
    shown.after(lambda: page.locator("#add-past").click())
    told = ["is friendly, tick 0", "walked away, tick 12", "ticks 40 to 90"]
    for place, text in enumerate(told):
        expect(listed.nth(place)).to_contain_text(text)
    # A change is made in the form; leaving it changes nothing.
    change = listed.nth(2).get_by_role("button", name="Change")
    change.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#what")).to_be_focused()
    expect(page.locator("#past-ended")).to_have_value("90")
    expect(page.locator("#past-topics").get_by_label("cargo")).to_be_checked()
    page.locator("#leave-past").click()
    expect(listed.nth(2)).to_contain_text("about cargo, ticks 40 to 90")
    change.click()
    page.locator("#past-confronted").check()
    shown.after(lambda: page.locator("#add-past").click())
    expect(listed.nth(2)).to_contain_text("completed, after a confrontation, about cargo")
    change.click()
    expect(page.locator("#past-confronted")).to_be_checked()
    page.locator("#what").select_option("interactions.walked_away")
    shown.after(lambda: page.locator("#add-past").click())
    expect(listed.nth(2)).to_contain_text("conversation, walked away, ticks 40 to 90")
    expect(listed).to_have_count(3)
    expect(page.locator("#detail .unmet")).not_to_have_count(0)
    shown.after(listed.nth(0).get_by_role("button", name="Take away").click)
    expect(listed).to_have_count(2)
    there = page.url
    shown.go(there)
    expect(page.locator("#happened-count")).to_have_text("(2)")


def test_lines_are_found_by_tags_and_topics(shown: Opened, preview: Preview) -> None:
    page = shown.page
    shown.go(f"{preview.address}?{EEL}")
    shown.after(lambda: page.locator("#find").fill("tag:tell topic:cargo"))
    expect(page.locator("#lines")).to_contain_text("Who brought them? Here, your cup's low.")
    expect(page.locator("#list-count")).not_to_have_text("44 lines")
    shown.after(lambda: page.locator("#find").fill('"the weather" cup'))
    expect(page.locator("#list-count")).to_have_text("1 line")


def test_a_hundred_are_rolled_a_conversation_is_played_and_left(
    shown: Opened, preview: Preview
) -> None:
    page = shown.page
    shown.go(f"{preview.address}?{EEL}&tab=roll")
    expect(page.locator("#roll-summary")).to_contain_text("in 100 draws")
    came = page.locator("#roll-result tbody td:nth-child(2)").all_inner_texts()
    assert sum(map(int, came)) == 100
    widest = page.locator(".bar").evaluate_all(
        "bars => Math.max(...bars.map(one => Math.max(one.querySelector('.got').width.baseVal.value,"
        " one.querySelector('.due')?.x.baseVal.value ?? 0)))"
    )
    assert widest >= 99, "the longest bar, or what was due, fills the column"
    page.get_by_role("radio", name="one after another, all heard").check()
    expect(page.locator("#roll-summary")).to_contain_text("never the same line twice running")
    page.locator("#tab-talk").click()
    expect(page.locator("#talk-note")).to_have_text("The first time that you talk.")
    page.locator("#talk-topics").get_by_label("money").check()
    page.locator("#talk-say").click()
    expect(page.locator("#turns > li")).to_have_count(1)
    expect(page.locator("#turns .said")).to_have_count(1)
    page.locator("#talk-walk-away").click()
    expect(page.locator("#turns > li.end")).to_contain_text("You walk out.")
    expect(page.locator("#turns > li.end")).to_contain_text("walk-away 1 of")
    changes = page.locator("#talk-changes")
    expect(changes).to_contain_text("What it changed")
    expect(changes).to_contain_text("interaction.maelis-brandt_001")
    expect(changes).to_contain_text("walked away")
    expect(page.locator("#talk-again")).to_be_focused()
    heard = page.locator("#turns").inner_text()
    page.reload()
    expect(page.locator("#turns > li.end")).to_be_visible()
    assert page.locator("#turns").inner_text() == heard
    page.locator("#tab-lens").click()
    expect(page.locator(".lens section")).to_have_count(2)
    expect(page.locator(".lens")).to_contain_text("detective")
    expect(page.locator(".lens")).to_contain_text("smuggler")


def test_the_page_follows_the_files(shown: Opened, preview: Preview, content: Path) -> None:
    page, pool = shown.page, content / POOL
    shown.go(f"{preview.address}?{EEL}")
    expect(page.locator("#live")).to_have_attribute("data-state", "good")
    lines = page.locator("#lines")
    lines.focus()
    for _ in range(12):
        page.keyboard.press("ArrowDown")
    chosen = page.locator('#lines [aria-selected="true"]')
    kept = chosen.get_attribute("aria-label")
    scroll = lines.evaluate("one => one.scrollTop")
    assert scroll > 0
    good = pool.read_text(encoding="utf-8")
    try:
        text = "Sit where I can see you, and keep your boots off the rug."
        shown.after(lambda: _save(pool, good.replace("Sit. Not the bench by the pump", text, 1)))
        expect(page.locator("#live")).to_have_attribute("data-state", "good")
        assert lines.evaluate("one => one.scrollTop") == scroll
        expect(chosen).to_have_attribute("aria-label", kept or "")
        expect(lines).to_be_focused()
        lines.evaluate("one => { one.scrollTop = 0 }")
        expect(lines).to_contain_text("keep your boots off the rug")
        shown.after(lambda: _save(pool, good.replace("access: [public", "access: [pulbic", 1)))
        expect(page.locator("#broken")).to_contain_text("the last content that was in order")
        expect(page.locator("#live")).to_have_attribute("data-state", "broken")
        expect(lines).to_contain_text("keep your boots off the rug")
        page.locator("#tab-findings").click()
        expect(page.locator("#finding")).to_contain_text("pulbic")
        page.get_by_role("link", name=re.compile(r"Open maelis-brandt.yaml:\d+")).click()
        expect(page.locator('#source [aria-selected="true"]')).to_contain_text("pulbic")
    finally:
        shown.after(lambda: _save(pool, good))
    expect(page.locator("#broken")).to_be_hidden()


def _save(path: Path, text: str) -> None:
    """Save as editors do: the whole new file in place of the old one."""
    new = path.with_name(f".{path.name}.new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)


def test_a_scene_is_saved_by_name_and_becomes_a_plan_case(
    shown: Opened, preview: Preview, content: Path
) -> None:
    page = shown.page
    shown.go(f"{preview.address}?{EEL}&topic=money&mood=frustrated")
    page.locator("#keep summary").click()
    page.locator("#scene-name").fill("What the roof cost")
    page.locator("#save").click()
    expect(page.locator("#saved")).to_contain_text("what-the-roof-cost")
    page.locator("#plan").click()
    expect(page.locator("#kept")).to_contain_text("Case “maelis-brandt at the-gilded-eel;")
    shown.after(lambda: page.locator("#reset").click())
    assert "mood=frustrated" not in page.url
    shown.after(lambda: page.get_by_role("button", name="Go to the scene what-the-roof").click())
    assert "topic=money&mood=frustrated" in page.url
    played = talebearer_here("test", str(content), "--only", "about money", "--json", cwd=content)
    assert played.code == 0, played.out
    (case,) = played.json["cases"]
    assert (case["problems"], case["lines"]) == ([], ["maelis-brandt_d_010"])


def test_the_keyboard_is_enough(shown: Opened, preview: Preview) -> None:
    page = shown.page
    shown.go(f"{preview.address}?{EEL}")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#result")).to_be_focused()
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        found = page.evaluate(
            "() => { const one = document.activeElement; const box = getComputedStyle(one);"
            " return [one.id || one.dataset.stage || one.textContent, box.outlineStyle,"
            " parseFloat(box.outlineWidth)] }"
        )
        if found[0] == "lines":
            break
        assert (found[1], found[2] >= 2) == ("solid", True), f"{found[0]} shows no focus"
        reached.add(found[0])
    assert {"access", "tab-lines", "find"} <= reached
    page.keyboard.press("End")
    expect(page.locator('#lines [aria-selected="true"]')).to_have_attribute("aria-posinset", "44")
    page.locator("#tab-lines").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#tab-roll")).to_be_focused()
    expect(page.locator("#roll-summary")).to_be_visible()
    page.locator("#trust").focus()
    shown.after(lambda: page.keyboard.press("ArrowDown"))
    expect(page.locator("#trust")).to_have_value("real")
    unnamed = page.evaluate(
        "() => [...document.querySelectorAll('input, select, button, [role=listbox]')].filter("
        "one => !(one.labels?.length || one.getAttribute('aria-label') || one.textContent.trim()))"
        ".map(one => one.outerHTML)"
    )
    assert unnamed == []


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Preview]:
    """A preview of content that has one of everything a scene can say."""
    with previewing(rehearsed.write(tmp_path_factory.mktemp("all") / "content")) as running:
        yield running


def test_the_moment_and_what_lines_keep_are_set(browser: Browser, everything: Preview) -> None:
    """Fields of the event, what is being spoken, counters, values, timers, and whose mind it is."""
    with opened(browser, everything, viewport={"width": 1280, "height": 900}) as shown:
        page = shown.page
        shown.go(
            f"{everything.address}?character=detective&trigger=hear_sound&location=quay&tick=3&seed=5"
        )
        expect(page.locator("#counts")).to_contain_text("0 of 3")
        item = page.locator("#event-fields").get_by_label("item")
        shown.after(lambda: item.fill("bell"))
        expect(item).to_be_focused()
        expect(page.locator("#counts")).to_contain_text("1 of 3")
        page.locator("#event-fields").get_by_label("loud").fill("1.5")
        expect(page.locator("#event-count")).to_have_text("(2)")
        assert 'event.item="bell"&event.loud=1.5' in unquote(page.url)
        shown.after(lambda: page.locator("#trigger").select_option("enter_location"))
        expect(page.locator("#event")).to_be_hidden()
        assert "event." not in page.url
        # Another kind of scene keeps when it is and with which seed.
        shown.after(lambda: page.get_by_label("somebody speaks").check())
        expect(page.locator("#tick")).to_have_value("3")
        expect(page.locator("#seed")).to_have_value("5")
        expect(page.locator("#event")).to_be_visible()
        expect(page.locator("#event-fields")).to_be_hidden()
        shown.after(lambda: page.locator("#speaker").select_option("odo"))
        before = page.locator("#counts").inner_text()
        page.locator("#spoken summary").click()
        page.locator("#speaking-who").select_option("vesk")
        page.locator("#speaking-class").select_option("shout")
        shown.after(lambda: page.locator("#add-speaking").click())
        expect(page.locator("#speaking")).to_contain_text("Vesk speaks: shout")
        expect(page.locator('#funnel button[data-stage="class"]')).to_be_visible()
        assert page.locator("#counts").inner_text() != before
        shown.after(page.get_by_role("button", name="Take away: Vesk speaks").click)
        assert page.locator("#counts").inner_text() == before
        page.locator("#more-given summary").click()
        page.locator("#cell").select_option("counters.asked")
        expect(page.locator("#cell-who")).to_have_value("odo")
        page.locator("#cell-value").fill("2")
        shown.after(lambda: page.locator("#cell-value").press("Enter"))
        expect(page.locator("#cells")).to_contain_text("asked of odo: +2")
        assert page.locator("#counts").inner_text() != before
        page.get_by_role("button", name="Change: asked of odo").click()
        page.locator("#cell-value").fill("1")
        shown.after(lambda: page.locator("#add-cell").click())
        expect(page.locator("#cells > li")).to_have_count(1)
        assert page.locator("#counts").inner_text() == before
        page.locator("#cell").select_option("timers.rang")
        page.locator("#cell-value").fill("20")
        shown.after(lambda: page.locator("#add-cell").click())
        expect(page.locator("#tick")).to_have_value("20")
        page.locator("#cell").select_option("values.weather")
        page.locator("#cell-value").fill("fog")
        shown.after(lambda: page.locator("#add-cell").click())
        expect(page.locator("#cells")).to_contain_text("weather: fog")
        page.locator("#knows summary").click()
        shown.after(lambda: page.locator("#mind").select_option("npc:vesk"))
        assert "mind=npc:vesk" in unquote(page.url)
        # An event that only an address says is shown, and stays when something else changes.
        event = '{"kind":"counter_added","data":{"counter":"asked","by":1,"character":"odo"}}'
        shown.go(f"{page.url}&given.events={event}")
        page.locator("#happened summary").click()
        expect(page.locator("#past")).to_contain_text("counter added")
        shown.after(lambda: page.locator("#seed").fill("6"))
        assert f"given.events={event}" in unquote(page.url)


def test_a_long_list_is_windowed_and_older_questions_are_dropped(
    browser: Browser, tmp_path: Path
) -> None:
    folder = tmp_path / "content" / "dialogue" / "quay"
    (tmp_path / "content").mkdir()
    lines = "".join(
        f"  - {{id: odo_d_{n:03}, text: Rope number {n}., role: clerk, access: [public],"
        f" trust: surface, situation: [social], mood: [{'warm' if n % 2 else 'hostile'}]}}\n"
        for n in range(1, 1000)
    )
    text = f"location: quay\nrole: clerk\nlines:\n{lines}"
    size = {"width": 1280, "height": 3000}
    with (
        previewing(tmp_path / "content", "--no-cache") as preview,
        opened(browser, preview, viewport=size) as shown,
    ):
        page = shown.page
        page.goto(preview.address)
        expect(page.locator("#headline")).to_have_text("There is no line yet")
        folder.mkdir(parents=True)
        (folder / "odo.yaml").write_text(text, encoding="utf-8")
        expect(page.locator("#counts")).to_have_text("999 of 999 lines can be said.")
        listed = page.locator("#lines")
        listed.focus()
        for key, place in (("End", "999"), ("PageUp", ""), ("Home", "1"), ("PageDown", "")):
            page.keyboard.press(key)
            chosen = page.locator('#lines [aria-selected="true"]')
            expect(chosen).to_contain_text("Rope number")
            expect(chosen).to_have_attribute("aria-posinset", re.compile(place or r"\d+"))
            assert 10 < shown.rows() <= 200
        # The answer to the first question is held back; the second one takes over.
        dropped: list[str] = []
        page.on("requestfailed", lambda request: dropped.append(request.url))
        page.route(re.compile(r"/api/ask\?.*mood=warm&"), lambda _: None)
        page.locator('#moods input[value="warm"]').check()
        shown.after(page.locator('#moods input[value="warm"]').uncheck)
        assert any("mood=warm" in address for address in dropped)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_readable_at_200_percent(browser: Browser, preview: Preview, scheme: str) -> None:
    """1280 pixels at 200 % are 640: nothing scrolls sideways, and all text has AA contrast."""
    size = {"width": 640, "height": 450}
    with opened(browser, preview, viewport=size, color_scheme=scheme) as shown:
        facts = 'given.facts={"fact_id":"contraband.light_crates","confidence":"suspects","tick":3}'
        talk = 'given.interactions={"target":"npc:odo-renn","state":"walked_away","tick":2}'
        scene = EEL.replace("tick=0", "tick=9")
        shown.go(f"{preview.address}?{scene}&{facts}&{talk}&moves=say:money;walk_away")
        for part in ("knows", "happened", "more-given", "keep"):
            shown.page.locator(f"#{part} > summary").click()
        shown.page.locator("#what").select_option("gossip")
        shown.page.locator("#fact").fill("crates")
        expect(shown.page.locator("#fact-list")).to_be_visible()
        for tab in ("lines", "roll", "talk", "lens", "findings"):
            shown.page.locator(f"#tab-{tab}").click()
            shown.page.locator(f"#panel-{tab}").wait_for()
            wide = shown.page.evaluate("document.documentElement.scrollWidth")
            assert wide <= 640, f"{tab} scrolls sideways"
            assert shown.page.evaluate(FAINT) == [], f"{tab} in {scheme}"


FAINT = """() => {
  const parts = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (rgb) => rgb.slice(0, 3).map((one) => one / 255)
    .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
    .reduce((sum, one, at) => sum + one * [0.2126, 0.7152, 0.0722][at], 0);
  const ground = (node) => {
    for (let one = node; one; one = one.parentElement) {
      const found = parts(getComputedStyle(one).backgroundColor);
      if (found.length < 4 || found[3] > 0.99) return found;
    }
    return [255, 255, 255];
  };
  const faint = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const node = text.parentElement;
    const isText = text.textContent.trim() && node.checkVisibility();
    if (!isText || node.closest("svg, script, option, :disabled")) continue;
    const style = getComputedStyle(node);
    const [a, b] = [light(parts(style.color)), light(ground(node))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) faint.push([text.textContent.trim(), ratio.toFixed(2)]);
  }
  return faint;
}"""

ATTACKS = (
    "<img src=x onerror=alert(1)><script>alert(2)</script>",
    "'\\\"><svg onload=alert(3)> {{7*7}} ${7*7} javascript:alert(4)",
    "left \\u202e right \\u2066 alert",
)


def test_content_that_attacks_the_page_is_inert(browser: Browser, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(FIXTURES / "small" / "content", tmp_path / "content"))
    pool = folder / "campaigns/mire/dialogue/the-quay/bram-holt.yaml"
    lines = "".join(
        f'  - id: bram-holt_d_{900 + at}\n    text: "{text}"\n    role: ferryman\n'
        f"    access: [public]\n    trust: surface\n    situation: [social]\n"
        f'    tags: ["{text}"]\n    dual_lens: {{smuggler: "{text}"}}\n'
        for at, text in enumerate(ATTACKS)
    )
    pool.write_text(pool.read_text(encoding="utf-8").rstrip() + "\n" + lines, encoding="utf-8")
    facts = folder / "global/knowledge/attack.yaml"
    facts.write_text(
        f'category: attack\nfacts:\n  - {{id: attack.one, description: "{ATTACKS[0]}"}}\n',
        encoding="utf-8",
    )
    profile = folder / "global/npcs/bram-holt.yaml"
    written = profile.read_text(encoding="utf-8")
    profile.write_text(re.sub("name: .*", f'name: "{ATTACKS[1]}"', written), encoding="utf-8")
    odd = folder / "campaigns/mire/dialogue/the-quay/<b onclick='x'>\".yaml"
    odd.write_text('location: "<i>"\nrole: "\\e[31m<u>"\nlines: []\n', encoding="utf-8")
    with previewing(folder) as preview, opened(browser, preview) as shown:
        page = shown.page
        page.on("dialog", lambda dialog: shown.said.append(dialog.message))
        page.goto(preview.address)
        expect(page.locator("#broken")).to_be_visible()
        page.locator("#tab-findings").click()
        expect(page.locator("#findings")).to_contain_text("<b onclick='x'>")
        assert page.locator("#panel-findings i, #panel-findings u, #panel-findings b").count() == 0
        odd.unlink()
        page.locator("body[data-asked]").wait_for(state="attached")
        expect(page.locator("#broken")).to_be_hidden()
        scene = "speaker=bram-holt&location=the-quay&access=public&trust=surface&situation=social"
        for tab in ("lines", "roll", "talk", "lens"):
            shown.go(f"{preview.address}?{scene}&tick=0&seed=1&find=alert&tab={tab}&moves=say:")
            page.locator(f"#panel-{tab}").wait_for()
        shown.go(f"{preview.address}?{scene}&tick=0&seed=1")
        expect(page.locator("#lines")).to_contain_text("<script>alert(2)</script>")
        expect(page.locator("#lines")).to_contain_text("left \\u202e right \\u2066 alert")
        page.locator("#knows summary").click()
        page.locator("#fact").fill("onerror")
        expect(page.locator("#fact-list")).to_contain_text("<script>alert(2)</script>")
        shown.after(lambda: page.locator("#fact").press("Enter"))
        expect(page.locator("#facts")).to_contain_text("<img src=x onerror=alert(1)>")
        assert page.locator("#scene img, #scene script").count() == 0
        assert (
            page.locator("#lines img, #lines script, #detail img, main svg [onload]").count() == 0
        )
