"""Artifacts: cases 135 to 149."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import pytest

from talebearer.testing._samples import sample_artifact_metadata
from talebearer.testing.conformance._subject import Actor, Conformance, refused
from talebearer.testing.conformance.values import indexed_artifact, managed_artifact
from talebearer.testing.model import Refused

spec = pytest.mark.spec
CHUNK = 524_288
METADATA = sample_artifact_metadata()


def upload(actor: Actor, data: bytes, *, id: str | None = None, **fields: Any) -> dict[str, Any]:
    """Upload bytes in full chunks and return the artifact."""
    upload_id = actor.begin(METADATA, **({} if id is None else {"id": id}), **fields)
    for start in range(0, len(data), CHUNK):
        actor.chunk(upload_id, start, data[start : start + CHUNK])
    return actor.commit(upload_id)


def content_of(actor: Actor, id: str, *, step: int = CHUNK, version: str | None = None) -> bytes:
    """Download bytes in steps, checking each page."""
    found = b""
    ends: list[bool] = []
    while not ends or not ends[-1]:
        page = actor.download(id, version=version, offset=len(found), most=step).data
        piece = base64.b64decode(page["bytes_base64"])
        assert page["offset"] == len(found)
        found += piece
        assert page["next_offset"] == len(found)
        ends.append(page["eof"])
    assert ends.count(True) == 1
    return found


class ArtifactConformance(Conformance):
    """What every implementation does with bytes."""

    @spec("PP-5.11-upload")
    def test_135_bytes_come_back_as_they_went(self, actor: Actor) -> None:
        data = bytes(range(256)) * 2_344
        made = upload(actor, data[:600_000], id="f")
        digest = hashlib.sha256(data[:600_000]).hexdigest()
        value = made["value"]
        assert value["byte_length"] == 600_000
        assert value["digest"] == f"sha256:{digest}"
        provider = actor.subject.node_id
        key = f"sha256/{digest}"
        assert value["placement"] == {"kind": "managed", "provider": provider, "key": key}
        assert value["metadata"] == METADATA
        assert actor.read("f", type="artifact")["variants"] == [made]
        assert content_of(actor, "f") == data[:600_000]

    @spec("KM-artifact-no-paths")
    def test_135_no_answer_holds_a_file_path(self, actor: Actor) -> None:
        made = upload(actor, b"bell", id="f")
        page = actor.download("f")
        path = actor.subject.object_path(made["value"]["placement"]["key"])
        for answer in (made, page.data, page.meta):
            assert path is None or str(path) not in repr(answer)
        with refused("NOT_FOUND") as error:
            actor.download("never")
        assert "/" not in error.value.message

    @spec("KM-artifact-no-paths")
    @pytest.mark.parametrize("damage", ["missing", "shorter", "other", "folder"])
    def test_149_no_error_holds_a_file_path(self, actor: Actor, damage: str) -> None:
        made = upload(actor, f"bell {damage}".encode(), id="f")
        path = actor.subject.object_path(made["value"]["placement"]["key"])
        if path is None:
            pytest.skip("its bytes are no files")
        data = path.read_bytes()
        path.unlink()
        if damage == "folder":
            path.mkdir()
        elif damage != "missing":
            path.write_bytes(data[:-1] if damage == "shorter" else bytes(len(data)))
        with refused(None, code=-32603) as error:
            actor.download("f")
        assert str(path.parents[3]) not in error.value.message

    @spec("PP-5.11-chunks")
    def test_136_chunks_fit_on_each_other(self, actor: Actor) -> None:
        name = actor.begin(METADATA, expected_byte_length=10)
        actor.chunk(name, 0, b"12345")
        for offset, data in ((0, b"12345"), (4, b"x"), (6, b"x"), (5, b"123456"), (5, b"")):
            with refused("INVALID_REQUEST"):
                actor.chunk(name, offset, data)
        for text in ("%%%%", "YQ", "YQ=", "Y Q==", "YQ==\n", "", None, 3, "-_-_"):
            sent = {"upload_id": name, "offset": 5, "bytes_base64": text}
            with refused("INVALID_REQUEST"):
                actor.call("artifact.upload.chunk", sent)
        for place in (-1, 5.5, "5", None, True):
            sent = {"upload_id": name, "offset": place, "bytes_base64": "YQ=="}
            with refused("INVALID_REQUEST"):
                actor.call("artifact.upload.chunk", sent)
        assert actor.chunk(name, 5, b"67890") == 10
        assert actor.commit(name)["value"]["byte_length"] == 10

    @spec("PP-5.11-chunks")
    def test_136_a_chunk_has_a_largest_size(self, actor: Actor) -> None:
        name = actor.begin(METADATA)
        with refused("INVALID_REQUEST"):
            actor.chunk(name, 0, bytes(CHUNK + 1))
        assert actor.chunk(name, 0, bytes(CHUNK)) == CHUNK

    @pytest.mark.parametrize(
        "wrong",
        [{"expected_digest": f"sha256:{'0' * 64}"}, {"expected_digest": "bell"},
         {"expected_byte_length": 5}],
    )  # fmt: skip
    @spec("PP-5.11-expected")
    def test_137_bytes_are_as_announced(self, actor: Actor, wrong: dict[str, Any]) -> None:
        name = actor.begin(METADATA, id="f", **wrong)
        actor.chunk(name, 0, b"bell")
        with refused("INVALID_REQUEST"):
            actor.commit(name)
        with refused("NOT_FOUND"):
            actor.read("f", type="artifact")

    @spec("PP-5.11-expected")
    def test_137_right_expectations_are_met(self, actor: Actor) -> None:
        digest = f"sha256:{hashlib.sha256(b'bell').hexdigest()}"
        made = upload(actor, b"bell", expected_digest=digest, expected_byte_length=4, name="b.txt")
        assert made["value"]["name"] == "b.txt"

    @spec("KM-artifact-dedupe")
    def test_138_equal_bytes_have_one_key_and_two_entities(self, actor: Actor) -> None:
        first, second = upload(actor, b"same", id="a"), upload(actor, b"same", id="b")
        assert first["value"]["placement"] == second["value"]["placement"]
        assert first["version"] != second["version"]

    @spec("PP-5.11-download")
    def test_139_pages_of_seven_bytes_come_together(self, actor: Actor) -> None:
        upload(actor, b"the bell was recast", id="f")
        assert content_of(actor, "f", step=7) == b"the bell was recast"

    @spec("PP-5.11-download")
    def test_140_offsets_and_sizes_have_limits(self, actor: Actor) -> None:
        upload(actor, b"bell", id="f")
        page = actor.download("f", offset=4).data
        assert (page["bytes_base64"], page["eof"], page["next_offset"]) == ("", True, 4)
        for offset, most in ((5, 1), (0, 0), (0, CHUNK + 1), (-1, 1), (0, 1.5), ("0", 1)):
            with refused("INVALID_REQUEST"):
                actor.download("f", offset=offset, most=most)

    @spec("PP-5.11-download-scope")
    def test_141_another_scope_finds_nothing(self, actor: Actor) -> None:
        upload(actor, b"bell", id="f")
        with refused("NOT_FOUND"):
            actor.also(user_id="other").download("f")

    @spec("PP-5.11-foreign-placement")
    def test_142_bytes_of_others_are_not_served(self, actor: Actor) -> None:
        actor.create(indexed_artifact(), type="artifact", id="i")
        actor.create(managed_artifact("elsewhere"), type="artifact", id="m")
        for name in ("i", "m"):
            with refused("UNSUPPORTED_CAPABILITY"):
                actor.download(name)

    @spec("KM-artifact-indexed-rpcs")
    def test_142_indexed_artifacts_are_made_by_create(self, actor: Actor) -> None:
        made = actor.create(indexed_artifact(), type="artifact", id="i")
        moved = indexed_artifact()
        moved["placement"] = {**moved["placement"], "revision": "2"}
        second = actor.update("i", moved, [made], type="artifact")
        assert actor.heads("i", type="artifact") == [second["version"]]
        ours = indexed_artifact()
        ours["placement"] = {**ours["placement"], "provider": actor.subject.node_id}
        actor.create(ours, type="artifact", id="ours")
        for name in ("i", "ours"):
            with refused("UNSUPPORTED_CAPABILITY"):
                actor.download(name)

    @spec("PP-5.11-download-version")
    def test_143_several_heads_need_a_version(self, actor: Actor) -> None:
        first = upload(actor, b"one", id="f")
        others = [upload(actor, text)["value"] for text in (b"two", b"three")]
        heads = [
            actor.update("f", value, [first], type="artifact", conflict_strategy="mvcc")
            for value in others
        ]
        with refused("VERSION_CONFLICT") as error:
            actor.download("f")
        assert error.value.data["current_versions"] == sorted(one["version"] for one in heads)
        assert content_of(actor, "f", version=heads[1]["version"]) == b"three"
        for version in (first["version"], "never"):
            with refused("NOT_FOUND"):
                actor.download("f", version=version)

    @spec("PP-5.11-download-deleted")
    def test_143_a_deleted_artifact_has_no_bytes(self, actor: Actor) -> None:
        gone = actor.delete("f", [upload(actor, b"one", id="f")], type="artifact")
        for version in (None, gone["version"]):
            with refused("NOT_FOUND"):
                actor.download("f", version=version)

    @spec("PP-5.11-unknown-upload")
    def test_144_an_upload_that_is_not_there(self, actor: Actor) -> None:
        name = actor.begin(METADATA)
        actor.chunk(name, 0, b"bell")
        actor.commit(name)
        for gone in (name, "never"):
            with refused(None, code=-32003):
                actor.chunk(gone, 0, b"bell")
            with refused(None, code=-32003):
                actor.commit(gone)

    @spec("KM-artifact-dedupe")
    def test_145_deleting_one_leaves_the_bytes_of_the_other(self, actor: Actor) -> None:
        first = upload(actor, b"same", id="a")
        upload(actor, b"same", id="b")
        actor.delete("a", [first], type="artifact")
        assert content_of(actor, "b") == b"same"

    @spec("PP-5.11-upload")
    def test_146_no_bytes_are_bytes_too(self, actor: Actor) -> None:
        made = upload(actor, b"", id="f")
        assert made["value"]["byte_length"] == 0
        assert content_of(actor, "f") == b""

    @spec("PP-5.11-restart")
    def test_147_an_unfinished_upload_ends_with_the_daemon(self, actor: Actor) -> None:
        name = actor.begin(METADATA)
        actor.chunk(name, 0, b"bell")
        actor.subject.restart()
        with refused(None, code=-32003):
            actor.chunk(name, 4, b"bell")

    @spec("PP-5.11-commit-again")
    def test_148_a_refused_commit_can_be_repeated(self, actor: Actor) -> None:
        upload(actor, b"first", id="f")
        name = actor.begin(METADATA, id="f")
        actor.chunk(name, 0, b"second")
        with refused("VERSION_CONFLICT"):
            actor.commit(name)
        with refused("INVALID_REQUEST"):
            actor.chunk(name, 6, b"more")
        other = actor.also(user_id="other")
        made = other.commit(name)
        assert content_of(other, "f") == b"second"
        assert made["value"]["byte_length"] == 6
        assert content_of(actor, "f") == b"first"

    @spec("PP-5.11-staged")
    def test_148_an_upload_in_a_unit_stays_staged(self, actor: Actor) -> None:
        name = actor.begin(METADATA, id="f")
        actor.chunk(name, 0, b"bell")
        unit = actor.also(transaction_id="t")
        unit.commit(name)
        assert content_of(unit, "f") == b"bell"
        with refused("NOT_FOUND"):
            actor.download("f")
        unit.create(indexed_artifact(), type="artifact", transaction_state="commit")
        assert content_of(actor, "f") == b"bell"

    @spec("PP-5.11-media-type")
    def test_135_the_media_type_is_checked_at_the_commit(self, actor: Actor) -> None:
        name = actor.begin(METADATA, media_type="a/b; charset=utf-8")
        assert actor.commit(name)["value"]["media_type"] == "a/b; charset=utf-8"
        name = actor.begin(METADATA, media_type="bell", id="bell")
        actor.chunk(name, 0, b"ding")
        with refused("INVALID_REQUEST"):
            actor.commit(name)
        with refused("NOT_FOUND"):
            actor.read("bell", type="artifact")

    @pytest.mark.parametrize(
        "data",
        [{}, {"media_type": "a/b"}, {"media_type": 3, "metadata": METADATA},
         {"media_type": "a/b", "metadata": {}}, {"media_type": "a/b", "metadata": {**METADATA, "x": 1}},
         {"media_type": "a/b", "metadata": METADATA, "expected_byte_length": -1},
         {"media_type": "a/b", "metadata": METADATA, "expected_byte_length": 1.5},
         {"media_type": "a/b", "metadata": METADATA, "name": 3}],
    )  # fmt: skip
    @spec("PP-5.11-begin")
    def test_136_what_cannot_begin_is_refused(self, actor: Actor, data: Any) -> None:
        with refused("INVALID_REQUEST"):
            actor.call("artifact.upload.begin", data)

    @spec("PP-5.11-rehash")
    def test_149_altered_bytes_are_neither_served_nor_reused(self, actor: Actor) -> None:
        """Damage is an error of ours, never silent; the right bytes may heal it."""
        made = upload(actor, b"bell", id="f")
        path = actor.subject.object_path(made["value"]["placement"]["key"])
        if path is None:
            pytest.skip("no files here")
        path.chmod(0o600)
        path.write_bytes(b"gong")
        with refused(None, code=-32603):
            actor.download("f")
        name = actor.begin(METADATA, id="g")
        actor.chunk(name, 0, b"bell")
        try:
            actor.commit(name)
        except Refused as fault:
            outcome: Any = fault.code
        else:
            outcome = content_of(actor, "g")
        assert outcome in (-32603, b"bell")
