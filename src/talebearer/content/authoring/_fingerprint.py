"""What tells a finding from others, however its file is moved about, and what is known of old.

A fingerprint is made of the code, the file, the message without line numbers and counts, and the place by
names: the line's id in place of its index. Equal ones in a file are numbered in their order.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from talebearer.content._yaml import FILE_SIZE_BYTES_MAX, parse
from talebearer.errors import InvalidBaseline, Problem

FORMAT = "talebearer.lint-baseline"
VERSION = 1
_SIZE_BYTES_MAX = 64 * 1024 * 1024
_PASSING = re.compile(r", first in line \d+$|: \d+$")  # what moves, and how many there are
_PART = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")
_NAMES = ("id", "value", "name")
_HEX = re.compile("[0-9a-f]{64}")


def fingerprints(root: Path, problems: Sequence[Problem]) -> list[str]:
    """Return the fingerprint of each of *problems* of the content folder *root*."""
    values: dict[str, Any] = {}
    counts: Counter[tuple[str, ...]] = Counter()
    found = []
    for problem in problems:
        file = problem.where.file or ""
        if file not in values:
            values[file] = _value(root, file)
        message = _PASSING.sub("", problem.message)
        key = (problem.code, file, message, _by_names(problem.where.pointer, values[file]))
        counts[key] += 1
        text = json.dumps([*key, counts[key]], ensure_ascii=False)
        found.append(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())
    return found


def _value(root: Path, file: str) -> Any:
    path = root.resolve().parent / file
    try:
        if not path.resolve().is_relative_to(root.resolve()) or not path.is_file():
            return None
        if path.stat().st_size > FILE_SIZE_BYTES_MAX:
            return None
        return parse(path.read_bytes()).value
    except (OSError, RuntimeError, ValueError):
        return None


def _by_names(pointer: str | None, value: Any) -> str:
    """Return *pointer* with an entry's own name in place of its index."""
    parts = []
    for key, index in _PART.findall(pointer or ""):
        if index:
            inside = isinstance(value, list) and int(index) < len(value)
            value = value[int(index)] if inside else None
            parts.append(f"[{_name_of(value)}]")
        else:
            value = value.get(key) if isinstance(value, dict) else None
            parts.append(f".{key}")
    return "".join(parts)


def _name_of(value: Any) -> str:
    if not isinstance(value, dict):
        return ""
    return next((str(value[name]) for name in _NAMES if isinstance(value.get(name), str)), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Findings beside those of a baseline.

    Attributes:
        new: Findings that the baseline lacks.
        known: Findings that it has.
        gone: Fingerprints of it that no finding has.
    """

    new: tuple[Problem, ...]
    known: tuple[Problem, ...]
    gone: frozenset[str]


def compare(root: Path, problems: Sequence[Problem], baseline: frozenset[str]) -> Compared:
    """Return which of *problems* are in *baseline*, a set of fingerprints."""
    pairs = list(zip(problems, fingerprints(root, problems), strict=True))
    return Compared(
        new=tuple(problem for problem, mark in pairs if mark not in baseline),
        known=tuple(problem for problem, mark in pairs if mark in baseline),
        gone=baseline - {mark for _, mark in pairs},
    )


def dump_baseline(root: Path, problems: Sequence[Problem]) -> bytes:
    """Return a baseline of *problems*: JSON that a person can read and a diff can show."""
    entries = sorted(
        {
            (problem.where.file or "", problem.code, problem.message, mark)
            for problem, mark in zip(problems, fingerprints(root, problems), strict=True)
        }
    )
    value = {
        "format": FORMAT,
        "version": VERSION,
        "findings": [
            {"file": file, "code": code, "message": message, "fingerprint": mark}
            for file, code, message, mark in entries
        ],
    }
    text = json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True)
    return text.encode("utf-8", "backslashreplace") + b"\n"


def load_baseline(data: bytes) -> frozenset[str]:
    """Return the fingerprints in *data*, the bytes of a baseline.

    Raises:
        InvalidBaseline: It is none, or of a newer version (TB120).
    """
    if len(data) > _SIZE_BYTES_MAX:
        raise InvalidBaseline(f"the baseline has more than {_SIZE_BYTES_MAX} bytes")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InvalidBaseline(f"the baseline is no JSON: {error}") from error
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise InvalidBaseline(f"the file is no baseline: it lacks format {FORMAT!r}")
    if value.get("version") != VERSION:
        raise InvalidBaseline(
            f"the baseline is of version {value.get('version')!r}, and this program knows {VERSION}"
        )
    return frozenset(_marks(value.get("findings")))


def _marks(findings: Any) -> Iterable[str]:
    for at, one in enumerate(findings if isinstance(findings, list) else [None]):
        mark = one.get("fingerprint") if isinstance(one, dict) else None
        if not isinstance(mark, str) or not _HEX.fullmatch(mark):
            raise InvalidBaseline(f"$.findings[{at}] of the baseline has no fingerprint")
        yield mark
