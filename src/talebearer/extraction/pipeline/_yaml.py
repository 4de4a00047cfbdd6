"""YAML for pipelines: mappings, lists and words only, each with its place in the file.

Words stay words: ``no`` is no boolean and ``1.0`` no number, since nothing here is either.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from talebearer.errors import Problem, Severity, Where, findings_extraction

FILE_BYTES_MAX = 256 * 1024
DEPTH_MAX = 20
SHOWN_MAX = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A value and where it stands.

    Attributes:
        value: A word, a list of nodes, or a mapping from word to node.
        where: File, line and column.
    """

    value: Any
    where: Where


class Findings:
    """Collects problems of one file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []

    def add(self, code: str, where: Where, message: str, hint: str = "") -> None:
        """Add an error at *where*."""
        self.problems.append(
            Problem(code=code, severity=Severity.ERROR, where=where, message=message, hint=hint)
        )

    def malformed(self, where: Where, message: str, hint: str = "") -> None:
        """Add an error of form."""
        self.add(findings_extraction.MALFORMED_PIPELINE, where, message, hint)


def read_nodes(data: bytes, findings: Findings) -> Node | None:
    """Return the tree in *data*, or None with the reason among *findings*."""
    start = Where(file=findings.file, line=1, column=1)
    if len(data) > FILE_BYTES_MAX:
        findings.malformed(start, f"the file has more than {FILE_BYTES_MAX} bytes")
        return None
    try:
        text = data.decode("utf-8-sig")
        if any(isinstance(event, yaml.AliasEvent) for event in _events(text)):
            findings.malformed(start, "the file uses an alias", "write the part out")
            return None
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except UnicodeDecodeError:
        findings.malformed(start, "the file is not UTF-8")
        return None
    except yaml.YAMLError as error:
        findings.malformed(_fault_place(error, findings.file), f"no YAML ({_reason(error)})")
        return None
    except RecursionError:
        findings.malformed(start, "the file is nested too deeply")
        return None
    if root is None:
        findings.malformed(start, "the file is empty")
        return None
    return _node(root, findings, 0)


def _events(text: str) -> Iterator[Any]:
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > DEPTH_MAX:
            raise RecursionError
        yield event


def _node(node: Any, findings: Findings, depth: int) -> Node:
    mark = node.start_mark
    where = Where(file=findings.file, line=mark.line + 1, column=mark.column + 1)
    if isinstance(node, yaml.ScalarNode):
        return Node(value=node.value, where=where)
    if isinstance(node, yaml.SequenceNode):
        items = [_node(item, findings, depth + 1) for item in node.value]
        return Node(value=items, where=where)
    members: dict[str, Node] = {}
    for key, value in node.value:
        child = _node(key, findings, depth + 1)
        if not isinstance(child.value, str):
            findings.malformed(child.where, "a key is no word")
            continue
        if child.value in members:
            findings.malformed(child.where, f"{child.value[:SHOWN_MAX]!r} is there twice")
        members[child.value] = _node(value, findings, depth + 1)
    return Node(value=members, where=where)


def _fault_place(error: yaml.YAMLError, file: str) -> Where:
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        return Where(file=file, line=1, column=1)
    return Where(file=file, line=mark.line + 1, column=mark.column + 1)


def _reason(error: yaml.YAMLError) -> str:
    reason = getattr(error, "problem", None) or type(error).__name__
    return str(reason)[: 2 * SHOWN_MAX]
