"""Bytes in, numbered units out: the transcript formats and what they have in common.

:func:`parse` is pure; :func:`load` reads a file first. Formats are told by content, never by file
name. Text is never rewritten: only ends are trimmed and line breaks folded into one space, and in
captions tags are removed and character references decoded.
"""

from talebearer.transcripts._load import SIZE_BYTES_MAX, load, load_craig, load_files
from talebearer.transcripts._model import SourceFile, Transcript, Unit
from talebearer.transcripts._parse import FORMATS, PARTS_MAX, media_type, parse, sniff
from talebearer.transcripts._times import format_time

__all__ = [
    "FORMATS",
    "PARTS_MAX",
    "SIZE_BYTES_MAX",
    "SourceFile",
    "Transcript",
    "Unit",
    "format_time",
    "load",
    "load_craig",
    "load_files",
    "media_type",
    "parse",
    "sniff",
]
