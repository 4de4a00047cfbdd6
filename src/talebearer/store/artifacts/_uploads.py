"""Uploads in chunks: a part file grows by one chunk at a time and is committed by its digest.

Uploads live as long as the store is open: opening it again discards what was not committed. An
upload whose commit fails stays, so that it can be committed again under other metadata. What a
client left behind makes room for others when there are too many.

Source: the protocol sheet, section 5.11.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from talebearer.errors import Overloaded, UploadNotFound
from talebearer.store._canonical import clip, problem, refuse
from talebearer.store._engine import file_fault
from talebearer.store._model import EntityVersion
from talebearer.store._open import FILE_MODE

CHUNK_BYTES_MAX = 524_288
UPLOAD_BYTES_MAX = 2**63 - 1
UPLOADS_OPEN_MAX = 1_024
UPLOAD_IDLE_MS = 3_600_000
"""An upload that nobody asked for in this time is taken for one that a client left behind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A part of an artifact's bytes.

    Attributes:
        entity: The version that the bytes belong to.
        offset: Where the part begins.
        data: The bytes; none at the very end.
        at_end: Whether nothing comes after them.
    """

    entity: EntityVersion
    offset: int
    data: bytes
    at_end: bool

    @property
    def next_offset(self) -> int:
        """Where the next part begins."""
        return self.offset + len(self.data)


@dataclass(slots=True, kw_only=True)
class Upload:
    """One upload that is not finished.

    Attributes:
        id: Its opaque id.
        part: The file that grows.
        about: ``media_type``, ``name`` and ``metadata`` of the artifact to be.
        entity_id: The artifact's id; None has one made.
        expected_size_bytes: What its length must be at the end; None for any.
        expected_digest: What its digest must be at the end; None for any.
        size_bytes: What has arrived.
        finished: Whether a commit took it, in a transaction that may still be rolled back.
        stored: Whether the bytes are in the object store already.
        asked_ms: When it was last asked for.
    """

    id: str
    part: Path
    about: Mapping[str, Any]
    entity_id: str | None
    expected_size_bytes: int | None
    expected_digest: str | None
    size_bytes: int = 0
    finished: bool = False
    stored: bool = False
    asked_ms: int = 0
    hasher: Any = field(default_factory=hashlib.sha256)

    @property
    def digest(self) -> str:
        """The digest of what has arrived."""
        return f"sha256:{self.hasher.hexdigest()}"


class Uploads:
    """The uploads of an open store."""

    def __init__(self, folder: Path, *, now_ms: Callable[[], int]) -> None:
        self._folder = folder
        self._now_ms = now_ms
        self._open: dict[str, Upload] = {}

    def begin(self, upload_id: str, **what: Any) -> Upload:
        """Begin an upload; the keywords are those of :class:`Upload`.

        Raises:
            Overloaded: Too many uploads are open (TB217).
        """
        if len(self._open) >= UPLOADS_OPEN_MAX:
            self._drop_idle()
        if len(self._open) >= UPLOADS_OPEN_MAX:
            raise Overloaded(
                f"{len(self._open)} uploads are open", hint="commit some, or begin again later"
            )
        # Ids are opaque text of the caller's making; a file name takes their digest.
        name = hashlib.sha256(upload_id.encode()).hexdigest()[:32]
        upload = Upload(id=upload_id, part=self._folder / f"{name}.part", **what)
        upload.asked_ms = self._now_ms()
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            os.close(os.open(upload.part, flags, FILE_MODE))
        except OSError as error:
            raise file_fault(error, path=upload.part) from error
        self._open[upload_id] = upload
        return upload

    def get(self, upload_id: str) -> Upload:
        """Return an upload that is not finished.

        Raises:
            UploadNotFound: There is none (TB220).
        """
        upload = self._open.get(upload_id)
        if upload is None or upload.finished:
            raise UploadNotFound(f"there is no upload {clip(repr(upload_id))}")
        upload.asked_ms = self._now_ms()
        return upload

    def add(self, upload_id: str, chunk: bytes, *, offset: int) -> int:
        """Add *chunk* at the end of an upload and return the next offset.

        Raises:
            InvalidRecord: The chunk is empty, too long, in the wrong place, or more than was
                announced (TB115).
            UploadNotFound: There is no such upload (TB220).
        """
        upload = self.get(upload_id)
        _check_chunk(upload, chunk, offset=offset)
        try:
            with upload.part.open("r+b", buffering=0) as file:
                file.seek(offset)
                rest = memoryview(chunk)
                while rest:
                    rest = rest[file.write(rest) :]
        except OSError as error:
            # What was written of it lies beyond the recorded size, where the next try begins.
            raise file_fault(error, path=upload.part) from error
        upload.hasher.update(chunk)
        upload.size_bytes += len(chunk)
        return upload.size_bytes

    def check_complete(self, upload: Upload) -> None:
        """Refuse an upload that is not what was announced.

        Raises:
            InvalidRecord: Length or digest differ (TB115).
        """
        found = []
        expected = upload.expected_size_bytes
        if expected is not None and expected != upload.size_bytes:
            message = f"{upload.size_bytes} bytes arrived, announced were {expected}"
            found.append(problem(("expected_byte_length",), message))
        if upload.expected_digest is not None and upload.expected_digest != upload.digest:
            message = f"the digest is {upload.digest}, announced was {upload.expected_digest}"
            found.append(problem(("expected_digest",), message))
        if found:
            refuse(found, what="the upload")

    def forget(self, upload: Upload) -> None:
        """Drop a finished upload."""
        self._open.pop(upload.id, None)
        upload.part.unlink(missing_ok=True)

    def _drop_idle(self) -> None:
        last_ms = self._now_ms() - UPLOAD_IDLE_MS
        for upload in [*self._open.values()]:
            if upload.asked_ms <= last_ms and not upload.finished:
                self.forget(upload)


def _check_chunk(upload: Upload, chunk: bytes, *, offset: int) -> None:
    found = []
    if not 1 <= len(chunk) <= CHUNK_BYTES_MAX:
        message = f"a chunk of {len(chunk)} bytes"
        found.append(problem(("bytes_base64",), message, hint=f"allowed: 1 to {CHUNK_BYTES_MAX}"))
    if upload.stored:
        found.append(problem(("upload_id",), "the upload is complete: its bytes are stored"))
    elif offset != upload.size_bytes:
        message = f"the offset {offset} is not the next one"
        found.append(problem(("offset",), message, hint=f"the next one is {upload.size_bytes}"))
    expected = upload.expected_size_bytes
    if expected is not None and upload.size_bytes + len(chunk) > expected:
        message = f"the chunk goes beyond the announced {expected} bytes"
        found.append(problem(("bytes_base64",), message))
    if found:
        refuse(found, what="the chunk")
