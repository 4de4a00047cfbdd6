"""What the methods take and give, once for both clients.

Each function here is a generator: it yields requests, is sent their answers, and returns a value.
Who drives it has the socket; so several steps, such as an upload in chunks, are written once.

Source: the protocol sheet, sections 1.4, 5.6, 5.10 and 5.11.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from talebearer.client._core import dump
from talebearer.client._types import (
    Download,
    EntityRef,
    EntityVersion,
    Page,
    Reader,
    ReadResult,
    Status,
    entity_of,
    page_of,
    read_of,
    status_of,
)
from talebearer.errors import ProtocolFault, UsageFault
from talebearer.vocabulary import ARTIFACT_CHUNK_BYTES_MAX, WireMethod

T = TypeVar("T")
Meta = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """One request of a program.

    Attributes:
        method: Its full name.
        meta: Its metadata.
        data: What the method takes.
        repeatable: Whether it changes nothing, so that it may be sent again.
    """

    method: str
    meta: Meta
    data: Mapping[str, Any]
    repeatable: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one request.

    Attributes:
        meta: Its metadata.
        data: Its data.
    """

    meta: dict[str, Any]
    data: dict[str, Any]


Program = Generator[Call, Result, T]


def result_of(value: Any) -> Result:
    """Return the two parts of a result."""
    reader = Reader(value, of="result")
    meta, data = reader.member("meta"), reader.member("data")
    if type(meta) is not dict or type(data) is not dict:
        reader.refuse("meta or data is no object")
    return Result(meta, data)


@dataclass(frozen=True, slots=True, kw_only=True)
class Create:
    """A mutation: a new entity.

    Attributes:
        type: A configured record type.
        value: Its value.
        id: Its id; None has the daemon make one.
        meta: Metadata of this mutation alone.
    """

    type: str
    value: Any
    id: str | None = None
    meta: Meta = field(default_factory=dict)

    def call(self, meta: Meta) -> Call:
        """Return the request."""
        data: dict[str, Any] = {"type": self.type, "value": self.value}
        if self.id is not None:
            data["id"] = self.id
        return Call(WireMethod.CREATE, {**meta, **self.meta}, data)


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """A mutation: another value in the place of the named heads.

    Attributes:
        ref: The entity.
        value: The new value, as a whole.
        meta: Metadata of this mutation alone, such as ``base_versions``.
    """

    ref: EntityRef
    value: Any
    meta: Meta = field(default_factory=dict)

    def call(self, meta: Meta) -> Call:
        """Return the request."""
        data = {"ref": self.ref.as_json(), "value": self.value}
        return Call(WireMethod.UPDATE, {**meta, **self.meta}, data)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delete:
    """A mutation: a tombstone in the place of the named heads.

    Attributes:
        ref: The entity.
        meta: Metadata of this mutation alone, such as ``base_versions``.
    """

    ref: EntityRef
    meta: Meta = field(default_factory=dict)

    def call(self, meta: Meta) -> Call:
        """Return the request."""
        return Call(WireMethod.DELETE, {**meta, **self.meta}, {"ref": self.ref.as_json()})


Mutation = Create | Update | Delete


def plain(call: Call) -> Program[Result]:
    """Send one request."""
    return (yield call)


def mutate(mutation: Mutation, meta: Meta) -> Program[EntityVersion]:
    """Send one mutation."""
    result = yield mutation.call(meta)
    return entity_of(result.data.get("entity"), result.meta)


def read(meta: Meta, ref: EntityRef) -> Program[ReadResult]:
    """Read an entity's heads."""
    result = yield Call(WireMethod.READ, meta, {"ref": ref.as_json()}, repeatable=True)
    return read_of(result.data, result.meta)


def retrieve(
    meta: Meta,
    query: Mapping[str, Any],
    types: Sequence[str] | None,
    limit: int | None,
    exclude_expired: bool,
) -> Program[Page]:
    """Search, one page."""
    data: dict[str, Any] = {"query": dump(query).decode()}
    if types is not None:
        data["types"] = list(types)
    if limit is not None:
        data["limit"] = limit
    if exclude_expired:
        data["exclude_expired"] = True
    result = yield Call(WireMethod.RETRIEVE, meta, data, repeatable=True)
    return page_of(result.data, result.meta)


def next_query(query: Mapping[str, Any], page: Page) -> Mapping[str, Any] | None:
    """Return the query of the page after *page*, or None when it was the last."""
    return None if page.next_cursor is None else {**query, "cursor": page.next_cursor}


