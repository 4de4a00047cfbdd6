"""Reading an export: one line after the other, each of its form, and the file whole."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from jsonschema_rs import Draft202012Validator

from talebearer.errors import ForeignDatabase, Problem, SchemaTooNew, Severity, Where
from talebearer.errors.findings_store import IMPORT_LINE
from talebearer.store._canonical import clip
from talebearer.store._engine import file_fault
from talebearer.store.upkeep.transfer._format import (
    EXPORT_FORMAT,
    EXPORT_VERSION,
    LINE_BYTES_MAX,
    LINES,
)

PROBLEMS_MAX = 1_000


class Line(NamedTuple):
    """One line of an export: its number from 1, and its document."""

    number: int
    document: dict[str, Any]


class Found:
    """Findings about an import, all of them up to a bound.

    Attributes:
        file: The file that is imported.
        problems: The findings.
        more: How many further ones are not listed.
    """

    def __init__(self, file: Path) -> None:
        self.file = file.as_posix()
        self.problems: list[Problem] = []
        self.more = 0

    def add(self, code: str, message: str, *, line: int | None = None, hint: str = "") -> None:
        """Add one finding."""
        if len(self.problems) >= PROBLEMS_MAX:
            self.more += 1
            return
        where = Where(file=self.file, line=line)
        self.problems.append(
            Problem(
                code=code, severity=Severity.ERROR, where=where, message=clip(message), hint=hint
            )
        )


def read_lines(path: Path, found: Found) -> Iterator[Line]:
    """Yield the lines that are of the format; what is not becomes a finding.

    Raises:
        ForeignDatabase: The file is no export (TB202).
        SchemaTooNew: It is of a newer version of the format (TB201).
        StoreUnavailable: It cannot be read (TB210).
    """
    validators = {name: Draft202012Validator(schema) for name, schema in LINES.items()}
    hasher, ended = hashlib.sha256(), False
    try:
        with path.open("rb") as file:
            number = 0
            while data := file.readline(LINE_BYTES_MAX + 1):
                number += 1
                if len(data) > LINE_BYTES_MAX:
                    found.add(IMPORT_LINE, f"longer than {LINE_BYTES_MAX:,} bytes", line=number)
                    return
                document = _document(path, data, number, found)
                if number == 1:
                    _check_header(path, document)
                elif ended:
                    found.add(IMPORT_LINE, "stands after the last line", line=number)
                    return
                if document is not None and _is_valid(validators, document, number, found):
                    if document["line"] == "end":
                        ended = True
                        _check_end(document, hasher.hexdigest(), number, found)
                    else:
                        yield Line(number, document)
                hasher.update(data)
            if number == 0:
                raise _foreign(path)
            if not ended:
                found.add(IMPORT_LINE, "the file is cut off: it has no last line", line=number)
    except OSError as error:
        raise file_fault(error, path=path) from error


def decode_base64(text: str) -> bytes | None:
    """Return the bytes of a piece, or None if that is no Base64."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def _document(path: Path, data: bytes, number: int, found: Found) -> dict[str, Any] | None:
    try:
        document = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        if number == 1:
            raise _foreign(path) from None
        found.add(IMPORT_LINE, f"is no JSON: {error.msg}", line=number)
        return None
    if not isinstance(document, dict):
        if number == 1:
            raise _foreign(path)
        found.add(IMPORT_LINE, "is no JSON object", line=number)
        return None
    return document


def _check_header(path: Path, document: dict[str, Any] | None) -> None:
    if document is None or document.get("format") != EXPORT_FORMAT:
        raise _foreign(path)
    version = document.get("version")
    if isinstance(version, int) and version > EXPORT_VERSION:
        raise SchemaTooNew(
            f"{path} is of version {version}; this program knows {EXPORT_VERSION}",
            hint="pip install --upgrade talebearer",
            data={"found": version, "supported": EXPORT_VERSION},
        )


def _is_valid(
    validators: dict[str, Draft202012Validator],
    document: dict[str, Any],
    number: int,
    found: Found,
) -> bool:
    kind = document.get("line")
    validator = validators.get(kind) if isinstance(kind, str) else None
    if validator is None or (kind == "header") != (number == 1):
        allowed = ", ".join(sorted(validators))
        found.add(IMPORT_LINE, f"the kind of line {kind!r}", line=number, hint=f"known: {allowed}")
        return False
    if validator.is_valid(document):
        return True
    for error in validator.iter_errors(document):
        place = "".join(
            f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.instance_path
        )
        found.add(IMPORT_LINE, f"${place}: {error.message}", line=number)
    return False


def _check_end(document: dict[str, Any], digest: str, number: int, found: Found) -> None:
    if document["lines"] != number - 1:
        message = f"{document['lines']} lines were written, {number - 1} are here"
        found.add(IMPORT_LINE, message, line=number)
    elif document["digest"] != f"sha256:{digest}":
        message = "the lines before are not as they were written"
        found.add(IMPORT_LINE, message, line=number, hint="export again; do not edit an export")


def _foreign(path: Path) -> ForeignDatabase:
    return ForeignDatabase(
        f"{path} is no export of a store",
        hint="give a file that `talebearer store export` wrote",
        data={"path": str(path)},
    )
