"""From a method's name to the store's method, and from its result to the wire's data.

Source: the protocol sheet, section 1.4.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from talebearer.errors import TalebearerError, UsageFault
from talebearer.store._canonical import problem, refuse
from talebearer.store._model import Call, Reply
from talebearer.store.artifacts import CHUNK_BYTES_MAX, UPLOAD_BYTES_MAX
from talebearer.store.calls import _shapes as shapes
from talebearer.store.calls._deadlines import deadline_ms, refuse_late
from talebearer.store.retrieval import LIMIT_DEFAULT, LIMIT_MAX
from talebearer.store.versions import read_data

if TYPE_CHECKING:
    from talebearer.store._controller import Controller


class Lifecycle(Protocol):
    """What the control methods need of a store."""

    def status(self) -> dict[str, Any]:
        """Return what the store is."""
        ...

    def checkpoint(self) -> None:
        """Move the write-ahead log into the database file."""
        ...


def _create(controller: Controller, call: Call) -> Reply:
    entity_type = shapes.text(call.data, "type")
    value = shapes.required(call.data, "value")
    entity_id = shapes.optional_text(call.data, "id")
    made = controller.create(call.meta, entity_type, value, entity_id=entity_id, parsed=call.parsed)
    return Reply(made.meta, {"entity": made.entity.as_wire()})


def _read(controller: Controller, call: Call) -> Reply:
    ref = shapes.ref(call.data)
    heads, meta = controller.heads(call.meta, ref)
    return Reply(meta, read_data(ref, heads))


def _update(controller: Controller, call: Call) -> Reply:
    ref = shapes.ref(call.data)
    value = shapes.required(call.data, "value")
    made = controller.update(call.meta, ref, value, parsed=call.parsed)
    return Reply(made.meta, {"entity": made.entity.as_wire()})


def _delete(controller: Controller, call: Call) -> Reply:
    gone = controller.delete(call.meta, shapes.ref(call.data))
    return Reply(gone.meta, {"entity": gone.entity.as_wire()})


def _retrieve(controller: Controller, call: Call) -> Reply:
    data = call.data
    _refuse_late(controller, call)
    limit = shapes.integer(data, "limit", least=1, most=LIMIT_MAX, default=LIMIT_DEFAULT)
    types = shapes.texts(data, "types")
    exclude = data.get("exclude_expired", False)
    if not isinstance(exclude, bool):
        refuse(
            [problem(("exclude_expired",), "this is neither true nor false")], what="the request"
        )
    found, meta = controller.retrieve(
        call.meta,
        shapes.text(data, "query"),
        types=types,
        limit=limit,
        exclude_expired=exclude,
    )
    hits = [
        {"score": hit.score, "variants": [one.as_wire() for one in hit.variants]}
        for hit in found.hits
    ]
    return Reply(meta, {"hits": hits})


def _upload_begin(controller: Controller, call: Call) -> Reply:
    data = call.data
    name = data.get("name")
    if name is not None and not isinstance(name, str):
        refuse([problem(("name",), "the name is not text")], what="the request")
    what = {
        "media_type": shapes.text(data, "media_type"),
        "name": name,
        "metadata": shapes.required(data, "metadata"),
        "entity_id": shapes.optional_text(data, "id"),
        "expected_size_bytes": shapes.optional_integer(
            data, "expected_byte_length", most=UPLOAD_BYTES_MAX
        ),
        "expected_digest": shapes.optional_text(data, "expected_digest"),
    }
    _refuse_late(controller, call)
    upload_id = controller.begin_upload(**what)
    return Reply({}, {"upload_id": upload_id, "max_chunk_bytes": CHUNK_BYTES_MAX})


def _upload_chunk(controller: Controller, call: Call) -> Reply:
    upload_id = shapes.text(call.data, "upload_id")
    offset = shapes.integer(call.data, "offset", least=0, most=UPLOAD_BYTES_MAX)
    text = shapes.text(call.data, "bytes_base64")
    try:
        chunk = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        refuse([problem(("bytes_base64",), "this is no padded Base64")], what="the request")
    _refuse_late(controller, call)
    next_offset = controller.managed.add(upload_id, chunk, offset=offset)
    return Reply({}, {"next_offset": next_offset})


def _upload_commit(controller: Controller, call: Call) -> Reply:
    made = controller.commit_upload(call.meta, shapes.text(call.data, "upload_id"))
    return Reply(made.meta, {"entity": made.entity.as_wire()})


def _download_chunk(controller: Controller, call: Call) -> Reply:
    data = call.data
    part, meta = controller.download_chunk(
        call.meta,
        shapes.text(data, "id"),
        version=shapes.optional_text(data, "version"),
        offset=shapes.integer(data, "offset", least=0, most=UPLOAD_BYTES_MAX),
        size_bytes_max=shapes.integer(data, "max_bytes", least=1, most=CHUNK_BYTES_MAX),
    )
    answered: dict[str, Any] = {
        "entity": part.entity.as_wire(),
        "offset": part.offset,
        "next_offset": part.next_offset,
        "eof": part.at_end,
        "bytes_base64": base64.b64encode(part.data).decode(),
    }
    return Reply(meta, answered)


def _refuse_late(controller: Controller, call: Call) -> None:
    refuse_late(deadline_ms(call.meta), now_ms=controller.now_ms())


def _status(lifecycle: Lifecycle) -> Reply:
    status = lifecycle.status()
    names = ("generation", "recovered_after_unclean_shutdown", "pid", "started_at_unix_ms")
    data = {name: status[name] for name in names}
    return Reply({}, {"ready": True, "provider": "sqlite", "active_connections": 0, **data})


def _checkpoint(lifecycle: Lifecycle) -> Reply:
    lifecycle.checkpoint()
    return Reply({}, {"completed": True})


_RETRIEVE = "patchouli.entity.retrieve@1"
_CONTROL: dict[str, Callable[[Lifecycle], Reply]] = {
    "patchouli.control.status@1": _status,
    "patchouli.control.checkpoint@1": _checkpoint,
}
_DATA: dict[str, Callable[[Controller, Call], Reply]] = {
    "patchouli.entity.create@1": _create,
    "patchouli.entity.read@1": _read,
    "patchouli.entity.update@1": _update,
    "patchouli.entity.delete@1": _delete,
    "patchouli.entity.retrieve@1": _retrieve,
    "patchouli.artifact.upload.begin@1": _upload_begin,
    "patchouli.artifact.upload.chunk@1": _upload_chunk,
    "patchouli.artifact.upload.commit@1": _upload_commit,
    "patchouli.artifact.download.chunk@1": _download_chunk,
}
METHODS = frozenset({*_CONTROL, *_DATA})
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


def reads_aside(controller: Controller, call: Call) -> bool:
    """Return whether a connection that only reads answers *call* as the writer's does."""
    if call.method != _RETRIEVE:
        return False
    try:
        return controller.reads_plainly(call.meta, shapes.texts(call.data, "types"))
    except TalebearerError:
        # Whoever is refused is refused at once.
        return False


def answer(controller: Controller, lifecycle: Lifecycle, call: Call) -> Reply:
    """Return what answers *call*.

    Raises:
        UsageFault: There is no such method (TB111).
        TalebearerError: What the method raises.
    """
    work = _DATA.get(call.method)
    if work is not None:
        return work(controller, call)
    control = _CONTROL.get(call.method)
    if control is None:
        raise UsageFault(f"the store has no method {call.method!r}")
    shapes.nothing(call.data)
    refuse_late(deadline_ms(call.meta), now_ms=controller.now_ms())
    return control(lifecycle)
