"""The bytes on disk."""

import hashlib

import pytest

from talebearer.errors import (
    InvalidRecord,
    Overloaded,
    StoreCorrupt,
    UnsupportedPlacement,
    UploadNotFound,
    VersionConflict,
)
from talebearer.testing import sample_artifact_metadata, sample_meta

META = sample_meta()


def upload(store, data, **options):
    options = {"media_type": "text/plain", "name": None, "id": "file"} | options
    return store.upload(META, data, metadata=sample_artifact_metadata(), **options)


def files(folder):
    return sorted(str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file())


def object_path(tmp_path, data):
    digest = hashlib.sha256(data).hexdigest()
    return tmp_path / "artifacts" / "objects" / "sha256" / digest[:2] / digest[2:]


@pytest.mark.spec("PP-4.6-layout")
def test_bytes_stand_under_their_digest(store, tmp_path):
    made = upload(store, b"bell")
    digest = hashlib.sha256(b"bell").hexdigest()
    assert object_path(tmp_path, b"bell").read_bytes() == b"bell"
    assert made.value["digest"] == f"sha256:{digest}"
    assert made.value["placement"] == {
        "kind": "managed",
        "provider": "local",
        "key": f"sha256/{digest}",
    }
    assert len(files(tmp_path / "artifacts")) == 1


@pytest.mark.spec("PP-4.6-rehash")
def test_stored_bytes_are_hashed_again_before_reuse(store, tmp_path):
    upload(store, b"bell", id="a")
    upload(store, b"bell", id="b")
    assert len(files(tmp_path / "artifacts")) == 1
    object_path(tmp_path, b"bell").write_bytes(b"hell")
    upload(store, b"bell", id="c")
    assert object_path(tmp_path, b"bell").read_bytes() == b"bell", "the right bytes heal it"


@pytest.mark.spec("PP-5.11-download-verified")
@pytest.mark.parametrize("damage", [b"hell", b"bel", b"", None])
def test_damaged_bytes_are_never_returned(store, tmp_path, damage):
    upload(store, b"bell")
    path = object_path(tmp_path, b"bell")
    if damage is None:
        path.unlink()
    else:
        path.write_bytes(damage)
    with pytest.raises(StoreCorrupt) as error:
        store.download(META, "file")
    assert error.value.data["file"] == str(path)
    assert str(path) in error.value.message


@pytest.mark.spec("PP-4.6-parts-dropped")
def test_unfinished_uploads_are_dropped_at_opening(open_store, tmp_path):
    open_store().close()
    (tmp_path / "artifacts" / "uploads" / "0123.part").write_bytes(b"half")
    reader = open_store(read_only=True)
    assert files(tmp_path / "artifacts") == ["uploads/0123.part"]
    reader.close()
    open_store()
    assert files(tmp_path / "artifacts") == []


def test_bytes_of_an_undone_batch_go_too(store, tmp_path):
    def steps():
        with store.batch():
            upload(store, b"kept", id="a")
            upload(store, b"new", id="b")
            raise ZeroDivisionError

    upload(store, b"kept", id="first")
    with pytest.raises(ZeroDivisionError):
        steps()
    assert store.download(META, "first") == b"kept"
    assert not object_path(tmp_path, b"new").exists()


@pytest.mark.parametrize(
    ("options", "error"), [({"media_type": "text"}, InvalidRecord), ({}, VersionConflict)]
)
def test_refused_uploads_leave_no_bytes(store, tmp_path, options, error):
    upload(store, b"first")
    with pytest.raises(error):
        upload(store, b"second", **options)
    assert not object_path(tmp_path, b"second").exists()


@pytest.mark.spec("PP-5.11-foreign-placement")
@pytest.mark.parametrize(
    "placement",
    [
        {"kind": "indexed", "provider": "drive", "locator": "x", "revision": None},
        {"kind": "managed", "provider": "other-node", "key": "sha256/" + "0" * 64},
    ],
)
def test_bytes_of_others_are_not_read(store, placement):
    value = {
        "media_type": "a/b",
        "name": None,
        "byte_length": 1,
        "digest": "sha256:" + "0" * 64,
        "placement": placement,
        "metadata": sample_artifact_metadata(),
    }
    store.create(META, "artifact", value, id="file")
    with pytest.raises(UnsupportedPlacement):
        store.download(META, "file")


@pytest.mark.parametrize("key", ["../../talebearer.db", "/etc/passwd", "sha256/" + "1" * 64, "x"])
def test_a_key_never_leads_out_of_the_folder(store, key):
    value = {
        "media_type": "a/b",
        "name": None,
        "byte_length": 1,
        "digest": "sha256:" + "0" * 64,
        "placement": {"kind": "managed", "provider": "local", "key": key},
        "metadata": sample_artifact_metadata(),
    }
    store.create(META, "artifact", value, id="file")
    with pytest.raises(StoreCorrupt):
        store.download(META, "file")


def test_a_node_has_its_own_name(open_store):
    store = open_store(node_id="bell-tower")
    assert upload(store, b"x").value["placement"]["provider"] == "bell-tower"
    assert store.download(META, "file") == b"x"


@pytest.mark.spec("PP-5.11-begin")
def test_uploads_that_clients_left_behind_make_room_after_an_hour(open_store, tmp_path):
    now = [1_000]
    about = {"media_type": "a/b", "name": None, "metadata": sample_artifact_metadata()}
    with open_store(now_ms=lambda: now[0]) as store:
        alive, *left = [store.begin_upload(**about) for _ in range(1_024)]
        now[0] += 3_599_999
        with pytest.raises(Overloaded):
            store.begin_upload(**about)
        store.upload_chunk(alive, b"bell", offset=0)
        now[0] += 1
        store.begin_upload(**about)
        assert len(list(tmp_path.rglob("*.part"))) == 2
        with pytest.raises(UploadNotFound):
            store.upload_chunk(left[0], b"bell", offset=0)
        assert store.upload_chunk(alive, b"!", offset=4) == 5
