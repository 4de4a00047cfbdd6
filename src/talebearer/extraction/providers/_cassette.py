"""Recorded answers: what a real model said once, for tests that need no network.

A cassette is JSON Lines, ``{"request": digest, "identity": {...}, "reply": {...}}``. Requests are
kept as digests only, so that a cassette holds no transcript; replies stand in full.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from talebearer.errors import InvalidProvider, NoRecording
from talebearer.extraction.providers._protocol import (
    FinishReason,
    ModelReply,
    ModelRequest,
    Provider,
    Usage,
)


class Cassette:
    """Answers from a recording, byte for byte; other requests are refused.

    Args:
        path: A file that :class:`RecordingProvider` wrote.

    Raises:
        InvalidProvider: The file is missing or not a cassette (TB303).
    """

    def __init__(self, path: Path) -> None:
        self._replies: dict[str, ModelReply] = {}
        self._identity: Mapping[str, Any] = {"provider": "cassette", "model": path.stem}
        try:
            for line in path.read_text(encoding="utf-8").splitlines():
                record = json.loads(line)
                self._replies[record["request"]] = _reply(record["reply"])
                self._identity = record["identity"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            reason = type(error).__name__
            raise InvalidProvider(
                f"{path.name} is no cassette ({reason})",
                hint="record one with RecordingProvider",
            ) from error

    @property
    def identity(self) -> Mapping[str, Any]:
        """The identity of the model that was recorded, so that checkpoints fit."""
        return self._identity

    def ask(self, request: ModelRequest) -> ModelReply:
        """Return the recorded reply.

        Raises:
            NoRecording: There is none (TB310).
        """
        reply = self._replies.get(request.digest)
        if reply is None:
            raise NoRecording(f"the cassette has no answer to {request.digest[:19]}…")
        return reply

    def close(self) -> None:
        """Do nothing; the file is read at once."""


class RecordingProvider:
    """Asks *inner* and appends what it answers to the file *path*."""

    def __init__(self, inner: Provider, path: Path) -> None:
        self._inner = inner
        self._path = path
        self._lock = threading.Lock()

    @property
    def identity(self) -> Mapping[str, Any]:
        """The identity of the inner provider."""
        return self._inner.identity

    def ask(self, request: ModelRequest) -> ModelReply:
        """Ask the inner provider and record its reply; errors are not recorded."""
        reply = self._inner.ask(request)
        record = {
            "request": request.digest,
            "identity": dict(self.identity),
            "reply": _reply_json(reply),
        }
        line = json.dumps(record, ensure_ascii=True, sort_keys=True) + "\n"
        with self._lock, self._path.open("a", encoding="utf-8") as file:
            file.write(line)
        return reply

    def close(self) -> None:
        """Close the inner provider."""
        self._inner.close()


def _reply_json(reply: ModelReply) -> dict[str, Any]:
    usage = reply.usage
    return {
        "text": reply.text,
        "finish": reply.finish.value,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_tokens": usage.cached_tokens,
    }


def _reply(value: Mapping[str, Any]) -> ModelReply:
    usage = Usage(
        input_tokens=value["input_tokens"],
        output_tokens=value["output_tokens"],
        cached_tokens=value["cached_tokens"],
    )
    return ModelReply(text=value["text"], finish=FinishReason(value["finish"]), usage=usage)
