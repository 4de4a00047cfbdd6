"""Every case of every plan of a content folder, played."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from talebearer.campaign.plans._expect import Unmet, unmet
from talebearer.campaign.plans._minds import MadeUpMinds, Ungivable
from talebearer.content import LineIndex, Plan, compile_content, read_plans
from talebearer.errors import Problem, Severity, TalebearerError
from talebearer.errors import findings_content as codes
from talebearer.lines import Explanation, Pack, Pick, Scene, load_pack

_MIND = "party"
_SCENE = ("location", "access", "trust", "situations", "topics", "moods", "strategy")

Progress = Callable[[str, int, int], None]
StepPath = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """What came of one case.

    Attributes:
        file: The plan file.
        name: The case.
        lines: What was drawn, one a step; None for nothing.
        problems: What came out otherwise, with its place in the file.
    """

    file: str
    name: str
    lines: tuple[str | None, ...]
    problems: tuple[Problem, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the result as a JSON object."""
        return {
            "file": self.file,
            "name": self.name,
            "passed": not self.problems,
            "lines": list(self.lines),
            "problems": [problem.as_json() for problem in self.problems],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanReport:
    """What came of the plans of a content folder.

    Attributes:
        files: How many plan files there are.
        problems: What is wrong in the files themselves; their cases were not played.
        cases: Every case that was played, by file and place.
    """

    files: int
    problems: tuple[Problem, ...]
    cases: tuple[CaseResult, ...]

    @property
    def failed(self) -> bool:
        """Whether a file is faulty or a case came out otherwise."""
        faulty = any(problem.severity is Severity.ERROR for problem in self.problems)
        return faulty or any(case.problems for case in self.cases)


def run_plans(
    content: Path, *, cache: Path | None = None, only: str = "", progress: Progress | None = None
) -> PlanReport:
    """Play the plans of the folder *content* with the engine that games ask.

    Each case begins with new minds and is kept nowhere.

    Args:
        content: The content folder.
        cache: As for ``compile_content``.
        only: Play the cases alone that have this in their name.
        progress: Called with (stage, done, in all).

    Raises:
        InvalidContent: The pools have errors, so there is nothing to play (TB106).

    Source: rule LP-L12.
    """
    pack = load_pack(compile_content(content, cache=cache, progress=progress).data)
    read = read_plans(content, pack, progress=progress)
    lines = LineIndex(pack)
    wanted = [
        (plan, at, case)
        for plan in read.plans
        for at, case in enumerate(plan.root["cases"])
        if only in case["name"]
    ]
    cases = []
    for done, (plan, at, case) in enumerate(wanted):
        if progress is not None:
            progress("playing cases", done, len(wanted))
        cases.append(_Case(plan, ("cases", at), case, pack, lines).result())
    return PlanReport(files=read.files, problems=read.problems, cases=tuple(cases))


class _Unplayable(Exception):
    """What a step gives cannot have happened, or its request is refused."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class _Case:
    """One case: its minds, and its steps one after another."""

    def __init__(
        self, plan: Plan, path: StepPath, case: Mapping[str, Any], pack: Pack, lines: LineIndex
    ) -> None:
        self._plan = plan
        self._path = path
        self._case = case
        mind = case.get("mind", _MIND)
        self._minds = MadeUpMinds(pack, lines, mind)
        seed = case.get("seed", plan.root.get("seed", 0))
        self._selector = self._minds.selector(seed)
        self._tick = 0

    def result(self) -> CaseResult:
        """Play the case."""
        drawn: list[str | None] = []
        problems: list[Problem] = []
        try:
            for path, step in self._steps():
                pick, explanation = self._play(step, path)
                drawn.append(None if pick is None else pick.line_id)
                faults = unmet(step, pick, explanation)
                problems.extend(self._problem(fault, path) for fault in faults)
        except _Unplayable as stopped:
            problems.append(stopped.problem)
        return CaseResult(
            file=self._plan.file,
            name=self._case["name"],
            lines=tuple(drawn),
            problems=tuple(problems),
        )

    def _steps(self) -> Iterator[tuple[StepPath, Mapping[str, Any]]]:
        if "steps" not in self._case:
            yield self._path, self._case
            return
        self._give(self._case, self._path)
        for at, step in enumerate(self._case["steps"]):
            yield (*self._path, "steps", at), step

    def _play(self, step: Mapping[str, Any], path: StepPath) -> tuple[Pick | None, Explanation]:
        """Ask for the step's line, and let the minds keep it."""
        self._give(step, path)
        self._tick = step.get("tick", self._tick + step.get("wait", 0))
        try:
            pick, explanation = self._asked(step)
        except TalebearerError as error:
            raise self._refused(error, path) from None
        for draft in () if pick is None else pick.effects:
            self._minds.apply(draft, self._tick)
        return pick, explanation

    def _asked(self, step: Mapping[str, Any]) -> tuple[Pick | None, Explanation]:
        defaults = self._plan.root.get("defaults", {})
        scene = {key: defaults[key] for key in _SCENE if key in defaults}
        scene |= {key: step[key] for key in _SCENE if key in step}
        asked: dict[str, Any] = {
            "tick": self._tick,
            "strategy": scene.pop("strategy", None),
            "event": step.get("event", {}),
            "speaking": tuple((one["class"], one["character"]) for one in step.get("speaking", ())),
        }
        selector = self._selector
        if "speaker" in step:
            place = Scene(**{key: _frozen(value) for key, value in scene.items()})
            explanation = selector.explain_dialogue(step["speaker"], place, **asked)
            return selector.pick_dialogue(step["speaker"], place, **asked), explanation
        asked["location"] = scene["location"]
        thinker, trigger = step["character"], step["trigger"]
        explanation = selector.explain_monologue(thinker, trigger, **asked)
        return selector.pick_monologue(thinker, trigger, **asked), explanation

    def _give(self, owner: Mapping[str, Any], path: StepPath) -> None:
        """Let the minds take in what *owner*, a case or a step, gives."""
        try:
            self._tick = self._minds.give(owner.get("given", {}), tick=self._tick)
        except Ungivable as stopped:
            raise self._refused(stopped.error, (*path, "given", *stopped.path)) from None

    def _refused(self, error: TalebearerError, path: StepPath) -> _Unplayable:
        problem = Problem(
            code=codes.BAD_STEP,
            severity=Severity.ERROR,
            where=self._plan.where(path),
            message=f"{self._named(path)}: {error.message}",
            hint=error.hint,
        )
        return _Unplayable(problem)

    def _problem(self, fault: Unmet, path: StepPath) -> Problem:
        return Problem(
            code=codes.UNMET,
            severity=Severity.ERROR,
            where=self._plan.where((*path, *fault.path), on_key=fault.on_key),
            message=f"{self._named(path)}: {fault.message}",
            hint=fault.why,
        )

    def _named(self, path: StepPath) -> str:
        name = f"case {self._case['name']!r}"
        if "steps" not in path:
            return name
        return f"{name}, step {int(path[path.index('steps') + 1]) + 1}"


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
