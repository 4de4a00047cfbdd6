"""Craig's tracks, merged."""

import json
from pathlib import Path

import pytest

from talebearer.errors import InvalidId, InvalidTranscript, TranscriptTooLarge
from talebearer.errors.findings_transcripts import (
    READ_AS_WINDOWS_1252,
    TRACK_LABELS,
    TRACKS_UNMATCHED,
)
from talebearer.transcripts import Transcript, load, load_craig, parse, sniff

INFO = """Recording abc123

Recording ID: \t\tabc123
Start time: \t\t2026-05-01T18:02:11.120Z

Tracks:
\tana#0 (111)
\tBen the Bold#0 (222)

Notes:
\t0:00:04: fight starts
"""


def segments(*rows: tuple[float | None, float | None, str]) -> str:
    return json.dumps({"segments": [{"start": s, "end": e, "text": t} for s, e, t in rows]})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "night-7"
    folder.mkdir()
    (folder / "info.txt").write_text(INFO)
    (folder / "1-ana.json").write_text(
        segments((0.0, 2.0, "Who?"), (5.0, None, "Oh."), (None, None, "Hm."))
    )
    (folder / "2-ben.flac.json").write_text(segments((0.0, 3.0, "Me."), (4.5, 6.0, "Run!")))
    (folder / "1-ana.flac").write_bytes(b"fLaC\0")
    return folder


def rows(transcript: Transcript) -> list[tuple[str, str, float | None]]:
    return [(unit.speaker, unit.text, unit.start_s) for unit in transcript.units]


MERGED = [
    ("ana", "Who?", 0.0),
    ("Ben the Bold", "Me.", 0.0),
    ("", "fight starts", 4.0),
    ("Ben the Bold", "Run!", 4.5),
    ("ana", "Oh.", 5.0),
    ("ana", "Hm.", None),
]


@pytest.mark.spec("NI-F5-craig")
def test_tracks_are_merged_by_start_then_track_under_the_names_of_info(folder: Path):
    data, found = load_craig(folder)
    assert (found.source_id, found.format, found.problems) == ("night-7", "craig", ())
    assert rows(found) == MERGED
    assert [unit.tags for unit in found.units][2] == ("note",)
    assert load(folder) == (data, found)


@pytest.mark.spec("NI-F5-craig")
def test_the_bundle_is_read_again_with_the_same_units_and_digest(folder: Path):
    data, found = load_craig(folder)
    assert sniff(data) == "craig"
    again = parse(data, source_id="night-7", format="craig")
    assert (again.units, again.digest) == (found.units, found.digest)
    assert load_craig(folder)[0] == data


def test_files_may_be_named_one_by_one_in_any_order(folder: Path):
    names = ["2-ben.flac.json", "info.txt", "1-ana.json"]
    _, found = load_craig([folder / name for name in names], source_id="x")
    assert rows(found) == MERGED


def test_without_info_the_files_give_the_names(folder: Path):
    (folder / "info.txt").unlink()
    assert load_craig(folder)[1].speakers == ("ana", "ben")
    with pytest.raises(InvalidTranscript, match="is a folder"):
        load(folder)


def test_what_does_not_match_is_warned_about(folder: Path):
    (folder / "2-ben.flac.json").rename(folder / "7-cy.json")
    (folder / "1-ana.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nWho?\n")
    (folder / "3-dee.vtt").write_text("WEBVTT\n\n")
    _, found = load_craig(folder)
    assert [problem.code for problem in found.problems] == [TRACKS_UNMATCHED]
    message = found.problems[0].message
    assert "7-cy.json is no track" in message
    assert "track 2 of info.txt, Ben the Bold, has no transcript" in message
    assert "1-ana.srt was not needed" in message
    assert "3-dee.vtt has nothing said" in message
    assert "cy" in found.speakers


def test_labels_inside_a_track_give_way_to_its_name(folder: Path):
    spoken = [{"start": 0, "end": 1, "text": "Hi.", "speaker": f"SPEAKER_0{n}"} for n in (0, 1)]
    (folder / "1-ana.json").write_text(json.dumps({"segments": spoken}))
    _, found = load_craig(folder)
    assert [problem.code for problem in found.problems] == [TRACK_LABELS]
    assert "SPEAKER_01" in found.problems[0].message
    assert found.speakers == ("ana", "Ben the Bold")


def test_two_of_one_name_keep_their_numbers(folder: Path):
    (folder / "info.txt").write_text("Recording a\n\nTracks:\n\tana#12 (1)\n\tana#34 (2)\n")
    assert load_craig(folder)[1].speakers == ("ana#12", "ana#34")


def test_tracks_without_numbers_are_matched_by_name(folder: Path):
    (folder / "1-ana.json").rename(folder / "ANA.json")
    (folder / "2-ben.flac.json").rename(folder / "ben the bold.json")
    assert load_craig(folder)[1].problems == ()


def test_encodings_differ_by_file(folder: Path):
    text = "start\tend\ttext\n0\t1000\tDas Café ist zu, wir gehen weiter.\n"
    (folder / "2-ben.flac.json").unlink()
    (folder / "2-ben.tsv").write_bytes(text.encode("cp1252"))
    _, found = load_craig(folder)
    assert [(p.code, p.where.file) for p in found.problems] == [(READ_AS_WINDOWS_1252, "2-ben.tsv")]
    assert "Das Café ist zu, wir gehen weiter." in [unit.text for unit in found.units]


def test_faults_name_the_file(folder: Path, tmp_path: Path):
    (folder / "2-ben.flac.json").write_text("{")
    with pytest.raises(InvalidTranscript, match="2-ben"):
        load_craig(folder)
    (folder / "2-ben.flac.json").write_bytes(load_craig([folder / "1-ana.json"])[0])
    with pytest.raises(InvalidTranscript, match="bundle"):
        load_craig(folder)
    (tmp_path / "empty").mkdir()
    for wrong in (tmp_path / "empty", [folder / "info.txt"]):
        with pytest.raises(InvalidTranscript, match="no transcript of a track"):
            load_craig(wrong)
    for wrong in ([], [folder / "1-ana.json"] * 2, tmp_path / "none"):
        with pytest.raises(InvalidTranscript):
            load_craig(wrong)


def test_limits_and_ids(folder: Path):
    size = sum((folder / n).stat().st_size for n in ("info.txt", "1-ana.json", "2-ben.flac.json"))
    load_craig(folder, size_bytes_max=size)
    with pytest.raises(TranscriptTooLarge):
        load_craig(folder, size_bytes_max=size - 1)
    with pytest.raises(InvalidId):
        load_craig(folder, source_id="../up")


def test_info_alone_has_no_speech():
    with pytest.raises(InvalidTranscript, match=r"info\.txt") as caught:
        sniff(INFO.encode())
    assert "folder" in caught.value.hint


@pytest.mark.parametrize(
    "value", [{}, {"tracks": 7}, {"tracks": [7]}, {"tracks": [{"file": 1}]}, {"info": 7}, []]
)
def test_a_damaged_bundle_is_refused(value: object):
    with pytest.raises(InvalidTranscript):
        parse(json.dumps(value).encode(), source_id="s", format="craig")
