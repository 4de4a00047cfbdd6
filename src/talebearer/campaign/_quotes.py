"""Quotes: cited units with their times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from talebearer.campaign.views import Quote
from talebearer.memory import SourceRef
from talebearer.transcripts import Transcript, Unit, format_time


def quotes_of(refs: Iterable[SourceRef], transcript: Transcript) -> tuple[Quote, ...]:
    """Return the units that *refs* cite, each once, in order."""
    units: dict[int, Unit] = {}
    for ref in refs:
        for unit in transcript.quote(ref.start_unit_id, ref.end_unit_id):
            units[unit.unit_id] = unit
    return tuple(quote_units(units[unit_id] for unit_id in sorted(units)))


def quote_units(units: Iterable[Unit]) -> Iterator[Quote]:
    """Yield each unit as a quote."""
    for unit in units:
        yield Quote(
            unit_id=unit.unit_id,
            speaker=unit.speaker,
            text=unit.text,
            time=None if unit.start_s is None else format_time(unit.start_s),
        )
