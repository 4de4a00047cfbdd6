"""Answers as the JSON text that goes over the wire: the same as :func:`answer` gives, encoded.

What most requests are, reads and creations, gets there without a stop: a read that was answered
before is answered with the same bytes, and a value whose canonical text was just made, or has been
read, is not written a second time.

Source: the protocol sheet, sections 1.4 and 1.5.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import orjson

from talebearer.errors import InternalError
from talebearer.store._model import Call, Reply
from talebearer.store.calls import _shapes as shapes
from talebearer.store.calls._dispatch import Lifecycle, answer

if TYPE_CHECKING:
    from talebearer.store._controller import Controller
    from talebearer.store.mutations import Outcome

_SORTED = orjson.OPT_SORT_KEYS


def answer_encoded(controller: Controller, lifecycle: Lifecycle, call: Call) -> bytes:
    """Return the JSON text of what answers *call*.

    Raises:
        UsageFault: There is no such method (TB111).
        TalebearerError: What the method raises.
    """
    work = _ENCODED.get(call.method)
    return encoded(answer(controller, lifecycle, call)) if work is None else work(controller, call)


def encoded(reply: Reply) -> bytes:
    """Return a reply as JSON text, keys sorted.

    Raises:
        InternalError: JSON has no form for it (TB901); only this answer fails.
    """
    try:
        return orjson.dumps({"data": reply.data, "meta": reply.meta}, option=_SORTED)
    except TypeError as error:
        raise InternalError(f"the answer cannot be written as JSON: {error}") from error


def _create(controller: Controller, call: Call) -> bytes:
    entity_type = shapes.text(call.data, "type")
    value = shapes.required(call.data, "value")
    entity_id = shapes.optional_text(call.data, "id")
    made = controller.create(call.meta, entity_type, value, entity_id=entity_id, parsed=call.parsed)
    return _outcome(made)


def _read(controller: Controller, call: Call) -> bytes:
    return controller.read_encoded(call.meta, shapes.ref(call.data))


def _update(controller: Controller, call: Call) -> bytes:
    ref = shapes.ref(call.data)
    value = shapes.required(call.data, "value")
    return _outcome(controller.update(call.meta, ref, value, parsed=call.parsed))


def _outcome(outcome: Outcome) -> bytes:
    made, text = outcome.entity, outcome.text
    if text is None:
        return encoded(Reply(outcome.meta, {"entity": made.as_wire()}))
    entity = {
        "ref": {"id": made.ref.id, "type": made.ref.type},
        "state": "active",
        "value": orjson.Fragment(text),
        "version": made.version,
    }
    answered: dict[str, Any] = {"data": {"entity": entity}, "meta": outcome.meta}
    return orjson.dumps(answered, option=_SORTED)


_ENCODED: dict[str, Callable[[Controller, Call], bytes]] = {
    "patchouli.entity.create@1": _create,
    "patchouli.entity.read@1": _read,
    "patchouli.entity.update@1": _update,
}
