"""Craig: one transcript a track, beside ``info.txt``, merged into one.

Craig records every person on a track of their own, ``1-ana.flac``, and writes ``info.txt``, which
has the tracks' names in order, the start, and notes. Speech tools then transcribe each track. Here
they become one source: a *bundle*, JSON that holds the texts of the files as they are, so that
its digest is the identity of all of them together and reading it again gives the same units.

Units are ordered by start, then by track; where people talk at once, all of it stays. A unit
without a start keeps its place in its track. The speaker is the track's name in ``info.txt``, with
the discriminator only if two tracks have the same name, else the file's. A note is a unit
without speaker, tagged ``note``.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from talebearer.errors import InvalidTranscript, Problem, Severity
from talebearer.errors.findings_transcripts import (
    NO_SPEAKERS,
    RENUMBERED,
    TRACK_LABELS,
    TRACKS_UNMATCHED,
)
from talebearer.transcripts._drafts import Drafts, Places
from talebearer.transcripts._members import Misfit, object_of, strings_of, text_of
from talebearer.transcripts._model import SourceFile, Unit
from talebearer.transcripts._times import CLOCK, clock_seconds

INFO_NAME = "info.txt"
BUNDLE_FORMAT = "talebearer.craig"
_VERSION = 1
_SUFFIXES = (".json", ".jsonl", ".vtt", ".srt", ".tsv")
"""Files that may be a track's transcript; of several for one track, the first kind is read."""
_AUDIO_END = re.compile(r"\.(?:flac|wav|ogg|oga|opus|aac|m4a|mp3)$", re.IGNORECASE)
_NUMBERED = re.compile(r"([0-9]{1,3})-(.+)")
_TRACK_END = re.compile(r"(?:#([0-9]{1,4}))?(?:[ \t]{0,4}\([0-9]{1,20}\))?$")
_NOTE = re.compile(rf"\s+{CLOCK}:?\s+(.*)$")

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")

ReadTrack = Callable[[str, str], tuple[tuple[Unit, ...], list[Problem]]]
"""Text and name of a track to its units and problems."""


class _Info(NamedTuple):
    names: tuple[str, ...]
    notes: tuple[tuple[float, str], ...]


class _Timed(NamedTuple):
    start_s: float
    track: int
    unit: Unit


def is_craig_info(text: str) -> bool:
    """Return whether *text* is Craig's ``info.txt``, which has no speech."""
    return text.lstrip().startswith("Recording ") and "\nTracks:" in text.replace("\r", "\n")


def is_bundle(root: Any) -> bool:
    """Return whether *root* is a bundle."""
    return isinstance(root, dict) and root.get("format") == BUNDLE_FORMAT


