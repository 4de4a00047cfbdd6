"""Which test proves which rule: the ``spec`` markers of the test files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (ROOT / "tests", ROOT / "src" / "talebearer" / "testing")
MARKERS = ("pytest.mark.spec", "spec")
Definition = ast.FunctionDef | ast.ClassDef


def markers() -> dict[str, list[str]]:
    """Return rule id to the tests that carry its marker, as ``path::name`` from the root."""
    found: dict[str, list[str]] = {}
    paths = [path for folder in FOLDERS for path in sorted(folder.rglob("*.py"))]
    for path in paths:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        place = path.relative_to(ROOT).as_posix()
        for name, node in _definitions(tree, ""):
            for rule in _spec_ids(node):
                found.setdefault(rule, []).append(f"{place}::{name}")
    return found


def _definitions(node: ast.AST, prefix: str) -> Iterator[tuple[str, Definition]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Definition):
            name = f"{prefix}{child.name}"
            yield name, child
            yield from _definitions(child, f"{name}::")


def _spec_ids(node: Definition) -> list[str]:
    return [
        argument.value
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) in MARKERS
        for argument in decorator.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]
