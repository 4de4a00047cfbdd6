"""What a model is shown, byte for byte, and what a recorded answer becomes.

A change of a prompt is a change for everybody: checkpoints of older runs no longer fit, and replies
differ. Run with TALEBEARER_UPDATE=1 to record a wanted one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from talebearer.extraction import (
    Cassette,
    ModelRun,
    Player,
    ProviderSettings,
    RecordingProvider,
    Roster,
    ScriptedProvider,
    load_pipelines,
    run,
)
from talebearer.transcripts import Transcript, parse

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).with_name("extraction")
EXAMPLE = ROOT / "examples" / "dnd-npc-interactions.config.yml"
ROSTER = Roster(
    players=(Player(name="Nia", characters=("Tavi Marsh",)),), game_masters=(Player(name="GM"),)
)
GLOSSARY = {"Orla Finch": ("Finchy", "Orla Fynch")}
REPLIES = {
    "npcs": {
        "npcs": [
            {"name": "Orla Finch", "ranges": [{"start": 1, "end": 1}]},
            {"name": "Dov Pell", "ranges": [{"start": 4, "end": 4}]},
        ]
    },
    "interactions": {
        "interactions": [
            {"name": "Dov Pell", "kind": "mentioned", "ranges": [{"start": 4, "end": 4}]},
            {"name": "Orla Finch", "kind": "dialogue", "ranges": [{"start": 1, "end": 3}]},
        ]
    },
}


@pytest.fixture
def transcript() -> Transcript:
    return parse((FOLDER / "session.txt").read_bytes(), source_id="quay")


def same_as(name: str, now: bytes) -> None:
    path = FOLDER / name
    if os.environ.get("TALEBEARER_UPDATE"):
        path.write_bytes(now)
    assert path.read_bytes() == now


def model(provider) -> ModelRun:
    settings = ProviderSettings(provider="scripted", model="recorded", chunk_tokens=8000)
    return ModelRun(provider=provider, settings=settings)


def test_the_prompts_are_as_recorded(transcript) -> None:
    shown = []

    def answer(request):
        shown.append(request.prefix + request.body)
        (lane,) = request.schema["properties"]
        return json.dumps(REPLIES[lane])

    tape = FOLDER / "tape.jsonl"
    provider = ScriptedProvider(answer, model="recorded")
    if os.environ.get("TALEBEARER_UPDATE"):
        tape.unlink(missing_ok=True)
        provider = RecordingProvider(provider, tape)
    run(transcript, ROSTER, glossary=GLOSSARY, model=model(provider))
    same_as("prompt-npcs.txt", shown[0].encode())
    same_as("prompt-npc-interactions.txt", shown[1].encode())


@pytest.mark.spec("NI-doc-example")
def test_the_maintained_example_gives_the_recorded_artifacts(transcript) -> None:
    pipeline = load_pipelines(EXAMPLE.read_bytes())["dnd-npc-interactions"]
    result = run(
        transcript,
        ROSTER,
        glossary=GLOSSARY,
        pipeline=pipeline,
        model=model(Cassette(FOLDER / "tape.jsonl")),
    )
    same_as("npc-list.json", result.registry.encode())
    same_as("npc-interaction-list.json", result.interactions.encode())


@pytest.mark.slow
@pytest.mark.spec("NI-doc-example")
def test_the_example_program_runs() -> None:
    command = [sys.executable, str(ROOT / "examples" / "run_pipeline.py")]
    command += [str(EXAMPLE), str(FOLDER / "session.txt"), "GM"]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    registry, interactions = done.stdout.splitlines()
    assert "Orla Finch" in registry
    assert "interactions" in json.loads(interactions)
    command[2] = "no-such-pipelines.yml"
    refused = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert refused.returncode == 1
    assert refused.stderr == "no-such-pipelines.yml: No such file or directory\n"