def track_names(names: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return which files of a folder are read as tracks, and which transcripts are not needed.

    If one file has a track's number in front (``2-ben.json``), only such files are tracks.
    """
    candidates = sorted(name for name in names if _suffix(name) is not None)
    numbered = [name for name in candidates if _NUMBERED.match(name)]
    best: dict[str, str] = {}
    for name in numbered or candidates:
        stem = _stem(name)
        if stem not in best or _rank(name) < _rank(best[stem]):
            best[stem] = name
    tracks = sorted(best.values(), key=_track_order)
    used = frozenset(tracks)
    return tracks, [name for name in candidates if name not in used]


def are_tracks(names: Iterable[str]) -> bool:
    """Return whether files are tracks by their names: ``info.txt`` is there, or all are numbered."""
    known = set(names)
    return INFO_NAME in known or all(map(_NUMBERED.match, known))


def digest_of(data: bytes) -> str:
    """Return the digest of a file's raw bytes."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def file_digest(noted: Any, text: str) -> str:
    """Return the digest that a bundle notes of a file; by default that of its text in UTF-8."""
    if isinstance(noted, str) and _DIGEST.fullmatch(noted):
        return noted
    return digest_of(text.encode("utf-8", "surrogatepass"))


def bundle(
    texts: Mapping[str, str], *, digests: Mapping[str, str], unused: Iterable[str] = ()
) -> bytes:
    """Return the bundle of *texts*, which map file names to what stands in the files.

    The same files give the same bytes. ``info.txt`` may be among them; *digests* are those of the
    files' own bytes; the names in *unused* are only mentioned.
    """
    tracks = sorted((name for name in texts if name != INFO_NAME), key=_track_order)
    value = {
        "format": BUNDLE_FORMAT,
        "version": _VERSION,
        "info": texts.get(INFO_NAME),
        "info_digest": digests.get(INFO_NAME),
        "tracks": [{"file": name, "digest": digests[name], "text": texts[name]} for name in tracks],
        "unused": sorted(unused),
    }
    return (json.dumps(value, ensure_ascii=False, indent=0) + "\n").encode()


def read_craig(root: Any, *, name: str, read_track: ReadTrack) -> Drafts:
    """Read a bundle; *read_track* reads one track.

    Raises:
        InvalidTranscript: no bundle, or a track cannot be read (TB103); the message names its file.

    Source: the transcript formats' section 5.
    """
    try:
        members = object_of(root)
        info_text = text_of(members.get("info"), ".info")
        info = _info(info_text)
        unused = strings_of(members.get("unused"), ".unused")
        tracks = members.get("tracks")
        if type(tracks) is not list:
            raise Misfit(".tracks", "a list", tracks)
        named = [
            (text_of(t.get("file"), ".file"), text_of(t.get("text")), t.get("digest"))
            for t in map(object_of, tracks)
        ]
    except Misfit as misfit:
        raise misfit.at("$", name=name) from None
    drafts = Drafts(Places(name=name, noun="segment"))
    matches, unmatched = _matched([file for file, _, _ in named], info.names)
    if info_text:
        drafts.files.append(
            SourceFile(INFO_NAME, file_digest(members.get("info_digest"), info_text))
        )
    timed: list[_Timed] = []
    for index, ((file, text, digest), speaker) in enumerate(zip(named, matches, strict=True)):
        drafts.files.append(SourceFile(file, file_digest(digest, text), speaker=speaker))
        units, problems = read_track(text, f"{name}/{file}")
        if not units:
            unmatched.append(f"{file} has nothing said")
        drafts.pass_on(p for p in problems if p.code not in {NO_SPEAKERS, RENUMBERED})
        _note_labels(drafts, units, file, speaker)
        timed += _timed(units, index, speaker)
    notes = (Unit(unit_id=1, speaker="", text=t, start_s=s, tags=("note",)) for s, t in info.notes)
    timed += [_Timed(note.start_s or 0.0, len(named), note) for note in notes]
    _note_unmatched(drafts, [*unmatched, *(f"{file} was not needed" for file in unused)])
    for place, (_, _, unit) in enumerate(sorted(timed, key=lambda each: each[:2]), 1):
        drafts.add(
            place,
            speaker=unit.speaker,
            text=unit.text,
            start=unit.start_s,
            end=unit.end_s,
            tags=unit.tags,
        )
    return drafts


def _suffix(name: str) -> str | None:
    return next((suffix for suffix in _SUFFIXES if name.lower().endswith(suffix)), None)


def _rank(name: str) -> int:
    return _SUFFIXES.index(_suffix(name) or _SUFFIXES[-1])


def _stem(name: str) -> str:
    return _AUDIO_END.sub("", name[: len(name) - len(_suffix(name) or "")])


def _track_order(name: str) -> tuple[int, str]:
    match = _NUMBERED.match(name)
    return (int(match[1]) if match else 1000, name)


def _info(text: str) -> _Info:
    """Return the names of the tracks in their order, and the notes with their seconds."""
    names: list[tuple[str, str]] = []
    notes: list[tuple[float, str]] = []
    section = ""
    for line in text.splitlines():
        if line[:1] not in {" ", "\t"}:
            section = line.partition(":")[0].strip() if line.strip() else section
        elif section == "Tracks" and line.strip():
            names.append(_track(line.strip()))
        elif section == "Notes" and (match := _NOTE.match(line)) and match[5].strip():
            notes.append((clock_seconds(match.groups()[:4]), match[5]))
        elif section == "Notes" and notes and line.strip():
            notes[-1] = (notes[-1][0], f"{notes[-1][1]}\n{line}")
    counts = Counter(name for name, _ in names)
    full = (f"{n}#{number}" if counts[n] > 1 and number else n for n, number in names)
    return _Info(tuple(full), tuple(notes))


def _track(line: str) -> tuple[str, str]:
    """Return name and discriminator of ``ana#0 (111)``."""
    end = _TRACK_END.search(line)
    if end is None:
        return line, ""
    return line[: end.start()].strip() or line, end[1] or ""


def _matched(files: list[str], names: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Return the speaker of each file, and what does not match."""
    speakers: list[str] = []
    unmatched: list[str] = []
    places = {name.casefold(): index for index, name in enumerate(names)}
    taken: set[int] = set()
    for file in files:
        match = _NUMBERED.match(_stem(file))
        index = int(match[1]) - 1 if match else places.get(_stem(file).casefold(), -1)
        if 0 <= index < len(names):
            taken.add(index)
            speakers.append(names[index])
            continue
        speakers.append(match[2] if match else _stem(file))
        if names:
            unmatched.append(f"{file} is no track of {INFO_NAME}")
    unmatched += [
        f"track {index + 1} of {INFO_NAME}, {name}, has no transcript"
        for index, name in enumerate(names)
        if index not in taken
    ]
    return speakers, unmatched


def _timed(units: Iterable[Unit], track: int, speaker: str) -> list[_Timed]:
    found: list[_Timed] = []
    before = 0.0
    for unit in units:
        before = before if unit.start_s is None else unit.start_s
        found.append(_Timed(before, track, unit._replace(speaker=speaker)))
    return found


def _note_labels(drafts: Drafts, units: Iterable[Unit], file: str, speaker: str) -> None:
    labels = list(dict.fromkeys(u.speaker for u in units if u.speaker not in {"", speaker}))
    if labels:
        shown = ", ".join(repr(label[:40]) for label in labels[:8])
        drafts.note(
            TRACK_LABELS,
            [],
            f"{file} has labels of its own, which were not used: {shown}",
            severity=Severity.WARNING if len(labels) > 1 else Severity.NOTE,
            hint=f"its units carry the track's name, {speaker[:48]!r}",
        )


def _note_unmatched(drafts: Drafts, unmatched: list[str]) -> None:
    if unmatched:
        shown = "; ".join(unmatched[:20])
        more = f"; and {len(unmatched) - 20} more" if len(unmatched) > 20 else ""
        drafts.note(
            TRACKS_UNMATCHED,
            [],
            f"tracks and transcripts do not match: {shown}{more}",
            hint="put one transcript for each track beside info.txt, named like its recording",
        )


def no_tracks(name: str) -> InvalidTranscript:
    """Return the error for a folder, or an ``info.txt`` alone, without transcripts."""
    return InvalidTranscript(
        f"{name} has no transcript of a track",
        hint="transcribe each track, for example with WhisperX, into `1-ana.json` beside info.txt, "
        "and give the folder",
        data={"source": name},
    )
