"""A content folder from a few strings."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from talebearer.content import lint
from talebearer.errors import Problem

Tree = Callable[[Mapping[str, str | bytes]], Path]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Return a function that writes files below ``content`` and returns that folder."""

    def write(files: Mapping[str, str | bytes]) -> Path:
        root = tmp_path / "content"
        root.mkdir(exist_ok=True)
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode() if isinstance(text, str) else text)
        return root

    return write


@pytest.fixture
def lint_one(tree: Tree) -> Callable[..., list[Problem]]:
    """Return a function that lints one file (and others beside it); notes are left out."""

    def run(name: str, text: str | bytes, **others: str) -> list[Problem]:
        found = lint(tree({name: text, **others}))
        return [problem for problem in found if problem.severity != "note"]

    return run
