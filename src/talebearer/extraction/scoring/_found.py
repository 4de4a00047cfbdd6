"""What an extractor gave for an excerpt, and the extractors that can be run as functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from talebearer.extraction._run import extract_interactions, extract_npcs
from talebearer.extraction.rules import Spellings, read
from talebearer.extraction.scoring._labelled import LabelledExcerpt
from talebearer.vocabulary import OccurrenceKind

BASELINE_GAP_UNITS = 20


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
