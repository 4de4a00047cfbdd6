"""campaign.toml: who sits at the table, where the content lies, clock and seed.

All faults of the file are found in one reading.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from talebearer.errors import (
    InvalidCampaign,
    Problem,
    Severity,
    StoreUnavailable,
    Where,
    did_you_mean,
)
from talebearer.extraction import Player, ProviderSettings, Roster, check_settings
from talebearer.memory import DecayPolicy
from talebearer.vocabulary import LANGUAGE, SLUG, SOURCE_ID, SourceKind, fullmatch

TICKS_PER_SECOND = 10
PATH_CHARS_MAX = 200
TICKS_PER_SESSION = 10_000_000

_TOP_KEYS = (
    "clock",
    "content",
    "decay",
    "game_masters",
    "glossary",
    "gossip",
    "guests",
    "id",
    "language",
    "name",
    "provider",
    "roster",
    "scene",
    "seed",
    "sessions",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneDefaults:
    """What a conversation takes for granted unless told otherwise; ``None`` leaves it open."""

    location: str | None = None
    situations: tuple[str, ...] | None = None
    access: str | None = None
    trust: str | None = None
    topics: tuple[str, ...] | None = None
    moods: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignConfig:
    """The campaign's settings.

    Attributes:
        id: Campaign id, the store's workspace.
        name: Title for people.
        seed: The one seed of all draws, 0 to 2**63 - 1.
        language: In what language lines are said, where they are translated; ``None`` is as written.
        sessions: Session ids in campaign order; a session not listed follows in order of recording.
        roster: Players, game masters and guests.
        glossary: Canonical name to other spellings, for look-up only.
        scene: Defaults for every conversation.
        content: The content folder, relative to the campaign's.
        provider: Who extracts: the embedded rules, or a model and how to ask it.
        circles: Groups of slugs that tell each other what they know, besides those of one place.
        decay: How fast memory fades; ``None`` is never.
        ticks_per_second: Clock rate; Talebearer counts ticks and leaves seconds to the game.
    """

    id: str
    name: str
    seed: int = 0
    language: str | None = None
    sessions: tuple[str, ...] = ()
    roster: Roster
    glossary: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    scene: SceneDefaults = field(default_factory=SceneDefaults)
    content: str = "content"
    provider: ProviderSettings = field(default_factory=ProviderSettings)
    circles: tuple[tuple[str, ...], ...] = ()
    decay: DecayPolicy | None = None
    ticks_per_second: int = TICKS_PER_SECOND


class _Reader:
    """Reads typed members of a mapping and collects every fault with its pointer."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []

    def fault(self, pointer: str, message: str, hint: str = "") -> None:
        where = Where(file=self.file, pointer=pointer)
        self.problems.append(
            Problem(
                code=InvalidCampaign.code,
                severity=Severity.ERROR,
                where=where,
                message=message,
                hint=hint,
            )
        )

    def keys(self, table: Mapping[str, Any], allowed: tuple[str, ...], pointer: str) -> None:
        for key in table:
            if key not in allowed:
                self.fault(f"{pointer}.{key}", f"unknown key {key!r}", did_you_mean(key, allowed))

    def table(self, parent: Mapping[str, Any], key: str, pointer: str) -> Mapping[str, Any]:
        value = parent.get(key, {})
        if isinstance(value, dict):
            return value
        self.fault(f"{pointer}.{key}", f"{key} is {value!r}, not a table", f"write [{key}]")
        return {}

    def text(self, table: Mapping[str, Any], key: str, pointer: str) -> str | None:
        value = table.get(key)
        if value is None:
            return None
        if isinstance(value, str) and value.strip():
            return value
        self.fault(f"{pointer}.{key}", f"{key} is {value!r}, not a text")
        return None

    def integer(
        self, table: Mapping[str, Any], key: str, pointer: str, *, least: int, most: int
    ) -> int | None:
        value = table.get(key)
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        self.fault(f"{pointer}.{key}", f"{key} is {value!r}", f"a whole number {least} to {most}")
        return None

    def texts(self, table: Mapping[str, Any], key: str, pointer: str) -> tuple[str, ...] | None:
        value = table.get(key)
        if value is None:
            return None
        if isinstance(value, list) and all(isinstance(item, str) and item for item in value):
            return tuple(value)
        self.fault(f"{pointer}.{key}", f"{key} is {value!r}", 'a list of texts, ["a", "b"]')
        return None


