"""Labelled excerpts: reading a folder of them.

A labelled folder has one JSON file an excerpt: its units, the people at its table, the names that
occur with their aliases, and the interactions that a reader found. ``accept.json`` may list what
another careful reader could defend.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from talebearer.errors import UsageFault
from talebearer.extraction._artifacts import Artifact, decode_artifact
from talebearer.extraction._normalise import normalise_npcs
from talebearer.extraction._roster import JOINED_LABELS, Player, Roster
from talebearer.extraction._session import Glossary
from talebearer.transcripts import Transcript, Unit
from talebearer.vocabulary import ArtifactKind, OccurrenceKind

FILES_MAX = 1_000
FILE_BYTES_MAX = 16 * 1024 * 1024
ACCEPT_FILE = "accept.json"
LABEL_SEPARATORS = ("; ", ";")


class Cited(NamedTuple):
    """One interaction, labelled or found.

    Attributes:
        name: Canonical.
        kind: One of the six.
        ranges: (first, last) unit ids, inclusive, ascending.
        why: The reader's reason; empty for what was found.
    """

    name: str
    kind: str
    ranges: tuple[tuple[int, int], ...]
    why: str = ""

    @property
    def start(self) -> int:
        """The earliest unit."""
        return self.ranges[0][0]

    @property
    def units(self) -> frozenset[int]:
        """Every cited unit."""
        return frozenset(unit for first, last in self.ranges for unit in range(first, last + 1))

    def overlaps(self, other: Cited) -> bool:
        """Whether a range of one shares a unit with a range of the other."""
        return any(
            first <= last_other and first_other <= last
            for first, last in self.ranges
            for first_other, last_other in other.ranges
        )


class Leniency(NamedTuple):
    """What another careful reader could defend in one excerpt.

    Attributes:
        accepted: Other kinds of labelled interactions, by name, first unit and labelled kind.
        optional: Extra interactions that are no fault.
        mergeable: Name and first units of labelled interactions that one found may cover.
    """

    accepted: Mapping[tuple[str, int, str], frozenset[str]]
    optional: tuple[Cited, ...]
    mergeable: tuple[tuple[str, frozenset[int]], ...]


NOTHING_ACCEPTED = Leniency({}, (), ())


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledExcerpt:
    """One labelled excerpt, with all that an extractor is given.

    Attributes:
        excerpt_id: Of its file.
        transcript: Its units, from 1.
        roster: The people at its table.
        aliases: Each name with the spellings that occur.
        interactions: What a reader found.
        leniency: What else could be defended.
    """

    excerpt_id: str
    transcript: Transcript
    roster: Roster
    aliases: Glossary
    interactions: tuple[Cited, ...]
    leniency: Leniency = NOTHING_ACCEPTED

    @property
    def registry(self) -> Artifact:
        """The registry of its names; what it cites is no evidence and never read."""
        ref = {"source_id": self.transcript.source_id, "start_unit_id": 1, "end_unit_id": 1}
        npcs = normalise_npcs({"name": name, "source_refs": [ref]} for name in self.aliases)
        data = json.dumps({"npcs": npcs}).encode("utf-8")
        return decode_artifact(ArtifactKind.NPC_LIST, data)


def load_labelled(folder: Path) -> tuple[LabelledExcerpt, ...]:
    """Return the labelled excerpts of *folder*, in the order of their file names.

    Raises:
        UsageFault: There is none, or a file is too large or not a labelled excerpt (TB111).
    """
    paths = sorted(folder.glob("*.json")) if folder.is_dir() else []
    if not paths or len(paths) > FILES_MAX:
        raise UsageFault(
            f"{folder} has {len(paths)} labelled excerpts",
            hint=f"name a folder with 1 to {FILES_MAX} JSON files, one an excerpt",
        )
    files: dict[str, bytes] = {}
    for path in paths:
        if path.stat().st_size > FILE_BYTES_MAX:
            raise _fault(path.name, f"is larger than {FILE_BYTES_MAX} bytes")
        files[path.name] = path.read_bytes()
    return parse_labelled(files)


def parse_labelled(files: Mapping[str, bytes]) -> tuple[LabelledExcerpt, ...]:
    """Return the labelled excerpts of *files*, file name to bytes; ``accept.json`` may be one.

    Raises:
        UsageFault: A file is not a labelled excerpt, or two have one id (TB111).
    """
    try:
        accept = json.loads(files.get(ACCEPT_FILE, b"{}"))
        leniencies = _leniencies(accept)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _fault(ACCEPT_FILE, f"is not a list of accepted alternates: {error!r}") from error
    excerpts: dict[str, LabelledExcerpt] = {}
    for name in sorted(set(files) - {ACCEPT_FILE}):
        try:
            excerpt = _excerpt(json.loads(files[name]), files[name], leniencies)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise _fault(name, f"is not a labelled excerpt: {error!r}") from error
        if excerpts.setdefault(excerpt.excerpt_id, excerpt) is not excerpt:
            raise _fault(name, f"has the id of another file: {excerpt.excerpt_id[:60]!r}")
    return tuple(excerpts.values())


def _fault(file: str, what: str) -> UsageFault:
    return UsageFault(
        f"{file[:100]} {what[:200]}",
        hint="a labelled excerpt has id, source_id, party, players, gm, units, npcs, interactions",
        data={"file": file[:100]},
    )


def _excerpt(raw: Any, data: bytes, leniencies: Mapping[str, Leniency]) -> LabelledExcerpt:
    units = tuple(
        Unit(unit_id=number, speaker=_joined(unit["speaker"]), text=unit["text"])
        for number, unit in enumerate(raw["units"], 1)
    )
    if [unit["id"] for unit in raw["units"]] != list(range(1, len(units) + 1)):
        raise ValueError("unit ids are not 1, 2, 3 and so on")
    aliases = {npc["name"]: tuple(npc.get("aliases", ())) for npc in raw["npcs"]}
    interactions = tuple(cited_of(item) for item in raw["interactions"])
    for item in interactions:
        if item.name not in aliases or not 1 <= item.start <= item.ranges[-1][1] <= len(units):
            raise ValueError(f"unknown name or unit: {item.name[:60]} {item.ranges[:3]}")
    return LabelledExcerpt(
        excerpt_id=raw["id"],
        transcript=Transcript(
            source_id=raw["source_id"],
            digest="sha256:" + hashlib.sha256(data).hexdigest(),
            format="text",
            units=units,
        ),
        roster=_roster(raw),
        aliases=aliases,
        interactions=interactions,
        leniency=leniencies.get(raw["id"], NOTHING_ACCEPTED),
    )


def _joined(label: str) -> str:
    for separator in LABEL_SEPARATORS:
        label = label.replace(separator, JOINED_LABELS)
    return label


def _roster(raw: Mapping[str, Any]) -> Roster:
    characters = {label: _listed(played) for label, played in raw["players"].items()}
    played = {name for names in characters.values() for name in names}
    absent = sorted(set(raw["party"]) - played)
    return Roster(
        players=(
            *(
                Player(name=label.title(), labels=(label,), characters=names)
                for label, names in characters.items()
            ),
            *(Player(name=name, characters=(name,)) for name in absent),
        ),
        game_masters=tuple(
            Player(name=label.title(), labels=(label,)) for label in _listed(raw["gm"])
        ),
    )


def _listed(value: str | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def cited_of(item: Mapping[str, Any]) -> Cited:
    """Return a record of the contract's shape as it is compared; ValueError without ranges."""
    ranges = sorted((ref["start_unit_id"], ref["end_unit_id"]) for ref in item["source_refs"])
    if not ranges or any(first > last for first, last in ranges):
        raise ValueError("an interaction without ranges, or with one that is reversed")
    name = unicodedata.normalize("NFC", item["name"]).strip()
    kind = OccurrenceKind(item["kind"]).value
    return Cited(name, kind, tuple(ranges), str(item.get("why", "")))


def _leniencies(raw: Mapping[str, Any]) -> dict[str, Leniency]:
    ids = {
        item["id"] for member in ("accept", "optional", "mergeable") for item in raw.get(member, ())
    }
    return {one: _leniency(raw, one) for one in sorted(ids)}


def _leniency(raw: Mapping[str, Any], excerpt_id: str) -> Leniency:
    def own(member: str) -> list[Any]:
        return [item for item in raw.get(member, ()) if item["id"] == excerpt_id]

    return Leniency(
        {
            (item["name"], item["start"], item["gold"]): frozenset(item["accept"])
            for item in own("accept")
        },
        tuple(
            Cited(item["name"], item["kind"], ((item["units"][0], item["units"][1]),))
            for item in own("optional")
        ),
        tuple((item["name"], frozenset(item["starts"])) for item in own("mergeable")),
    )
