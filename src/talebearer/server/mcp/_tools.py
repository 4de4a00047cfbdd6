"""The six tools: what each one takes, does and gives. No protocol here, and no SDK.

The scope is no argument of any tool: it was fixed when the server was started, so that nothing a
model writes can leave it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from jsonschema_rs import Draft202012Validator

from talebearer.errors import InternalError, TalebearerError, UsageFault
from talebearer.server.mcp import _schemas as schemas
from talebearer.server.mcp._backends import Backend
from talebearer.store import EntityRef, canonical_text, knowledge_value, moment

ARGUMENTS_BYTES_MAX = 1_048_576
KNOWLEDGE = "knowledge"
PROBLEMS_MAX = 20
MESSAGE_CHARS_MAX = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What the tools need beside their arguments.

    Attributes:
        backend: The store's scope.
        now_ms: The clock, Unix milliseconds.
        actor: Who is named as the author of records that are made from plain text.
        workspace: What such records say of their workspace.
    """

    backend: Backend
    now_ms: Callable[[], int]
    actor: str
    workspace: str


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One tool.

    Attributes:
        name: How a client calls it.
        title: How a client shows it.
        description: What a model reads.
        takes: The schema of its arguments.
        gives: The schema of its result.
        writes: Whether it changes anything.
        run: What it does.
    """

    name: str
    title: str
    description: str
    takes: dict[str, Any]
    gives: dict[str, Any]
    writes: bool
    run: Callable[[Context, Mapping[str, Any]], dict[str, Any]]

    @cached_property
    def validator(self) -> Draft202012Validator:
        """The compiled schema of its arguments."""
        return Draft202012Validator(self.takes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a tool call gives.

    Attributes:
        data: The result, or the error as ``{"error": ...}``.
        failed: Whether it is an error.
    """

    data: dict[str, Any]
    failed: bool

    @property
    def text(self) -> str:
        """The result as JSON text, for clients that read no structured content."""
        return json.dumps(self.data, ensure_ascii=False, sort_keys=True)


def call_tool(context: Context, name: str, arguments: Mapping[str, Any] | None) -> Outcome:
    """Run a tool; whatever it is given, the outcome is a result or an error, never an exception."""
    try:
        tool = TOOLS.get(name)
        if tool is None:
            raise UsageFault(f"there is no tool {name!r}", hint=f"there are: {', '.join(TOOLS)}")
        _check(tool, arguments or {})
        return Outcome(data=tool.run(context, arguments or {}), failed=False)
    except TalebearerError as error:
        return Outcome(data={"error": _error(error)}, failed=True)
    except Exception as error:  # the client gets a tool error, and the server goes on
        wrapped = InternalError(f"{type(error).__name__}: {error}")
        return Outcome(data={"error": _error(wrapped)}, failed=True)


def _check(tool: Tool, arguments: Mapping[str, Any]) -> None:
    """Refuse arguments that are too large, or that the tool's schema refuses; all faults at once."""
    text = canonical_text(dict(arguments))
    if len(text.encode()) > ARGUMENTS_BYTES_MAX:
        raise UsageFault(f"the arguments are larger than {ARGUMENTS_BYTES_MAX:,} bytes")
    if tool.validator.is_valid(arguments):
        return
    found = []
    for error in tool.validator.iter_errors(arguments):
        place = "".join(
            f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.instance_path
        )
        one_of = list(error.schema_path) == ["oneOf"]
        found.append(f"${place}: {_ONE_OF_HINT if one_of else _clip(error.message)}")
    raise UsageFault(
        "; ".join(sorted(found)[:PROBLEMS_MAX]),
        hint=f"the arguments of {tool.name} are those of its input schema",
    )


def _error(error: TalebearerError) -> dict[str, Any]:
    made: dict[str, Any] = {
        "code": error.code,
        "message": _clip(error.outward),
        "hint": error.hint or error.fix,
    }
    if error.wire_reason is not None:
        made["reason"] = error.wire_reason
    for name in ("current_versions", "problems"):
        if isinstance(error.data.get(name), list):
            made[name] = error.data[name][: schemas.LISTED_MAX]
    return made


def _clip(text: str) -> str:
    return text if len(text) <= MESSAGE_CHARS_MAX else f"{text[:MESSAGE_CHARS_MAX]}…"


