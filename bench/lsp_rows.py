"""What the language server promises, measured: an edit's findings in a large tree, through the pipes.

The limit is wall-clock, the wait for the typing to end counted along; the check alone is processor
time, so another program on the machine is none of ours.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import generated_content

from talebearer.content.index import LiveTree

if TYPE_CHECKING:  # rows may import this module
    from rows import Row

LINES, LINES_SMALL = 12_000, 240
SHOWN_MS_MAX = 1_000
CHECKED_MS_MAX = 500
FACT, SLIP = b"tide.f3\n", b"tide.f333\n"


def rows(*, small: bool) -> list[Row]:
    """Return all rows; *small* shows that they run."""
    from rows import limit

    lines, rounds = (LINES_SMALL, 2) if small else (LINES, 9)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "content"
        pool = generated_content.write(root, lines)[0]
        checked, shown = _checked(root, pool, rounds), _shown(root, pool, rounds)
    return [
        limit(f"check an edit among {lines:,} lines", checked, CHECKED_MS_MAX, "ms"),
        limit(f"findings of an edit among {lines:,} lines", shown, SHOWN_MS_MAX, "ms"),
    ]


def _texts(pool: Path, rounds: int) -> list[bytes]:
    """Return the pool's text, with and without a slip in turns."""
    text = pool.read_bytes()
    return [text if number % 2 else text.replace(FACT, SLIP, 1) for number in range(rounds)]


def _checked(root: Path, pool: Path, rounds: int) -> float:
    """Return the median milliseconds of checking the tree after an edit."""
    tree, taken = LiveTree(root), []
    tree.check()
    for text in _texts(pool, rounds):
        started = time.process_time()
        tree.check({pool: text})
        taken.append((time.process_time() - started) * 1000)
    return statistics.median(taken)


def _shown(root: Path, pool: Path, rounds: int) -> float:
    """Return the median milliseconds from an edit's message to its findings."""
    command = [sys.executable, "-m", "talebearer", "lsp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        wire = _Wire(process.stdin, process.stdout)
        folder = {"uri": root.as_uri(), "name": "content"}
        wire.post("initialize", {"capabilities": {}, "workspaceFolders": [folder]}, number=1)
        wire.post("initialized", {})
        document = {"uri": pool.as_uri(), "languageId": "yaml", "version": 0}
        wire.post("textDocument/didOpen", {"textDocument": document | {"text": pool.read_text()}})
        wire.wait(pool, 0)
        taken = []
        for version, text in enumerate(_texts(pool, rounds), start=1):
            started = time.perf_counter()
            wire.post(
                "textDocument/didChange",
                {
                    "textDocument": {"uri": pool.as_uri(), "version": version},
                    "contentChanges": [{"text": text.decode()}],
                },
            )
            wire.wait(pool, version)
            taken.append((time.perf_counter() - started) * 1000)
        wire.post("shutdown", None, number=2)
        wire.post("exit", None)
        process.stdout.read()
    return statistics.median(taken)


class _Wire:
    """The protocol's messages on two pipes."""

    def __init__(self, to: BinaryIO, source: BinaryIO) -> None:
        self._to = to
        self._source = source

    def post(self, method: str, params: Any, *, number: int | None = None) -> None:
        """Send a notification, or with *number* a request."""
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        body = json.dumps(message | ({} if number is None else {"id": number})).encode()
        self._to.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._to.flush()

    def wait(self, path: Path, version: int) -> None:
        """Wait for the findings of *path* at *version*."""
        while True:
            length = 0
            while (header := self._source.readline()).strip():
                name, _, value = header.partition(b":")
                length = int(value) if name == b"Content-Length" else length
            if not length:
                raise SystemExit("the language server left")
            params = json.loads(self._source.read(length)).get("params") or {}
            if (params.get("uri"), params.get("version")) == (path.as_uri(), version):
                return
