"""From a method's name to the store's method, and from its result to the wire's data.

Source: the protocol sheet, section 1.4.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from talebearer.errors import UsageFault
from talebearer.store._canonical import problem, refuse
from talebearer.store._model import Call, Reply
from talebearer.store.artifacts import CHUNK_BYTES_MAX, UPLOAD_BYTES_MAX
from talebearer.store.calls import _shapes as shapes

if TYPE_CHECKING:
    from talebearer.store._store import Store


def _create(store: Store, call: Call) -> Reply:
    entity_type = shapes.text(call.data, "type")
    value = shapes.required(call.data, "value")
    entity_id = shapes.optional_text(call.data, "id")
    made = store.create(call.meta, entity_type, value, id=entity_id)
    return Reply({}, {"entity": made.as_wire()})


def _read(store: Store, call: Call) -> Reply:
    found = store.read(call.meta, shapes.ref(call.data))
    variants = [variant.as_wire() for variant in found.variants]
    return Reply({}, {"state": found.state, "variants": variants})


def _update(store: Store, call: Call) -> Reply:
    ref = shapes.ref(call.data)
    made = store.update(call.meta, ref, shapes.required(call.data, "value"))
    return Reply({}, {"entity": made.as_wire()})


def _delete(store: Store, call: Call) -> Reply:
    gone = store.delete(call.meta, shapes.ref(call.data))
    return Reply({}, {"entity": gone.as_wire()})


def _status(store: Store, call: Call) -> Reply:
    shapes.nothing(call.data)
    status = store.status()
    names = ("generation", "recovered_after_unclean_shutdown", "pid", "started_at_unix_ms")
    data = {name: status[name] for name in names}
    return Reply({}, {"ready": True, "provider": "sqlite", "active_connections": 0, **data})


def _checkpoint(store: Store, call: Call) -> Reply:
    shapes.nothing(call.data)
    store.checkpoint()
    return Reply({}, {"completed": True})


def _upload_begin(store: Store, call: Call) -> Reply:
    data = call.data
    name = data.get("name")
    if name is not None and not isinstance(name, str):
        refuse([problem(("name",), "the name is not text")], what="the request")
    upload_id = store.begin_upload(
        media_type=shapes.text(data, "media_type"),
        name=name,
        metadata=shapes.required(data, "metadata"),
        id=shapes.optional_text(data, "id"),
        expected_size_bytes=shapes.optional_integer(
            data, "expected_byte_length", most=UPLOAD_BYTES_MAX
        ),
        expected_digest=shapes.optional_text(data, "expected_digest"),
    )
    return Reply({}, {"upload_id": upload_id, "max_chunk_bytes": CHUNK_BYTES_MAX})


def _upload_chunk(store: Store, call: Call) -> Reply:
    upload_id = shapes.text(call.data, "upload_id")
    offset = shapes.integer(call.data, "offset", least=0, most=UPLOAD_BYTES_MAX)
    text = shapes.text(call.data, "bytes_base64")
    try:
        chunk = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        refuse([problem(("bytes_base64",), "this is no padded Base64")], what="the request")
    return Reply({}, {"next_offset": store.upload_chunk(upload_id, chunk, offset=offset)})


def _upload_commit(store: Store, call: Call) -> Reply:
    made = store.commit_upload(call.meta, shapes.text(call.data, "upload_id"))
    return Reply({}, {"entity": made.as_wire()})


def _download_chunk(store: Store, call: Call) -> Reply:
    data = call.data
    chunk = store.download_chunk(
        call.meta,
        shapes.text(data, "id"),
        version=shapes.optional_text(data, "version"),
        offset=shapes.integer(data, "offset", least=0, most=UPLOAD_BYTES_MAX),
        size_bytes_max=shapes.integer(data, "max_bytes", least=1, most=CHUNK_BYTES_MAX),
    )
    answered: dict[str, Any] = {
        "entity": chunk.entity.as_wire(),
        "offset": chunk.offset,
        "next_offset": chunk.next_offset,
        "eof": chunk.at_end,
        "bytes_base64": base64.b64encode(chunk.data).decode(),
    }
    return Reply({}, answered)


METHODS: dict[str, Callable[[Store, Call], Reply]] = {
    "patchouli.control.status@1": _status,
    "patchouli.control.checkpoint@1": _checkpoint,
    "patchouli.entity.create@1": _create,
    "patchouli.entity.read@1": _read,
    "patchouli.entity.update@1": _update,
    "patchouli.entity.delete@1": _delete,
    "patchouli.artifact.upload.begin@1": _upload_begin,
    "patchouli.artifact.upload.chunk@1": _upload_chunk,
    "patchouli.artifact.upload.commit@1": _upload_commit,
    "patchouli.artifact.download.chunk@1": _download_chunk,
}
"""The methods that the store answers; the others are the daemon's."""

WRITING_METHODS = frozenset(
    {
        "patchouli.entity.create@1",
        "patchouli.entity.update@1",
        "patchouli.entity.delete@1",
        "patchouli.artifact.upload.commit@1",
    }
)
"""Those of them that may publish changes."""

TRANSACTION_METHODS = WRITING_METHODS | {
    "patchouli.entity.read@1",
    "patchouli.entity.retrieve@1",
    "patchouli.artifact.download.chunk@1",
}
"""Those of them that may share a transaction with others."""


def answer(store: Store, call: Call) -> Reply:
    """Return what *store* answers to *call*.

    Raises:
        UsageFault: The store has no such method (TB111).
        TalebearerError: What the method raises.
    """
    method = METHODS.get(call.method)
    if method is None:
        raise UsageFault(f"the store has no method {call.method!r}")
    return method(store, call)