def _read(context: Context, asked: Mapping[str, Any]) -> dict[str, Any]:
    answer = context.backend.call("patchouli.entity.read@1", {}, {"ref": _ref(asked)})
    variants = [_variant(one) for one in answer.data["variants"]]
    return {"state": answer.data["state"], "variants": variants}


def _retrieve(context: Context, asked: Mapping[str, Any]) -> dict[str, Any]:
    members = ("text", "ids", "where", "order", "cursor")
    query = {name: asked[name] for name in members if name in asked}
    data: dict[str, Any] = {"query": canonical_text(query), "limit": asked.get("limit", 10)}
    if "types" in asked:
        data["types"] = asked["types"]
    answer = context.backend.call("patchouli.entity.retrieve@1", {}, data)
    hits = [_hit(hit) for hit in answer.data["hits"]]
    found: dict[str, Any] = {"hits": hits}
    cursor = answer.meta.get("next_cursor")
    return found if cursor is None else {**found, "next_cursor": cursor}


def _hit(hit: Mapping[str, Any]) -> dict[str, Any]:
    ref = hit["variants"][0]["ref"]
    variants = [_variant(one) for one in hit["variants"]]
    return {"type": ref["type"], "id": ref["id"], "score": hit["score"], "variants": variants}


def _create(context: Context, asked: Mapping[str, Any]) -> dict[str, Any]:
    data = {"type": asked["type"], "value": _value(context, asked)}
    if "id" in asked:
        data["id"] = asked["id"]
    return {"entity": _entity(context.backend.call("patchouli.entity.create@1", {}, data).data)}


def _update(context: Context, asked: Mapping[str, Any]) -> dict[str, Any]:
    meta = {"base_versions": list(asked["base_versions"])}
    if "conflict_strategy" in asked:
        meta["conflict_strategy"] = asked["conflict_strategy"]
    data = {"ref": _ref(asked), "value": _value(context, asked)}
    return {"entity": _entity(context.backend.call("patchouli.entity.update@1", meta, data).data)}


def _history(context: Context, asked: Mapping[str, Any]) -> dict[str, Any]:
    entries = context.backend.history(EntityRef(asked["type"], asked["id"]))
    limit = asked.get("limit", 20)
    return {"versions": entries[-limit:], "earlier": max(len(entries) - limit, 0)}


