"""Asking a model: overhead, use of workers, and the same records through langextract.

langextract is measured in an environment of its own, since its packages are none of ours::

    python3 -m venv .venv-bench && .venv-bench/bin/pip install langextract==1.7.1

``rows`` leaves its row out when that environment is missing. Replies are written beforehand, so that
nothing is measured but what happens around a model.
"""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import generated
from rows import Row, limit, ratio

from talebearer.extraction import (
    ModelRequest,
    ModelRun,
    Player,
    ProviderSettings,
    Roster,
    ScriptedProvider,
    run,
)
from talebearer.extraction.asking import line_of
from talebearer.transcripts import Transcript, parse

ROOT = Path(__file__).resolve().parent.parent
LANGEXTRACT_PYTHON = ROOT / ".venv-bench" / "bin" / "python"
NAMES = generated.NAMES
UNITS_REAL = 4284
UNITS_SMALL = 300
LATENCY_S = 0.2
WORKERS = 8
STEP_UNITS = 15
ROUNDS = 3
ROSTER = Roster(
    game_masters=(Player(name="GM"),),
    players=(Player(name="Ana"), Player(name="Ben"), Player(name="Dee")),
)


def rows(*, small: bool, langextract_python: Path = LANGEXTRACT_PYTHON) -> list[Row]:
    """Return the rows of asking a model.

    Args:
        small: A short session and no wait worth the name, for a test that these rows work.
        langextract_python: Python of an environment with langextract; no row without it.
    """
    transcript = session(UNITS_SMALL if small else UNITS_REAL)
    zero_s, calls = overhead(transcript, workers=WORKERS)
    made = [
        limit(f"model lanes, {len(transcript.units)} units, no latency", zero_s, 2, "s"),
        waiting(transcript, zero_s, calls, latency_s=0.01 if small else LATENCY_S),
    ]
    if langextract_python.exists():
        other_s = langextract_s(transcript, langextract_python)
        made.append(
            ratio("model lanes against langextract", zero_s * 1000, other_s * 1000, "ms", least=5)
        )
    return made


def session(unit_count: int) -> Transcript:
    """Return the generated session."""
    return parse(generated.seriatim(unit_count).encode(), source_id="bench")


def overhead(transcript: Transcript, *, workers: int) -> tuple[float, dict[str, int]]:
    """Return the median seconds of both lanes without latency, and the requests of each lane."""
    times, calls = [], {}
    for _ in range(ROUNDS):
        asked: list[str] = []
        seconds = timed(transcript, answerer(asked.append), workers=workers)
        times.append(seconds)
        calls = {lane: asked.count(lane) for lane in ("npcs", "interactions")}
    return statistics.median(times), calls


def waiting(
    transcript: Transcript, zero_s: float, calls: dict[str, int], *, latency_s: float
) -> Row:
    """Return how close eight workers come to the ideal when every request takes a while."""
    ideal_s = zero_s + sum(latency_s * -(-count // WORKERS) for count in calls.values())

    def wait(lane: str) -> None:
        assert lane in calls
        time.sleep(latency_s)

    ours_s = timed(transcript, answerer(wait), workers=WORKERS)
    name = f"model lanes, {latency_s * 1000:g} ms latency, {WORKERS} workers, over the ideal"
    return limit(name, ours_s / ideal_s, 1.15, "x")


def timed(transcript: Transcript, answer: Callable[[ModelRequest], str], *, workers: int) -> float:
    """Return the seconds of both lanes."""
    settings = ProviderSettings(provider="scripted", model="script", workers=workers)
    model = ModelRun(provider=ScriptedProvider(answer), settings=settings)
    begun = time.perf_counter()
    result = run(transcript, ROSTER, model=model)
    seconds = time.perf_counter() - begun
    wanted = {"npc_count": len(NAMES)}
    assert result.registry.metadata == wanted, "the replies were not read"
    return seconds


def answerer(before: Callable[[str], None]) -> Callable[[ModelRequest], str]:
    """Return a script that calls *before* with the lane and answers with the records of the units."""

    def answer(request: ModelRequest) -> str:
        (lane,) = request.schema["properties"]
        before(lane)
        first, last = map(int, re.findall(r"units (\d+) to (\d+):", request.body)[-1])
        items = []
        for unit_id, name in records(first, last):
            item: dict[str, Any] = {"name": name}
            if lane == "interactions":
                item["kind"] = "dialogue"
            items.append({**item, "ranges": [{"start": unit_id, "end": min(unit_id + 3, last)}]})
        return json.dumps({lane: items})

    return answer


def records(first: int, last: int) -> list[tuple[int, str]]:
    """Return one record every fifteen units: where it begins and whose it is."""
    starts = range(first + (1 - first) % STEP_UNITS, last + 1, STEP_UNITS)
    return [(start, NAMES[(start - 1) // 40 % len(NAMES)]) for start in starts]


def langextract_s(transcript: Transcript, python: Path) -> float:
    """Return langextract's seconds for the same records: the better of two chunk sizes."""
    given = {
        "lines": [line_of(unit) for unit in transcript.units],
        "texts": [unit.text for unit in transcript.units],
        "records": records(1, len(transcript.units)),
        "chunk_chars": [1000, 29_600],
        "workers": WORKERS,
    }
    done = subprocess.run(
        [str(python), "-c", LANGEXTRACT],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"langextract failed:\n{done.stderr}")
    return min(json.loads(done.stdout.splitlines()[-1]))


LANGEXTRACT = r"""
import json, logging, re, sys, time
import langextract as lx
from langextract.core import base_model, types
logging.disable(logging.CRITICAL)
given = json.load(sys.stdin)
names = {start: name for start, name in given["records"]}

class Script(base_model.BaseLanguageModel):
    lane = "npcs"
    count = 0
    def infer(self, batch_prompts, **kwargs):
        for prompt in batch_prompts:
            units = [int(n) for n in re.findall(r"\[(\d+)\] ", prompt)]
            found = []
            for unit in units:
                if unit in names:
                    text = given["texts"][unit - 1]
                    found.append(
                        {self.lane: text, self.lane + "_attributes": {"name": names[unit]}}
                    )
            Script.count += len(found)
            yield [types.ScoredOutput(score=1.0, output=json.dumps({"extractions": found}))]

example = lx.data.ExampleData(
    text="GM: Orla nods.",
    extractions=[lx.data.Extraction("npcs", "Orla nods.", attributes={"name": "Orla"})],
)
text = "\n".join(given["lines"])
seconds = []
for chars in given["chunk_chars"]:
    begun = time.perf_counter()
    for lane in ("npcs", "interactions"):
        model = Script()
        model.lane = lane
        Script.count = 0
        lx.extract(
            text_or_documents=text, prompt_description="List them.", examples=[example],
            model=model, fence_output=False, use_schema_constraints=False, max_char_buffer=chars,
            max_workers=given["workers"], batch_length=given["workers"], show_progress=False,
            prompt_validation_level=lx.prompt_validation.PromptValidationLevel.OFF,
        )
        assert Script.count >= len(names) * 0.9, (Script.count, len(names))
    seconds.append(time.perf_counter() - begun)
print(json.dumps(seconds))
"""
