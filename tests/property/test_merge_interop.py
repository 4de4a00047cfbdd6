"""Merged contents are exchanged with the JavaScript Automerge, both ways, change by change."""

import base64
import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from talebearer.store.merging import automerge_engine

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tests" / "support" / "automerge_peer.mjs"
PEERS = ROOT / "build" / "automerge"
TEXTS = st.text(
    st.sampled_from("ab \u9418\U0001f514\u0301\u200d\U0001f469\x00\n\"\\"), max_size=8
)  # fmt: skip
# JavaScript has one kind of number: whole ones within 53 bits are integers to it, others floats.
NUMBERS = st.integers(-(2**53) + 1, 2**53 - 1) | st.integers(-999, 999).map(lambda n: n + 0.5)
KEYS = st.sampled_from(["a", "b", "c", "\u9418", "\U0001f514", " "])
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
MOVES = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from(["ours", "theirs"]), VALUES), max_size=5
)


class Peer:
    """A Node process that answers requests line by line."""

    def __init__(self, folder):
        self._process = subprocess.Popen(
            ["node", str(SCRIPT), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def ask(self, op, changes, **more):
        texts = [base64.b64encode(change).decode() for change in changes]
        request = {"op": op, "changes": texts, **more}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        assert "error" not in answer, answer["error"]
        return answer

    def close(self):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(timeout=30)


@pytest.fixture(scope="module", params=["3.4.1", "3.5.0"])
def peer(request):
    folder = PEERS / request.param
    missing = not shutil.which("node") or not (folder / "node_modules").is_dir()
    if missing and os.environ.get("CI") != "true":
        pytest.skip("no JavaScript Automerge here: tools/automerge_peers.sh installs it")
    peer = Peer(folder)
    yield peer
    peer.close()


@pytest.fixture(scope="module")
def engine():
    found = automerge_engine()
    assert found is not None, "the merge engine is part of the development tools"
    return found


def bytes_of(engine, document):
    return [change.data for change in engine.changes(document)]


def text_of(value):
    """Return a text to compare by; JavaScript has one kind of number, so 2.0 is 2 here."""
    return json.dumps(plain(value), sort_keys=True, ensure_ascii=False)


def plain(value):
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    return {key: plain(item) for key, item in value.items()} if isinstance(value, dict) else value


def check_same(engine, document, answer):
    """Value, heads, hashes, dependencies and bytes are equal on both sides."""
    assert text_of(engine.value(document)) == text_of(answer["value"])
    assert list(engine.heads(document)) == answer["heads"]
    ours = {
        change.hash: (change.data, sorted(change.parents)) for change in engine.changes(document)
    }
    theirs = {
        change["hash"]: (base64.b64decode(change["bytes"]), sorted(change["deps"]))
        for change in answer["changes"]
    }
    assert ours == theirs


def moved(engine, peer, document, move, number):
    """Return the document after one move, made here or there, and check that both agree on it."""
    _, side, value = move
    actor = hashlib.sha256(str(number).encode()).digest()[:16]
    if side == "ours":
        document = engine.edit(document, value, actor=actor)
        answer = peer.ask("read", bytes_of(engine, document))
    else:
        answer = peer.ask("write", bytes_of(engine, document), actor=actor.hex(), value=value)
        document = engine.load(base64.b64decode(change["bytes"]) for change in answer["changes"])
    assert text_of(engine.value(document)) == text_of(value)
    check_same(engine, document, answer)
    return document


@pytest.mark.spec("KM-S3-interop")
@settings(max_examples=40, deadline=None)
@given(base=VALUES, moves=MOVES)
def test_both_engines_make_the_same_of_the_same_changes(engine, peer, base, moves):
    first = engine.new(base, actor=bytes(16))
    replicas = [first, first]
    for number, move in enumerate(moves):
        replicas[move[0]] = moved(engine, peer, replicas[move[0]], move, number)
    joined = engine.join(replicas)
    union = [*bytes_of(engine, replicas[0]), *bytes_of(engine, replicas[1])]
    check_same(engine, joined, peer.ask("read", union))
    check_same(engine, joined, peer.ask("read", list(reversed(union))))


@pytest.mark.spec("KM-S3-interop")
def test_a_documents_first_change_can_come_from_there(engine, peer):
    value = {"t": "the bell", "l": [1, {"a": None}], "b": True, "f": 1.5}
    answer = peer.ask("write", [], actor="ab" * 16, value=value)
    document = engine.load(base64.b64decode(change["bytes"]) for change in answer["changes"])
    check_same(engine, document, answer)
    edited = engine.edit(document, {**value, "t": "the gong"}, actor=bytes(16))
    check_same(engine, edited, peer.ask("read", bytes_of(engine, edited)))


@pytest.mark.spec("KM-S3-interop")
def test_what_the_store_keeps_is_what_the_peer_reads(engine, peer, tmp_path):
    """Changes straight from the tables of a store, after a conflict was merged."""
    import apsw
    from subjects import StoreSubject

    from talebearer.testing.conformance import Actor, default_policy
    from talebearer.testing.conformance.values import structured

    subject = StoreSubject(tmp_path, default_policy())
    actor = Actor(subject, workspace_id="w", user_id="u")
    base = actor.create(structured({"t": "one two"}), id="k")
    actor.update("k", structured({"t": "one three", "l": 1}), [base])
    last = actor.update("k", structured({"t": "zero one two", "r": [1]}), [base])
    subject.close()
    with apsw.Connection(str(tmp_path / "talebearer.db")) as connection:
        rows = connection.execute("SELECT change_bytes FROM patchouli_crdt_change").fetchall()
        heads = connection.execute(
            "SELECT change_hash FROM patchouli_entity_crdt_head WHERE version = ?",
            (last["version"],),
        ).fetchall()
    answer = peer.ask("read", [row[0] for row in rows])
    assert answer["value"] == last["value"]["content"]
    assert answer["heads"] == sorted(row[0] for row in heads)
