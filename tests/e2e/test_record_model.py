"""Recording with a model: progress, cost, limits, runs that end early, keys, pipelines, plug-ins."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import lab
import pytest
from campaigns import (
    LABELLED_MEETING,
    MEETING,
    NOW,
    create_fixed,
    open_fixed,
    seriatim,
    talebearer_here,
)

from talebearer.campaign import RunOptions
from talebearer.cli._models import run_options
from talebearer.errors import TalebearerError, UsageFault
from talebearer.extraction import default_pipelines

CHUNKS = 5
SETTINGS = """
[provider]
provider = "lab"
model = "tiny"
workers = 1
chunk_tokens = 300
context_units = 2
[provider.prices]
input = 1.0
output = 10.0
"""
COST_USD = CHUNKS * 2 * (1000 * 1.0 + 100 * 10.0) / 1_000_000
HUSH = "hush-4711-secret"


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pip installed the package of somebody else."""
    return lab.install(tmp_path_factory.mktemp("lab"))


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    """A campaign that asks the plug-in's model, beside a session of sixty units."""
    folder = tmp_path / "c"
    create_fixed(folder).close()
    config = folder / "campaign.toml"
    text = config.read_text(encoding="utf-8")
    head, _, rest = text.partition("# Who extracts.")
    tail = rest[rest.index("# Who passes on what") :]
    config.write_text(head + SETTINGS + tail, encoding="utf-8")
    (folder / "one.json").write_text(seriatim(*MEETING * 12), encoding="utf-8")
    return folder


@pytest.fixture
def environment(installed: Path, tmp_path: Path) -> dict[str, str]:
    """The plug-in can be imported, counts questions, and would show a key if it were shown."""
    path = os.pathsep.join([str(installed), os.environ.get("PYTHONPATH", "")])
    return {"PYTHONPATH": path, "LAB_LOG": str(tmp_path / "asked"), "LAB_KEY": HUSH}


