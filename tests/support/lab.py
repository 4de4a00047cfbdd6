"""A package of somebody else with a provider and components, installed by pip as users do."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

MODULE = '''
import json, os, re, threading
from pathlib import Path

from talebearer.errors import ProviderFailed
from talebearer.extraction import Component, ModelReply, RecordingProvider, Role, Usage
from talebearer.vocabulary import ArtifactKind

NAME = "Berra Quist"


class Lab:
    """Answers well; LAB_LOG counts questions, at the LAB_STOP_AT-th it waits until it is closed."""

    def __init__(self, settings, environ):
        if environ.get("LAB_BROKEN") == "open":
            raise RuntimeError("no " + environ["LAB_KEY"])
        self.environ = environ
        self.identity = {"provider": "lab", "model": settings.model}
        self.closed = threading.Event()
        self.lock = threading.Lock()
        self.count = 0

    def ask(self, request):
        first, last = map(int, re.findall(r"units (\\d+) to (\\d+):", request.body)[-1])
        (lane,) = request.schema["properties"]
        with self.lock:
            self.count += 1
            count = self.count
            with open(self.environ["LAB_LOG"], "a") as log:
                log.write(f"{lane} {first} {last}\\n")
        if self.environ.get("LAB_BROKEN") == "ask":
            raise RuntimeError("no " + self.environ["LAB_KEY"])
        if self.environ.get("LAB_STOP_AT") == str(count):
            os.write(2, b"waiting\\n")  # whole, whatever the bar writes meanwhile
            self.closed.wait()
            raise ProviderFailed("closed while it was asked")
        if "LAB_REPLY" in self.environ:
            return ModelReply(text=self.environ["LAB_REPLY"])
        item = {"name": NAME, "ranges": [{"start": first, "end": last}]}
        if lane == "interactions":
            item["kind"] = "dialogue"
        shown = NAME in request.body.rpartition("Transcript, units")[2]
        text = json.dumps({lane: [item] if shown else []})
        return ModelReply(text=text, usage=Usage(input_tokens=1000, output_tokens=100))

    def close(self):
        self.closed.set()


def open_lab(settings, environ):
    """With LAB_CASSETTE, what is answered is recorded in that file."""
    lab = Lab(settings, environ)
    return RecordingProvider(lab, Path(environ["LAB_CASSETTE"])) if "LAB_CASSETTE" in environ else lab


def npcs(session, names):
    units = [unit.unit_id for unit in session.transcript.units if NAME in unit.text]
    return [{"name": NAME, "ranges": [{"start": one, "end": one} for one in units]}]


def fails(session, names):
    raise ZeroDivisionError("1 / 0")


extract = Component(key="lab/npcs", role=Role.EXTRACT, kind=ArtifactKind.NPC_LIST, work=npcs)
broken = Component(key="lab/broken", role=Role.EXTRACT, kind=ArtifactKind.NPC_LIST, work=fails)
vague = Component(key="lab/vague", role=Role.VALIDATE, work=lambda subject: ["hm"])
'''
ENTRY_POINTS = """[talebearer.components]
lab/npcs = talebearer_lab:extract
lab/broken = talebearer_lab:broken
lab/vague = talebearer_lab:vague
[talebearer.providers]
lab = talebearer_lab:open_lab
"""


def install(folder: Path) -> Path:
    """Make a wheel of the package in *folder*, let pip install it beside, and return where."""
    info = "talebearer_lab-1.0.dist-info"
    wheel = folder / "talebearer_lab-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("talebearer_lab.py", MODULE)
        file.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: talebearer-lab\nVersion: 1.0\n"
        )
        file.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        file.writestr(f"{info}/entry_points.txt", ENTRY_POINTS)
        file.writestr(f"{info}/RECORD", "")
    target = folder / "installed"
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps"]
    command += ["--disable-pip-version-check", "--target", str(target), str(wheel)]
    subprocess.run(command, check=True, capture_output=True)
    return target
