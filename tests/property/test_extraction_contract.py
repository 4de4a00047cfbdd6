"""Whatever the session, what extraction gives keeps its own contract."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from talebearer.extraction import (
    Player,
    Roster,
    decode_artifact,
    normalise_interactions,
    normalise_npcs,
    run,
)
from talebearer.transcripts import Transcript, Unit
from talebearer.vocabulary import ArtifactKind, OccurrenceKind

NAMES = ("Orla Finch", "Dov", "Émile O'Dray", "the clerk")
ROSTER = Roster(
    players=(Player(name="Nia", characters=("Tavi Marsh",)),),
    game_masters=(Player(name="Sam", labels=("GM",)),),
)
PIECES = st.one_of(
    st.sampled_from(
        (
            *NAMES,
            "Orla",
            "Finch",
            "E\u0301mile",
            "O’Dray",
            "Captain",
            "says",
            "attacks you",
            "“Well met.”",
            '"',
            "“",
            ",",
            ". ",
            "--",
            "'s",
            "Roll initiative!",
            "eight damage",
            "body of",
            "scrying",
            "Last session",
            "named",
            "\U0001f409",
            "I ask",
            "your turn",
        )
    ),
    st.text(max_size=8).map(lambda text: " ".join(text.split()).strip()),
)
TEXTS = st.lists(PIECES, min_size=1, max_size=14).map(" ".join).map(str.strip)
UNITS = st.lists(
    st.tuples(st.sampled_from(("GM", "Nia", "GM & Nia", "Zed", "")), TEXTS.filter(bool)),
    max_size=30,
)
REFS = st.builds(
    lambda start, extra: {"source_id": "s", "start_unit_id": start, "end_unit_id": start + extra},
    st.integers(1, 6),
    st.integers(0, 2),
)
ITEMS = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.sampled_from((*NAMES, " Dov ", "E\u0301mile O'Dray")),
            "kind": st.sampled_from([kind.value for kind in OccurrenceKind]),
            "source_refs": st.lists(REFS, min_size=1, max_size=3),
        }
    ),
    max_size=8,
)


def as_transcript(pairs) -> Transcript:
    units = tuple(
        Unit(unit_id=number, speaker=label, text=text)
        for number, (label, text) in enumerate(pairs, 1)
    )
    return Transcript(source_id="s", digest="sha256:" + "0" * 64, format="text", units=units)


def encode(member, items) -> bytes:
    return json.dumps({member: items}).encode()


@settings(max_examples=60, deadline=None)
@given(pairs=UNITS, glossary=st.sampled_from(({}, {"Orla Finch": ("Finchy", "Orla")})))
def test_every_extraction_keeps_the_strict_contract(pairs, glossary) -> None:
    session = as_transcript(pairs)
    result = run(session, ROSTER, glossary=glossary)
    registry = decode_artifact(ArtifactKind.NPC_LIST, result.registry.encode(), transcript=session)
    interactions = decode_artifact(
        ArtifactKind.NPC_INTERACTION_LIST,
        result.interactions.encode(),
        transcript=session,
        registry=registry,
    )
    assert (registry, interactions) == (result.registry, result.interactions)
    json.dumps(result.manifest)


@pytest.mark.spec("NI-ord-deterministic")
@settings(max_examples=60, deadline=None)
@given(items=ITEMS, data=st.data())
def test_normalising_is_idempotent_and_does_not_depend_on_the_order(items, data) -> None:
    normal = normalise_interactions(items, names=NAMES)
    shuffled = data.draw(st.permutations(items))
    assert normalise_interactions(shuffled, names=NAMES) == normal
    assert normalise_interactions(normal, names=NAMES) == normal
    npcs = normalise_npcs(items)
    assert normalise_npcs(shuffled) == npcs
    assert normalise_npcs(npcs) == npcs


@settings(max_examples=60, deadline=None)
@given(items=ITEMS)
def test_what_is_normal_decodes_and_encodes_to_the_same_bytes(items) -> None:
    normal = normalise_interactions(items, names=NAMES)
    artifact = decode_artifact(ArtifactKind.NPC_INTERACTION_LIST, encode("interactions", normal))
    again = decode_artifact(ArtifactKind.NPC_INTERACTION_LIST, artifact.encode())
    assert again.encode() == artifact.encode()
    assert artifact.payload == {"interactions": normal}


SCRIPT = """
import sys
from talebearer.extraction import Player, Roster, run
from talebearer.transcripts import Transcript, Unit
lines = [
    ("GM", "You meet Orla Finch, Dov Pell, Asha Rill and Captain Bren at the quay. Orla nods."),
    ("Nia", "I ask Dov about Asha. And Bren?"),
    ("GM", "\\u201cAsk Asha,\\u201d says Dov. Bren laughs, and Asha waves. Roll initiative!"),
    ("GM", "Orla attacks you, Dov helps you. Eight damage. Bren hits Orla."),
] * 4
units = tuple(Unit(unit_id=n, speaker=s, text=t) for n, (s, t) in enumerate(lines, 1))
session = Transcript(source_id="s", digest="sha256:" + "0" * 64, format="text", units=units)
result = run(session, Roster(game_masters=(Player(name="GM"),), players=(Player(name="Nia"),)))
sys.stdout.buffer.write(result.registry.encode() + result.interactions.encode())
sys.stdout.write(str(result.manifest))
"""


@pytest.mark.slow
def test_the_bytes_are_the_same_under_every_hash_seed() -> None:
    source = Path(__file__).resolve().parents[2] / "src"
    outputs = set()
    for seed in ("0", "1", "4242"):
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(source)}
        command = [sys.executable, "-c", SCRIPT]
        outputs.add(subprocess.run(command, env=env, capture_output=True, check=True).stdout)
    assert len(outputs) == 1
    assert b"Orla Finch" in outputs.pop()
