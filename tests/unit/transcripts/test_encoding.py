import hashlib

import pytest

from talebearer.errors import InvalidId, InvalidTranscript, UsageFault
from talebearer.errors.findings_transcripts import (
    GUESSED_ENCODING,
    MENDED_UTF8,
    READ_AS_UTF16,
    READ_AS_WINDOWS_1252,
)
from talebearer.transcripts import FORMATS, parse, sniff

SCENE = (
    "GM: Das Café ist zu — „schade“.\nAna: Hm, wirklich?\nGM: Wirklich, kein Licht im Fenster.\n"
)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_utf8_is_read_with_and_without_a_mark(encoding: str):
    found = parse(SCENE.encode(encoding), source_id="s")
    assert (found.problems, found.units[0].text) == ((), "Das Café ist zu — „schade“.")


@pytest.mark.parametrize(
    ("mark", "encoding"), [(b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")]
)
def test_utf16_with_a_mark_is_read_with_a_warning(mark: bytes, encoding: str):
    found = parse(mark + SCENE.encode(encoding), source_id="s")
    assert [problem.code for problem in found.problems] == [READ_AS_UTF16]
    assert found.units[0].text == "Das Café ist zu — „schade“."


def test_windows_1252_is_read_with_a_warning_that_shows_a_piece():
    found = parse(SCENE.encode("cp1252"), source_id="s")
    assert [problem.code for problem in found.problems] == [READ_AS_WINDOWS_1252]
    assert "Café" in found.problems[0].message
    assert found.units[0].text == "Das Café ist zu — „schade“."


@pytest.mark.parametrize(
    ("data", "byte"),
    [
        ("Ana: é ".encode() + b"\xe9 \xe9 ok", 8),  # more damage than whole letters
        ("\ufeffAna: ".encode() + b"\xe9 \xe9", 8),
        ("Ана".encode("cp1251"), 0),  # too few letters to tell the encoding
        (b"Ana: \x81 " + b"text " * 20, 5),
        (b"\xff\xfeA\x00\x00", 4),
        (b"\xff\xfe\x00\xd8", 2),
    ],
)
def test_what_cannot_be_decoded_names_the_byte(data: bytes, byte: int):
    with pytest.raises(InvalidTranscript, match=f"byte {byte} ") as caught:
        sniff(data)
    assert caught.value.data["byte"] == byte


@pytest.mark.spec("NI-F-encodings")
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_told_by_its_nul_bytes(encoding: str):
    found = parse("GM: Das Café ist zu.\nAna: Hm.\n".encode(encoding), source_id="s")
    assert [problem.code for problem in found.problems] == [READ_AS_UTF16]
    assert found.units[0].text == "Das Café ist zu."


SCRIPTS = {
    "cp1251": "Мастер: Дверь открывается.\nАнна: Кто там?\nМастер: Никого.\n",
    "koi8-r": "Мастер: Дверь открывается.\nАнна: Кто там?\nМастер: Никого.\n",
    "cp866": "Мастер: Дверь открывается.\nАнна: Кто там?\nМастер: Никого.\n",
    "cp1253": "Άννα: η πόρτα ανοίγει αργά.\nΆννα: ποιος είναι εκεί;\n",
    "shift-jis": "健太：とびらがあきました。\n健太：だれかいますか。\n",
    "euc-jp": "健太：とびらがあきました。\n健太：だれかいますか。\n",
    "euc-kr": "지훈: 문이 천천히 열립니다\n지훈: 거기 누구 있어요\n",
    "gb18030": "小明：我不知道他在不在里面。\n小明：你们说的是真的吗？\n",
    "big5": "小明：我不知道他在不在裡面。\n小明：你們說的是真的嗎？\n",
}


@pytest.mark.spec("NI-F-encodings")
@pytest.mark.parametrize("encoding", SCRIPTS)
def test_other_scripts_are_guessed_with_a_warning_that_shows_a_piece(encoding: str):
    data = SCRIPTS[encoding].encode(encoding)
    found = parse(data, source_id="s")
    assert found.units == parse(SCRIPTS[encoding].encode(), source_id="s").units
    assert [problem.code for problem in found.problems] == [GUESSED_ENCODING]
    assert encoding in found.problems[0].message


@pytest.mark.spec("NI-F-encodings")
def test_damaged_utf8_is_read_with_a_mark_in_each_place():
    data = "Ana: é, ü\nBen: ok\nAna: ".encode() + b"caf\xe9 \xff\nBen: yes"
    found = parse(data, source_id="s")
    assert found.units[2].text == "caf\ufffd \ufffd"
    assert [problem.code for problem in found.problems] == [MENDED_UTF8]
    assert (found.problems[0].where.line, "line 3" in found.problems[0].message) == (3, True)


@pytest.mark.parametrize(
    ("data", "byte"), [(b"GM: a\0b", 5), (b"\xff\xfe" + "A\0".encode("utf-16-le"), 4), (b"\0", 0)]
)
def test_a_nul_is_binary(data: bytes, byte: int):
    with pytest.raises(InvalidTranscript, match="no text") as caught:
        sniff(data)
    assert caught.value.data["byte"] == byte


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"PK\x03\x04rest", "zip"),
        (b"%PDF-1.7", "PDF"),
        (b"ID3\x04\x00", "MP3"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", "WAV"),
        (b"OggS\x00", "Ogg"),
    ],
)
def test_well_known_binaries_are_called_by_name(data: bytes, what: str):
    with pytest.raises(InvalidTranscript, match=what):
        sniff(data)


@pytest.mark.parametrize("data", [b"", b" \r\n\t", b"\xef\xbb\xbf", b"\xff\xfe"])
@pytest.mark.parametrize("format", [None, *FORMATS])
def test_an_empty_file_is_refused_whatever_it_is_said_to_be(data: bytes, format: str | None):
    with pytest.raises(InvalidTranscript, match=r"is empty|only blanks"):
        parse(data, source_id="s", format=format)


@pytest.mark.spec("NI-E1-source-identity")
def test_the_digest_is_over_the_raw_bytes():
    plain, marked = SCENE.encode(), SCENE.encode("utf-8-sig")
    assert parse(plain, source_id="s").digest == "sha256:" + hashlib.sha256(plain).hexdigest()
    assert parse(marked, source_id="s").digest == "sha256:" + hashlib.sha256(marked).hexdigest()
    assert parse(plain, source_id="s").units == parse(marked, source_id="s").units


@pytest.mark.spec("NI-E1-source-id")
@pytest.mark.parametrize("source_id", ["", ".hidden", "../up", "a b", "é", "x" * 65, "a\n"])
def test_a_source_id_is_held_to_its_pattern(source_id: str):
    with pytest.raises(InvalidId):
        parse(SCENE.encode(), source_id=source_id)


def test_an_unknown_format_suggests_the_nearest():
    with pytest.raises(UsageFault) as caught:
        parse(SCENE.encode(), source_id="s", format="webvt")
    assert "webvtt" in caught.value.hint


@pytest.mark.spec("NI-F-encodings")
def test_western_accents_that_stand_singly_are_read_however_many_there_are():
    text = "GM: Déjà là, à côté.\nAna: Où ça? Été, là-bas.\nGM: Là.\n"
    transcript = parse(text.encode("cp1252"), source_id="s")
    assert transcript.unit(1).text == "Déjà là, à côté."
    assert "Windows-1252" in transcript.problems[0].message
