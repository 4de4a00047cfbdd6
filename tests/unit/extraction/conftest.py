"""What the tests of extraction share."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from talebearer.extraction import (
    Artifact,
    ModelReply,
    ModelRequest,
    ModelRun,
    Player,
    ProviderSettings,
    Roster,
    ScriptedProvider,
    decode_artifact,
    normalise_npcs,
)
from talebearer.transcripts import Transcript, Unit
from talebearer.vocabulary import ArtifactKind


def _transcript(text: str, source_id: str = "s1") -> Transcript:
    pairs = [line.strip().split(": ", 1) for line in text.strip().splitlines()]
    units = tuple(
        Unit(unit_id=number, speaker=label, text=words)
        for number, (label, words) in enumerate(pairs, 1)
    )
    digest = "sha256:" + "0" * 64
    return Transcript(source_id=source_id, digest=digest, format="text", units=units)


def _registry(names: Iterable[str], source_id: str = "s1") -> Artifact:
    ref = {"source_id": source_id, "start_unit_id": 1, "end_unit_id": 1}
    npcs = normalise_npcs({"name": name, "source_refs": [ref]} for name in names)
    return decode_artifact(ArtifactKind.NPC_LIST, json.dumps({"npcs": npcs}).encode())


@pytest.fixture
def roster() -> Roster:
    """Two players, one game master, one guest."""
    return Roster(
        players=(
            Player(name="Nia", labels=("Nia", "nia_b"), characters=("Tavi Marsh",)),
            Player(name="Olu", characters=("Brother Hest",)),
        ),
        game_masters=(Player(name="Sam", labels=("GM",)),),
        guests=(Player(name="Kit"),),
    )


@pytest.fixture
def transcript() -> Callable[..., Transcript]:
    """Make the transcript of ``LABEL: words`` lines."""
    return _transcript


@pytest.fixture
def registry() -> Callable[..., Artifact]:
    """Make the registry of some names."""
    return _registry


NAMES = ("Orla Finch", "Dov Pell")


def _session(unit_count: int) -> Transcript:
    lines = [
        "GM: Orla Finch looks up from the ropes.",
        "Nia: Hello, Orla. Is Dov Pell here?",
        "GM: Dov Pell steps out of the shed and nods.",
        "Olu: I would like to buy a boat.",
    ]
    return _transcript("\n".join(lines[index % 4] for index in range(unit_count)))


def units_of(request: ModelRequest) -> tuple[int, int]:
    """Return the first and last unit that *request* asks about."""
    match = re.search(r"^Transcript, units (\d+) to (\d+):$", request.body, re.MULTILINE)
    assert match is not None
    return int(match[1]), int(match[2])


def good_answer(request: ModelRequest) -> str:
    """Answer as a careful model would: one record a person and chunk."""
    first, last = units_of(request)
    shown = request.body[request.body.index("Transcript, units") :]
    names = [name for name in NAMES if name in shown]
    if "npcs" in request.schema["properties"]:
        items = [{"name": name, "ranges": [{"start": first, "end": last}]} for name in names]
        return json.dumps({"npcs": items})
    items = [
        {"name": name, "kind": "dialogue", "ranges": [{"start": first, "end": last}]}
        for name in names
    ]
    return json.dumps({"interactions": items})


@pytest.fixture
def session() -> Callable[[int], Transcript]:
    """Make a transcript of so many units that name Orla Finch and Dov Pell."""
    return _session


@pytest.fixture
def answer() -> Callable[[ModelRequest], str]:
    """Answer as a careful model would."""
    return good_answer


@pytest.fixture
def units() -> Callable[[ModelRequest], tuple[int, int]]:
    """Return the units that a request asks about."""
    return units_of


@pytest.fixture
def model() -> Callable[..., ModelRun]:
    """Make the run of a scripted model with small chunks that never really waits."""

    def make(answer: Callable[[ModelRequest], ModelReply | str], **options: Any) -> ModelRun:
        settings = {
            "provider": "scripted",
            "model": "script",
            "chunk_tokens": 200,
            "context_units": 3,
            **options.pop("settings", {}),
        }
        return ModelRun(
            provider=ScriptedProvider(answer),
            settings=ProviderSettings(**settings),
            sleep=options.pop("sleep", lambda seconds: None),
            **options,
        )

    return make
