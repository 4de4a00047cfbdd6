import os
from pathlib import Path

import pytest

from talebearer.errors import InvalidId, InvalidTranscript, TranscriptTooLarge
from talebearer.transcripts import PARTS_MAX, load, parse

SCENE = b"GM: The lamp is lit.\nAna: Who is there?\nGM: Nobody.\n"


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    path = tmp_path / "session-7.vtt"  # the name's ending is not what it is read as
    path.write_bytes(SCENE)
    return path


@pytest.mark.spec("NI-E1-source-id")
def test_the_bytes_come_back_and_the_stem_is_the_source_id(scene: Path):
    data, found = load(scene)
    assert (data, found.source_id, found.format) == (SCENE, "session-7", "text")
    assert len(found.units) == 3


def test_a_given_id_wins(scene: Path):
    assert load(scene, source_id="other")[1].source_id == "other"


def test_a_stem_that_is_no_id_says_where_it_came_from(tmp_path: Path):
    path = tmp_path / "session 7!.txt"
    path.write_bytes(SCENE)
    with pytest.raises(InvalidId, match="file's name") as caught:
        load(path)
    assert "session-7" in caught.value.hint


def test_the_limit_is_inclusive_and_checked_before_reading(scene: Path):
    load(scene, size_bytes_max=len(SCENE))
    with pytest.raises(TranscriptTooLarge) as caught:
        load(scene, size_bytes_max=len(SCENE) - 1)
    assert "--max-size" in caught.value.hint
    assert str(len(SCENE)) in caught.value.message


def test_a_sparse_giant_is_not_read(tmp_path: Path):
    path = tmp_path / "giant.json"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(TranscriptTooLarge):
        load(path)


def refused(path: Path) -> str:
    with pytest.raises(InvalidTranscript) as caught:
        load(path)
    assert caught.value.hint
    return caught.value.message


def test_a_missing_file_a_folder_and_a_pipe_name_the_path(tmp_path: Path):
    assert refused(tmp_path / "none.json") == f"{tmp_path}/none.json does not exist"
    assert refused(tmp_path) == f"{tmp_path} is a folder, not a file"
    os.mkfifo(tmp_path / "pipe")
    assert "pipe" in refused(tmp_path / "pipe")


def test_a_path_through_a_file_or_with_a_nul_is_refused(scene: Path):
    assert "cannot be read" in refused(scene / "below")
    assert "cannot be read" in refused(Path("a\0b"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_read_permission_names_the_path(scene: Path):
    scene.chmod(0)
    assert "may not be read" in refused(scene)


def test_faults_and_warnings_inside_the_file_name_the_path(tmp_path: Path):
    path = tmp_path / "cut.json"
    path.write_bytes(b'{"segments": [')
    assert path.as_posix() in refused(path)
    path.write_bytes(b'{"segments": [{"text": ""}, {"text": "a", "speaker": "A"}]}')
    assert load(path)[1].problems[0].where.file == path.as_posix()


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"Ana: b\n" + b"\n" * PARTS_MAX, "lines and voice tags"),
        (b"WEBVTT\n\n00:01.000 --> 00:02.000\n" + b"<v A>" * PARTS_MAX, "lines and voice tags"),
        (b'[{"text": "b"}' + b",{}" * PARTS_MAX + b"]", "objects, lists and line ends"),
        (b'{"tracks": [{"text": "' + b"\\n" * PARTS_MAX + b'"}]}', "objects, lists and line ends"),
    ],
    ids=["lines", "voices", "objects", "a bundle's lines"],
)
def test_more_parts_than_a_source_may_have_are_refused_before_they_take_memory(data, what):
    with pytest.raises(TranscriptTooLarge, match=what) as caught:
        parse(data, source_id="s")
    assert caught.value.data["parts"] > caught.value.data["parts_max"] == PARTS_MAX