def _feed(context: Context, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Look at changes until enough of them are wanted; the cursor is that of the last one seen."""
    limit, cursor = asked.get("limit", 50), asked.get("after_cursor")
    wanted: list[dict[str, Any]] = []
    changes = context.backend.changes(cursor)
    for change in changes:
        cursor = change["cursor"]
        if _is_wanted(change, asked):
            wanted.append(change)
            if len(wanted) == limit:
                break
    more = next(islice(changes, 1), None) is not None if len(wanted) == limit else False
    made: dict[str, Any] = {"changes": wanted, "more": more}
    return made if cursor is None else {**made, "cursor": cursor}


def _is_wanted(change: Mapping[str, Any], asked: Mapping[str, Any]) -> bool:
    types, ids = asked.get("types"), asked.get("ids")
    return (types is None or change["type"] in types) and (ids is None or change["id"] in ids)


def _value(context: Context, asked: Mapping[str, Any]) -> Any:
    """Return the value that is given, or the knowledge record that says a given text."""
    if "value" in asked:
        return asked["value"]
    if asked["type"] != KNOWLEDGE:
        raise UsageFault(f"text makes knowledge, not {asked['type']!r}", hint="give a whole value")
    return knowledge_value(
        asked["text"],
        now=moment(context.now_ms()),
        workspace=context.workspace,
        actor=context.actor,
        provenance_kind="asserted",
    )


def _ref(asked: Mapping[str, Any]) -> dict[str, str]:
    return {"type": asked["type"], "id": asked["id"]}


def _variant(entity: Mapping[str, Any]) -> dict[str, Any]:
    return {name: entity[name] for name in ("version", "state", "value") if name in entity}


def _entity(data: Mapping[str, Any]) -> dict[str, Any]:
    entity = data["entity"]
    return {"type": entity["ref"]["type"], "id": entity["ref"]["id"], **_variant(entity)}


_ONE_OF_HINT = "give text or value, and not both"
_ONE_OF_VALUE = {"oneOf": [{"required": ["text"]}, {"required": ["value"]}]}
_VARIANTS = {"type": "array", "items": schemas.VARIANT, "minItems": 1}
TOOLS = {
    tool.name: tool
    for tool in (
        Tool(
            name="read",
            title="Read an entity",
            description="Read what an entity says now. Several variants mean that writers disagree; "
            "keep the versions: an update needs them.",
            takes=schemas.closed({"type": schemas.TYPE, "id": schemas.ID}),
            gives=schemas.closed(
                {"state": {"enum": ["active", "conflicted", "deleted"]}, "variants": _VARIANTS}
            ),
            writes=False,
            run=_read,
        ),
        Tool(
            name="retrieve",
            title="Find entities",
            description="Find entities by words that they contain (literal, any language), by ids, and "
            'by predicates on members, such as {"/profile/epistemic": "observation"}.',
            takes=schemas.closed(
                {},
                {
                    "text": {"type": "string", "minLength": 1, "maxLength": 10_000},
                    "types": schemas.NAMES,
                    "ids": schemas.NAMES,
                    "where": {"type": "object", "maxProperties": 32},
                    "order": {"enum": ["relevance", "newest", "oldest", "id_asc", "id_desc"]},
                    "cursor": {**schemas.CURSOR, "description": "next_cursor of the page before."},
                    "limit": schemas.limit(schemas.RETRIEVED_MAX, 10),
                },
            ),
            gives=schemas.closed(
                {
                    "hits": {
                        "type": "array",
                        "items": schemas.closed(
                            {
                                "type": {"type": "string"},
                                "id": {"type": "string"},
                                "score": {"type": "number"},
                                "variants": _VARIANTS,
                            }
                        ),
                    }
                },
                {"next_cursor": {"type": "string"}},
            ),
            writes=False,
            run=_retrieve,
        ),
        Tool(
            name="create",
            title="Remember something new",
            description="Store a new entity: for knowledge, text is enough. It fails if the id exists.",
            takes={
                **schemas.closed(
                    {"type": schemas.TYPE},
                    {"id": schemas.ID, "text": schemas.TEXT, "value": schemas.VALUE},
                ),
                **_ONE_OF_VALUE,
            },
            gives=schemas.closed({"entity": schemas.ENTITY}),
            writes=True,
            run=_create,
        ),
        Tool(
            name="update",
            title="Change an entity",
            description="Replace an entity's value. Name the versions that you read; what others wrote "
            "meanwhile is kept beside it or merged, never overwritten. Earlier versions stay.",
            takes={
                **schemas.closed(
                    {
                        "type": schemas.TYPE,
                        "id": schemas.ID,
                        "base_versions": schemas.VERSIONS,
                    },
                    {
                        "text": schemas.TEXT,
                        "value": schemas.VALUE,
                        "conflict_strategy": {"enum": ["merge", "mvcc", "reject"]},
                    },
                ),
                **_ONE_OF_VALUE,
            },
            gives=schemas.closed({"entity": schemas.ENTITY}),
            writes=True,
            run=_update,
        ),
        Tool(
            name="history",
            title="Look into an entity's past",
            description="List the versions of an entity, oldest first, the latest ones if there are "
            "many, with what each one was.",
            takes=schemas.closed(
                {"type": schemas.TYPE, "id": schemas.ID},
                {"limit": schemas.limit(schemas.LISTED_MAX, 20)},
            ),
            gives=schemas.closed(
                {
                    "versions": {"type": "array", "items": schemas.PAST},
                    "earlier": {"type": "integer", "minimum": 0},
                }
            ),
            writes=False,
            run=_history,
        ),
        Tool(
            name="feed",
            title="See what changed",
            description="List changes after a cursor, oldest first. Keep the cursor and give it as "
            "after_cursor to see what happened since.",
            takes=schemas.closed(
                {},
                {
                    "after_cursor": schemas.CURSOR,
                    "types": schemas.NAMES,
                    "ids": schemas.NAMES,
                    "limit": schemas.limit(schemas.LISTED_MAX, 50),
                },
            ),
            gives=schemas.closed(
                {
                    "changes": {"type": "array", "items": schemas.CHANGE},
                    "more": {"type": "boolean"},
                },
                {"cursor": {"type": "string"}},
            ),
            writes=False,
            run=_feed,
        ),
    )
}
"""The tools by name, in the order in which they are listed."""
