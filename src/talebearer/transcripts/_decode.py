"""Bytes to text, with the encoding found by content.

UTF-8 with or without a byte order mark is read as it is; UTF-16 only with a mark, and with a
warning. Other bytes are read as Windows-1252, with a warning that shows a piece, when

- there is no control character and none of the five bytes that the encoding leaves undefined,
- at most a tenth of the bytes is not ASCII, so Cyrillic or Asian encodings are not turned into
  Western letters, and
- no bytes form a UTF-8 letter: a file that has some is UTF-8 with damage, and reading it in
  another encoding would spoil every letter that is whole.

Everything else is refused with the offset of the byte.
"""

from __future__ import annotations

import codecs
import re

from talebearer.errors import InvalidTranscript, Problem, Severity, Where
from talebearer.errors.findings_transcripts import READ_AS_UTF16, READ_AS_WINDOWS_1252

_UTF8_LETTER = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
_NEVER_IN_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f\x81\x8d\x8f\x90\x9d]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_CONTEXT_CHARS = 12
_ASCII = bytes(range(128))
_MAGIC: tuple[tuple[re.Pattern[bytes], str], ...] = (
    (re.compile(rb"PK\x03\x04"), "a zip archive or an office document"),
    (re.compile(rb"%PDF-[0-9]"), "a PDF document"),
    (re.compile(rb"\x1f\x8b"), "a gzip archive"),
    (re.compile(rb"fLaC\x00"), "a FLAC recording"),
    (re.compile(rb"OggS\x00"), "an Ogg recording"),
    (re.compile(rb"ID3[\x00-\x0f]"), "an MP3 recording"),
    (re.compile(rb"RIFF.{4}WAVE", re.DOTALL), "a WAV recording"),
    (re.compile(rb"\x1aE\xdf\xa3"), "a Matroska or WebM recording"),
    (re.compile(rb"SQLite format 3\x00"), "an SQLite database"),
)


def decode(data: bytes, *, name: str) -> tuple[str, list[Problem]]:
    """Return the text of *data* without its byte order mark, and warnings.

    Raises:
        InvalidTranscript: empty, blank, binary or not decodable (TB103); ``data['byte']`` is the
            0-based offset where it is known.
    """
    for magic, what in _MAGIC:
        if magic.match(data):
            raise _binary(name, f"it is {what}", byte=0)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text, problems = _decode_utf16(data, name=name)
    else:
        text, problems = _decode_bytes(data, name=name)
    if not text or text.isspace():
        raise InvalidTranscript(
            f"{name} is empty" if not data else f"{name} has only blanks in {len(data)} bytes",
            hint="export the transcript again",
            data={"source": name, "size_bytes": len(data)},
        )
    return text, problems


def _decode_utf16(data: bytes, *, name: str) -> tuple[str, list[Problem]]:
    encoding = "utf-16-le" if data.startswith(codecs.BOM_UTF16_LE) else "utf-16-be"
    try:
        text = data[2:].decode(encoding)
    except UnicodeDecodeError as fault:
        raise _undecodable(name, "UTF-16", byte=fault.start + 2) from None
    if "\0" in text:
        byte = 2 + len(text[: text.index("\0")].encode(encoding))
        raise _binary(name, f"there is a NUL character at byte {byte}", byte=byte)
    problem = Problem(
        code=READ_AS_UTF16,
        severity=Severity.WARNING,
        where=Where(file=name),
        message="the file is UTF-16 and was read as such",
        hint="save it as UTF-8",
    )
    return text, [problem]


def _decode_bytes(data: bytes, *, name: str) -> tuple[str, list[Problem]]:
    nul = data.find(b"\0")
    if nul >= 0:
        raise _binary(name, f"there is a NUL byte at byte {nul}", byte=nul)
    marked = data.startswith(codecs.BOM_UTF8)
    try:
        return data[3:].decode() if marked else data.decode(), []
    except UnicodeDecodeError as fault:
        byte = fault.start + (3 if marked else 0)
    if marked or not _looks_like_windows_1252(data):
        raise _undecodable(name, "UTF-8", byte=byte)
    text = data.decode("cp1252")
    first = _NOT_ASCII.search(text)
    assert first is not None  # a byte that is not UTF-8 is not ASCII
    at = first.start()
    excerpt = " ".join(text[max(0, at - _CONTEXT_CHARS) : at + _CONTEXT_CHARS].split())
    problem = Problem(
        code=READ_AS_WINDOWS_1252,
        severity=Severity.WARNING,
        where=Where(file=name, line=text.count("\n", 0, at) + 1),
        message=f"byte {byte} is not UTF-8; the file was read as Windows-1252, which gives "
        f"{excerpt!r} here",
        hint="if those letters are wrong, save the file as UTF-8",
    )
    return text, [problem]


def _looks_like_windows_1252(data: bytes) -> bool:
    others = len(data.translate(None, _ASCII))
    return (
        others * 10 <= len(data)
        and _NEVER_IN_TEXT.search(data) is None
        and _UTF8_LETTER.search(data) is None
    )


def _binary(name: str, why: str, *, byte: int) -> InvalidTranscript:
    return InvalidTranscript(
        f"{name} is no text: {why}",
        hint="give a transcript: seriatim, WhisperX or CRD3 JSON, WebVTT, or plain text in UTF-8",
        data={"source": name, "byte": byte},
    )


def _undecodable(name: str, encoding: str, *, byte: int) -> InvalidTranscript:
    return InvalidTranscript(
        f"{name} cannot be read as {encoding}: byte {byte} does not fit",
        hint="save the file as UTF-8",
        data={"source": name, "byte": byte, "encoding": encoding},
    )
