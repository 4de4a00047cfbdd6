"""One excerpt, compared: what was labelled, what was found, and which is which."""

from __future__ import annotations

from typing import NamedTuple

from talebearer.extraction.scoring._found import Found
from talebearer.extraction.scoring._labelled import Cited, LabelledExcerpt, cited_of
from talebearer.extraction.scoring._names import NamePairing, pair_names
from talebearer.extraction.scoring._pairing import Pairing, pair_leniently, pair_strictly


class Row(NamedTuple):
    """One excerpt, compared.

    Attributes:
        excerpt: What was labelled.
        found: What was found.
        pairs: Labelled index to found index, strictly.
        without_kind: The same whatever the kinds.
        lenient: Counts with what the folder accepts.
        names: How the names compare, or None without a registry lane.
    """

    excerpt: LabelledExcerpt
    found: tuple[Cited, ...]
    pairs: dict[int, int]
    without_kind: dict[int, int]
    lenient: Pairing
    names: NamePairing | None


def row_of(excerpt: LabelledExcerpt, found: Found) -> Row:
    """Return *found* compared with what is labelled."""
    cited = tuple(sorted(map(cited_of, found.interactions), key=_place))
    labelled = excerpt.interactions
    return Row(
        excerpt,
        cited,
        pair_strictly(labelled, cited),
        pair_strictly(labelled, cited, by_kind=False),
        pair_leniently(excerpt, cited),
        None if found.names is None else pair_names(excerpt.aliases, found.names),
    )


def _place(item: Cited) -> tuple[int, str, str, tuple[tuple[int, int], ...]]:
    return (item.start, item.name, item.kind, item.ranges)
