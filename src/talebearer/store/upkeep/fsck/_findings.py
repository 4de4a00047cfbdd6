"""Collecting findings: all of them, each with its place, and no more than a person can read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from talebearer.errors import Problem, Severity, StoreCorrupt, Where
from talebearer.errors.findings_store import NOT_CHECKED
from talebearer.store._canonical import canonical_text, clip
from talebearer.store.upkeep._progress import Progress, silent

FINDINGS_PER_CODE_MAX = 1_000


def entity_name(entity_type: str, entity_id: str, version: str | None = None) -> str:
    """Return how a finding names an entity, or one version of it."""
    name = f"{entity_type} {canonical_text(entity_id)}"
    return name if version is None else f"{name} version {version}"


class Findings:
    """What a check has found so far.

    Attributes:
        file: The file that findings in rows are about.
        problems: The findings, at most :data:`FINDINGS_PER_CODE_MAX` of each code.
        counts: How many there were of each code, those that are not listed too.
    """

    def __init__(self, file: str, progress: Progress | None = None) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.counts: Counter[str] = Counter()
        self._told = progress or silent

    def add(
        self,
        code: str,
        message: str,
        *,
        row: str | None = None,
        file: str | None = None,
        severity: Severity = Severity.ERROR,
        hint: str = "",
    ) -> None:
        """Add one finding about a *row* of the database or about a *file*."""
        self.counts[code] += 1
        if self.counts[code] > FINDINGS_PER_CODE_MAX:
            return
        where = Where(file=self.file if file is None else file, pointer=row)
        self.problems.append(
            Problem(code=code, severity=severity, where=where, message=clip(message), hint=hint)
        )

    def report(self, stage: str, done: int, total: int) -> None:
        """Tell how far a stage is."""
        self._told(stage, done, total)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Run one part of the check; damage that ends it is a finding, and the rest goes on."""
        self.report(name, 0, 0)
        try:
            yield
        except (apsw.CorruptError, apsw.NotADBError, StoreCorrupt) as error:
            self.add(NOT_CHECKED, f"the check of {name} could not be finished: {error}", row=name)
