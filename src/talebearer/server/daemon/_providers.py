"""The providers file: which database is the local one, and that every request is routed to it.

A store of this program has one provider, the local database. The file's routing is checked as a
whole all the same, so that a file that is accepted here means the same to every reader of it.
Remote providers speak a private protocol that is not part of the wire, so they are refused.

Source: the protocol sheet, section 3.6.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson
from jsonschema_rs import Draft202012Validator

from talebearer.errors import InvalidProviders, Problem, Severity, StoreUnavailable, Where
from talebearer.store import Policy

LOCAL = "local"
Place = list[str | int]
FILE_BYTES_MAX = 1_048_576
_TEXT = {"type": "string", "minLength": 1}
_LOCAL_PROVIDER = {
    "type": "object",
    "properties": {"kind": {"const": "local"}, "database": _TEXT},
    "required": ["kind", "database"],
    "additionalProperties": False,
}
_REMOTE_PROVIDER = {
    "type": "object",
    "properties": {"kind": {"const": "remote"}, "endpoint": _TEXT, "token_env": _TEXT},
    "required": ["kind", "endpoint", "token_env"],
    "additionalProperties": False,
}
_RULE = {
    "type": "object",
    "properties": {"scope": {"type": "object", "minProperties": 1}, "provider": _TEXT},
    "required": ["scope", "provider"],
    "additionalProperties": False,
}
SCHEMA = {
    "type": "object",
    "properties": {
        "$schema": _TEXT,
        "version": {"const": 1},
        "providers": {
            "type": "object",
            "properties": {LOCAL: _LOCAL_PROVIDER},
            "required": [LOCAL],
            "additionalProperties": _REMOTE_PROVIDER,
        },
        "routing": {
            "type": "object",
            "properties": {"default": _TEXT, "rules": {"type": "array", "items": _RULE}},
            "required": ["default", "rules"],
            "additionalProperties": False,
        },
    },
    "required": ["$schema", "version", "providers", "routing"],
    "additionalProperties": False,
}


def local_database(path: Path, policy: Policy) -> Path:
    """Return the database that the providers file at *path* names, relative to the file.

    Raises:
        InvalidProviders: The file cannot be used; ``data["problems"]`` lists every place (TB131).
        StoreUnavailable: It cannot be read (TB210).
    """
    document = _read(path)
    found = list(_shape_problems(document, path)) or list(_meaning_problems(document, path, policy))
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise InvalidProviders(
            f"{found[0].where}: {found[0].message}{more}",
            data={"problems": [one.as_json() for one in found]},
        )
    return path.parent / str(document["providers"][LOCAL]["database"])


def _read(path: Path) -> Any:
    try:
        with path.open("rb") as file:
            data = file.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        raise StoreUnavailable(f"{path}: {error.strerror}", data={"path": str(path)}) from error
    if len(data) > FILE_BYTES_MAX:
        raise InvalidProviders(f"{path} is larger than {FILE_BYTES_MAX:,} bytes")
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise InvalidProviders(
            f"{path}:{error.lineno}:{error.colno}: no JSON: {error.msg}"
        ) from None


def _shape_problems(document: Any, path: Path) -> Iterator[Problem]:
    for error in Draft202012Validator(SCHEMA).iter_errors(document):
        yield _problem(path, list(error.instance_path), error.message[:240])


def _meaning_problems(document: Any, path: Path, policy: Policy) -> Iterator[Problem]:
    providers = document["providers"]
    for name in sorted(providers):
        if name != LOCAL:
            message = f"the provider {name!r} is remote; only the local database is supported"
            yield _problem(path, ["providers", name], message, hint="remove it and its routing")
    if "\0" in providers[LOCAL]["database"]:
        yield _problem(path, ["providers", LOCAL, "database"], "the path holds a NUL")
    routing = document["routing"]
    routes: list[tuple[Place, str]] = [(["routing", "default"], routing["default"])]
    routes += [
        (["routing", "rules", index, "provider"], rule["provider"])
        for index, rule in enumerate(routing["rules"])
    ]
    for route, name in routes:
        if name not in providers:
            known = ", ".join(sorted(providers))
            yield _problem(path, route, f"there is no provider {name!r}", hint=f"known: {known}")
    for index, rule in enumerate(routing["rules"]):
        place: Place = ["routing", "rules", index, "scope"]
        yield from _scope_problems(rule["scope"], path, place, policy)


def _scope_problems(
    scope: dict[str, Any], path: Path, place: Place, policy: Policy
) -> Iterator[Problem]:
    for alias, value in sorted(scope.items()):
        if alias not in policy.scope_by:
            allowed = ", ".join(policy.scope_by) or "none"
            message = f"{alias!r} is no scope field of the policy"
            yield _problem(path, [*place, alias], message, hint=f"allowed: {allowed}")
            continue
        schema = policy.meta_fields[alias].schema
        validator = Draft202012Validator(schema if isinstance(schema, bool) else dict(schema))
        for error in validator.iter_errors(value):
            yield _problem(path, [*place, alias], error.message[:240])


def _problem(
    path: Path,
    place: Sequence[str | int],
    message: str,
    *,
    hint: str = "give what the message asks for",
) -> Problem:
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in place]
    return Problem(
        code=InvalidProviders.code,
        severity=Severity.ERROR,
        where=Where(file=path.as_posix(), pointer="$" + "".join(parts)),
        message=message,
        hint=hint,
    )
