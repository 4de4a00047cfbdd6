import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from talebearer.errors import BadModelOutput
from talebearer.extraction import FinishReason, ModelReply, run

SOURCE = Path(__file__).resolve().parents[3] / "src"


def files_of(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


class Counting:
    """Counts questions, and may fail from some question on."""

    def __init__(self, answer, fail_from: int | None = None) -> None:
        self.answer = answer
        self.fail_from = fail_from
        self.count = 0
        self.lock = threading.Lock()

    def __call__(self, request):
        with self.lock:
            self.count += 1
            if self.fail_from is not None and self.count >= self.fail_from:
                raise KeyboardInterrupt
        return self.answer(request)


@pytest.mark.spec("NI-pipe-checkpoint")
def test_a_second_run_asks_nothing_and_gives_the_same_bytes(
    session, roster, model, answer, tmp_path
) -> None:
    first, second = Counting(answer), Counting(answer)
    one = run(session(40), roster, model=model(first, checkpoints=tmp_path))
    two = run(session(40), roster, model=model(second, checkpoints=tmp_path))
    assert first.count > 4
    assert second.count == 0
    assert (one.registry, one.interactions) == (two.registry, two.interactions)
    assert two.manifest["usage"]["chunks_resumed"] == first.count


@pytest.mark.spec("NI-pipe-resume")
@pytest.mark.parametrize("killed_at", [1, 2, 4, 7, 8])
def test_a_run_that_ends_anywhere_resumes_without_asking_twice(
    session, roster, model, answer, tmp_path, killed_at
) -> None:
    whole = Counting(answer)
    expected = run(session(40), roster, model=model(whole))
    first = Counting(answer, fail_from=killed_at)
    with pytest.raises(KeyboardInterrupt):
        run(session(40), roster, model=model(first, checkpoints=tmp_path, settings={"workers": 1}))
    kept = len(files_of(tmp_path))
    assert kept == killed_at - 1
    second = Counting(answer)
    resumed = run(session(40), roster, model=model(second, checkpoints=tmp_path))
    assert second.count == whole.count - kept
    assert resumed.interactions == expected.interactions


KILLED = """
import json, os, sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from conftest import _session, good_answer
from talebearer.extraction import ModelRun, ProviderSettings, Roster, ScriptedProvider, run

def slow(request):
    time.sleep(0.05)
    return good_answer(request)

settings = ProviderSettings(provider="scripted", model="script", chunk_tokens=200, workers=2)
model = ModelRun(
    provider=ScriptedProvider(slow), settings=settings, checkpoints=Path(sys.argv[1]),
    progress=lambda step: print(step.chunks_done, flush=True),
)
run(_session(200), Roster(), model=model)
"""


@pytest.mark.slow
@pytest.mark.spec("NI-pipe-resume")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_process_that_is_killed_or_interrupted_leaves_whole_results_only(
    session, model, answer, tmp_path, how
) -> None:
    from talebearer.extraction import Roster

    command = [sys.executable, "-c", KILLED, str(tmp_path), str(Path(__file__).parent)]
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    with subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        for _ in range(6):  # the first line tells that nothing is done yet
            process.stdout.readline()
        process.send_signal(how)
    kept = [path for path in files_of(tmp_path) if path.suffix == ".json"]
    assert len(kept) >= 5
    assert all(json.loads(path.read_bytes()) for path in kept)
    settings = {"context_units": 10}
    second, whole = Counting(answer), Counting(answer)
    resumed = run(
        session(200), Roster(), model=model(second, checkpoints=tmp_path, settings=settings)
    )
    assert run(session(200), Roster(), model=model(whole, settings=settings)).interactions == (
        resumed.interactions
    )
    assert second.count == whole.count - len(kept)


@pytest.mark.spec("NI-E6-only-accepted")
def test_only_accepted_results_are_kept(session, roster, model, answer, units, tmp_path) -> None:
    def faulty(request):
        return "no json" if units(request)[0] == 1 else answer(request)

    def shy(request):
        if units(request)[0] == 1:
            return ModelReply(text="no", finish=FinishReason.REFUSAL)
        return answer(request)

    with pytest.raises(BadModelOutput):
        run(session(40), roster, model=model(faulty, checkpoints=tmp_path))
    assert not [path for path in files_of(tmp_path) if path.name.startswith("000001-")]
    run(session(40), roster, model=model(shy, checkpoints=tmp_path))
    assert not [path for path in files_of(tmp_path) if path.name.startswith("000001-")]


@pytest.mark.spec("NI-pipe-checkpoint")
def test_other_names_prompts_or_settings_are_other_checkpoints(
    session, roster, model, answer, tmp_path
) -> None:
    first = Counting(answer)
    run(session(40), roster, model=model(first, checkpoints=tmp_path))
    lane = first.count // 2
    others = [
        (model, {"glossary": {"Orla Finch": ("Finchy",)}}, {}, 2 * lane),
        (model, {}, {"max_output_tokens": 512}, 2 * lane),
        (model, {}, {"context_units": 2}, 2 * lane),
        (model, {}, {}, 0),
    ]
    for make, options, settings, asked in others:
        counting = Counting(answer)
        run(
            session(40),
            roster,
            model=make(counting, checkpoints=tmp_path, settings=settings),
            **options,
        )
        assert counting.count == asked, settings


@pytest.mark.spec("NI-pipe-checkpoint")
def test_another_registry_asks_the_second_lane_anew_and_the_first_not(
    session, roster, model, answer, tmp_path
) -> None:
    first = Counting(answer)
    run(session(40), roster, model=model(first, checkpoints=tmp_path))
    for path in (tmp_path / "dnd-npc-list").rglob("*.json"):
        value = json.loads(path.read_bytes())
        value["result"]["npcs"] = value["result"]["npcs"][:1]
        path.write_text(json.dumps(value))
    second = Counting(answer)
    with pytest.raises(BadModelOutput):  # it still answers with the name that is gone
        run(session(40), roster, model=model(second, checkpoints=tmp_path))
    assert second.count >= first.count // 2


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b'{"format":"talebearer.checkpoint"}',
        b"\xff" * 40,
        b"{" * 9000,
        b'{"result":{"npcs":[{"name":"Invented","ranges":[{"start":1,"end":1}]}]}}',
        b"x" * (2 * 1024 * 1024 + 1),
    ],
)
def test_damaged_files_are_asked_again(session, roster, model, answer, tmp_path, data) -> None:
    run(session(40), roster, model=model(answer, checkpoints=tmp_path))
    files_of(tmp_path)[0].write_bytes(data)
    second = Counting(answer)
    run(session(40), roster, model=model(second, checkpoints=tmp_path))
    assert second.count == 1


