"""What players may see: the campaign without what is for the game master only.

Nothing is struck out of finished views. The records are read without the hidden occurrences, and
minds are folded again from logs without the hidden events; so no count, picture or relationship
can rest on them. Units that name a hidden NPC are withheld where other evidence quotes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from talebearer.campaign.records import Book, Minds, StoredOccurrence
from talebearer.campaign.views import Evidence
from talebearer.extraction.rules import TITLES
from talebearer.memory import Event, Mind, fold
from talebearer.transcripts import Transcript

WITHHELD = "(for the game master only)"
WORD_CHARS_MIN = 3


class Veil:
    """What is hidden, and how it is recognised.

    Attributes:
        slugs: Hidden NPCs.
        occurrences: Ids of hidden occurrences of NPCs that are not hidden.
        names: Every name and spelling of the hidden NPCs.
    """

    def __init__(
        self,
        *,
        slugs: frozenset[str],
        occurrences: frozenset[str],
        names: frozenset[str],
        others: frozenset[str],
    ) -> None:
        """Make a veil; *others* are the names of those whom players may know."""
        self.slugs, self.occurrences, self.names = slugs, occurrences, names
        self._whole = _any_of(names, re.IGNORECASE)
        # A word of a hidden name is recognised as it is written, if nobody else has it.
        shared = {word for name in others for word in name.split()}
        words = {word for name in names for word in name.split()} - shared
        self._words = _any_of(
            {
                word
                for word in words
                if len(word) >= WORD_CHARS_MIN
                and word[0].isupper()
                and word.casefold() not in TITLES
            },
            re.NOFLAG,
        )
        self._ids = _any_of(
            {f"{kind}{slug}" for slug in slugs for kind in ("npc:", "interaction.", "gossip.")},
            re.NOFLAG,
        )

    def mentions(self, text: str) -> bool:
        """Whether *text* names a hidden NPC, by name, by a word of it, or by an id."""
        return any(one.search(text) for one in (self._whole, self._words, self._ids))

    def concerns(self, value: Any) -> bool:
        """Whether an event's data is about a hidden NPC."""
        if isinstance(value, str):
            parts = re.split(r"[:./_ ]", value)
            return any(part in self.slugs for part in parts)
        if isinstance(value, Mapping):
            return any(self.concerns(one) for one in value.values())
        if isinstance(value, list | tuple):
            return any(self.concerns(one) for one in value)
        return False

    def lifted(self, event: Event) -> Event | None:
        """Return *event* as players may know it, or ``None``."""
        receipt = event.provenance
        if receipt is not None and receipt.occurrence in self.occurrences:
            return None
        data = dict(event.data)
        if "participants" in data:
            # The conversation is with the first; who else was there can be left out.
            seen = [one for one in data["participants"] if not self.concerns(one)]
            data["participants"] = seen
            if not seen or seen[0] != data.get("target"):
                return None
            event = replace(event, data=data)
        return None if self.concerns(data) else event

    def pruned(self, evidence: Evidence) -> Evidence | None:
        """Return a chain of evidence without what is hidden, or ``None`` if its root is."""
        if evidence.kind == "decision" or self.mentions(evidence.text):
            return None
        if evidence.id is not None and self.concerns(evidence.id):
            return None
        children = (self.pruned(child) for child in evidence.children)
        return replace(evidence, children=tuple(one for one in children if one is not None))


def _any_of(texts: Iterable[str], flags: re.RegexFlag) -> re.Pattern[str]:
    listed = sorted((text for text in texts if text), key=lambda text: (-len(text), text))
    pattern = "|".join(re.escape(text) for text in listed) or r"(?!)"
    # An interaction's id ends in a number behind an underscore, which counts as a word's.
    return re.compile(rf"(?<![\w-])(?:{pattern})(?![^\W_]|-\w)", flags)


@dataclass(slots=True)
class VeiledBook(Book):
    """The campaign's records as players may see them; for reading only."""

    veil: Veil = field(kw_only=True)

    @property
    def read_only(self) -> bool:
        """Nothing is written through a veil."""
        return True

    def occurrences(self, session: str | None = None) -> tuple[StoredOccurrence, ...]:
        """Return the occurrences that players may see; see :meth:`Book.occurrences`."""
        items = Book.occurrences(self, session)
        return tuple(replace(item, decisions=()) for item in items if self._shows(item))

    def occurrence(self, entity_id: str) -> StoredOccurrence | None:
        """Return one occurrence if players may see it."""
        item = Book.occurrence(self, entity_id)
        return replace(item, decisions=()) if item is not None and self._shows(item) else None

    def _shows(self, item: StoredOccurrence) -> bool:
        return item.slug not in self.veil.slugs and item.id not in self.veil.occurrences

    def registry(self, session: str) -> tuple[str, ...]:
        """Return the names of a session's registry that players may see."""
        return tuple(name for name in Book.registry(self, session) if name not in self.veil.names)

    def npc_names(self) -> dict[str, tuple[str, ...]]:
        """Return slug to names of those whom players may know."""
        return {
            slug: names
            for slug, names in Book.npc_names(self).items()
            if slug not in self.veil.slugs
        }

    def transcript(self, session: str) -> Transcript:
        """Return a copy of a session's transcript in which units that name somebody hidden are
        withheld."""
        if session not in self._transcripts:
            whole = Book.transcript(self, session)
            units = tuple(
                unit._replace(text=WITHHELD) if self.veil.mentions(unit.text) else unit
                for unit in whole.units
            )
            self._transcripts[session] = replace(whole, units=units)
        return self._transcripts[session]


@dataclass(slots=True)
class VeiledMinds(Minds):
    """Minds as far as players may know them, folded from logs without hidden events."""

    veil: Veil = field(kw_only=True)

    def get(self, mind: str) -> Mind:
        """Return what *mind* would know without what is hidden."""
        mind = self.book.now_called(mind)
        if mind not in self._open:
            self._open[mind] = fold(mind, [event for event, _ in self.log(mind)])
        return self._open[mind]

    def ids(self) -> tuple[str, ...]:
        """Return the ids of the minds that players may know of."""
        return tuple(one for one in Minds.ids(self) if not self.veil.concerns(one))

    def log(self, mind: str) -> list[tuple[Event, Mapping[str, Any] | None]]:
        """Return a mind's log without what is hidden; somebody hidden has none."""
        if self.veil.concerns(self.book.now_called(mind)):
            return []
        lifted = ((self.veil.lifted(event), pick) for event, pick in Minds.log(self, mind))
        return [(event, pick) for event, pick in lifted if event is not None]
