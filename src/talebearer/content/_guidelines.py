"""Notes on what a pool needs to carry a game: advice that never refuses anything.

Source: the line-pool spec section 8.2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from talebearer.content._findings import Draft, ValuePath
from talebearer.content._rules import GENERAL, Document, Index
from talebearer.content._tree import FileKind
from talebearer.errors import Severity
from talebearer.errors import findings_content as codes
from talebearer.vocabulary import Confidence

SURFACE_LINES_MIN = 5
ARRIVAL_LINES_MIN = 3
TRUST_TIERS_MIN = 2
GRANT_MAX = Confidence.KNOWS_OF

Note = tuple[Document, Draft]


def check(documents: list[Document], index: Index) -> Iterator[Note]:
    """Yield what the guidelines would have otherwise, with the document that it is about."""
    dialogue = [d for d in documents if d.file.kind is FileKind.DIALOGUE]
    monologue = [d for d in documents if d.file.kind is FileKind.MONOLOGUE]
    yield from _few_surface_lines(dialogue)
    yield from _few_arrival_lines(monologue, dialogue, index)
    yield from _strong_grants([*dialogue, *monologue])
    yield from _one_trust_tier(dialogue, index)
    yield from _no_baseline(dialogue)
    yield from _no_baseline(monologue)


def _note(document: Document, code: str, message: str, **place: Any) -> Note:
    return document, Draft(code=code, message=message, severity=Severity.NOTE, **place)


def _has(value: Any, wanted: str) -> bool:
    return isinstance(value, list) and wanted in value


def _few_surface_lines(dialogue: list[Document]) -> Iterator[Note]:
    """Every role: enough lines for strangers, over all files with this role."""
    counts: Counter[str] = Counter()
    first: dict[str, Document] = {}
    for document in dialogue:
        role = document.text("role")
        if role is not None:
            first.setdefault(role, document)
        counts.update(document.once(_surface_roles))
    for role, document in first.items():
        if counts[role] < SURFACE_LINES_MIN:
            message = f"lines of surface trust and public access for role {role!r}: {counts[role]}"
            hint = f"at least {SURFACE_LINES_MIN}"
            yield _note(document, codes.FEW_SURFACE_LINES, message, hint=hint, path=("role",))


def _surface_roles(document: Document) -> Counter[str]:
    """Return how many lines each role has that strangers may hear."""
    return Counter(
        str(line.get("role"))
        for _, line in document.lines
        if line.get("trust") == "surface" and _has(line.get("access"), "public")
    )


def _few_arrival_lines(
    monologue: list[Document], dialogue: list[Document], index: Index
) -> Iterator[Note]:
    """Every location, for each character that has thoughts: enough of them on coming in."""
    if "enter_location" not in index.enums.values["triggers"]:
        return
    counts: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], Document] = {}
    for document in monologue:
        location = document.text("location")
        if location is None or location == GENERAL:
            continue
        key = (document.file.folder, location)
        first.setdefault(key, document)
        counts[key] += document.once(_arrivals)
    places = {document.file.folder: document for document in reversed(dialogue)}
    for character in dict.fromkeys(document.file.folder for document in monologue):
        for location, document in sorted(places.items()):
            first.setdefault((character, location), document)
    for key, document in first.items():
        if counts[key] < ARRIVAL_LINES_MIN:
            message = f"enter_location lines of {key[0]!r} for {key[1]!r}: {counts[key]}"
            hint = f"at least {ARRIVAL_LINES_MIN}"
            yield _note(document, codes.FEW_ARRIVAL_LINES, message, hint=hint, path=("location",))


def _arrivals(document: Document) -> int:
    return sum(line.get("trigger") == "enter_location" for _, line in document.lines)


def _strong_grants(documents: list[Document]) -> Iterator[Note]:
    for document in documents:
        yield from document.once(_strong_grants_of)


def _strong_grants_of(document: Document) -> tuple[Note, ...]:
    found = []
    for at, line in document.lines:
        for grant, path in _grants(line):
            granted = grant.get("confidence") if isinstance(grant, dict) else None
            if granted in tuple(Confidence) and Confidence(granted) > GRANT_MAX:
                message = f"hearing one line grants {granted}"
                place = ("lines", at, *path, "confidence")
                hint = f"at most {GRANT_MAX}"
                found.append(_note(document, codes.STRONG_GRANT, message, hint=hint, path=place))
    return tuple(found)


def _grants(line: dict[str, Any]) -> Iterator[tuple[Any, ValuePath]]:
    """Yield what a line grants, in either way of writing it, with its path in the line."""
    if "knowledge_grant" in line:
        yield line["knowledge_grant"], ("knowledge_grant",)
    effects = line.get("effects")
    for n, effect in enumerate(effects if isinstance(effects, list) else ()):
        if isinstance(effect, dict) and "grant" in effect:
            yield effect["grant"], ("effects", n, "grant")


def _one_trust_tier(dialogue: list[Document], index: Index) -> Iterator[Note]:
    """Files named for a character: lines of more than one trust tier."""
    for document in dialogue:
        tiers = document.once(_tiers)
        if document.file.stem in index.profiles and 0 < len(tiers) < TRUST_TIERS_MIN:
            message = f"all lines of {document.file.stem!r} need {min(tiers)} trust"
            yield _note(document, codes.ONE_TRUST_TIER, message, hint="two tiers or more")


def _tiers(document: Document) -> frozenset[str]:
    return frozenset(str(line.get("trust")) for _, line in document.lines)


def _no_baseline(documents: list[Document]) -> Iterator[Note]:
    """Every speaker with lines tagged phase-5 has some tagged phase-1, in any file."""
    early: set[str] = set()
    late: dict[str, tuple[Document, int]] = {}
    for document in documents:
        file = document.file
        speaker = file.stem if file.kind is FileKind.DIALOGUE else file.folder
        first, last = document.once(_phases)
        if first is not None:
            early.add(speaker)
        if last is not None:
            late.setdefault(speaker, (document, last))
    for speaker, (document, at) in late.items():
        if speaker not in early:
            message = f"{speaker!r} has lines tagged phase-5 and none tagged phase-1"
            yield _note(document, codes.NO_BASELINE, message, path=("lines", at, "tags"))


def _phases(document: Document) -> tuple[int | None, int | None]:
    """Return the first line tagged phase-1, and the first one tagged phase-5."""
    tagged = [(at, line["tags"]) for at, line in document.lines if "tags" in line]
    first = next((at for at, tags in tagged if _has(tags, "phase-1")), None)
    return first, next((at for at, tags in tagged if _has(tags, "phase-5")), None)