def test_results_that_break_the_contract_now_are_asked_again(
    session, roster, model, answer, tmp_path
) -> None:
    run(session(40), roster, model=model(answer, checkpoints=tmp_path))
    path = files_of(tmp_path / "dnd-npc-interaction-list")[0]
    value = json.loads(path.read_bytes())
    value["result"]["interactions"][0]["name"] = "Invented Name"
    path.write_text(json.dumps(value))
    second = Counting(answer)
    run(session(40), roster, model=model(second, checkpoints=tmp_path))
    assert second.count == 1


def test_without_resume_everything_is_asked(session, roster, model, answer, tmp_path) -> None:
    first, second = Counting(answer), Counting(answer)
    run(session(40), roster, model=model(first, checkpoints=tmp_path))
    run(session(40), roster, model=model(second, checkpoints=tmp_path, resume=False))
    assert second.count == first.count


@pytest.mark.spec("NI-E6-split")
def test_a_split_chunk_is_not_asked_whole_again(
    session, roster, model, answer, units, tmp_path
) -> None:
    def short(request):
        first, last = units(request)
        if last - first > 3:
            return ModelReply(text="{", finish=FinishReason.LENGTH)
        return answer(request)

    first, second = Counting(short, fail_from=5), Counting(short)
    settings = {"workers": 1}
    with pytest.raises(KeyboardInterrupt):
        run(session(16), roster, model=model(first, checkpoints=tmp_path, settings=settings))
    whole = Counting(short)
    expected = run(session(16), roster, model=model(whole, settings=settings))
    resumed = run(session(16), roster, model=model(second, checkpoints=tmp_path, settings=settings))
    assert resumed.interactions == expected.interactions
    assert second.count <= whole.count - 4 + 1


def test_a_checkpoint_holds_no_transcript_and_no_path_is_made_of_names(
    session, roster, model, answer, tmp_path
) -> None:
    run(session(40), roster, model=model(answer, checkpoints=tmp_path))
    for path in files_of(tmp_path):
        assert "ropes" not in path.read_text(encoding="utf-8")
        assert "Orla" not in str(path.relative_to(tmp_path))
