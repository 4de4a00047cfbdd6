"""Lines that nobody should send: each is answered once, and the connection goes on."""

import json

import pytest
from draws import Draws
from scale import scaled
from served import DaemonProcess, SharedClock, short_folder

from talebearer.testing import sample_artifact_metadata, sample_meta
from talebearer.testing.conformance import HANDSHAKE, Wire
from talebearer.testing.conformance.values import knowledge

FRAMES = scaled(short=4_000, long=1_000_000)
BLOCK = 200
META = sample_meta()
REF = {"type": "knowledge", "id": "k"}
SEEDS = [
    ("protocol.handshake", HANDSHAKE),
    ("control.status", {"meta": {}, "data": {}}),
    ("entity.create", {"meta": META, "data": {"type": "knowledge", "value": knowledge("a")}}),
    ("entity.read", {"meta": META, "data": {"ref": REF}}),
    ("entity.update", {"meta": {**META, "base_versions": ["v"]},
                       "data": {"ref": REF, "value": knowledge("b")}}),
    ("entity.delete", {"meta": {**META, "base_versions": ["v"]}, "data": {"ref": REF}}),
    ("entity.retrieve", {"meta": META, "data": {"query": '{"text":"bell"}', "limit": 3}}),
    ("artifact.upload.begin", {"meta": META, "data": {"media_type": "a/b",
                               "metadata": sample_artifact_metadata()}}),
    ("artifact.upload.chunk", {"meta": META, "data": {"upload_id": "u", "offset": 0,
                               "bytes_base64": "YQ=="}}),
    ("artifact.download.chunk", {"meta": META, "data": {"id": "a", "version": None, "offset": 0,
                                 "max_bytes": 1}}),
    ("changes.unsubscribe", {"meta": META, "data": {"subscription_id": "s"}}),
]  # fmt: skip
ODD = [None, True, -1, 1.5, 2**64, 1e308, "", "\x00", "\u202e%_'\"", [], {}, [[]], "x" * 300]
BYTES = [b"\x00", b"\xff", b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"e", b"9", b"\r"]


def frame(draws):
    """Return one line without its end: a good request, damaged in one of several ways."""
    method, params = draws.pick(SEEDS)
    message = {"jsonrpc": "2.0", "id": draws.number(9), "method": f"patchouli.{method}@1",
               "params": params}  # fmt: skip
    way = draws.number(8)
    if way < 3:
        return json.dumps(bent(message, draws)).encode()
    line = json.dumps(message).encode()
    if way == 3:
        return line[: draws.number(len(line))]
    if way == 4:
        return draws.bytes(draws.number(60)).replace(b"\n", b"")
    for _ in range(1 + draws.number(4)):
        place = draws.number(len(line))
        line = line[:place] + draws.pick(BYTES) + line[place + draws.number(2) :]
    return line


def bent(value, draws):
    """Return *value* with one part of it replaced, removed or doubled."""
    if not isinstance(value, (dict, list)) or not value or draws.number(6) == 0:
        return draws.pick(ODD)
    if isinstance(value, list):
        place = draws.number(len(value))
        return [*value[:place], bent(value[place], draws), *value[place:]]
    name = draws.pick(sorted(value))
    rest = {key: part for key, part in value.items() if key != name}
    if draws.number(5) == 0:
        return rest
    if draws.number(6) == 0:
        return {**rest, f"{name}\x00": value[name]}
    return {**rest, name: bent(value[name], draws)}


@pytest.mark.slow
@pytest.mark.spec("PP-1.1-hostile")
def test_every_malformed_line_is_answered_once_and_survived():
    draws = Draws(7)
    with short_folder() as folder:
        daemon = DaemonProcess(folder, SharedClock(folder / "clock"))
        with Wire(daemon.endpoint) as wire:
            for block in range(FRAMES // BLOCK):
                check_block(wire, [frame(draws) for _ in range(BLOCK)], f"end-{block}")
        with Wire(daemon.endpoint) as wire:
            status = {"meta": {}, "data": {}}
            assert wire.request("patchouli.control.status@1", status)["data"]["ready"] is True
        daemon.stop()


def check_block(wire, lines, end):
    status = {"jsonrpc": "2.0", "id": end, "method": "patchouli.control.status@1",
              "params": {"meta": {}, "data": {}}}  # fmt: skip
    wire.send(b"".join(line + b"\n" for line in [*lines, json.dumps(status).encode()]))
    answers = []
    while not answers or answers[-1]["id"] != end:
        answers.append(wire.answer())
    assert len(answers) == len(lines) + 1
    for answer, line in zip(answers, lines, strict=False):
        assert ("result" in answer) != ("error" in answer), line
        if "error" in answer:
            assert answer["error"]["code"] != -32603, (line, answer)
