"""Logs of play in JSON: DiscordChatExporter's messages, and the events of a combat log.

Every message is a unit, whoever wrote it: a bot may post under an NPC's name, so ``isBot`` only
becomes the tag ``bot``. A type other than ``Default`` is a tag as well. Files, embeds, stickers and
references to other messages are counted in a warning.

A combat log has no speech. Each event becomes a unit without speaker, tagged ``combat``, whose text
is the event's name and its members, ``hp_change: actor Ogre, value -7``.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from talebearer.errors import Severity
from talebearer.errors.findings_transcripts import ATTACHMENTS, EVENTS_WORDED
from talebearer.transcripts._drafts import Drafts, Places
from talebearer.transcripts._members import Misfit, label_of, object_of, text_of

_EVENT_KINDS = frozenset(
    {"encounter_start", "encounter_end", "initiative", "round", "turn", "hp_change"}
)
_KIND_KEYS = ("event", "type", "kind")
_MOMENT_KEYS = ("timestamp", "time", "at", "ts")
_EVENTS_CHECKED_MAX = 3
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECONDS_MIN = 10**11
"""Unix times from here on are milliseconds: as seconds they would be after the year 5000."""


def is_discord(root: Any) -> bool:
    """Return whether *root* is an export of a channel, known by its first message."""
    messages = root.get("messages") if isinstance(root, dict) else None
    if not isinstance(messages, list):
        return False
    if "channel" in root or "guild" in root:
        return True
    first = messages[0] if messages else None
    return isinstance(first, dict) and "content" in first and "author" in first


def read_discord(root: Any, *, name: str) -> Drafts:
    """Read DiscordChatExporter's JSON; times are seconds from the earliest message.

    Source: the transcript formats' section 5.
    """
    messages = root.get("messages") if isinstance(root, dict) else None
    if not isinstance(messages, list):
        raise Misfit("", "a list", messages).at("$.messages", name=name)
    drafts = Drafts(Places(name=name, noun="message", pointer="$.messages"))
    index = 0
    rows: list[tuple[str, str, tuple[str, ...]]] = []
    moments: list[object] = []
    extras: list[int] = []
    try:
        for index, message in enumerate(messages):
            get = object_of(message).get
            rows.append(_message(message))
            moments.append(get("timestamp"))
            if get("attachments") or get("embeds") or get("stickers") or get("reference"):
                extras.append(index)
    except Misfit as misfit:
        raise misfit.at(f"$.messages[{index}]", name=name) from None
    _note_extras(drafts, extras)
    starts = _from_first(drafts, moments)
    for index, ((speaker, text, tags), start) in enumerate(zip(rows, starts, strict=True)):
        drafts.add(index, speaker=speaker, text=text, start=start, tags=tags)
    return drafts


def _message(message: dict[str, Any]) -> tuple[str, str, tuple[str, ...]]:
    author = message.get("author")
    if author is not None and type(author) is not dict:
        raise Misfit(".author", "an object", author)
    author = author or {}
    nickname = label_of(author.get("nickname"), ".author.nickname")
    speaker = nickname if nickname.strip() else label_of(author.get("name"), ".author.name")
    text = text_of(message.get("content"), ".content")
    kind = message.get("type")
    plain = kind == "Default" or type(kind) is not str or not kind.isalnum()
    bot = ("bot",) if author.get("isBot") is True else ()
    return speaker, text, bot if plain else (kind, *bot)


def _note_extras(drafts: Drafts, extras: list[int]) -> None:
    if extras:
        drafts.note(
            ATTACHMENTS,
            extras,
            f"{drafts.places.counted(len(extras))} with a file, an embed, a sticker or a reference "
            "to the message that it answers, which are not read",
            hint="what was written was read",
        )


def _from_first(drafts: Drafts, moments: list[object]) -> list[float | None]:
    """Return seconds from the earliest moment; what is no moment is noted and unknown."""
    times: list[float | None] = []
    for place, moment in enumerate(moments):
        found = _unix_s(moment)
        if found is None and moment is not None:
            drafts.bad_time(place, f"its timestamp is {str(moment)[:40]!r}")
        times.append(found)
    known = [time for time in times if time is not None]
    if not known:
        return times
    return drafts.count_from_first(times, str(moments[times.index(min(known))]))


def _unix_s(moment: object) -> float | None:
    if type(moment) is int or type(moment) is float:
        if not 0 <= moment < 10**15:  # NaN compares false too
            return None
        return moment / 1000 if moment >= _MILLISECONDS_MIN else float(moment)
    if type(moment) is not str or len(moment) > 40:
        return None
    try:
        found = datetime.fromisoformat(moment)
        # A time without a zone is UTC, as the log's others are.
        return ((found if found.tzinfo else found.replace(tzinfo=UTC)) - _EPOCH).total_seconds()
    except (ValueError, OverflowError):
        return None


def is_combat(root: Any) -> bool:
    """Return whether *root* is a list of combat events, or an object with one under ``events``."""
    events = root.get("events") if isinstance(root, dict) else root
    if not isinstance(events, list) or not events:
        return False
    return all(is_combat_event(event) for event in events[:_EVENTS_CHECKED_MAX])


def is_combat_event(value: Any) -> bool:
    """Return whether *value* is an object whose kind is one of a combat log."""
    return isinstance(value, dict) and _kind(value) in _EVENT_KINDS


def read_combat(root: Any, *, name: str) -> Drafts:
    """Read a combat log; times are seconds from its earliest event.

    Source: the transcript formats' section 5.
    """
    events = root.get("events") if isinstance(root, dict) else root
    pointer = "$.events" if isinstance(root, dict) else "$"
    if not isinstance(events, list):
        raise Misfit("", "a list", events).at(pointer, name=name)
    drafts = Drafts(Places(name=name, noun="event", pointer=pointer))
    moments: list[object] = []
    try:
        for event in events:
            get = object_of(event).get
            moments.append(next((get(key) for key in _MOMENT_KEYS if key in event), None))
    except Misfit as misfit:
        raise misfit.at(f"{pointer}[{len(moments)}]", name=name) from None
    drafts.note(
        EVENTS_WORDED,
        [],
        "events are put into words, member by member; nobody says them",
        severity=Severity.NOTE,
        hint="nothing needs to be done",
    )
    for index, (event, start) in enumerate(zip(events, _from_first(drafts, moments), strict=True)):
        drafts.add(index, speaker="", text=_worded(event), start=start, tags=("combat",))
    return drafts


def _kind(event: dict[str, Any]) -> str:
    found = next((event[key] for key in _KIND_KEYS if type(event.get(key)) is str), "")
    return str(found)


def _worded(event: dict[str, Any]) -> str:
    kind = _kind(event)
    left = [key for key in event if key not in _MOMENT_KEYS and event[key] != kind]
    words = ", ".join(f"{key} {_shown(event[key])}" for key in left)
    return f"{kind}: {words}" if kind and words else kind or words


def _shown(value: Any, depth: int = 0) -> str:
    if isinstance(value, dict):
        if depth > 2:
            return "{…}"
        inner = (f"{key} {_shown(each, depth + 1)}" for key, each in value.items())
        return f"({', '.join(inner)})"
    if isinstance(value, list):
        return "[…]" if depth > 2 else f"[{', '.join(_shown(each, depth + 1) for each in value)}]"
    if isinstance(value, bool) or value is None:
        return "none" if value is None else "yes" if value else "no"
    return str(value)