def work_unit(
    meta: Meta, mutations: Sequence[Mutation], close: Meta
) -> Program[tuple[EntityVersion, ...]]:
    """Send mutations that become visible together; the last one closes the unit.

    Raises:
        UsageFault: There is no mutation, no closing metadata, or it would replace other metadata
            (TB111). Nothing was sent.
    """
    if not mutations:
        raise UsageFault("a work unit has at least one mutation")
    if not close:
        raise UsageFault("a work unit needs the metadata that closes it", hint="such as {...}")
    for what in (meta, mutations[-1].meta):
        both = sorted(set(close) & set(what))
        if both:
            raise UsageFault(f"the closing metadata would replace {', '.join(both)}")
    made = []
    for number, mutation in enumerate(mutations, start=1):
        last = number == len(mutations)
        made.append((yield from mutate(mutation, {**meta, **close} if last else meta)))
    return tuple(made)


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """What is uploaded.

    Attributes:
        data: The bytes, or a function that gives those from an offset, at most so many.
        media_type: Such as ``text/plain``.
        metadata: The artifact's metadata.
        name: A display name.
        id: The artifact's id; None has the daemon make one.
        digest: What the daemon shall find, ``sha256:`` and hex digits; None leaves it.
    """

    data: bytes | Callable[[int, int], bytes]
    media_type: str
    metadata: Mapping[str, Any]
    name: str | None = None
    id: str | None = None
    digest: str | None = None

    def chunk(self, offset: int, size_bytes: int) -> bytes:
        """Return the bytes from *offset*, at most *size_bytes*; none at the end."""
        if isinstance(self.data, bytes):
            return self.data[offset : offset + size_bytes]
        return self.data(offset, size_bytes)


def upload(meta: Meta, upload: Upload) -> Program[EntityVersion]:
    """Send bytes in chunks and create their artifact."""
    begin: dict[str, Any] = {
        "media_type": upload.media_type,
        "name": upload.name,
        "expected_byte_length": len(upload.data) if isinstance(upload.data, bytes) else None,
        "expected_digest": upload.digest,
        "metadata": upload.metadata,
    }
    if upload.id is not None:
        begin["id"] = upload.id
    result = yield Call(WireMethod.UPLOAD_BEGIN, meta, begin)
    begun = Reader(result.data, of="upload")
    upload_id, most = begun.text("upload_id"), begun.integer("max_chunk_bytes")
    offset = 0
    while chunk := upload.chunk(offset, max(1, min(most, ARTIFACT_CHUNK_BYTES_MAX))):
        data = {
            "upload_id": upload_id,
            "offset": offset,
            "bytes_base64": base64.b64encode(chunk).decode(),
        }
        result = yield Call(WireMethod.UPLOAD_CHUNK, meta, data)
        if Reader(result.data, of="chunk").integer("next_offset") != offset + len(chunk):
            raise ProtocolFault("the daemon took another number of bytes than were sent")
        offset += len(chunk)
    result = yield Call(WireMethod.UPLOAD_COMMIT, meta, {"upload_id": upload_id})
    return entity_of(result.data.get("entity"), result.meta)


def download(meta: Meta, id: str, version: str | None) -> Program[Download]:
    """Fetch an artifact's bytes; the version that the first chunk names is pinned."""
    parts: list[bytes] = []
    offset = 0
    while True:
        data = {"id": id, "version": version, "offset": offset}
        data["max_bytes"] = ARTIFACT_CHUNK_BYTES_MAX
        result = yield Call(WireMethod.DOWNLOAD_CHUNK, meta, data, repeatable=True)
        chunk = Reader(result.data, of="chunk")
        entity = entity_of(chunk.member("entity"), result.meta)
        version = entity.version
        try:
            part = base64.b64decode(chunk.text("bytes_base64"), validate=True)
        except binascii.Error:
            raise ProtocolFault("the daemon's chunk is no Base64") from None
        parts.append(part)
        offset += len(part)
        end = chunk.flag("eof")
        if chunk.integer("next_offset") != offset or not (part or end):
            raise ProtocolFault("the daemon's chunk does not follow the one before it")
        if end:
            return Download(entity=entity, data=b"".join(parts))


def status() -> Program[Status]:
    """Ask what the daemon is."""
    result = yield Call(WireMethod.STATUS, {}, {}, repeatable=True)
    return status_of(result.data)
