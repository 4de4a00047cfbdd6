"""The plain model's reading of a policy document, one request at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jsonschema_rs import Draft202012Validator, Registry

from talebearer.store import load_schemas
from talebearer.testing.model._parts import invalid, resolve, text_of


@dataclass(slots=True)
class Chosen:
    """What a policy makes of one request.

    ``unit`` is the identity of its work unit, None for immediate publication; ``replay`` its
    idempotency identity.
    """

    scope: str
    fields: dict[str, Any]
    behavior: dict[str, Any]
    strategy: str
    unit: str | None = None
    descriptor: str = ""
    replay: str | None = None

    @property
    def conflict(self) -> dict[str, Any]:
        """The behavior's conflict settings."""
        return self.behavior["conflict"]  # type: ignore[no-any-return]  # a policy document

    @property
    def closes(self) -> bool:
        """Whether a mutation with these fields closes its unit."""
        if self.unit is None:
            return False
        marker = self.behavior["publication"]["close_when"]
        field = marker["field"]
        return field in self.fields and text_of(self.fields[field]) == text_of(marker["equals"])


class ModelPolicy:
    """A policy document with its schemas compiled; the document itself is taken as correct."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        registry = Registry(list(load_schemas().items()))
        self.document = document
        self.types: Mapping[str, Any] = document["entity_types"]
        self._fields = {
            alias: (field["pointer"], Draft202012Validator(field["schema"], registry=registry))
            for alias, field in sorted(document["meta_fields"].items())
        }
        self._values = {
            name: Draft202012Validator(one["value_schema"], registry=registry)
            for name, one in self.types.items()
        }

    def check_value(self, entity_type: str, value: Any) -> None:
        """Refuse a value that its type's schema refuses."""
        if not self._values[entity_type].is_valid(value):
            invalid("the value does not fit its schema")

    def choose(
        self, meta: Mapping[str, Any], entity_type: str, *, mutation: bool = False
    ) -> Chosen:
        """Select rule, scope, strategy and keys for a request on *entity_type*."""
        if entity_type not in self.types:
            invalid("not a configured type")
        fields = self.fields(meta)
        rules = self.types[entity_type]
        behavior = next(
            (
                rule["behavior"]
                for rule in rules["rules"]
                if all(alias in fields for alias in rule["when"]["all_present"])
            ),
            rules["fallback"],
        )
        scope = self.scope(fields)
        self._consistency_keys(behavior, fields)
        conflict = behavior["conflict"]
        strategy = fields.get(conflict["strategy_from"], conflict["default_strategy"])
        if strategy not in ("merge", "mvcc", "reject"):
            invalid("not a strategy")
        chosen = Chosen(text_of(scope), fields, behavior, strategy)
        publication = behavior["publication"]
        if publication["mode"] == "batch":
            chosen.unit = self._key(scope, fields, publication["key_by"])
            consistency = behavior["consistency"]
            chosen.descriptor = text_of(
                [
                    sorted(consistency["snapshot"]["key_by"]),
                    publication,
                    [
                        need["key_by"]
                        for need in consistency["acquire"]["requirements"]
                        if need["kind"] == "linearizable"
                    ],
                    consistency["commit"],
                ]
            )
        if mutation and behavior["idempotency"]["mode"] == "keyed":
            chosen.replay = self._key(scope, fields, behavior["idempotency"]["key_by"])
        return chosen

    def fields(self, meta: Mapping[str, Any]) -> dict[str, Any]:
        """Return the configured values that are present; a present one must be valid."""
        found = {}
        for alias, (pointer, schema) in self._fields.items():
            present, value = resolve(dict(meta), pointer)
            if present:
                if not schema.is_valid(value):
                    invalid(f"{alias} is not valid")
                found[alias] = value
        return found

    def scope(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return the scope of a request."""
        wanted = self.document["entity_identity"]["scope_by"]
        return self._values_of(wanted, fields)

    def tokens(self, chosen: Chosen) -> tuple[list[Any], list[str]]:
        """Return the causal tokens that the request carries, and the aliases that results use."""
        needs = chosen.behavior["consistency"]["acquire"]["requirements"]
        aliases = [need["token"] for need in needs if need["kind"] == "causal_after"]
        return [chosen.fields[alias] for alias in aliases if alias in chosen.fields], aliases

    def _consistency_keys(self, behavior: Mapping[str, Any], fields: Mapping[str, Any]) -> None:
        consistency = behavior["consistency"]
        for session in consistency["sessions"]:
            self._values_of(session["key_by"], fields)
        for need in consistency["acquire"]["requirements"]:
            if need["kind"] == "linearizable":
                self._values_of(need["key_by"], fields)
            elif not need.get("optional", False):
                self._values_of([need["token"]], fields)
        if consistency["commit"]["ordering"]["kind"] == "serialize":
            self._values_of(consistency["commit"]["ordering"]["key_by"], fields)

    def _key(self, scope: Mapping[str, Any], fields: Mapping[str, Any], by: list[str]) -> str:
        return text_of({"scope": scope, "fields": self._values_of(by, fields)})

    def _values_of(self, aliases: list[str], fields: Mapping[str, Any]) -> dict[str, Any]:
        missing = [alias for alias in aliases if alias not in fields]
        if missing:
            invalid(f"{missing} is missing")
        return {alias: fields[alias] for alias in aliases}
