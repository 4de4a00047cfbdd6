"""What every reader yields: numbered units, and the transcript that holds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from talebearer.errors import Problem, UnknownReference


class Unit(NamedTuple):
    """One numbered utterance, as the source has it.

    A tuple and no frozen dataclass: a session has thousands, and making one takes a third of the
    time and less memory. Write the members' names all the same.

    Attributes:
        unit_id: 1-based and dense: the n-th unit of a transcript has the id n.
        speaker: The label as the source writes it, trimmed; empty when the source names nobody;
            several people who speak together are joined by ``" & "``.
        text: What was said, on one line. Only the ends are trimmed and newlines folded into one
            space; quotes, accents and spelling are the source's. Never empty.
        start_s: Seconds from the start of the recording, finite and not negative, or unknown.
        end_s: Likewise, not before ``start_s``; not part of the order of units.
        tags: The source's own categories of the unit, in its order.
    """

    unit_id: int
    speaker: str
    text: str
    start_s: float | None = None
    end_s: float | None = None
    tags: tuple[str, ...] = ()


class SourceFile(NamedTuple):
    """One file of a source that was given in several.

    Attributes:
        file: Its name, without a folder.
        digest: ``sha256:`` and 64 hex digits over its raw bytes.
        first_unit_id: The first unit of a part, 1-based; None for a track, whose units lie among
            those of others, and for a part in which nothing is said.
        last_unit_id: Likewise the last one, inclusive.
        begins_s: Where its own zero is in the source's time.
        speaker: Whose track it is; empty for a part and for notes.
    """

    file: str
    digest: str
    first_unit_id: int | None = None
    last_unit_id: int | None = None
    begins_s: float = 0.0
    speaker: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """A read source. Its identity is (``source_id``, ``digest``), never the id alone.

    Attributes:
        source_id: The name under which ranges cite it.
        digest: ``sha256:`` and 64 hex digits over the raw bytes.
        format: The format that it was read as.
        units: All units in the source's order, numbered 1 to n.
        problems: Warnings and notes of the reading; never errors, which raise instead.
        files: The files of a source that was given in several; of one file, none.

    Source: the NPC-interaction spec's source ranges.
    """

    source_id: str
    digest: str
    format: str
    units: tuple[Unit, ...]
    problems: tuple[Problem, ...] = ()
    files: tuple[SourceFile, ...] = ()

    def __post_init__(self) -> None:
        # unit() and quote() index by id, so density is what they rest on.
        assert all(unit.unit_id == place for place, unit in enumerate(self.units, 1))

    @property
    def speakers(self) -> tuple[str, ...]:
        """The labels in order of first appearance; units without a label add nothing."""
        return tuple(dict.fromkeys(unit.speaker for unit in self.units if unit.speaker))

    def unit(self, unit_id: int) -> Unit:
        """Return the unit with the 1-based id *unit_id*.

        Raises:
            UnknownReference: there is no such unit (TB113).
        """
        return self.quote(unit_id, unit_id)[0]

    def file_of(self, unit_id: int) -> SourceFile | None:
        """Return the file that the unit *unit_id* stands in, of several; None if there is one.

        Raises:
            UnknownReference: there is no such unit (TB113).
        """
        unit = self.unit(unit_id)
        for file in self.files:
            if file.first_unit_id is None or file.last_unit_id is None:
                continue
            if file.first_unit_id <= unit_id <= file.last_unit_id:
                return file
        tracks = [file for file in self.files if file.first_unit_id is None]
        return next((file for file in tracks if file.speaker == unit.speaker), None)

    def quote(self, first: int, last: int) -> tuple[Unit, ...]:
        """Return the units from *first* to *last*, both 1-based and both included.

        Raises:
            UnknownReference: the range is empty, turned round or leaves the transcript (TB113).
        """
        count = len(self.units)
        if not 1 <= first <= last <= count:
            asked = f"unit {first}" if first == last else f"units {first}–{last}"
            raise UnknownReference(
                f"{self.source_id} has no {asked}",
                hint=f"its units are 1–{count}; a range includes both ends",
                data={"source_id": self.source_id, "first": first, "last": last, "count": count},
            )
        return self.units[first - 1 : last]
