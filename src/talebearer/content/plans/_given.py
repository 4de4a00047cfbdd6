"""Checks of what a plan gives a mind to know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from talebearer.content import _declared
from talebearer.content._findings import Draft, ValuePath
from talebearer.content._structure import shown, suggestion
from talebearer.content.plans._lines import LineIndex
from talebearer.errors import findings_content as codes
from talebearer.lines import Pack, Scope

GIVEN_KINDS = (
    "facts",
    "attributes",
    "relationships",
    "interactions",
    "gossip",
    "heard",
    "counters",
    "values",
    "timers",
    "events",
)
"""Members of ``given``, in the order in which what happened at one tick is applied."""

CELLS = {"counters": "counter", "values": "value", "timers": "timer"}
"""Members of ``given`` that are declared names with a scope, and the key that names them."""

_FREE_CATEGORIES = ("interaction.", "gossip.")
_CHARACTERS = ("entity", "target", "about", "teller")


class GivenCheck:
    """Looks up every name of a ``given`` in the pack."""

    def __init__(self, pack: Pack, lines: LineIndex) -> None:
        self._pack = pack
        self._lines = lines

    def drafts(self, given: Mapping[str, Any], path: ValuePath) -> Iterator[Draft]:
        """Yield what is wrong in *given*."""
        for kind in GIVEN_KINDS:
            for at, entry in enumerate(given.get(kind, ())):
                here = (*path, kind, at)
                yield from self._names(entry, here)
                if kind in CELLS:
                    yield from self._cell(CELLS[kind], entry, here)
                elif "line" in entry:
                    yield from self.one_line(entry["line"], (*here, "line"))

    def _names(self, entry: Mapping[str, Any], path: ValuePath) -> Iterator[Draft]:
        fact = entry.get("fact_id")
        known = self._pack.facts
        if fact is not None and fact not in known and not fact.startswith(_FREE_CATEGORIES):
            yield Draft(
                code=codes.UNKNOWN_FACT,
                message=f"fact {shown(fact)} is in no catalogue",
                hint=suggestion(fact, sorted(known)),
                path=(*path, "fact_id"),
            )
        for key in _CHARACTERS:
            name = entry.get(key, "")
            if name.startswith("npc:") and name[4:] not in self._pack.profiles:
                refs = [f"npc:{slug}" for slug in self._pack.profiles]
                yield Draft(
                    code=codes.UNKNOWN_ENTITY,
                    message=f"{shown(name)} has no profile",
                    hint=suggestion(name, refs),
                    path=(*path, key),
                )
        if entry.get("ended", entry.get("tick", 0)) < entry.get("tick", 0):
            yield _bad("it ended before it began", "ended: the tick of the end", (*path, "ended"))

    def one_line(self, reference: str, path: ValuePath) -> Iterator[Draft]:
        """Yield a finding unless *reference* means exactly one line."""
        if len(self._lines.find(reference)) != 1:
            yield self.no_line(reference, path)

    def no_line(self, reference: str, path: ValuePath, *, on_key: bool = False) -> Draft:
        """Return the finding that *reference* is no line, or several."""
        several = "in several pools" if self._lines.find(reference) else "in no pool"
        return Draft(
            code=codes.UNKNOWN_LINE,
            message=f"line {shown(reference)} is {several}",
            hint=self._lines.hint(reference),
            path=path,
            on_key=on_key,
        )

    def _cell(self, what: str, entry: Mapping[str, Any], path: ValuePath) -> Iterator[Draft]:
        name = entry[what]
        scopes = scopes_of(self._pack, what)
        if name not in scopes:
            yield _declared.undeclared(what, name, scopes, (*path, what))
            return
        scope = scopes[name]
        for key, is_needed in (("character", scope.of_speaker), ("line", scope is Scope.LINE)):
            if is_needed and key not in entry:
                message = f"{what} {shown(name)} has the scope {scope.value}: {key} is missing"
                yield _bad(message, f"{key}: whose it is", path)
            elif key in entry and not is_needed:
                message = (
                    f"{what} {shown(name)} has the scope {scope.value}, so no {key} of its own"
                )
                yield _bad(message, f"leave {key} out", (*path, key))
        if "line" in entry and scope is Scope.LINE:
            yield from self.one_line(entry["line"], (*path, "line"))
        kind = self._pack.declared.values[name].type if what == "value" else None
        if kind is not None and not kind.fits(entry["to"]):
            yield Draft(
                code=codes.WRONG_VALUE_TYPE,
                message=f"value {shown(name)} is a {kind.value}, not {shown(entry['to'])}",
                path=(*path, "to"),
            )


def scopes_of(pack: Pack, what: str) -> dict[str, Scope]:
    """Return the declared names of *what*, a counter, value or timer, with their scopes."""
    declared = pack.declared
    if what == "timer":
        return dict(declared.timers)
    entries = declared.counters if what == "counter" else declared.values
    return {name: entry.scope for name, entry in entries.items()}


def _bad(message: str, hint: str, path: ValuePath) -> Draft:
    return Draft(code=codes.BAD_STEP, message=message, hint=hint, path=path)
