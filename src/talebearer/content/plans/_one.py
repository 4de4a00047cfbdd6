"""Checks of a single case that was not read from a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from talebearer.content import _structure
from talebearer.content._findings import pointer
from talebearer.content._schemas import checker_for
from talebearer.content.plans import _steps
from talebearer.content.plans._words import words_of
from talebearer.errors import Problem, Where
from talebearer.lines import Pack

_NAME = "scene"


class CaseCheck:
    """Checks cases of one step against the schema of plans and the names of a pack.

    Args:
        pack: Whose names count.
    """

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._checker = checker_for("plan", words_of(pack))
        self._steps = _steps.StepCheck({"cases": []}, pack)

    def problems(self, case: Mapping[str, Any]) -> tuple[Problem, ...]:
        """Return what is wrong with *case*, which needs neither a name nor an expectation.

        Nothing is raised for what is in it, whatever its types.
        """
        value = {"cases": [{"name": _NAME, **case}]}
        drafts = list(_structure.check(value, self._checker))
        if not drafts:
            drafts = list(self._steps.step(value["cases"][0], ("cases", 0)))
        return tuple(
            Problem(
                code=draft.code,
                severity=draft.severity,
                where=Where(pointer=pointer(draft.path[2:]) or "$"),
                message=draft.message,
                hint=draft.hint,
            )
            for draft in drafts
        )
