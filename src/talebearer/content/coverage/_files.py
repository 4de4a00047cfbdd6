"""What coverage reads from the content folder beside the pack: targets, and places of findings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from talebearer.content import _tree, _yaml
from talebearer.content._findings import Draft, placed
from talebearer.content._targets import Targets, targets_of
from talebearer.content._tree import ContentFile, FileKind
from talebearer.content.coverage._reach import Finding
from talebearer.errors import Problem
from talebearer.lines import Pack


def read_targets(root: Path) -> Targets:
    """Return what the content folder *root* asks for in ``global/coverage.yaml``.

    Lint tells what is wrong there; here it asks for nothing.
    """
    for file in _tree.walk(root).files:
        if file.kind is FileKind.COVERAGE:
            data, fault = _tree.read(file)
            return targets_of(None if fault else _yaml.parse(data).value)
    return Targets()


def placed_findings(root: Path, findings: Iterable[Finding], *, pack: Pack) -> tuple[Problem, ...]:
    """Return *findings* about lines of *pack* with file, line and column below the folder *root*.

    The folder is the one that the pack was made of; each file is read once.
    """
    drafts: defaultdict[str, list[Draft]] = defaultdict(list)
    for line, draft in findings:
        drafts[line[0]].append(draft)
    problems: list[Problem] = []
    if drafts:
        for file in _tree.walk(root).files:
            if file.key in drafts:
                problems += _placed(file, drafts[file.key], pack.pool(file.key).size)
    problems.sort(key=lambda one: (one.where.file or "", one.where.line or 0, one.code))
    return tuple(problems)


def _placed(file: ContentFile, drafts: list[Draft], entries: int) -> Iterable[Problem]:
    data, _ = _tree.read(file)
    return placed(drafts, file=file.name, text=_yaml.text_of(data), entries=entries)
