"""Setups as cases of plans: written into the plan by text, so that what is in it stays as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from talebearer.campaign import write_whole
from talebearer.content import PLAN_SUFFIX, read_plan_text
from talebearer.errors import StoreUnavailable, UsageFault
from talebearer.lines import Pick
from talebearer.rehearsal._content import Loaded
from talebearer.rehearsal._setup import Setup, setup_of

NAME_CHARS_MAX = 200
CASES_MAX = 2_000
PLAN_BYTES_MAX = 4 * 1024 * 1024

_PLAIN = re.compile(r"[a-z][a-z0-9_-]*(?:\.[a-z0-9_-]+)*")
_WORDS_OF_YAML = frozenset(("true", "false", "null", "yes", "no", "on", "off", "y", "n"))
_CASES = re.compile(r"^cases:[ \t]*(?:#[^\n]*)?$", re.MULTILINE)
_NEXT_KEY = re.compile(r"^[^\s#-]", re.MULTILINE)
_ENTRY = re.compile(r"^([ ]*)-[ \n]", re.MULTILINE)
_OF_SCENES = ("location", "access", "trust", "situations", "topics", "moods", "strategy")


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedCase:
    """A case that was written.

    Attributes:
        file: The plan, from the root of the content.
        name: The case's name.
        line: The line at which it begins, from 1.
        text: What was written.
        is_new: Whether the plan was made for it.
    """

    file: str
    name: str
    line: int
    text: str
    is_new: bool


class PlanCases:
    """The plans of one content folder, for adding cases.

    Args:
        root: The content folder, with links resolved.
        loaded: Its content.
    """

    def __init__(self, root: Path, loaded: Loaded) -> None:
        self._root = root
        self._loaded = loaded

    def files(self) -> tuple[str, ...]:
        """Return the plans, as paths from the root, sorted."""
        return self._loaded.plans

    def text(self, setup: Setup, name: str, pick: Pick | None) -> str:
        """Return the case of *setup* as YAML, without indentation."""
        return _yaml(self._value(setup, name, pick))

    def _value(self, setup: Setup, name: str, pick: Pick | None) -> dict[str, Any]:
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise UsageFault("a case needs a name of printable characters")
        if len(name) > NAME_CHARS_MAX:
            raise UsageFault(f"the case's name has more than {NAME_CHARS_MAX} characters")
        expected: dict[str, Any] = {"nothing": True}
        if pick is not None:
            found = self._loaded.lines.find(pick.line_id)
            alone = len(found) == 1
            expected = {"says": pick.line_id if alone else f"{pick.pool}#{pick.line_id}"}
        return {"name": name, **setup.as_json(), **expected}

    def add(self, setup: Setup, name: str, pick: Pick | None, *, file: str | None) -> AddedCase:
        """Write the case into *file*, see ``Rehearsal.add_case``."""
        value = self._value(setup, name, pick)
        named = file or self._beside(setup, pick)
        path = self._path(named)
        before = _read(path)
        text = _yaml(value)
        if before is None:
            after, line = f"cases:\n{_indented(text, 2)}", 2
        else:
            after, line = _with(before, named, name, text)
        write_whole(path, after.encode())
        return AddedCase(file=named, name=name, line=line, text=text, is_new=before is None)

    def _beside(self, setup: Setup, pick: Pick | None) -> str:
        """Return the plan beside the pool that is asked: its stem with another suffix."""
        pack = self._loaded.pack
        if pick is not None:
            return f"{pick.pool}{PLAN_SUFFIX}"
        pools = (
            pack.pools_for(setup.speaker, setup.location)
            if setup.speaker is not None
            else pack.monologue_pools_for(setup.character or "", setup.location)
        )
        if not pools:
            raise UsageFault(
                "no pool is asked here, so no plan lies beside one", hint="name a plan"
            )
        return f"{pools[0].path}{PLAN_SUFFIX}"

    def _path(self, file: str) -> Path:
        """Return where *file* is: below the root, and on the way to it no link."""
        pure = PurePosixPath(file)
        odd = "\\" in file or not file.isprintable() or len(file) > 1_000
        hidden = any(part.startswith((".", "_")) for part in pure.parts)
        if odd or hidden or pure.is_absolute() or not file.endswith(PLAN_SUFFIX):
            raise UsageFault(
                f"{file[:120]!r} is no plan of the content",
                hint=f"a path from the content folder that ends in {PLAN_SUFFIX}",
            )
        path = self._root
        for part in pure.parts:
            path /= part
            if path.is_symlink():
                raise UsageFault(f"{file}: {part} is a link", hint="name the plan itself")
        if not path.parent.is_dir():
            raise UsageFault(f"{file}: there is no folder {pure.parent}")
        if path.exists() and not path.is_file():
            raise UsageFault(f"{file} is no file")
        return path


def setup_of_case(root: Mapping[str, Any], case: Mapping[str, Any]) -> Setup:
    """Return the setup of a *case* of one step in the plan *root*, both checked.

    Raises:
        UsageFault: The case has several steps, or waits (TB111).
    """
    step: Mapping[str, Any] = case
    if "steps" in case:
        if len(case["steps"]) != 1 or "given" in case:
            raise UsageFault(
                f"case {case['name']!r} has several steps",
                hint="a scene is one step: what goes before it belongs under given",
            )
        step = {**case["steps"][0], **{key: case[key] for key in ("mind", "seed") if key in case}}
    value = {key: part for key, part in root.get("defaults", {}).items() if key in _OF_SCENES}
    if "character" in step:
        value = {key: value[key] for key in ("location", "strategy") if key in value}
    kept = (*_OF_SCENES, "speaker", "character", "trigger", "event", "speaking", "given", "mind")
    value |= {key: step[key] for key in kept if key in step}
    given = value.get("given", {})
    latest = max(
        (one.get("ended", one.get("tick", 0)) for part in given.values() for one in part), default=0
    )
    value["tick"] = step.get("tick", latest + step.get("wait", 0))
    value["seed"] = step.get("seed", root.get("seed", 0))
    return setup_of(value)


# --- text ----------------------------------------------------------------------------------------


def _yaml(value: Mapping[str, Any]) -> str:
    """Return *value*, a case, as an entry of a list in YAML."""
    rows: list[str] = []
    for name, part in value.items():
        if name == "given":
            rows.append("given:")
            for kind, entries in part.items():
                rows.append(f"  {kind}:")
                rows += [f"    - {_flow(entry)}" for entry in entries]
        else:
            rows.append(f"{name}: {_flow(part)}")
    return "".join(f"{'- ' if at == 0 else '  '}{row}\n" for at, row in enumerate(rows))


def _flow(value: Any) -> str:
    """Return *value* in one row: words plain, all else as JSON, which is YAML."""
    if isinstance(value, str):
        plain = _PLAIN.fullmatch(value) is not None and value not in _WORDS_OF_YAML
        return value if plain else json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_flow(name)}: {_flow(part)}' for name, part in value.items())}}}"
    return json.dumps(value, allow_nan=False)


def _indented(text: str, columns: int) -> str:
    return "".join(f"{' ' * columns}{row}\n" for row in text.splitlines())


def _read(path: Path) -> str | None:
    """Return what is in the plan at *path*, or None when there is none."""
    try:
        with path.open("rb") as stream:
            data = stream.read(PLAN_BYTES_MAX + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreUnavailable(f"{path} cannot be read: {error.strerror}") from error
    if len(data) > PLAN_BYTES_MAX:
        raise UsageFault(f"{path.name} has more than {PLAN_BYTES_MAX} bytes")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise UsageFault(f"{path.name} is not UTF-8") from None


def _with(before: str, file: str, name: str, case: str) -> tuple[str, int]:
    """Return the plan *before* with *case* behind its last one, and the line at which that begins.

    Raises:
        UsageFault: A case has that name, or the cases are not a list with a dash a case (TB111).
    """
    known = read_plan_text(before)
    cases = None if known is None else known.get("cases")
    if not isinstance(cases, list):
        raise UsageFault(f"{file} has errors, so no case is added", hint="run talebearer test")
    if any(isinstance(one, dict) and one.get("name") == name for one in cases):
        raise UsageFault(f"{file} has a case {name!r} already", hint="give another name")
    if len(cases) >= CASES_MAX:
        raise UsageFault(f"{file} has {len(cases)} cases", hint="begin another plan")
    at, columns = _end_of_cases(before, file)
    head, tail = before[:at], before[at:]
    gap = "" if head.endswith("\n") or not head else "\n"
    newline = "\r\n" if "\r\n" in before else "\n"
    added = _indented(case, columns)
    after = f"{head}{gap}{added}{tail}".replace("\r\n", "\n").replace("\n", newline)
    found = read_plan_text(after)
    wanted = read_plan_text(f"cases:\n{_indented(case, 2)}")
    right = {**(known or {}), "cases": [*cases, *(wanted or {}).get("cases", ())]}
    if found != right:
        raise _odd_list(file)
    return after, f"{head}{gap}".count("\n") + 1


def _end_of_cases(text: str, file: str) -> tuple[int, int]:
    """Return where the last case of *text* ends, and how far its dashes are indented."""
    head = _CASES.search(text.replace("\r\n", "\n")) and re.search(
        r"^cases:.*$", text, re.MULTILINE
    )
    first = _ENTRY.search(text, head.end()) if head else None
    if head is None or first is None:
        raise _odd_list(file)
    following = _NEXT_KEY.search(text, first.end())
    end = following.start() if following else len(text)
    block = text[:end]
    # Comments and empty rows before the next key belong to that key.
    while True:
        row_start = block.rstrip("\r\n").rfind("\n") + 1
        row = block[row_start:]
        indented = row.startswith(" ") and row.strip()
        if indented or row.lstrip().startswith("-") or not block:
            break
        block = block[:row_start]
    return len(block), len(first[1])


def _odd_list(file: str) -> UsageFault:
    return UsageFault(
        f"the cases of {file} are not a list with a dash for each",
        hint="add the case to another plan, or write the list with dashes",
    )
