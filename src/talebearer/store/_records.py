"""Record schemas: JSON Schema, draft 2020-12, all findings at once.

The schemas lie in ``schemas/`` under their four URNs and are resolved without a network. A
``date-time`` is an annotation there, as in the protocol: any text passes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from jsonschema_rs import Draft202012Validator, Registry, ValidationError

from talebearer.errors import InputError, InvalidRecord, Problem
from talebearer.store._canonical import Path, clip, problem, refuse

SCHEMA_NAMES = ("fact-common", "artifact", "knowledge", "knowledge-relation")


def load_schemas() -> dict[str, dict[str, Any]]:
    """Return the shipped schemas by URN."""
    folder = files("talebearer.store").joinpath("schemas")
    texts = (folder.joinpath(f"{name}.schema.json").read_text("utf-8") for name in SCHEMA_NAMES)
    schemas: list[dict[str, Any]] = [json.loads(text) for text in texts]
    return {schema["$id"]: schema for schema in schemas}


def compile_schema(schema: Mapping[str, Any] | bool) -> Draft202012Validator:
    """Return the validator of *schema*; references reach the shipped schemas and nothing else.

    Raises:
        ValidationError: It is no JSON Schema, or refers to something that is not shipped.
    """
    return Draft202012Validator(
        schema if isinstance(schema, bool) else dict(schema),
        registry=_registry(),
        validate_formats=False,
        retriever=_retrieve_nothing,
    )


@cache
def _registry() -> Registry:
    return Registry([(urn, schema) for urn, schema in load_schemas().items()])


def _retrieve_nothing(uri: str) -> Any:
    raise ValueError(f"{uri} is not shipped")


class RecordSchemas:
    """Compiled value schemas, one for each configured record type."""

    def __init__(self, value_schemas: Mapping[str, Mapping[str, Any] | bool]) -> None:
        self._validators = {name: compile_schema(one) for name, one in value_schemas.items()}

    def check(self, record_type: str, value: Any) -> None:
        """Refuse *value* unless it is a *record_type*.

        Raises:
            InvalidRecord: The schema refuses it (TB115); ``data["problems"]`` has every place.
        """
        validator = self._validators[record_type]
        if not validator.is_valid(value):
            refuse(list(schema_problems(validator, value)), what=f"the {record_type} value")


def schema_problems(
    validator: Draft202012Validator,
    value: Any,
    *,
    path: Path = (),
    error: type[InputError] = InvalidRecord,
) -> Iterator[tuple[Path, Problem]]:
    """Yield each finding of *validator* on *value*, below *path*."""
    for one in validator.iter_errors(value):
        where = (*path, *one.instance_path)
        yield problem(where, clip(one.message), hint=_hint(one), error=error)


def _hint(error: ValidationError) -> str:
    options = getattr(error.kind, "options", None)
    if isinstance(options, list):
        return "allowed: " + ", ".join(str(option) for option in options)
    return ""
