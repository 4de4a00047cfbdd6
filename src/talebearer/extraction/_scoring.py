"""Scores of an extractor against labelled excerpts, beside the plainest baseline there is.

A pair of a labelled and a found interaction may match when the name is equal, a cited range
overlaps and, unless kinds are left aside, the kind is equal. Pairs are one-to-one and as many as
possible, so the order of records does not matter. Scores are counted, rounded and ordered the
same way always, and what is quoted is bounded.
"""

from __future__ import annotations

import statistics
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from talebearer.extraction._labelled import Cited, LabelledExcerpt, cited_of
from talebearer.extraction._run import extract_interactions, extract_npcs
from talebearer.extraction.rules import PARTICLES, TITLES, Spellings, read, words_of
from talebearer.vocabulary import OccurrenceKind

SCORES_VERSION = 1
BASELINE_GAP_UNITS = 20
QUOTES_MAX = 4
QUOTE_CHARS_MAX = 240
EXAMPLES_MAX = 200
NAMES_SHOWN_MAX = 100
RATE_DIGITS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What an extractor gave for one excerpt.

    Attributes:
        interactions: Records of the contract's shape.
        names: The names of its own registry, or None when it has no registry lane.
    """

    interactions: tuple[Mapping[str, Any], ...]
    names: tuple[str, ...] | None = None


Find = Callable[[LabelledExcerpt], Found]


def find_by(extractor: str = "rules") -> Find:
    """Return what runs *extractor*: interactions with the excerpt's names as registry and their
    aliases as glossary, and its own registry without either.

    Raises:
        UnknownProvider: When called, if there is no such extractor (TB301).
    """

    def find(excerpt: LabelledExcerpt) -> Found:
        transcript, roster = excerpt.transcript, excerpt.roster
        named = extract_npcs(transcript, roster, extractor=extractor)
        done = extract_interactions(
            transcript, roster, excerpt.registry, glossary=excerpt.aliases, extractor=extractor
        )
        return Found(
            interactions=tuple(done.payload["interactions"]),
            names=tuple(npc["name"] for npc in named.payload["npcs"]),
        )

    return find


def mention_baseline(excerpt: LabelledExcerpt) -> Found:
    """Return every use of a name or alias as ``mentioned``, those at most 20 units apart as one."""
    table = Spellings()
    for name, others in excerpt.aliases.items():
        for spelling in (name, *others):
            table.add(spelling, name)
    hits: dict[str, list[int]] = {}
    for unit in read(excerpt.transcript, excerpt.roster):
        for hit in table.find(unit.words):
            hits.setdefault(hit.name, []).append(unit.unit_id)
    groups = [(name, group) for name in sorted(hits) for group in _near_ones(hits[name])]
    return Found(interactions=tuple(_mention(name, group) for name, group in groups))


def _near_ones(unit_ids: Iterable[int]) -> list[list[int]]:
    groups: list[list[int]] = []
    for unit_id in unit_ids:
        if groups and unit_id - groups[-1][-1] <= BASELINE_GAP_UNITS:
            groups[-1].append(unit_id)
        else:
            groups.append([unit_id])
    return groups


def _mention(name: str, unit_ids: Iterable[int]) -> Mapping[str, Any]:
    refs = [{"start_unit_id": unit_id, "end_unit_id": unit_id} for unit_id in unit_ids]
    return {"name": name, "kind": OccurrenceKind.MENTIONED.value, "source_refs": refs}


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
        precision, recall = _rate(self.right, self.found), _rate(self.matched, self.labelled)
        f1 = _rate(2 * self.matched, self.labelled + self.found)
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


def _rate(part: int, whole: int) -> float | None:
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


def evaluate(
    excerpts: Sequence[LabelledExcerpt],
    find: Find,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Return all scores of *find* over *excerpts*, JSON-ready.

    Args:
        excerpts: From ``load_labelled`` or ``parse_labelled``.
        find: What to score; ``find_by(extractor)``, ``mention_baseline`` or any other function.
        progress: Told how many excerpts are done, and how many there are.

    Returns:
        ``version``, ``excerpt_count``, the micro scores ``strict``, ``without_kind`` and
        ``lenient``, ``by_kind`` (strict), ``names`` (None without a registry lane), ``widths``,
        and ``excerpts``: the same of each, with ``missed`` and ``false`` interactions quoted.
        At most 200 of either and 100 names are listed for an excerpt; counts are never cut.
    """
    rows: list[_Row] = []
    for done, excerpt in enumerate(excerpts, 1):
        rows.append(_row(excerpt, find(excerpt)))
        if progress is not None:
            progress(done, len(excerpts))
    return {
        "version": SCORES_VERSION,
        "excerpt_count": len(rows),
        **_scores(rows),
        "excerpts": [
            {"id": row.excerpt.excerpt_id, **_scores([row]), **_examples(row)} for row in rows
        ],
    }


class NamePairing(NamedTuple):
    """How the names of one registry compare with those that are labelled.

    Attributes:
        recalled: Labelled names that were found.
        missed: Labelled names that were not.
        right: Found names that are labelled, or are part of a labelled one.
        false: Found names that are not.
    """

    recalled: tuple[str, ...]
    missed: tuple[str, ...]
    right: tuple[str, ...]
    false: tuple[str, ...]


class _Row(NamedTuple):
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


