"""The two lanes of the rules extractor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from talebearer.extraction._session import Session
from talebearer.extraction.rules._interactions import cite, find_occurrences
from talebearer.extraction.rules._reading import ReadUnit, read
from talebearer.extraction.rules._registry import find_people

READING = "rules.reading"


class RulesExtractor:
    """Finds people and occurrences by cues."""

    name = "rules"
    version = "3"
    draft = True

    def npcs(self, session: Session) -> list[dict[str, Any]]:
        """Return the people that the rules find, each with all units that name them."""
        people = find_people(
            _reading(session),
            at_table=session.at_table,
            glossary=session.glossary,
        )
        source_id = session.transcript.source_id
        return [
            {"name": name, "source_refs": cite(ids, source_id)}
            for name, ids in sorted(people.items())
        ]

    def interactions(self, session: Session, names: Sequence[str]) -> list[dict[str, Any]]:
        """Return the occurrences of *names* that the rules see."""
        return find_occurrences(
            _reading(session),
            names,
            at_table=session.at_table,
            glossary=session.glossary,
            source_id=session.transcript.source_id,
        )


def _reading(session: Session) -> tuple[ReadUnit, ...]:
    """Return the units as the rules see them, read once for both lanes."""
    if READING not in session.kept:
        session.kept[READING] = read(session.transcript, session.roster)
    reading: tuple[ReadUnit, ...] = session.kept[READING]
    return reading
