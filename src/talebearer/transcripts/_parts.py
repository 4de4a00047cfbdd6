"""A session in several files: one after the other, in one source.

A recording that was stopped and started again gives a file for each part. They become a *bundle*,
JSON that holds their texts as they are in the order in which they were given, so that its
digest is the identity of all of them together and reading it again gives the same units.

Units follow in the order of the files. Times of a later part are moved to where the part before
ends, because each file counts from its own beginning; a note says from where.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from talebearer.errors import Severity
from talebearer.errors.findings_transcripts import NO_SPEAKERS, PARTS_JOINED, RENUMBERED
from talebearer.transcripts._craig import ReadTrack, file_digest
from talebearer.transcripts._drafts import LISTED_MAX, Drafts, Places
from talebearer.transcripts._members import Misfit, object_of, text_of
from talebearer.transcripts._model import SourceFile, Unit
from talebearer.transcripts._times import format_time

PARTS_FORMAT = "talebearer.parts"
_VERSION = 1


def is_parts(root: Any) -> bool:
    """Return whether *root* is a bundle of parts."""
    return isinstance(root, dict) and root.get("format") == PARTS_FORMAT


def bundle_parts(texts: Sequence[tuple[str, str, str]]) -> bytes:
    """Return the bundle of *texts*: each file's name, digest and what stands in it, in order."""
    value = {
        "format": PARTS_FORMAT,
        "version": _VERSION,
        "parts": [{"file": file, "digest": digest, "text": text} for file, digest, text in texts],
    }
    return (json.dumps(value, ensure_ascii=False, indent=0) + "\n").encode()


def read_parts(root: Any, *, name: str, read_track: ReadTrack) -> Drafts:
    """Read a bundle; *read_track* reads one file.

    Raises:
        InvalidTranscript: no bundle, or a file cannot be read (TB103); the message names it.

    Source: rule NI-E1.
    """
    try:
        parts = object_of(root).get("parts")
        if type(parts) is not list:
            raise Misfit(".parts", "a list", parts)
        named = [
            (text_of(each.get("file"), ".file"), text_of(each.get("text")), each.get("digest"))
            for each in map(object_of, parts)
        ]
    except Misfit as misfit:
        raise misfit.at("$", name=name) from None
    drafts = Drafts(Places(name=name, noun="utterance"))
    begins: list[str] = []
    offset_s, place = 0.0, 0
    for file, text, digest in named:
        units, problems = read_track(text, f"{name}/{file}")
        drafts.pass_on(p for p in problems if p.code not in {NO_SPEAKERS, RENUMBERED})
        begins.append(f"{file} from unit {place + 1}, {format_time(offset_s)}")
        first = place + 1
        for unit in units:
            place += 1
            _add(drafts, place, unit, offset_s)
        noted = SourceFile(file, file_digest(digest, text), begins_s=offset_s)
        if units:
            noted = noted._replace(first_unit_id=first, last_unit_id=place)
        drafts.files.append(noted)
        offset_s += _length_s(units)
    _note_joined(drafts, begins)
    return drafts


def _add(drafts: Drafts, place: int, unit: Unit, offset_s: float) -> None:
    drafts.add(
        place,
        speaker=unit.speaker,
        text=unit.text,
        start=_moved(unit.start_s, offset_s),
        end=_moved(unit.end_s, offset_s),
        tags=unit.tags,
        file_id=place,
    )


def _moved(time_s: float | None, offset_s: float) -> float | None:
    return None if time_s is None else round(time_s + offset_s, 3)


def _length_s(units: Iterable[Unit]) -> float:
    return max((unit.end_s or unit.start_s or 0.0 for unit in units), default=0.0)


def _note_joined(drafts: Drafts, begins: Sequence[str]) -> None:
    shown = "; ".join(begins[:LISTED_MAX])
    more = f"; and {len(begins) - LISTED_MAX} more" if len(begins) > LISTED_MAX else ""
    drafts.note(
        PARTS_JOINED,
        [],
        f"the files follow one another: {shown}{more}",
        severity=Severity.NOTE,
        hint="if they were recorded at the same time, one person each, give --tracks",
    )