def _row(excerpt: LabelledExcerpt, found: Found) -> _Row:
    cited = tuple(sorted(map(cited_of, found.interactions), key=_place))
    labelled = excerpt.interactions
    return _Row(
        excerpt,
        cited,
        pair_strictly(labelled, cited),
        pair_strictly(labelled, cited, by_kind=False),
        pair_leniently(excerpt, cited),
        None if found.names is None else pair_names(excerpt.aliases, found.names),
    )


def _place(item: Cited) -> tuple[int, str, str, tuple[tuple[int, int], ...]]:
    return (item.start, item.name, item.kind, item.ranges)


def _scores(rows: Sequence[_Row]) -> dict[str, Any]:
    strict = [_counts(row, row.pairs) for row in rows]
    loose = [_counts(row, row.without_kind) for row in rows]
    return {
        "strict": _sum(strict).as_json(),
        "without_kind": _sum(loose).as_json(),
        "lenient": _sum([row.lenient for row in rows]).as_json(),
        "by_kind": {
            kind.value: _sum([_counts(row, row.pairs, kind.value) for row in rows]).as_json()
            for kind in OccurrenceKind
        },
        "names": _name_scores([row.names for row in rows if row.names is not None]),
        "widths": _widths(rows),
    }


def _counts(row: _Row, pairs: Mapping[int, int], kind: str | None = None) -> Pairing:
    labelled = [at for at, it in enumerate(row.excerpt.interactions) if kind in (None, it.kind)]
    matched = sum(at in pairs for at in labelled)
    found = sum(kind in (None, it.kind) for it in row.found)
    return Pairing(len(labelled), found, matched, matched)


def _sum(pairings: Iterable[Pairing]) -> Pairing:
    total = NO_PAIRS
    for pairing in pairings:
        total = total.plus(pairing)
    return total


def pair_names(aliases: Mapping[str, Sequence[str]], found: Sequence[str]) -> NamePairing:
    """Return how the names of a registry compare with those that are labelled.

    A found name is right when its words, titles and articles aside, are all in one spelling of a
    labelled name, or the other way round. Labelled epithets without a name of their own ("the
    clerk") can be found, but are not asked for.
    """
    spellings = {
        name: [core for core in map(_core, (name, *others)) if core]
        for name, others in aliases.items()
    }
    right: set[str] = set()
    recalled: set[str] = set()
    for one in found:
        core = _core(one)
        owners = {
            name
            for name, cores in spellings.items()
            if core and any(core <= other or other <= core for other in cores)
        }
        recalled |= owners
        right |= {one} if owners else set()
    asked = {name for name in aliases if name[:1].isupper()}
    return NamePairing(
        tuple(sorted(asked & recalled)),
        tuple(sorted(asked - recalled)),
        tuple(sorted(set(found) & right)),
        tuple(sorted(set(found) - right)),
    )


def _core(name: str) -> frozenset[str]:
    words = words_of(unicodedata.normalize("NFC", name))
    low = {word.casefold() for word in words}
    return frozenset(low - TITLES - PARTICLES) or frozenset(low - PARTICLES)


def _name_scores(pairings: Sequence[NamePairing]) -> dict[str, Any] | None:
    if not pairings:
        return None
    recalled = sum(len(one.recalled) for one in pairings)
    labelled = recalled + sum(len(one.missed) for one in pairings)
    right = sum(len(one.right) for one in pairings)
    false = sum(len(one.false) for one in pairings)
    return {
        "labelled": labelled,
        "recalled": recalled,
        "recall": _rate(recalled, labelled),
        "found": right + false,
        "false": false,
        "false_per_recalled": _rate(false, recalled),
    }


def _widths(rows: Sequence[_Row]) -> dict[str, Any]:
    """Return how many units are cited, and what matched pairs share of what each of them cites."""
    pairs = [
        (row.excerpt.interactions[at].units, row.found[place].units)
        for row in rows
        for at, place in sorted(row.pairs.items())
    ]
    return {
        "labelled": _width([it for row in rows for it in row.excerpt.interactions]),
        "found": _width([it for row in rows for it in row.found]),
        "matched_share_of_found": _mean(len(one & two) / len(two) for one, two in pairs),
        "matched_share_of_labelled": _mean(len(one & two) / len(one) for one, two in pairs),
    }


def _width(items: Sequence[Cited]) -> dict[str, Any]:
    cited = sorted(len(item.units) for item in items)
    spans = sorted(item.ranges[-1][1] - item.start + 1 for item in items)
    return {
        "units_mean": _mean(cited),
        "units_median": statistics.median(cited) if cited else None,
        "units_max": cited[-1] if cited else None,
        "span_mean": _mean(spans),
        "span_median": statistics.median(spans) if spans else None,
        "span_max": spans[-1] if spans else None,
    }


def _mean(values: Iterable[float]) -> float | None:
    kept = list(values)
    return round(statistics.fmean(kept), RATE_DIGITS) if kept else None


def _examples(row: _Row) -> dict[str, Any]:
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


def _example(row: _Row, item: Cited, others: Sequence[Cited]) -> dict[str, Any]:
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


def _quote(row: _Row, unit_id: int) -> dict[str, Any]:
    unit = row.excerpt.transcript.units[unit_id - 1]
    cut = len(unit.text) > QUOTE_CHARS_MAX
    head = unit.text[:QUOTE_CHARS_MAX]
    # At a space, so that no word is shown in part; a text without any is cut where it must.
    shown = (head.rpartition(" ")[0] or head) if cut else head
    return {"unit_id": unit_id, "speaker": unit.speaker, "text": shown, "cut": cut}
