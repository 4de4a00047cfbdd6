"""The plain model's uploads and bytes."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jsonschema_rs import Draft202012Validator, Registry

from talebearer.store import load_schemas
from talebearer.testing.model._parts import Refused, invalid, is_count, is_text

CHUNK_BYTES_MAX = 524_288
_METADATA = "urn:patchouli:schema:artifact:1#/properties/metadata"


@dataclass(slots=True)
class Upload:
    """Bytes that arrive; ``sealed`` once they were committed but no entity was made yet."""

    opened: Mapping[str, Any]
    data: bytearray = field(default_factory=bytearray)
    sealed: bool = False


def check_opening(data: Mapping[str, Any]) -> None:
    """Refuse what cannot begin an upload."""
    texts = (data.get("name"), data.get("expected_digest"), data.get("id"))
    if not all(text is None or is_text(text) for text in texts):
        invalid("name, digest and id are text or null")
    if not isinstance(data.get("media_type"), str):
        invalid("the media type is text")
    length = data.get("expected_byte_length")
    if length is not None and not is_count(length):
        invalid("the length is a count or null")
    metadata = Draft202012Validator(
        {"$ref": _METADATA}, registry=Registry(list(load_schemas().items()))
    )
    if not metadata.is_valid(data.get("metadata")):
        invalid("the metadata does not fit its schema")


def chunk_bytes(data: Mapping[str, Any], upload: Upload) -> bytes:
    """Return the bytes of a chunk that may be added."""
    text, offset = data.get("bytes_base64"), data.get("offset")
    if not is_text(text) or not is_count(offset):
        invalid("a chunk has bytes and an offset")
    try:
        chunk = base64.b64decode(str(text), validate=True)
    except (binascii.Error, ValueError):
        invalid("not base64")
    if not 1 <= len(chunk) <= CHUNK_BYTES_MAX:
        invalid("a chunk has 1 to 524288 bytes")
    if upload.sealed or offset != len(upload.data):
        invalid("not the next offset")
    expected = upload.opened.get("expected_byte_length")
    if expected is not None and len(upload.data) + len(chunk) > expected:
        invalid("more bytes than were announced")
    return chunk


def sealed_value(upload: Upload, node_id: str) -> dict[str, Any]:
    """Return the artifact of an upload whose bytes are as announced."""
    digest = hashlib.sha256(upload.data).hexdigest()
    opened = upload.opened
    if opened.get("expected_byte_length") not in (None, len(upload.data)):
        invalid("not the announced length")
    if opened.get("expected_digest") not in (None, f"sha256:{digest}"):
        invalid("not the announced digest")
    return {
        "media_type": opened["media_type"],
        "name": opened.get("name"),
        "byte_length": len(upload.data),
        "digest": f"sha256:{digest}",
        "placement": {"kind": "managed", "provider": node_id, "key": f"sha256/{digest}"},
        "metadata": opened["metadata"],
    }


def download_page(content: bytes, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a slice of *content* as the protocol writes it."""
    offset, most = data.get("offset"), data.get("max_bytes")
    if not (isinstance(offset, int) and is_count(offset) and offset <= len(content)):
        invalid("the offset is beyond the end")
    if not (isinstance(most, int) and is_count(most) and 1 <= most <= CHUNK_BYTES_MAX):
        invalid("1 to 524288 bytes at a time")
    piece = content[offset : offset + most]
    return {
        "offset": offset,
        "next_offset": offset + len(piece),
        "eof": offset + len(piece) == len(content),
        "bytes_base64": base64.b64encode(piece).decode("ascii"),
    }


def unknown_upload() -> Refused:
    """Return the error for an upload that is not there: the number without a reason."""
    return Refused(-32003, None)