def load_config(path: Path) -> CampaignConfig:
    """Read *path* and return the campaign's settings.

    Raises:
        InvalidCampaign: The file is no TOML, or has faults; all are listed (TB107).
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise InvalidCampaign(
            f"{path.name}: not UTF-8 at byte {error.start}", hint="save it as UTF-8"
        ) from error
    except (ValueError, RecursionError) as error:
        # Besides the parser's own error: numbers of thousands of digits, and endless nesting.
        reason = str(error) if isinstance(error, ValueError) else "nested too deeply"
        raise InvalidCampaign(f"{path.name}: {reason}", hint="correct the TOML there") from error
    except OSError as error:
        raise StoreUnavailable(f"{path} cannot be read: {error.strerror}") from error
    return parse_config(table, file=path.name)


def parse_config(table: Mapping[str, Any], *, file: str = "campaign.toml") -> CampaignConfig:
    """Return the settings that *table* holds; every fault is listed at once.

    Raises:
        InvalidCampaign: *table* has faults (TB107).
    """
    reader = _Reader(file)
    reader.keys(table, _TOP_KEYS, "$")
    campaign_id = reader.text(table, "id", "$")
    if campaign_id is None:
        reader.fault("$.id", "id is missing", 'id = "my-campaign"')
    elif not fullmatch(SOURCE_ID, campaign_id):
        reader.fault(
            "$.id", f"id is {campaign_id!r}", "1-64 letters, digits, dot, dash, underscore"
        )
    sessions = reader.texts(table, "sessions", "$") or ()
    for index, session in enumerate(sessions):
        if not fullmatch(SOURCE_ID, session):
            reader.fault(f"$.sessions[{index}]", f"session id is {session!r}")
    if len(set(sessions)) != len(sessions):
        reader.fault("$.sessions", "a session is listed twice")
    clock = reader.table(table, "clock", "$")
    reader.keys(clock, ("ticks_per_second",), "$.clock")
    content = reader.table(table, "content", "$")
    reader.keys(content, ("path",), "$.content")
    config = CampaignConfig(
        id=campaign_id or "",
        name=reader.text(table, "name", "$") or campaign_id or "",
        seed=reader.integer(table, "seed", "$", least=0, most=2**63 - 1) or 0,
        language=_language(reader, table),
        sessions=sessions,
        roster=_roster(reader, table),
        glossary=_glossary(reader, reader.table(table, "glossary", "$")),
        scene=_scene(reader, reader.table(table, "scene", "$")),
        content=_content_path(reader, reader.text(content, "path", "$.content")),
        circles=_circles(reader, reader.table(table, "gossip", "$")),
        decay=_decay(reader, reader.table(table, "decay", "$")),
        provider=_provider(reader, reader.table(table, "provider", "$")),
        ticks_per_second=reader.integer(
            clock, "ticks_per_second", "$.clock", least=1, most=1_000_000
        )
        or TICKS_PER_SECOND,
    )
    if reader.problems:
        raise InvalidCampaign(
            f"{file} has {len(reader.problems)} faults: "
            + "; ".join(f"{p.where.pointer} {p.message}" for p in reader.problems),
            hint="; ".join(dict.fromkeys(p.hint for p in reader.problems if p.hint)),
            data={"problems": [problem.as_json() for problem in reader.problems]},
        )
    return config


def _language(reader: _Reader, table: Mapping[str, Any]) -> str | None:
    language = reader.text(table, "language", "$")
    if language is not None and not fullmatch(LANGUAGE, language):
        reader.fault("$.language", f"language is {language!r}", "a code such as de or pt_BR")
    return language


def _roster(reader: _Reader, table: Mapping[str, Any]) -> Roster:
    rows = table.get("roster", [])
    players: list[Player] = []
    if not isinstance(rows, list):
        reader.fault("$.roster", f"roster is {rows!r}", "write [[roster]] once a player")
        rows = []
    for index, row in enumerate(rows):
        pointer = f"$.roster[{index}]"
        if not isinstance(row, dict):
            reader.fault(pointer, f"{row!r} is not a table")
            continue
        reader.keys(row, ("player", "labels", "characters"), pointer)
        name = reader.text(row, "player", pointer)
        if name is None:
            reader.fault(f"{pointer}.player", "player is missing")
            continue
        labels = reader.texts(row, "labels", pointer)
        characters = reader.texts(row, "characters", pointer) or ()
        players.append(Player(name=name, labels=labels or (name,), characters=characters))
    return Roster(
        players=tuple(players),
        game_masters=_people(reader, table, "game_masters"),
        guests=_people(reader, table, "guests"),
    )


def _people(reader: _Reader, table: Mapping[str, Any], key: str) -> tuple[Player, ...]:
    """Game masters and guests: a name, or a table of name and labels."""
    rows = table.get(key, [])
    if not isinstance(rows, list):
        reader.fault(f"$.{key}", f"{key} is {rows!r}", 'a list, ["Rosa"]')
        return ()
    people: list[Player] = []
    for index, row in enumerate(rows):
        pointer = f"$.{key}[{index}]"
        if isinstance(row, str) and row:
            people.append(Player(name=row, labels=(row,), characters=()))
        elif isinstance(row, dict):
            reader.keys(row, ("name", "labels", "characters"), pointer)
            name = reader.text(row, "name", pointer)
            if name is None:
                reader.fault(f"{pointer}.name", "name is missing")
                continue
            labels = reader.texts(row, "labels", pointer) or (name,)
            characters = reader.texts(row, "characters", pointer) or ()
            people.append(Player(name=name, labels=labels, characters=characters))
        else:
            reader.fault(
                pointer, f"{row!r} is no name", '"Rosa" or {name = "Rosa", labels = ["GM"]}'
            )
    return tuple(people)


def _glossary(reader: _Reader, table: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    glossary: dict[str, tuple[str, ...]] = {}
    for name in table:
        spellings = reader.texts(table, name, "$.glossary")
        if spellings is not None:
            glossary[name] = spellings
    return glossary


def _scene(reader: _Reader, table: Mapping[str, Any]) -> SceneDefaults:
    reader.keys(table, ("location", "situations", "access", "trust", "topics", "moods"), "$.scene")
    location = reader.text(table, "location", "$.scene")
    if location is not None and not fullmatch(SLUG, location):
        reader.fault("$.scene.location", f"location is {location!r}", "a slug such as the-quay")
    return SceneDefaults(
        location=location,
        situations=reader.texts(table, "situations", "$.scene"),
        access=reader.text(table, "access", "$.scene"),
        trust=reader.text(table, "trust", "$.scene"),
        topics=reader.texts(table, "topics", "$.scene"),
        moods=reader.texts(table, "moods", "$.scene"),
    )


def _circles(reader: _Reader, table: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    reader.keys(table, ("circles",), "$.gossip")
    circles = table.get("circles", [])
    if not isinstance(circles, list):
        reader.fault("$.gossip.circles", f"circles is {circles!r}", 'a list, [["a", "b"]]')
        return ()
    found = []
    for index, circle in enumerate(circles):
        names = reader.texts({"circle": circle}, "circle", f"$.gossip.circles[{index}]")
        if names is not None:
            found.append(names)
    return tuple(found)


def _decay(reader: _Reader, table: Mapping[str, Any]) -> DecayPolicy | None:
    """Rates in ticks a step: for facts and for people by how they were learned, for standings."""
    if not table:
        return None
    reader.keys(table, ("facts", "entities", "standing"), "$.decay")
    rates: dict[str, Any] = {}
    for key in ("facts", "entities"):
        steps = reader.table(table, key, "$.decay")
        reader.keys(steps, tuple(SourceKind), f"$.decay.{key}")
        rates[key] = {
            SourceKind(name): ticks
            for name in steps
            if name in list(SourceKind)
            and (ticks := reader.integer(steps, name, f"$.decay.{key}", least=1, most=10**12))
        }
    rates["standing"] = reader.integer(table, "standing", "$.decay", least=1, most=10**12)
    return DecayPolicy(**rates)


def _content_path(reader: _Reader, path: str | None) -> str:
    if path is None:
        return "content"
    odd = not path.isprintable() or len(path) > PATH_CHARS_MAX
    if odd or Path(path).is_absolute() or ".." in Path(path).parts:
        reader.fault("$.content.path", f"path is {path!r}", "a folder inside the campaign's folder")
    return path


def _provider(reader: _Reader, table: Mapping[str, Any]) -> ProviderSettings:
    settings, faults = check_settings(table)
    for fault in faults:
        reader.fault(f"$.provider.{fault.member}", fault.message, fault.hint)
    return settings


def config_template(campaign_id: str, name: str) -> str:
    """Return the text of a new campaign's campaign.toml, with every setting explained."""
    # A JSON string is a TOML basic string, control characters written out included.
    title = json.dumps(name, ensure_ascii=False)
    return f'''#:schema content/_schema/campaign.schema.json
# Settings of this campaign. Everything but the id may be left out.
id = "{campaign_id}"
name = {title}

# Every draw comes from this one number: same seed, same conversations.
seed = 1

# Session ids in campaign order; others follow in the order of recording.
sessions = []

# Whose turns can give voice to NPCs, and visitors. A name, or {{name = "Rosa", labels = ["GM"]}}.
game_masters = ["GM"]
guests = []

# One block a player: labels are the names that the transcript uses.
# [[roster]]
# player = "Ana"
# labels = ["Ana", "SPEAKER_01"]
# characters = ["Ilse Varr"]

# Spellings that the recogniser gets wrong: "right" = ["wrong", "wrong too"].
[glossary]

# What a conversation takes for granted unless told otherwise.
[scene]

[content]
path = "content"

# Who extracts. The embedded rules need no network. docs/config.md has every setting of a model;
# its key stands in the environment, never here.
[provider]
provider = "rules"
# provider = "openai-compatible"
# model = "qwen3-8b"
# base_url = "http://127.0.0.1:8080/v1"

# Who passes on what: NPCs of one place, and of each circle, tell each other.
[gossip]
circles = []

# Ticks after which what was learned fades by a step; none set, none fades.
# [decay]
# facts = {{heard = 864000}}

[clock]
ticks_per_second = {TICKS_PER_SECOND}
'''
