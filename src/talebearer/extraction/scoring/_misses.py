"""What was missed and what was found in vain, with the words that it is about; all of it bounded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from talebearer.extraction.scoring._labelled import Cited
from talebearer.extraction.scoring._names import NamePairing
from talebearer.extraction.scoring._rows import Row

QUOTES_MAX = 4
QUOTE_CHARS_MAX = 240
EXAMPLES_MAX = 200
NAMES_SHOWN_MAX = 100


def examples_of(row: Row) -> dict[str, Any]:
    """Return what one excerpt was missed and found in vain, quoted."""
    labelled, paired = row.excerpt.interactions, set(row.pairs.values())
    missed = [it for at, it in enumerate(labelled) if at not in row.pairs]
    false = [it for at, it in enumerate(row.found) if at not in paired]
    names = row.names or NamePairing((), (), (), ())
    return {
        "missed": [_example(row, it, row.found) for it in missed[:EXAMPLES_MAX]],
        "false": [_example(row, it, labelled) for it in false[:EXAMPLES_MAX]],
        "missed_names": list(names.missed[:NAMES_SHOWN_MAX]),
        "false_names": list(names.false[:NAMES_SHOWN_MAX]),
    }


def _example(row: Row, item: Cited, others: Sequence[Cited]) -> dict[str, Any]:
    near = sorted({it.kind for it in others if it.name == item.name and it.overlaps(item)})
    cited = sorted(item.units & set(range(1, len(row.excerpt.transcript.units) + 1)))
    return {
        "name": item.name,
        "kind": item.kind,
        "ranges": [list(span) for span in item.ranges],
        "why": item.why[:QUOTE_CHARS_MAX],
        "other_kinds_here": near,
        "quotes": [_quote(row, unit_id) for unit_id in cited[:QUOTES_MAX]],
        "units_not_quoted": max(0, len(cited) - QUOTES_MAX),
    }


def _quote(row: Row, unit_id: int) -> dict[str, Any]:
    unit = row.excerpt.transcript.units[unit_id - 1]
    cut = len(unit.text) > QUOTE_CHARS_MAX
    head = unit.text[:QUOTE_CHARS_MAX]
    # At a space, so that no word is shown in part; a text without any is cut where it must.
    shown = (head.rpartition(" ")[0] or head) if cut else head
    return {"unit_id": unit_id, "speaker": unit.speaker, "text": shown, "cut": cut}
