"""What the previewer promises, measured from outside: its page, its answers, and a real browser's view.

All of it is wall-clock, since a writer waits for it; on a busy machine it is worth little. The rows
of the browser are there where Debian's chromium is.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import generated_content

if TYPE_CHECKING:  # rows may import this module
    from rows import Row

LINES, LINES_SMALL = 12_000, 240
PAGE_MS_MAX = 1_000
UNKNOWN_MS_MAX = 2_000
"""Ours: with nothing remembered every file is read, as ``talebearer lint`` does at its first run."""
CONTROL_MS_MAX = 50
SAVED_MS_MAX = 300
CHROMIUM = shutil.which("chromium")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync")
TIERS = ("insider", "authority", "peer", "hostile", "public")


def rows(*, small: bool) -> list[Row]:
    """Return all rows; *small* shows that they run."""
    from rows import limit

    lines, rounds = (LINES_SMALL, 2) if small else (LINES, 10)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "content"
        pool = generated_content.write(root, lines)[0]
        cache = Path(folder) / "cache"
        with _preview(root, cache) as (_, cold_ms, unknown_ms):
            pass
        with _preview(root, cache) as (address, page_ms, asked_ms):
            found = [
                limit(f"first page of {lines:,} lines", max(cold_ms, page_ms), PAGE_MS_MAX, "ms"),
                limit(f"first funnel of {lines:,} known lines", asked_ms, PAGE_MS_MAX, "ms"),
                limit(f"first funnel of {lines:,} unknown lines", unknown_ms, UNKNOWN_MS_MAX, "ms"),
            ]
            if CHROMIUM is not None:
                control, saved = _in_browser(address, pool, rounds)
                found += [
                    limit(
                        f"a changed control among {lines:,} lines", control, CONTROL_MS_MAX, "ms"
                    ),
                    limit(f"a saved file of {lines:,} lines", saved, SAVED_MS_MAX, "ms"),
                ]
    return found


@contextmanager
def _preview(root: Path, cache: Path) -> Iterator[tuple[str, float, float]]:
    """Run a preview; yield its address, and the milliseconds to its page and to its first funnel."""
    began = time.perf_counter()
    options = ("--port", "0", "--no-browser", "--json")
    process = subprocess.Popen(
        [sys.executable, "-m", "talebearer", "preview", str(root), *options],
        stdout=subprocess.PIPE,
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
    )
    assert process.stdout is not None
    try:
        address = json.loads(process.stdout.readline())["address"]
        connection = HTTPConnection(urlsplit(address).netloc)
        _get(connection, "/")
        page_ms = (time.perf_counter() - began) * 1000
        _get(connection, "/api/content")
        scene = "speaker=clerk-0&location=quay-0&access=public&trust=surface&situation=social"
        _get(connection, f"/api/ask?{scene}&tick=0&seed=0&count=60")
        asked_ms = (time.perf_counter() - began) * 1000
        connection.close()
        yield address, page_ms, asked_ms
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()
        process.stdout.close()


def _get(connection: HTTPConnection, target: str) -> bytes:
    connection.request("GET", target)
    answer = connection.getresponse()
    data = answer.read()
    assert answer.status == 200, data
    return data


def _in_browser(address: str, pool: Path, rounds: int) -> tuple[float, float]:
    """Return the median milliseconds from a control to its funnel, and from a save to the page."""
    from playwright.sync_api import sync_playwright

    text = pool.read_text(encoding="utf-8")
    controls, saves = [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        page = browser.new_page()
        page.goto(address)
        page.locator("body[data-asked]").wait_for(state="attached")
        for number in range(rounds):
            tier = TIERS[number % len(TIERS)]
            controls.append(
                _after(page, lambda t=tier: page.locator("#access").select_option(t))[0]
            )
        for number in range(rounds):
            changed = text.replace("The tide", f"The tide {number}", 1)
            saves.append(_after(page, lambda t=changed: pool.write_text(t, encoding="utf-8"))[1])
        browser.close()
    pool.write_text(text, encoding="utf-8")
    return statistics.median(controls), statistics.median(saves)


def _after(page: Any, act: Callable[[], object]) -> tuple[float, float]:
    """Do *act*; return the milliseconds that the page took for it, and those that passed outside."""
    body = page.locator("body")
    before = body.get_attribute("data-asked")
    began = time.perf_counter()
    act()
    page.locator(f'body:not([data-asked="{before}"])').wait_for(state="attached")
    passed_ms = (time.perf_counter() - began) * 1000
    return page.evaluate("performance.getEntriesByName('scene')[0].duration"), passed_ms