def asked(environment: dict[str, str]) -> list[str]:
    path = Path(environment["LAB_LOG"])
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def files_of(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def record(folder: Path, *options: str, environment: dict[str, str]):
    return talebearer_here("record", "one.json", *options, cwd=folder, environment=environment)


def begin(folder: Path, *, environment: dict[str, str]) -> subprocess.Popen[str]:
    """Start a recording and return when the model has been asked for what it never answers."""
    process = subprocess.Popen(
        [sys.executable, "-m", "talebearer", "record", "one.json"],
        cwd=folder,
        env={**os.environ, "TALEBEARER_NOW": NOW, "TALEBEARER_SEED": "4", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "waiting" in line:  # the bar, of another thread, may stand before it
            return process
    raise AssertionError(f"it ended with {process.wait()}")


@pytest.mark.spec("NI-pipe-plug-ins")
@pytest.mark.spec("NI-pipe-manifest")
def test_a_model_of_a_plug_in_records_with_progress_cost_and_manifest(
    campaign: Path, environment: dict[str, str]
) -> None:
    result = talebearer_here("record", "one.json", cwd=campaign, environment=environment)
    assert result.code == 0, result.err
    assert f"recording: npcs: 0 of {CHUNKS} chunks" in result.err
    assert f"recording: interactions: {CHUNKS} of {CHUNKS} chunks, 10,000 tokens in" in result.err
    assert "10 requests; 10,000 tokens in, 1,000 out; $0.0200 by prices of" in " ".join(
        result.out.split()
    )
    assert len(asked(environment)) == 2 * CHUNKS
    manifest = json.loads((campaign / "runs" / "one.manifest.json").read_bytes())
    assert manifest["model"]["provider"] == "lab"
    assert manifest["usage"]["cost_usd"] == COST_USD
    assert manifest["draft"] is False
    text = json.dumps(manifest)
    assert "Berra" not in text
    assert "ferry" not in text
    (line,) = (campaign / "runs" / "one.costs.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["outcome"] == "accepted"
    again = record(campaign, "--replace", "--json", environment=environment)
    assert again.json["usage"]["chunks_resumed"] == 2 * CHUNKS, "nothing is asked twice"
    assert record(campaign, "--json", environment=environment).json["usage"] is None


@pytest.mark.slow
@pytest.mark.spec("NI-pipe-resume")
@pytest.mark.parametrize("stopped_at", [2, 2 * CHUNKS])
def test_a_killed_recording_goes_on_without_asking_for_what_was_accepted(
    campaign: Path, environment: dict[str, str], stopped_at: int
) -> None:
    with begin(campaign, environment={**environment, "LAB_STOP_AT": str(stopped_at)}) as process:
        process.send_signal(signal.SIGKILL)
    assert talebearer_here("npcs", "--json", cwd=campaign).json == {"npcs": []}
    kept = [path for path in files_of(campaign / "runs") if "checkpoints" in path.parts]
    assert len([path for path in kept if path.suffix == ".json"]) == stopped_at - 1
    result = record(campaign, "--json", environment=environment)
    assert result.code == 0, result.err
    assert result.json["usage"]["requests"] == 2 * CHUNKS - (stopped_at - 1)
    questions = asked(environment)
    assert len(questions) == 2 * CHUNKS + 1
    assert len(set(questions)) == 2 * CHUNKS
    assert talebearer_here("doctor", cwd=campaign).code == 0


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_accepted_and_says_how_to_go_on(
    campaign: Path, environment: dict[str, str]
) -> None:
    with begin(campaign, environment={**environment, "LAB_STOP_AT": "3"}) as process:
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "used until here: 2 requests" in err
    assert "run the same command again, and only the rest is asked" in err
    assert "Traceback" not in err
    (line,) = (campaign / "runs" / "one.costs.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["outcome"] == "interrupted"
    result = record(campaign, "--json", environment=environment)
    assert result.json["usage"]["chunks_resumed"] == 2


def test_a_cost_limit_ends_the_run_and_a_higher_one_goes_on(
    campaign: Path, environment: dict[str, str]
) -> None:
    limited = record(campaign, "--max-cost", "0.05", environment=environment)
    assert limited.code == 4
    assert "TB308" in limited.err
    assert "used until here:" in limited.err
    before = len(asked(environment))
    assert 0 < before < 2 * CHUNKS
    result = record(campaign, "--max-cost", "1", "--json", environment=environment)
    assert result.code == 0, result.err
    assert len(asked(environment)) == 2 * CHUNKS
    assert result.json["usage"]["max_cost_usd"] == 1
    as_json = record(
        campaign, "--max-cost", "0", "--replace", "--no-resume", "--json", environment=environment
    )
    assert as_json.json["error"]["data"]["usage"]["cost_usd"] == 0


def test_an_estimate_counts_what_the_run_asks(campaign: Path, environment: dict[str, str]) -> None:
    found = talebearer_here("estimate", "one.json", "--json", cwd=campaign, environment=environment)
    assert found.code == 0, found.err
    assert [lane["lane"] for lane in found.json["lanes"]] == ["npcs", "interactions"]
    assert found.json["requests"] == 2 * CHUNKS
    assert 0 < found.json["cost_usd"] < found.json["cost_usd_max"]
    assert asked(environment) == []
    assert not (campaign / "runs").exists()
    table = talebearer_here("estimate", "one.json", cwd=campaign, environment=environment)
    assert "interactions" in table.out
    free = talebearer_here("estimate", "one.json", "--provider", "rules", cwd=campaign)
    assert "costs nothing" in free.out
    wrong = talebearer_here("estimate", "one.json", "--provider", "opanai:x", cwd=campaign)
    assert wrong.code == 4
    assert "did you mean openai?" in wrong.err


@pytest.mark.parametrize("where", ["open", "ask"])
def test_a_plug_in_that_fails_is_an_error_without_what_it_says(
    campaign: Path, environment: dict[str, str], where: str
) -> None:
    result = talebearer_here(
        "--debug",
        "record",
        "one.json",
        cwd=campaign,
        environment={**environment, "LAB_BROKEN": where},
    )
    assert result.code == 4
    assert "TB305" in result.err
    assert "RuntimeError" in result.err
    assert HUSH not in result.out + result.err
    assert not any(HUSH.encode() in path.read_bytes() for path in files_of(campaign))


@pytest.mark.spec("NI-pipe-yaml")
def test_a_new_campaign_has_the_pipelines_that_would_run_anyway(tmp_path: Path) -> None:
    for options in ((), ("--template", "drowned-bell")):
        folder = "-".join(("c", *options[1:]))
        made = talebearer_here("init", folder, *options, "--json", cwd=tmp_path)
        assert "pipelines.yaml" in made.json["files"]
        assert (tmp_path / folder / "pipelines.yaml").read_bytes() == default_pipelines()


@pytest.mark.spec("NI-pipe-checked-first")
def test_a_faulty_pipelines_file_stops_before_anything_runs(
    campaign: Path, environment: dict[str, str]
) -> None:
    path = campaign / "pipelines.yaml"
    text = path.read_text(encoding="utf-8").replace("dnd/npcs", "dnd/ncps", 1)
    path.write_text(text.replace("lane: npcs", "lane: nobody"), encoding="utf-8")
    result = talebearer_here("record", "nowhere.json", cwd=campaign, environment=environment)
    assert result.code == 2
    assert "TB107" in result.err
    assert "did you mean dnd/npcs?" in result.err
    assert "pipelines.yaml:" in result.err
    assert asked(environment) == []


PIPELINES = """pipelines:
  {name}:
    input: transcript
    steps:
      - id: identify-npcs
        artifacts:
          npcs:
            extract: {extract}
            normalize: dnd/npcs
            validate: {{extract: [{check}]}}
      - id: extract-interactions
        references:
          npcs: {{artifact: {{step: identify-npcs, lane: npcs}}}}
        artifacts:
          interactions: {{extract: rules/npc-interactions, normalize: dnd/npc-interactions}}
"""


@pytest.mark.spec("NI-pipe-plug-ins")
def test_components_of_an_installed_package_run_and_their_failures_are_told(
    campaign: Path, environment: dict[str, str]
) -> None:
    path = campaign / "pipelines.yaml"
    good = PIPELINES.format(name="p", extract="lab/npcs", check="generic/valid_json")
    path.write_text(good, encoding="utf-8")
    result = record(campaign, "--json", environment=environment)
    assert result.code == 0, result.err
    assert result.json["npcs"] == ["Berra Quist"]
    assert asked(environment) == [], "neither the plug-in's component nor the rules ask a model"
    for extract, check, told in (
        ("lab/broken", "generic/valid_json", "'lab/broken' failed (ZeroDivisionError)"),
        ("lab/npcs", "lab/vague", "'lab/vague' gave something else than problems"),
    ):
        path.write_text(PIPELINES.format(name="p", extract=extract, check=check), encoding="utf-8")
        failed = record(campaign, "--replace", environment=environment)
        assert failed.code == 4
        assert "TB311" in failed.err
        assert told in failed.err
    assert talebearer_here("npcs", "--json", cwd=campaign).json["npcs"], (
        "the former recording stays"
    )


KNOWN_CAST = """pipelines:
  with-known-cast:
    input: transcript
    steps:
      - id: extract-interactions
        references:
          npcs: {external: cast}
        artifacts:
          interactions: {extract: dnd/npc-interactions, normalize: dnd/npc-interactions}
"""


@pytest.mark.spec("NI-reg-external")
def test_a_registry_from_outside_is_bound_on_the_command_line(
    campaign: Path, environment: dict[str, str]
) -> None:
    path = campaign / "pipelines.yaml"
    path.write_text(default_pipelines().decode() + KNOWN_CAST.partition("\n")[2], encoding="utf-8")
    assert record(campaign, environment=environment).code == 0
    (campaign / "two.json").write_text(seriatim(("GM", "Rain."), *MEETING), encoding="utf-8")
    command = ("record", "two.json", "--pipeline", "with-known-cast")
    missing = talebearer_here(*command, cwd=campaign, environment=environment)
    assert missing.code == 2
    assert "--external cast=FILE" in missing.err
    before = len(asked(environment))
    bound = talebearer_here(
        *command, "--external", "cast=session:one", "--json", cwd=campaign, environment=environment
    )
    assert bound.code == 0, bound.err
    assert bound.json["npcs"] == ["Berra Quist"]
    assert {line.split()[0] for line in asked(environment)[before:]} == {"interactions"}
    manifest = json.loads((campaign / "runs" / "two.manifest.json").read_bytes())
    (step,) = manifest["pipeline"]["steps"]
    assert step["lanes"]["interactions"]["references"]["npcs"]["external"] == "cast"
    with open_fixed(campaign) as opened:
        listed = opened.review()
        assert {quote.session for name in listed.names for quote in name.quotes} == {"one"}
        assert opened.doctor().faults == ()


@pytest.mark.spec("NI-reg-external")
@pytest.mark.parametrize(
    ("given", "code", "told"),
    [
        ("wrong.json", "TB110", "breaks its contract"),
        ("nowhere.json", "TB111", "cannot be read"),
        ("session:nobody", "TB113", "no session"),
        ("session:../up", "TB113", "no session"),
    ],
)
def test_an_external_registry_that_cannot_be_used_stops_everything(
    campaign: Path, monkeypatch: pytest.MonkeyPatch, given: str, code: str, told: str
) -> None:
    monkeypatch.chdir(campaign)
    Path("wrong.json").write_text('{"npcs":[{"name":"X"}]}', encoding="utf-8")
    Path("pipelines.yaml").write_text(KNOWN_CAST, encoding="utf-8")
    options = RunOptions(provider="rules", externals={"cast": given})
    with open_fixed(campaign) as opened:
        with pytest.raises(TalebearerError, match=told) as caught:
            opened.record("one.json", options=options)
        assert caught.value.code == code
        assert opened.sessions() == ()


def test_options_that_fit_no_pipeline_are_told(campaign: Path) -> None:
    (campaign / "pipelines.yaml").write_text(KNOWN_CAST, encoding="utf-8")
    for options, hint in (
        (RunOptions(provider="rules", pipeline="with-known-cats"), "did you mean with-known-cast?"),
        (RunOptions(provider="rules"), "give --external cast=FILE"),
        (RunOptions(provider="rules", externals={"cast": "a", "cats": "b"}), "it takes: cast"),
        (RunOptions(provider="rules", max_cost_usd=float("nan")), "dollars, 0 or more"),
    ):
        with open_fixed(campaign) as opened, pytest.raises(UsageFault) as caught:
            opened.record(campaign / "one.json", options=options)
        assert hint in caught.value.hint
    for given in (("cast",), ("=x",), ("cast=",), ("cast=a", "cast=b")):
        with pytest.raises(UsageFault):
            run_options(provider=None, model=None, pipeline=None, externals=given)


ANSWERS = {
    "npcs": {"npcs": [{"name": "Berra Quist", "ranges": [{"start": 1, "end": 1}]}]},
    "interactions": {"interactions": []},
}


class Server(ThreadingHTTPServer):
    """Answers as an OpenAI-compatible server, or refuses and repeats the key that it was given."""

    refuses = False
    keys = ""


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        server = self.server
        assert isinstance(server, Server)
        key = self.headers["authorization"]
        (lane,) = body["response_format"]["json_schema"]["schema"]["properties"]
        answer = {
            "id": "a",
            "object": "chat.completion",
            "created": 1,
            "model": body["model"],
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": json.dumps(ANSWERS[lane])},
                }
            ],
            "usage": {"prompt_tokens": 3000, "completion_tokens": 20, "total_tokens": 3020},
        }
        data = json.dumps({"error": {"message": f"bad key {key}"}} if server.refuses else answer)
        self.send_response(401 if server.refuses else 200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data.encode())
        server.keys = key

    def log_message(self, *arguments: object) -> None:
        """Print nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.mark.slow
@pytest.mark.spec("NI-prov-keys")
def test_a_key_is_given_to_the_server_and_stands_nowhere_else(
    campaign: Path, server: Server
) -> None:
    config = campaign / "campaign.toml"
    text = config.read_text(encoding="utf-8").replace('"lab"', '"openai-compatible"')
    address = f'base_url = "http://127.0.0.1:{server.server_port}/v1"\nchunk_tokens = 8000'
    config.write_text(text.replace("chunk_tokens = 300", address), encoding="utf-8")
    environment = {"TALEBEARER_API_KEY": HUSH}
    server.refuses = True
    refused = talebearer_here(
        "--debug", "record", "one.json", cwd=campaign, environment=environment
    )
    assert refused.code == 4
    assert "TB305" in refused.err
    assert "401" in refused.err
    assert server.keys == f"Bearer {HUSH}"
    server.refuses = False
    result = talebearer_here("--debug", "record", "one.json", cwd=campaign, environment=environment)
    assert result.code == 0, result.err
    assert list((campaign / "runs" / "checkpoints").rglob("*.json"))
    for shown in (refused.out, refused.err, result.out, result.err):
        assert HUSH not in shown
    assert not any(HUSH.encode() in path.read_bytes() for path in files_of(campaign))


HOSTILE = '{"npcs":[{"name":"Zanzibar Zork","ranges":[{"start":1,"end":4000}]}],"notes":"Zork"}'


@pytest.mark.spec("NI-val-hostile")
def test_a_hostile_reply_ends_the_run_and_is_stored_nowhere(
    campaign: Path, environment: dict[str, str]
) -> None:
    result = record(campaign, environment={**environment, "LAB_REPLY": HOSTILE})
    assert result.code == 4
    assert "TB306" in result.err
    assert len(result.err) < 4000
    assert talebearer_here("npcs", "--json", cwd=campaign).json == {"npcs": []}
    assert not any(b"Zork" in path.read_bytes() for path in files_of(campaign))
    assert not list((campaign / "runs").rglob("*-*.json"))


def test_a_model_is_scored_as_any_extractor_and_a_rejected_lane_found_nothing(
    campaign: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    gold = tmp_path / "gold"
    gold.mkdir()
    (gold / "a.json").write_text(json.dumps(LABELLED_MEETING), encoding="utf-8")
    command = ("eval", "../gold", "--campaign", ".", "--json")
    result = talebearer_here(
        *command, "--checkpoints", "kept", cwd=campaign, environment=environment
    )
    assert result.code == 0, result.err
    assert result.json["extractor"] == "lab:tiny"
    assert result.json["scores"]["strict"]["f1"] == 1
    assert result.json["usage"]["requests"] == 2
    again = talebearer_here(
        *command, "--checkpoints", "kept", cwd=campaign, environment=environment
    )
    assert again.json["usage"]["chunks_resumed"] == 2
    hostile = {**environment, "LAB_REPLY": HOSTILE}
    bad = talebearer_here(*command, cwd=campaign, environment=hostile)
    assert bad.code == 0, bad.err
    assert bad.json["scores"]["strict"]["f1"] == 0
    assert len(bad.json["rejected"]) == 2


@pytest.mark.spec("NI-provider-cassette")
def test_a_recorded_run_is_given_again_without_the_model(
    campaign: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    """Byte for byte, and of another transcript nothing is answered."""
    cassette = tmp_path / "run.cassette"
    asked_model = record(
        campaign, "--json", environment={**environment, "LAB_CASSETTE": str(cassette)}
    )
    assert asked_model.code == 0, asked_model.err
    count = len(asked(environment))
    assert count == len(cassette.read_text("utf-8").splitlines()) == 2 * CHUNKS
    options = ("--provider", "cassette", "--model", str(cassette), "--replace", "--no-resume")
    again = record(campaign, *options, "--json", environment={})
    assert again.code == 0, again.err
    assert again.json["occurrences"] == asked_model.json["occurrences"]
    assert again.json["npcs"] == ["Berra Quist"]
    assert len(asked(environment)) == count
    (campaign / "one.json").write_text(seriatim(*MEETING * 2), encoding="utf-8")
    other = record(campaign, *options, "--json", environment={})
    assert other.code == 4
    assert other.json["error"]["code"] == "TB310"
