"""Plans checked with the content that they lie in."""

from __future__ import annotations

from pathlib import Path

from talebearer.content import _tree
from talebearer.content._make import compile_content
from talebearer.content.plans._read import read_plans
from talebearer.errors import Problem
from talebearer.lines import load_pack


def lint_plans(root: Path, *, cache: Path | None = None) -> tuple[Problem, ...]:
    """Return what is wrong in the plans of the content folder *root*; no case is played.

    Args:
        root: The content folder.
        cache: As for ``compile_content``.

    Raises:
        InvalidContent: The pools have errors, so that no name in a plan can be looked up (TB106);
            not where there is no plan.

    Source: rule LP-L12.
    """
    if not _tree.walk(root).plans:
        return ()
    pack = load_pack(compile_content(root, cache=cache).data)
    return read_plans(root, pack).problems
