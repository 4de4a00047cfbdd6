"""Bytes to text, with the encoding found by content.

UTF-8 with or without a byte order mark is read as it is; UTF-16 only with a mark, and with a
warning. Other bytes are read as Windows-1252, with a warning that shows a piece, when

- there is no control character and none of the five bytes that the encoding leaves undefined,
- at most a tenth of the bytes is not ASCII, so Cyrillic or Asian encodings are not turned into
  Western letters, and
- no bytes form a UTF-8 letter: a file that has some is UTF-8 with damage, and reading it in
  another encoding would spoil every letter that is whole.

What is left, in this order and each with a warning: UTF-16 without a mark, if every other byte is
NUL as in Western text; Western letters that stand singly among others, else an encoding of another
script whose letters fit (see ``_encodings``); UTF-8 with damage, if no more bytes are damaged than
letters are whole, with U+FFFD in their places.

Everything else is refused with the offset of the byte.
"""

from __future__ import annotations

import codecs
import re

from talebearer.errors import InvalidTranscript, Problem, Severity, Where
from talebearer.errors.findings_transcripts import (
    GUESSED_ENCODING,
    MENDED_UTF8,
    READ_AS_UTF16,
    READ_AS_WINDOWS_1252,
)
from talebearer.transcripts._encodings import guess, isolated_western

_UTF8_LETTER = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
_NEVER_IN_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f\x81\x8d\x8f\x90\x9d]")
_NEVER_AT_ALL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_REPLACEMENT = "\ufffd"
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_CONTEXT_CHARS = 12
_UTF16_BYTES_MIN = 12
_UTF16_HEAD_BYTES = 4096
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
    elif (mark := _utf16_mark(data)) is not None:
        text, problems = _decode_utf16(mark + data, name=name)
    else:
        text, problems = _decode_bytes(data, name=name)
    if not text or text.isspace():
        raise InvalidTranscript(
            f"{name} is empty" if not data else f"{name} has only blanks in {len(data)} bytes",
            hint="export the transcript again",
            data={"source": name, "size_bytes": len(data)},
        )
    return text, problems


def _utf16_mark(data: bytes) -> bytes | None:
    """Return the byte order mark that Western text in UTF-16 lacks, or None for other bytes."""
    head = data[:_UTF16_HEAD_BYTES]
    even, odd = head[0::2], head[1::2]
    if len(data) % 2 or len(data) < _UTF16_BYTES_MIN:
        return None
    if not even.count(0) and odd.count(0) * 10 >= len(odd) * 7:
        return codecs.BOM_UTF16_LE
    if not odd.count(0) and even.count(0) * 10 >= len(even) * 7:
        return codecs.BOM_UTF16_BE
    return None


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
        return _mended(data, name=name, byte=byte, marked=marked)
    text = data.decode("cp1252")
    return text, [_guess_problem(READ_AS_WINDOWS_1252, text, name, "Windows-1252", byte=byte)]


def _mended(data: bytes, *, name: str, byte: int, marked: bool) -> tuple[str, list[Problem]]:
    """Return text of another script, or of UTF-8 with damage."""
    if _NEVER_AT_ALL.search(data):
        raise _undecodable(name, "UTF-8", byte=byte)
    whole = _UTF8_LETTER.search(data) is not None
    western = None if marked or whole else isolated_western(data)
    if western is not None:
        problem = _guess_problem(READ_AS_WINDOWS_1252, western, name, "Windows-1252", byte=byte)
        return western, [problem]
    found = None if marked else guess(data)
    if found is not None:
        text, encoding = found
        return text, [_guess_problem(GUESSED_ENCODING, text, name, encoding, byte=byte)]
    text = data[3 if marked else 0 :].decode(errors="replace")
    damaged = text.count(_REPLACEMENT) - data.count(_REPLACEMENT.encode())
    if damaged > len(_UTF8_LETTER.findall(data)):
        raise _undecodable(name, "UTF-8", byte=byte)
    lines = [n for n, line in enumerate(text.split("\n"), 1) if _REPLACEMENT in line]
    shown = ", ".join(map(str, lines[:20])) + (f" and {len(lines) - 20} more" * (len(lines) > 20))
    problem = Problem(
        code=MENDED_UTF8,
        severity=Severity.WARNING,
        where=Where(file=name, line=lines[0]),
        message=f"byte {byte} is not UTF-8, nor are {damaged - 1} more places; U+FFFD stands for "
        f"them (line{'' if len(lines) == 1 else 's'} {shown})",
        hint="export the transcript again, or mend those places",
    )
    return text, [problem]


def _guess_problem(code: str, text: str, name: str, encoding: str, *, byte: int) -> Problem:
    first = _NOT_ASCII.search(text)
    assert first is not None  # a byte that is not UTF-8 is not ASCII
    at = first.start()
    excerpt = " ".join(text[max(0, at - _CONTEXT_CHARS) : at + _CONTEXT_CHARS].split())
    return Problem(
        code=code,
        severity=Severity.WARNING,
        where=Where(file=name, line=text.count("\n", 0, at) + 1),
        message=f"byte {byte} is not UTF-8; the file was read as {encoding}, which gives "
        f"{excerpt!r} here",
        hint="if those letters are wrong, save the file as UTF-8",
    )


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
        hint="give a transcript: JSON of a speech tool, captions, a chat log, or plain text in UTF-8",
        data={"source": name, "byte": byte},
    )


def _undecodable(name: str, encoding: str, *, byte: int) -> InvalidTranscript:
    return InvalidTranscript(
        f"{name} cannot be read as {encoding}: byte {byte} does not fit",
        hint="save the file as UTF-8",
        data={"source": name, "byte": byte, "encoding": encoding},
    )
