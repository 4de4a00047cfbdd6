"""An editor that speaks the Language Server Protocol with a real server, over its pipes."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

WAIT_SECONDS = 60
Place = tuple[int, int]
"""Row and character of the protocol, both from 0."""


class Editor:
    """A client with some folders open; what the server says is kept until somebody asks."""

    def __init__(
        self,
        *folders: Path,
        encodings: Iterable[str] = (),
        versioned: bool = True,
        begins: bool = True,
        environment: dict[str, str] | None = None,
        options: Sequence[str] = (),
    ) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "talebearer", "lsp", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(environment or {})},
        )
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self._messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._next = 0
        self.replies: dict[int, dict[str, Any]] = {}
        self.asked: list[dict[str, Any]] = []
        self.opened: list[str] = []
        self.diagnosed: dict[str, list[dict[str, Any]]] = {}
        self.stderr = b""
        self._threads = [
            threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True),
            threading.Thread(target=self._drain, args=(self.process.stderr,), daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        self.capabilities: dict[str, Any] = {}
        if begins:
            self.begin(*folders, encodings=encodings, versioned=versioned)

    def begin(self, *folders: Path, encodings: Iterable[str] = (), versioned: bool = True) -> None:
        """Shake hands."""
        edits = (
            {"documentChanges": True, "resourceOperations": ["create", "rename"]}
            if versioned
            else {}
        )
        result = self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": None,
                "workspaceFolders": [
                    {"uri": folder.as_uri(), "name": folder.name} for folder in folders
                ],
                "capabilities": {
                    "textDocument": {"rename": {"prepareSupport": True}},
                    "general": {"positionEncodings": list(encodings)} if encodings else {},
                    "workspace": {
                        "workspaceEdit": edits,
                        "didChangeWatchedFiles": {"dynamicRegistration": True},
                    },
                },
            },
        )
        self.capabilities = result["capabilities"]
        self.notify("initialized", {})

    def _read(self, stream: BinaryIO) -> None:
        while True:
            length = 0
            while (header := stream.readline()).strip():
                name, _, value = header.partition(b":")
                assert name == b"Content-Length" or name == b"Content-Type", header
                length = int(value) if name == b"Content-Length" else length
            if not header:
                self._messages.put(None)
                return
            self._messages.put(json.loads(stream.read(length)))

    def _drain(self, stream: BinaryIO) -> None:
        self.stderr = stream.read()

    def send(self, data: bytes) -> None:
        """Send *data* as it is."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def post(self, message: object) -> None:
        """Send *message* with its header."""
        body = json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")
        self.send(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def notify(self, method: str, params: object) -> None:
        """Send a notification."""
        self.post({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, params: object) -> int:
        """Send a request and return its id."""
        self._next += 1
        self.post({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params})
        return self._next

    def reply(self, request: int) -> dict[str, Any]:
        """Wait for the reply to *request*."""
        while request not in self.replies:
            assert self._take(), f"the server left: {self._said()}"
        return self.replies.pop(request)

    def request(self, method: str, params: object) -> Any:
        """Send a request and return its result; it must go well."""
        reply = self.reply(self.ask(method, params))
        assert "error" not in reply, reply
        return reply["result"]

    def _take(self) -> bool:
        """Take in one message; False at the end."""
        message = self._messages.get(timeout=WAIT_SECONDS)
        if message is None:
            return False
        if "method" not in message:
            self.replies[message["id"]] = message
        elif message["method"] == "textDocument/publishDiagnostics":
            params = message["params"]
            self.diagnosed.setdefault(params["uri"], []).append(params)
        else:
            self.asked.append(message)
            if "id" in message:
                self.post({"jsonrpc": "2.0", "id": message["id"], "result": None})
        return True

    def findings(self, path: Path, version: int | None = None) -> list[dict[str, Any]]:
        """Wait for the findings in *path*, at *version* if it is open, and return them."""
        uri = path.as_uri()
        while True:
            told = self.diagnosed.get(uri, [])
            for at, one in enumerate(told):
                if one.get("version") == version:
                    del told[: at + 1]
                    found: list[dict[str, Any]] = one["diagnostics"]
                    return found
            assert self._take(), f"the server left: {self._said()}"

    def until(
        self, path: Path, is_wanted: Callable[[list[dict[str, Any]]], bool]
    ) -> list[dict[str, Any]]:
        """Wait until the findings in *path*, which is not open, are as wanted."""
        while not is_wanted(found := self.findings(path)):
            pass
        return found

    def open(self, path: Path, text: str | None = None, version: int = 1) -> str:
        """Open *path*, with *text* in place of what is on disk, and return its URI."""
        if text is None:
            text = path.read_bytes().decode("utf-8")
        document = {"uri": path.as_uri(), "languageId": "yaml", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})
        self.opened.append(path.as_uri())
        return path.as_uri()

    def change(self, path: Path, text: str, version: int) -> None:
        """Replace all of *path*."""
        self.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": path.as_uri(), "version": version},
                "contentChanges": [{"text": text}],
            },
        )

    def at(self, method: str, path: Path, place: Place, **more: object) -> Any:
        """Ask *method* about a place."""
        return self.request(f"textDocument/{method}", {**where(path, place), **more})

    def labels(self, path: Path, place: Place) -> list[str]:
        """Return the labels of what may be written at a place."""
        found = self.at("completion", path, place)
        return [item["label"] for item in found["items"]] if found else []

    def leave(self) -> int:
        """End it as the protocol wants and return the exit code."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(WAIT_SECONDS)

    def _said(self) -> str:
        self._threads[1].join(WAIT_SECONDS)
        return self.stderr.decode("utf-8", "replace")

    def close(self) -> None:
        """End the process if it is still there."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(WAIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for thread in self._threads:
            thread.join(WAIT_SECONDS)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()

    def __enter__(self) -> Editor:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def where(path: Path, place: Place) -> dict[str, Any]:
    """Return *place* of *path* as the protocol has it."""
    return {
        "textDocument": {"uri": path.as_uri()},
        "position": {"line": place[0], "character": place[1]},
    }


def find(text: str, wanted: str, *, after: int = 0) -> Place:
    """Return where *wanted* begins in *text*, plus *after*, as an editor counts by default."""
    at = text.index(wanted) + after
    head = text[:at].replace("\r\n", "\n")
    row = head.rpartition("\n")[2]
    return head.count("\n"), len(row.encode("utf-16-le")) // 2
