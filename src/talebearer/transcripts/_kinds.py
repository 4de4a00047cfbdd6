"""Which format a text is, told by content alone.

What was seriatim, WhisperX, CRD3, WebVTT or plain text stays so: every other format has a mark
that those lack, or is asked for only where they have nothing to read.
"""

from __future__ import annotations

import re
from typing import Any

from talebearer.errors import InvalidTranscript
from talebearer.transcripts._chat import is_combat, is_combat_event, is_discord
from talebearer.transcripts._craig import is_bundle, is_craig_info, no_tracks
from talebearer.transcripts._headed import headed_format, numbered
from talebearer.transcripts._json import segments_of
from talebearer.transcripts._parts import is_parts
from talebearer.transcripts._sheets import is_blocks, is_meet, is_whisper_tsv
from talebearer.transcripts._speech import SPEAKERS, first_object, is_utterance, utterances
from talebearer.transcripts._srt import is_srt

_SERIATIM_MEMBERS = frozenset({"categories", "source_segment_index", "overlap_group_id"})
_UTTERANCE_MEMBERS = frozenset({*SPEAKERS, "start", "end", "start_time", "start_ms", "timestamp"})
_NEXT_OBJECT = re.compile(r"\s*\{")
_FOREIGN = {
    "messages": "a chat export: save it as lines of `Name: text`",
    "npcs": "an artifact of Talebearer itself, not a transcript",
    "interactions": "an artifact of Talebearer itself, not a transcript",
}


def json_format(root: Any, *, name: str) -> str:
    """Return which JSON format *root* is.

    Raises:
        InvalidTranscript: none that is known (TB103).
    """
    if isinstance(root, dict) and isinstance(root.get("TURNS"), list):
        return "crd3"
    segments = segments_of(root)
    if segments is not None:
        return _segments_format(root, segments)
    found = _other_format(root)
    if found is None:
        raise _unknown_shape(root, name=name)
    return found


def _segments_format(root: Any, segments: list[Any]) -> str:
    first = segments[0] if segments else None
    if isinstance(root, dict):
        metadata = root.get("metadata")
        if isinstance(metadata, dict) and metadata.get("application") == "seriatim":
            return "seriatim"
        if root.get("format") == 1 and isinstance(root.get("session"), dict):
            return "scribeio"
    elif is_combat(root):
        return "pf2e"
    if isinstance(first, dict) and _SERIATIM_MEMBERS & first.keys():
        return "seriatim"
    # WhisperX would find nothing to read where no segment has a text of that name.
    others = not any(isinstance(segment, dict) and "text" in segment for segment in segments)
    return "json" if others and any(map(is_utterance, segments)) else "whisperx"


def _other_format(root: Any) -> str | None:
    if not isinstance(root, dict):
        return None
    if is_bundle(root):
        return "craig"
    if is_parts(root):
        return "parts"
    if isinstance(root.get("transcription"), list):
        return "whisper-cpp"
    if is_discord(root):
        return "discord"
    if is_combat(root):
        return "pf2e"
    found = utterances(root)
    if found is not None and any(map(is_utterance, found[1])):
        return "json"
    return "jsonl" if _is_line(root) else None


def _is_line(value: Any) -> bool:
    """Return whether *value* is what a line of JSON Lines holds."""
    return is_utterance(value) and not _UTTERANCE_MEMBERS.isdisjoint(value)


def lines_format(text: str) -> str | None:
    """Return which format of JSON Lines *text* is, told by its first two lines, or None."""
    begin = len(text) - len(text.lstrip())
    # A file without a line end is searched twice; that is quick, where a pattern is not.
    end = text.find("\n", begin)
    if end < 0:
        end = text.find("\r", begin)
    if end < 0 or not _NEXT_OBJECT.match(text, end):
        return None
    first = first_object(text[begin:end])
    if is_combat_event(first):
        return "pf2e"
    return "jsonl" if is_utterance(first) else None


def text_format(text: str, *, name: str) -> str:
    """Return which text format *text* is; ``text`` when it is none of the others.

    Raises:
        InvalidTranscript: it is Craig's ``info.txt``, which has no speech (TB103).
    """
    if is_srt(text):
        return "srt"
    lines = numbered(text)
    if is_whisper_tsv(lines[0][1]):
        return "whisper-tsv"
    found = headed_format(lines)
    if found is not None:
        return found
    if is_meet(lines):
        return "meet"
    if is_blocks(lines):
        return "blocks"
    if is_craig_info(text):
        raise no_tracks(f"{name}, Craig's info.txt,")
    return "text"


def _unknown_shape(root: Any, *, name: str) -> InvalidTranscript:
    keys = list(root) if isinstance(root, dict) else []
    shown = ", ".join(repr(key[:40]) for key in keys[:8]) + (", …" if len(keys) > 8 else "")
    what = f"an object with {shown}" if keys else "nothing that can be read"
    foreign = next((_FOREIGN[key] for key in keys if key in _FOREIGN), None)
    known = "`segments`, `utterances`, `results` or `turns`, each with a text"
    return InvalidTranscript(
        f"{name} is no transcript that is known: at $ it has {what}",
        hint=f"this looks like {foreign}" if foreign else f"it should have {known}",
        data={"source": name, "pointer": "$"},
    )
