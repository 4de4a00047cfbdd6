"""What an extractor is, and which ones there are.

An extractor only proposes candidates. Order, canonical names, duplicates and the strict contract
belong to the stages after it, whoever proposes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from talebearer.errors import UnknownProvider, nearest
from talebearer.extraction._session import Session
from talebearer.extraction.rules import RulesExtractor

NAME_CHARS_SHOWN_MAX = 60


class Extractor(Protocol):
    """Proposes candidates for the two lanes."""

    @property
    def name(self) -> str:
        """What ``--extractor`` and the manifest call it."""

    @property
    def version(self) -> str:
        """Changes whenever the same input may give other candidates."""

    @property
    def draft(self) -> bool:
        """Whether a person should look at its results before relying on them."""

    def npcs(self, session: Session) -> list[dict[str, Any]]:
        """Return candidates ``{"name", "source_refs"}``."""

    def interactions(self, session: Session, names: Sequence[str]) -> list[dict[str, Any]]:
        """Return candidates ``{"name", "kind", "source_refs"}`` that involve only *names*."""


EXTRACTORS: tuple[str, ...] = ("rules",)


def extractor_named(name: str) -> Extractor:
    """Return the extractor *name*.

    Raises:
        UnknownProvider: There is none (TB301).
    """
    if name == "rules":
        return RulesExtractor()
    close = nearest(name[:NAME_CHARS_SHOWN_MAX], EXTRACTORS)
    suggestion = f"did you mean {close[0]}? " if close else ""
    raise UnknownProvider(
        f"there is no extractor {name[:NAME_CHARS_SHOWN_MAX]!r}",
        hint=f"{suggestion}available: {', '.join(EXTRACTORS)}",
        data={"available": list(EXTRACTORS)},
    )
