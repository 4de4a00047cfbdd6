import hashlib
import os
from pathlib import Path

import pytest

from talebearer.errors import InvalidTranscript, TranscriptTooLarge, UsageFault
from talebearer.transcripts import load, load_craig, load_files, parse, sniff

FIRST = "WEBVTT\n\n00:01.000 --> 00:03.500\n<v Ana>I knock.</v>\n"
SECOND = "GM: The door opens.\nGM: Nobody is there.\n"


@pytest.fixture
def parts(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "b.vtt", tmp_path / "a.txt", tmp_path / "c.vtt"]
    for path, text in zip(paths, (FIRST, SECOND, FIRST), strict=True):
        path.write_text(text)
    return paths


@pytest.mark.spec("NI-E1-several-sources")
def test_parts_follow_in_the_order_given_under_the_first_ones_id(parts: list[Path]):
    data, found = load_files(parts)
    assert (found.source_id, found.format) == ("b", "parts")
    assert [(unit.unit_id, unit.speaker, unit.start_s) for unit in found.units] == [
        (1, "Ana", 1.0),
        (2, "GM", None),
        (3, "GM", None),
        (4, "Ana", 4.5),  # the first part ends at 3.5
    ]
    assert [problem.code for problem in found.problems] == ["TB520"]
    assert "c.vtt from unit 4, 0:03" in found.problems[0].message
    assert sniff(data) == "parts"
    assert parse(data, source_id="b").units == found.units


def test_another_order_is_another_source(parts: list[Path]):
    assert load_files(parts)[1].digest != load_files(parts[::-1])[1].digest


def test_one_file_is_read_as_ever(parts: list[Path]):
    assert load_files(parts[:1]) == load(parts[0])


def test_numbered_files_are_tracks_unless_said_otherwise(tmp_path: Path):
    paths = [tmp_path / "1-ana.vtt", tmp_path / "2-ben.vtt"]
    for path in paths:
        path.write_text("WEBVTT\n\n00:01.000 --> 00:02.000\nhello\n")
    assert load_files(paths, source_id="s") == load_craig(paths, source_id="s")
    assert [unit.speaker for unit in load_files(paths, source_id="s")[1].units] == ["ana", "ben"]
    assert load_files(paths, source_id="s", tracks=False)[1].format == "parts"


def test_files_of_any_name_can_be_tracks(parts: list[Path]):
    found = load_files([parts[0], parts[2]], source_id="s", tracks=True)[1]
    assert [(unit.speaker, unit.start_s) for unit in found.units] == [("b", 1.0), ("c", 1.0)]


def test_what_cannot_be_several_files_says_why(parts: list[Path], tmp_path: Path):
    with pytest.raises(UsageFault, match="format"):
        load_files(parts, format="webvtt")
    with pytest.raises(InvalidTranscript, match="namesake"):
        load_files([parts[0], parts[0]])
    with pytest.raises(InvalidTranscript, match="is empty"):
        load_files([])
    with pytest.raises(TranscriptTooLarge):
        load_files(parts, size_bytes_max=sum(map(os.path.getsize, parts)) - 1)
    (tmp_path / "d.json").write_bytes(load_files(parts)[0])
    with pytest.raises(InvalidTranscript, match=r"d\.json is a bundle of files inside another"):
        load_files([parts[0], tmp_path / "d.json"])


@pytest.mark.parametrize(
    "root", ['"x"', "[]", '[{"file": 1}]', '[{"file": "a", "text": 3}]', "[7]"]
)
def test_a_damaged_bundle_names_the_place(root: str):
    data = f'{{"format": "talebearer.parts", "parts": {root}}}'.encode()
    with pytest.raises(InvalidTranscript):
        parse(data, source_id="s")


@pytest.mark.spec("NI-E1-source-files")
def test_each_part_keeps_its_digest_its_units_and_its_own_time(tmp_path: Path):
    paths = [tmp_path / "b.vtt", tmp_path / "a.txt", tmp_path / "c.vtt"]
    raw = [FIRST.encode(), b"\xef\xbb\xbf" + SECOND.encode(), FIRST.encode("utf-16")]
    for path, data in zip(paths, raw, strict=True):
        path.write_bytes(data)
    data, found = load_files(paths)
    digests = ["sha256:" + hashlib.sha256(each).hexdigest() for each in raw]
    assert [file.digest for file in found.files] == digests
    places = [(one.file, one.first_unit_id, one.last_unit_id) for one in found.files]
    assert places == [("b.vtt", 1, 1), ("a.txt", 2, 3), ("c.vtt", 4, 4)]
    assert [file.begins_s for file in found.files] == [0.0, 3.5, 3.5]
    assert [found.file_of(one.unit_id).file for one in found.units] == [
        *("b.vtt", "a.txt", "a.txt", "c.vtt")
    ]
    assert parse(data, source_id="b").files == found.files
    assert load(paths[0])[1].files == ()
    assert load(paths[0])[1].file_of(1) is None


@pytest.mark.spec("NI-E1-source-files")
def test_each_track_keeps_its_digest_and_its_speaker(tmp_path: Path):
    info = "Recording abc\nTracks:\n\tana#0 (1)\n\tben#0 (2)\nNotes:\n\t0:00:09: a fight\n"
    (tmp_path / "info.txt").write_text(info)
    for name in ("1-ana.vtt", "2-ben.vtt"):
        (tmp_path / name).write_text(FIRST)
    data, found = load_craig(tmp_path, source_id="s")
    assert {one.file: one.digest for one in found.files} == {
        path.name: "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()
        for path in tmp_path.iterdir()
    }
    assert [(one.speaker, found.file_of(one.unit_id).file) for one in found.units] == [
        *(("ana", "1-ana.vtt"), ("ben", "2-ben.vtt"), ("", "info.txt"))
    ]
    assert parse(data, source_id="s").files == found.files
