"""Accepted results of chunks on disk, so that a run that was killed asks nothing twice.

A folder for each lane and identity, a file for each chunk that was accepted; nothing else is kept.
Files appear whole or not at all. What is read back is checked like a fresh reply.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from talebearer._whole import put_whole
from talebearer.extraction._strict_json import parse_strict
from talebearer.extraction.asking._chunks import Chunk

FORMAT = "talebearer.checkpoint"
VERSION = 1
FILE_BYTES_MAX = 2 * 1024 * 1024
_NAME = re.compile(r"([0-9]{6,})-([0-9]{6,})-[0-9a-f]{16}\.json")


class Checkpoints:
    """The accepted results of one lane under one identity.

    Args:
        folder: Where the checkpoints of a session are; None keeps nothing.
        identity: JSON-ready; whatever changes what a model may answer. Names are in it as digests.
        resume: Whether results of earlier runs are used.
    """

    def __init__(self, folder: Path | None, *, identity: Mapping[str, Any], resume: bool) -> None:
        text = json.dumps(identity, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        self.key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        self._folder = None if folder is None else folder / self.key[:16]
        self._resume = resume
        self._ranges = self._listed() if resume else frozenset()

    def load(self, chunk: Chunk) -> str | None:
        """Return the accepted reply of *chunk* as JSON text, or None; damaged files count as none."""
        if self._folder is None or not self._resume:
            return None
        path = self._folder / _file_name(chunk)
        try:
            if path.stat().st_size > FILE_BYTES_MAX:
                return None
            value, problems = parse_strict(path.read_bytes())
        except OSError:
            return None
        if problems or not isinstance(value, dict) or not self._mine(value, chunk):
            return None
        return json.dumps(value["result"], ensure_ascii=False)

    def has_part_of(self, chunk: Chunk) -> bool:
        """Whether a part of *chunk* was accepted, so that it was split and need not be asked whole."""
        return any(
            chunk.first <= first
            and last <= chunk.last
            and (first, last) != (chunk.first, chunk.last)
            for first, last in self._ranges
        )

    def save(self, chunk: Chunk, result: Any) -> None:
        """Keep the accepted *result* of *chunk*; atomic, also against a kill at any moment."""
        if self._folder is None:
            return
        value = {
            "format": FORMAT,
            "version": VERSION,
            "key": self.key,
            "chunk": chunk.digest,
            "result": result,
        }
        data = json.dumps(value, ensure_ascii=False, sort_keys=True).encode() + b"\n"
        put_whole(self._folder / _file_name(chunk), data)

    def _mine(self, value: Mapping[str, Any], chunk: Chunk) -> bool:
        expected = {"format": FORMAT, "version": VERSION, "key": self.key, "chunk": chunk.digest}
        return {**expected, "result": value.get("result")} == value

    def _listed(self) -> frozenset[tuple[int, int]]:
        if self._folder is None or not self._folder.is_dir():
            return frozenset()
        matches = [_NAME.fullmatch(path.name) for path in self._folder.iterdir()]
        return frozenset((int(match[1]), int(match[2])) for match in matches if match)


def _file_name(chunk: Chunk) -> str:
    return f"{chunk.first:06d}-{chunk.last:06d}-{chunk.digest[:16]}.json"
