"""Every reason not to start with a policy, all of them at once, each with its JSON pointer.

First the closed schema of the document, then what a schema cannot say.

Source: the protocol sheet, sections 3.1 and 3.2.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from jsonschema_rs import Draft202012Validator, ValidationError

from talebearer.errors import InvalidPolicy, Problem
from talebearer.store._canonical import Path, clip, problem, refuse
from talebearer.store._records import compile_schema, schema_problems
from talebearer.store.policy._pointer import is_pointer

Document = Mapping[str, Any]
Findings = Iterator[tuple[Path, Problem]]
_DEADLINE_POINTER = "/deadline_unix_ms"


def check(document: Any) -> None:
    """Refuse *document* unless a store may start with it.

    Raises:
        InvalidPolicy: It may not (TB117); ``data["problems"]`` has every place.
    """
    validator = _document_validator()
    found = list(schema_problems(validator, document, error=InvalidPolicy))
    found = found or [*_fields(document), *_scope(document), *_types(document)]
    if found:
        refuse(found, what="the policy", error=InvalidPolicy)


@cache
def _document_validator() -> Draft202012Validator:
    text = files("talebearer.store.policy").joinpath("files/policy.schema.json").read_text("utf-8")
    return Draft202012Validator(json.loads(text))


def _find(path: Path, message: str, *, hint: str = "") -> tuple[Path, Problem]:
    return problem(path, message, hint=hint, error=InvalidPolicy)


def _schema(path: Path, schema: Any) -> Findings:
    try:
        compile_schema(schema)
    except ValidationError as error:
        reason = error.message.splitlines()[0]
        yield _find(path, clip(f"this is no usable JSON Schema: {reason}"))


def _fields(document: Document) -> Findings:
    for alias, one in document["meta_fields"].items():
        path: Path = ("meta_fields", alias)
        if not is_pointer(one["pointer"]):
            yield _find((*path, "pointer"), f"{one['pointer']!r} is no JSON pointer")
        if one["pointer"] == _DEADLINE_POINTER:
            yield _find((*path, "pointer"), f"{_DEADLINE_POINTER} is reserved for the deadline")
        yield from _schema((*path, "schema"), one["schema"])


def _scope(document: Document) -> Findings:
    path: Path = ("entity_identity", "scope_by")
    yield from _aliases(document, path, document["entity_identity"]["scope_by"])


def _aliases(document: Document, path: Path, aliases: Iterable[str]) -> Findings:
    seen: set[str] = set()
    for index, alias in enumerate(aliases):
        if alias in seen:
            yield _find((*path, index), f"{alias!r} is there twice")
        seen.add(alias)
        yield from _alias(document, (*path, index), alias)


def _alias(document: Document, path: Path, alias: str) -> Findings:
    fields = document["meta_fields"]
    if alias not in fields:
        known = ", ".join(sorted(fields))
        yield _find(path, f"{alias!r} is no metadata field of the policy", hint=f"known: {known}")


def _key(document: Document, path: Path, aliases: list[str]) -> Findings:
    """A key is the suffix of the scope: it repeats nothing of it."""
    yield from _aliases(document, path, aliases)
    scope = document["entity_identity"]["scope_by"]
    for index, alias in enumerate(aliases):
        if alias in scope:
            yield _find((*path, index), f"{alias!r} is part of the scope, and so of every key")


def _types(document: Document) -> Findings:
    for name, one in document["entity_types"].items():
        path: Path = ("entity_types", name)
        yield from _schema((*path, "value_schema"), one["value_schema"])
        names: set[str] = set()
        for index, rule in enumerate(one["rules"]):
            rule_path = (*path, "rules", index)
            if rule["name"] in names:
                yield _find((*rule_path, "name"), f"another rule is named {rule['name']!r}")
            names.add(rule["name"])
            wanted = rule["when"]["all_present"]
            yield from _aliases(document, (*rule_path, "when", "all_present"), wanted)
            yield from _behavior(document, (*rule_path, "behavior"), rule["behavior"])
        yield from _behavior(document, (*path, "fallback"), one["fallback"])


def _behavior(document: Document, path: Path, behavior: Document) -> Findings:
    consistency = behavior["consistency"]
    yield from _acquire(document, (*path, "consistency", "acquire"), consistency["acquire"])
    yield from _sessions(document, (*path, "consistency", "sessions"), consistency["sessions"])
    ordering = consistency["commit"]["ordering"]
    if "key_by" in ordering:
        where = (*path, "consistency", "commit", "ordering", "key_by")
        yield from _key(document, where, ordering["key_by"])
    if "key_by" in behavior["idempotency"]:
        where = (*path, "idempotency", "key_by")
        yield from _key(document, where, behavior["idempotency"]["key_by"])
    yield from _conflict(document, (*path, "conflict"), behavior["conflict"])
    yield from _publication(document, path, behavior)


def _acquire(document: Document, path: Path, acquire: Document) -> Findings:
    sources, requirements = acquire["allow_sources"], acquire["requirements"]
    if "authority" not in sources:
        yield _find((*path, "allow_sources"), "the authority is not allowed, which alone is here")
    linearizable = 0
    for index, one in enumerate(requirements):
        where = (*path, "requirements", index)
        if one["kind"] == "causal_after":
            yield from _alias(document, (*where, "token"), one["token"])
            continue
        linearizable += 1
        if linearizable > 1:
            yield _find(where, "linearizable is required twice")
        if "authority" not in sources:
            yield _find(where, "linearizable needs the authority among the allowed sources")
        yield from _key(document, (*where, "key_by"), one["key_by"])


def _sessions(document: Document, path: Path, sessions: list[Document]) -> Findings:
    keys: list[set[str]] = []
    for index, one in enumerate(sessions):
        where = (*path, index, "key_by")
        yield from _key(document, where, one["key_by"])
        if set(one["key_by"]) in keys:
            yield _find(where, "another session has the same key")
        keys.append(set(one["key_by"]))


def _conflict(document: Document, path: Path, conflict: Document) -> Findings:
    for name in ("strategy_from", "base_versions"):
        yield from _alias(document, (*path, name), conflict[name])
    paths: list[str] = []
    for index, rule in enumerate(conflict["merge"]):
        where = (*path, "merge", index)
        if not is_pointer(rule["path"]):
            yield _find((*where, "path"), f"{rule['path']!r} is no JSON pointer")
        for other in paths:
            if _nested(rule["path"], other):
                yield _find((*where, "path"), f"{rule['path']!r} and {other!r} overlap")
        paths.append(rule["path"])
        yield from _groups((*where, "group_by"), rule["group_by"])


def _nested(one: str, other: str) -> bool:
    return f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")


def _groups(path: Path, pointers: list[str]) -> Findings:
    for index, pointer in enumerate(pointers):
        if not is_pointer(pointer):
            yield _find((*path, index), f"{pointer!r} is no JSON pointer")
        if pointer in pointers[:index]:
            yield _find((*path, index), f"{pointer!r} is there twice")


def _publication(document: Document, path: Path, behavior: Document) -> Findings:
    consistency, publication = behavior["consistency"], behavior["publication"]
    shared, batch = consistency["snapshot"].get("key_by"), publication.get("key_by")
    snapshot_path = (*path, "consistency", "snapshot")
    publication_path = (*path, "publication")
    if shared is not None:
        yield from _key(document, (*snapshot_path, "key_by"), shared)
        if batch is None:
            yield _find(snapshot_path, "a shared snapshot needs publication in batches")
    if batch is None:
        return
    yield from _key(document, (*publication_path, "key_by"), batch)
    field = publication["close_when"]["field"]
    yield from _alias(document, (*publication_path, "close_when", "field"), field)
    if shared is None:
        yield _find(publication_path, "publication in batches needs a shared snapshot")
    elif set(shared) != set(batch):
        where = (*publication_path, "key_by")
        yield _find(where, "the snapshot is shared by other fields than the batch")
    causal = any(one["kind"] == "causal_after" for one in consistency["acquire"]["requirements"])
    if causal or consistency["sessions"]:
        yield _find(publication_path, "batches cannot be combined with causal or session demands")
