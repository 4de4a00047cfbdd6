"""Which found interactions are which labelled ones: one-to-one, and as many as possible.

The order of records does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from talebearer.extraction.scoring._labelled import Cited, LabelledExcerpt

RATE_DIGITS = 4


def match(edges: Sequence[Sequence[int]]) -> dict[int, int]:
    """Return a largest one-to-one matching, left index to right index.

    Args:
        edges: For each left index, the right indices that it may have.
    """
    owner: dict[int, int] = {}
    has: dict[int, int] = {}
    for root in range(len(edges)):
        reached: dict[int, int] = {}
        free = _free_right(edges, root, owner, reached)
        while free is not None:
            left = reached[free]
            # What this one had before goes on to the one through which it was reached.
            given_up = has.get(left)
            owner[free], has[left] = left, free
            free = given_up
    return has


def _free_right(
    edges: Sequence[Sequence[int]], root: int, owner: Mapping[int, int], reached: dict[int, int]
) -> int | None:
    """Return a right index without owner that *root* can reach by exchanges, or None."""
    queue = [root]
    for left in queue:
        for right in edges[left]:
            if right in reached:
                continue
            reached[right] = left
            if right not in owner:
                return right
            queue.append(owner[right])
    return None


class Pairing(NamedTuple):
    """Counts of one comparison.

    Attributes:
        labelled: How many there are to find.
        found: How many were found, right or wrong.
        matched: How many of *labelled* were found.
        right: How many of *found* are right; *matched* unless one may cover several.
    """

    labelled: int
    found: int
    matched: int
    right: int

    def plus(self, other: Pairing) -> Pairing:
        """Return the counts of both together."""
        return Pairing(*(one + two for one, two in zip(self, other, strict=True)))

    def as_json(self) -> dict[str, Any]:
        """Return counts and rates; a rate of nothing is None."""
        precision, recall = rate(self.right, self.found), rate(self.matched, self.labelled)
        f1 = rate(2 * self.matched, self.labelled + self.found)
        if self.matched != self.right and precision and recall:
            f1 = round(2 * precision * recall / (precision + recall), RATE_DIGITS)
        return {
            "labelled": self.labelled,
            "found": self.found,
            "matched": self.matched,
            "precision": precision,
            "recall": recall,
            "f1": f1,
        }


NO_PAIRS = Pairing(0, 0, 0, 0)


def rate(part: int, whole: int) -> float | None:
    """Return *part* of *whole*, rounded; of nothing, None."""
    return round(part / whole, RATE_DIGITS) if whole else None


def pair_strictly(
    labelled: Sequence[Cited], found: Sequence[Cited], *, by_kind: bool = True
) -> dict[int, int]:
    """Return which found interaction each labelled one has, index to index."""
    edges = [
        [
            place
            for place, item in enumerate(found)
            if item.name == one.name
            and (not by_kind or item.kind == one.kind)
            and one.overlaps(item)
        ]
        for one in labelled
    ]
    return match(edges)


def pair_leniently(excerpt: LabelledExcerpt, found: Sequence[Cited]) -> Pairing:
    """Return the counts when what the folder accepts is no fault.

    An accepted kind counts as the labelled one; an optional interaction that was found is left
    out of the count; one found interaction may cover labelled ones that may be merged.
    """
    labelled, leniency = excerpt.interactions, excerpt.leniency

    def fits(one: Cited, item: Cited) -> bool:
        other = leniency.accepted.get((one.name, one.start, one.kind), frozenset())
        same = item.name == one.name and (item.kind == one.kind or item.kind in other)
        return same and one.overlaps(item)

    pairs = match([[at for at, it in enumerate(found) if fits(one, it)] for one in labelled])
    used = set(pairs.values())
    covered = set(pairs)
    for name, starts in leniency.mergeable:
        group = {at for at, it in enumerate(labelled) if it.name == name and it.start in starts}
        shared = {pairs[at] for at in group & set(pairs)}
        covered |= {at for at in group if any(fits(labelled[at], found[it]) for it in shared)}
    excused = sum(
        any(
            (it.name, it.kind) == (one.name, one.kind) and it.overlaps(one)
            for one in leniency.optional
        )
        for at, it in enumerate(found)
        if at not in used
    )
    return Pairing(len(labelled), len(found) - excused, len(covered), len(used))
