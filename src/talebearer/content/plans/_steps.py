"""Checks of the cases and steps of a plan that a schema cannot make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from talebearer.content import _declared
from talebearer.content._findings import Draft, ValuePath
from talebearer.content._structure import shown, suggestion
from talebearer.content.plans._given import GivenCheck
from talebearer.content.plans._lines import LineIndex
from talebearer.errors import findings_content as codes
from talebearer.lines import Pack

_TALK_ONLY = ("access", "trust", "situations", "topics", "moods")
_NEEDED = ("location", "access", "trust", "situations")
_EXPECTED = ("says", "one_of", "eligible", "never", "nothing", "dropped", "text")
_OF_A_CASE = frozenset({"name", "notes", "mind", "seed", "given", "steps"})
_EXCLUSIVE = (
    ("tick", "wait"),
    ("says", "one_of"),
    *(("nothing", other) for other in ("says", "one_of", "eligible", "text")),
)


def check(root: Mapping[str, Any], pack: Pack) -> Iterator[Draft]:
    """Yield what is wrong in the plan *root*, whose structure is right."""
    yield from StepCheck(root, pack).drafts()


class StepCheck:
    """Checks of one plan; for single steps the plan may have no cases."""

    def __init__(self, root: Mapping[str, Any], pack: Pack) -> None:
        self._root = root
        self._pack = pack
        self._defaults = root.get("defaults", {})
        self._lines = LineIndex(pack)
        self._given = GivenCheck(pack, self._lines)
        pools = pack.dialogue_pools
        self._speakers = sorted({*pack.profiles, *(pool.stem for pool in pools)})
        places = {pool.location for pool in pools}
        places |= {pool.location for pool in pack.monologue_pools}
        self._places = sorted(places)

    def drafts(self) -> Iterator[Draft]:
        """Yield what is wrong in the plan."""
        place = self._defaults.get("location")
        if place is not None:
            yield from self._place(place, ("defaults", "location"))
        names: dict[str, ValuePath] = {}
        for at, case in enumerate(self._root["cases"]):
            path: ValuePath = ("cases", at)
            first = names.setdefault(case["name"], (*path, "name"))
            if first != (*path, "name"):
                yield Draft(
                    code=codes.DUPLICATE_DECLARATION,
                    message=f"case {shown(case['name'])} is there twice",
                    path=(*path, "name"),
                    first=first,
                )
            yield from self._case(case, path)

    def _case(self, case: Mapping[str, Any], path: ValuePath) -> Iterator[Draft]:
        steps = case.get("steps")
        if steps is None:
            yield from self.step(case, path)
            listed = [case]
        else:
            yield from self._given.drafts(case.get("given", {}), (*path, "given"))
            for key in case:
                if key not in _OF_A_CASE:
                    yield _both("steps", key, "write it in a step", path)
            for number, step in enumerate(steps):
                yield from self.step(step, (*path, "steps", number))
            listed = steps
        if not any(key in step for step in listed for key in _EXPECTED):
            message = f"case {shown(case['name'])} expects nothing"
            hint = f"one of: {', '.join(_EXPECTED)}"
            yield Draft(code=codes.MISSING_FIELD, message=message, hint=hint, path=path)

    def step(self, step: Mapping[str, Any], path: ValuePath) -> Iterator[Draft]:
        """Yield what is wrong in one step, whose structure is right."""
        yield from self._given.drafts(step.get("given", {}), (*path, "given"))
        for one, other in _EXCLUSIVE:
            if one in step and other in step:
                yield _both(one, other, "keep one", path)
        if "speaker" in step:
            yield from self._talk(step, path)
        else:
            yield from self._thought(step, path)
        if "location" in step:
            yield from self._place(step["location"], (*path, "location"))
        yield from self._around(step, path)
        yield from self._expected(step, path)

    def _talk(self, step: Mapping[str, Any], path: ValuePath) -> Iterator[Draft]:
        if step["speaker"] not in self._speakers:
            yield Draft(
                code=codes.UNKNOWN_ENTITY,
                message=f"nobody called {shown(step['speaker'])} has a profile or a pool",
                hint=suggestion(step["speaker"], self._speakers),
                path=(*path, "speaker"),
            )
        if "trigger" in step:
            yield _both("speaker", "trigger", "a trigger belongs to a thought", path)
        for key in _NEEDED:
            if key not in step and key not in self._defaults:
                yield _missing(key, path)

    def _thought(self, step: Mapping[str, Any], path: ValuePath) -> Iterator[Draft]:
        if "trigger" not in step:
            yield _missing("trigger", path)
        if "location" not in step and "location" not in self._defaults:
            yield _missing("location", path)
        for key in _TALK_ONLY:
            if key in step:
                yield _both("character", key, "it belongs to a conversation", path)

    def _place(self, place: str, path: ValuePath) -> Iterator[Draft]:
        if place not in self._places:
            yield Draft(
                code=codes.UNKNOWN_LOCATION,
                message=f"no pool is at {shown(place)}",
                hint=suggestion(place, self._places),
                path=path,
            )

    def _around(self, step: Mapping[str, Any], path: ValuePath) -> Iterator[Draft]:
        declared = self._pack.declared
        fields = declared.fields_of(step.get("trigger"))
        for name, value in step.get("event", {}).items():
            here = (*path, "event", name)
            if name not in fields:
                yield _declared.undeclared("event field", name, fields, here, on_key=True)
            elif not fields[name].fits(value):
                yield Draft(
                    code=codes.WRONG_VALUE_TYPE,
                    message=f"event field {shown(name)} is a {fields[name].value}, "
                    f"not {shown(value)}",
                    path=here,
                )
        for at, spoken in enumerate(step.get("speaking", ())):
            if spoken["class"] not in declared.classes:
                here = (*path, "speaking", at, "class")
                yield _declared.undeclared("class", spoken["class"], declared.classes, here)

    def _expected(self, step: Mapping[str, Any], path: ValuePath) -> Iterator[Draft]:
        if "says" in step:
            yield from self._line(step["says"], (*path, "says"))
        for key in ("one_of", "eligible", "never"):
            for at, line in enumerate(step.get(key, ())):
                yield from self._line(line, (*path, key, at))
        for line in step.get("dropped", {}):
            yield from self._line(line, (*path, "dropped", line), on_key=True)

    def _line(self, line: str, path: ValuePath, *, on_key: bool = False) -> Iterator[Draft]:
        """Any line will do: which of several pools is asked, the step itself says."""
        if not self._lines.find(line):
            yield self._given.no_line(line, path, on_key=on_key)


def _missing(key: str, path: ValuePath) -> Draft:
    return Draft(
        code=codes.BAD_STEP,
        message=f"the step has no {key}",
        hint=f"write {key} here or under defaults" if key != "trigger" else "write trigger here",
        path=path,
    )


def _both(one: str, other: str, hint: str, path: ValuePath) -> Draft:
    return Draft(
        code=codes.WRONG_COMBINATION,
        message=f"the step has both {one} and {other}",
        hint=hint,
        path=(*path, other),
        on_key=True,
    )
