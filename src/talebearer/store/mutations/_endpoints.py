"""Relations lead from and to knowledge that is there: live, in the same scope, or staged with it.

Source: the knowledge model, "KnowledgeRelation"; the protocol sheet, case 35, which is inverted.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from talebearer.store._canonical import decode, problem, refuse
from talebearer.store._engine import Database
from talebearer.store._model import EntityRef
from talebearer.store.versions import Publication, View
from talebearer.vocabulary import RecordType

_RELATION = RecordType.KNOWLEDGE_RELATION.value


class Endpoints:
    """Checks the endpoints of relations that are written."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def check(self, entity_type: str, value: Any, view: View, *, defer: bool) -> None:
        """Refuse a relation to nothing; in a batch, what is missing now may still come.

        Raises:
            InvalidRecord: An endpoint is missing or deleted (TB115).
        """
        if entity_type != _RELATION or not _missing(view, value):
            return
        if defer:
            self._db.before_commit(partial(_refuse_missing, view, value))
        else:
            _refuse_missing(view, value)

    def check_published(self, view: View, publications: Iterable[Publication]) -> None:
        """Refuse a work unit whose relations would lead to nothing once it is published.

        Raises:
            InvalidRecord: An endpoint is missing or deleted (TB115).
        """
        for publication in publications:
            if publication.ref.type != _RELATION:
                continue
            for version, stored in view.heads(publication.ref).items():
                if stored.text is not None and version not in publication.before:
                    _refuse_missing(view, decode(stored.text))


def _missing(view: View, value: Any) -> list[tuple[str, int, str]]:
    return [
        (side, index, endpoint["id"])
        for side in ("from", "to")
        for index, endpoint in enumerate(_side(value, side))
        if not view.is_active(EntityRef(endpoint["type"], endpoint["id"]))
    ]


def _side(value: Any, side: str) -> list[Any]:
    """Return one side of a relation; a policy with its own schema may know no sides."""
    found = value.get(side, []) if isinstance(value, dict) else []
    return [
        one
        for one in (found if isinstance(found, list) else [])
        if isinstance(one, dict)
        and isinstance(one.get("type"), str)
        and isinstance(one.get("id"), str)
    ]


def _refuse_missing(view: View, value: Any) -> None:
    missing = _missing(view, value)
    if missing:
        found = [
            problem(
                (side, index, "id"),
                f"there is no active knowledge {entity_id!r} in this scope",
                hint="create it first, or in the same batch",
            )
            for side, index, entity_id in missing
        ]
        refuse(found, what="the knowledge_relation value")
