"""What the tests of extraction share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

import pytest

from talebearer.extraction import Artifact, Player, Roster, decode_artifact, normalise_npcs
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
