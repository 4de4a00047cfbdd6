"""Previews for tests: the command in a process of its own, a plain client for it, and a browser."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from browsers import Opened
from campaigns import FIXED

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SECONDS = 20.0


@dataclass(frozen=True)
class Answered:
    """What a plain client got."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


@dataclass(frozen=True)
class Preview:
    """A running preview.

    Attributes:
        address: Where its page is, with a slash at the end.
        process: The process.
    """

    address: str
    process: subprocess.Popen[str]

    @property
    def host(self) -> str:
        """Host and port."""
        return urlsplit(self.address).netloc

    @property
    def token(self) -> str:
        """The token of the page."""
        found = re.search(rb'talebearer-token" content="([^"]+)"', self.ask("/").body)
        assert found is not None, "the page has a token"
        return found[1].decode()

    def ask(
        self,
        target: str,
        *,
        method: str = "GET",
        headers: Mapping[str, str | None] | None = None,
        body: bytes | None = None,
    ) -> Answered:
        """Send one request; a header of None is left out, Host too."""
        connection = HTTPConnection(self.host, timeout=SECONDS)
        sent: dict[str, str | None] = {"Host": self.host, **(headers or {})}
        if body is not None:
            sent.setdefault("Content-Length", str(len(body)))
        try:
            connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
            for name, value in sent.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.endheaders(body)
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Answered(response.status, found, response.read())
        finally:
            connection.close()

    def change(self, target: str, value: Any, **headers: str | None) -> Answered:
        """Send what the page would send to change something; *headers* differ from that."""
        sent = {
            "Origin": f"http://{self.host}",
            "Content-Type": "application/json",
            "X-Talebearer-Token": self.token,
            **{name.replace("_", "-"): one for name, one in headers.items()},
        }
        return self.ask(target, method="POST", headers=sent, body=json.dumps(value).encode())


@contextmanager
def previewing(content: Path, *options: str) -> Iterator[Preview]:
    """Preview *content* on a free port; afterwards end it as Ctrl-C does, and see that it ends well."""
    command = [sys.executable, "-m", "talebearer", "preview", str(content)]
    process = subprocess.Popen(
        [*command, "--port", "0", "--no-browser", "--json", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, **FIXED},
    )
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        first = process.stdout.readline()
        assert first, process.stderr.read()
        yield Preview(json.loads(first)["address"], process)
    finally:
        process.send_signal(signal.SIGINT)
        try:
            rest, errors = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    assert (process.returncode, rest, errors) == (0, "", "")


@contextmanager
def opened(browser: Browser, preview: Preview, **context: Any) -> Iterator[Opened]:
    """Open a page for *preview*; afterwards see that nothing went wrong and nothing left the machine."""
    with browser.new_context(**context) as fresh:
        fresh.set_default_timeout(SECONDS * 1000)
        found = Opened(fresh.new_page())
        yield found
    assert found.said == []
    assert {urlsplit(address).netloc for address in found.asked} == {preview.host}
