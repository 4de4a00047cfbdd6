"""Findings as SARIF 2.1.0, which code hosts and editors read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from talebearer._version import __version__
from talebearer.content.authoring._fingerprint import fingerprints
from talebearer.errors import CATALOGUE, Problem, Severity

SARIF_VERSION = "2.1.0"
_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_ROOT = "%SRCROOT%"
_FINGERPRINT = "talebearerFinding/v1"
_RANK = (Severity.NOTE, Severity.WARNING, Severity.ERROR)


def sarif(
    root: Path, problems: Sequence[Problem], *, baseline: frozenset[str] | None = None
) -> bytes:
    """Return *problems* of the content folder *root* as one SARIF log.

    Addresses of files are relative to the parent of *root*. With a *baseline*, a set of
    fingerprints, each result says whether it is new or unchanged.
    """
    codes = sorted({problem.code for problem in problems})
    marks = fingerprints(root, problems)
    run = {
        "tool": {
            "driver": {
                "name": "talebearer",
                "version": __version__,
                "rules": [_rule(code, problems) for code in codes],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            _ROOT: {"description": {"text": "The folder that the content folder is in."}}
        },
        "results": [
            _result(problem, mark, codes.index(problem.code), baseline)
            for problem, mark in zip(problems, marks, strict=True)
        ],
    }
    log = {"$schema": _SCHEMA, "version": SARIF_VERSION, "runs": [run]}
    text = json.dumps(log, indent=1, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _rule(code: str, problems: Sequence[Problem]) -> Mapping[str, Any]:
    entry = CATALOGUE[code]
    level = max((p.severity for p in problems if p.code == code), key=_RANK.index)
    return {
        "id": code,
        "shortDescription": {"text": entry.title},
        "fullDescription": {"text": entry.text},
        "help": {"text": entry.fix},
        "defaultConfiguration": {"level": level.value},
    }


def _result(
    problem: Problem, mark: str, rule_index: int, baseline: frozenset[str] | None
) -> Mapping[str, Any]:
    where = problem.where
    hint = problem.hint or CATALOGUE[problem.code].fix
    address = quote(where.file or "", safe="/~")
    place: dict[str, Any] = {"artifactLocation": {"uri": address, "uriBaseId": _ROOT}}
    if where.line is not None:
        place["region"] = {"startLine": where.line, "startColumn": where.column or 1}
    location: dict[str, Any] = {"physicalLocation": place}
    if where.pointer is not None:
        location["logicalLocations"] = [{"fullyQualifiedName": where.pointer, "kind": "member"}]
    result: dict[str, Any] = {
        "ruleId": problem.code,
        "ruleIndex": rule_index,
        "level": problem.severity.value,
        "message": {"text": f"{problem.message} (hint: {hint})"},
        "locations": [location],
        "partialFingerprints": {_FINGERPRINT: mark},
    }
    if baseline is not None:
        result["baselineState"] = "unchanged" if mark in baseline else "new"
    return result
