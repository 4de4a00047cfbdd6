"""Pages in Debian's chromium: the browser itself, a page that tells what it said and asked for."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]


class Opened:
    """A page in a browser, and everything that it said and asked for.

    Attributes:
        page: The page.
        said: Messages of its console, and errors that nothing caught.
        asked: The addresses of all requests.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.said: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))

    def go(self, address: str) -> None:
        """Open *address* and wait until its scene is shown."""
        self.page.goto(address)
        self.page.locator("body[data-asked]").wait_for(state="attached")

    def after(self, act: Callable[[], object]) -> float:
        """Do *act*, wait for the next scene to be shown, and return the milliseconds it took."""
        before = self.page.locator("body").get_attribute("data-asked")
        act()
        self.page.locator(f'body:not([data-asked="{before}"])').wait_for(state="attached")
        found: float = self.page.evaluate("performance.getEntriesByName('scene')[0].duration")
        return found

    def rows(self) -> int:
        """Return how many rows of lists the page holds."""
        return self.page.locator(".list-row").count()


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the browser; without one the test is skipped, except where it has to be there."""
    if CHROMIUM is None:
        assert os.environ.get("CI") != "true", "CI installs Debian's chromium"
        pytest.skip("needs Debian's chromium (apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


@contextmanager
def shown(browser: Browser, address: str, **context: Any) -> Iterator[Opened]:
    """Open the page that is a file; afterwards see that it said nothing and asked for nothing else."""
    with browser.new_context(**context) as fresh:
        found = Opened(fresh.new_page())
        found.page.goto(address)
        yield found
    assert found.said == []
    assert {one.partition("#")[0] for one in found.asked} == {address}
