"""The two lanes of the rules extractor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from talebearer.extraction._session import Session
from talebearer.extraction.rules._interactions import cite, find_occurrences
from talebearer.extraction.rules._reading import read
from talebearer.extraction.rules._registry import find_people


class RulesExtractor:
    """Finds people and occurrences by cues."""

    name = "rules"
    version = "3"
    draft = True

    def npcs(self, session: Session) -> list[dict[str, Any]]:
        """Return the people that the rules find, each with all units that name them."""
        people = find_people(
            read(session.transcript, session.roster),
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
            read(session.transcript, session.roster),
            names,
            at_table=session.at_table,
            glossary=session.glossary,
            source_id=session.transcript.source_id,
        )
