"""The content that is tried: its pack, what is wrong with it, and where each line stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from talebearer.content import ContentState, LineIndex
from talebearer.errors import Problem, Severity, Where
from talebearer.lines import DialoguePool, MonologuePool, Pack
from talebearer.rehearsal._read import SetupReader


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolView:
    """One pool, for a list of pools.

    Attributes:
        path: The pool path.
        kind: ``dialogue`` or ``monologue``.
        location: Its place.
        role: The header's role, of dialogue.
        character: Whose thoughts, of monologue.
        speakers: Slugs of those who speak from it at its place: its own speaker first.
        lines: How many lines it has.
        strategy: The header's strategy, or None.
        file: Its file, from the parent of the content folder.
        errors: How many findings are errors.
        warnings: How many are warnings.
        notes: How many are notes.
    """

    path: str
    kind: str
    location: str
    role: str | None
    character: str | None
    speakers: tuple[str, ...]
    lines: int
    strategy: str | None
    file: str
    errors: int
    warnings: int
    notes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """What an author noted on a line.

    Attributes:
        text: The notes.
        lens: Player character to how that one reads the line.
    """

    text: str
    lens: Mapping[str, str]


def _lens(part: Mapping[str, Any]) -> dict[str, str]:
    found = part.get("dual_lens")
    entries = found.items() if isinstance(found, dict) else ()
    return {who: note for who, note in entries if isinstance(note, str)}


class Loaded:
    """One state of a content folder; it never changes.

    Attributes:
        pack: The pack that is tried.
        problems: Every finding about the files as they are now.
        is_current: Whether the pack is made of the files as they are now; else it is the last one
            that could be made.
        number: Counts the states, from 1.
        state: The files as they are now.
    """

    def __init__(self, state: ContentState, pack: Pack, *, is_current: bool, number: int) -> None:
        self.pack = pack
        self.problems: tuple[Problem, ...] = state.problems
        self.is_current = is_current
        self.number = number
        self.state = state

    @cached_property
    def lines(self) -> LineIndex:
        """The lines by their ids."""
        return LineIndex(self.pack)

    @cached_property
    def reader(self) -> SetupReader:
        """Reads setups against this pack."""
        return SetupReader(self.pack)

    @cached_property
    def findings(self) -> Mapping[str, tuple[Problem, ...]]:
        """File to what was found in it."""
        found: dict[str, list[Problem]] = {}
        for problem in self.problems:
            found.setdefault(problem.where.file or "", []).append(problem)
        return {name: tuple(problems) for name, problems in found.items()}

    def file_of(self, pool: str) -> str:
        """Return the file of a pool, from the parent of the content folder."""
        return self.state.file_of(pool)

    def where(self, pool: str, line_id: str) -> Where:
        """Return the place of a line; without line and column when the files moved on without it."""
        return self.state.where(pool, line_id)

    def authored(self, pool: str, line_id: str) -> Mapping[str, Any]:
        """Return a line as it is written, empty when it is not there any more."""
        return self.state.authored(pool, line_id)

    def header(self, pool: str) -> Mapping[str, Any]:
        """Return the header of a pool's file as it is written."""
        return self.state.header(pool)

    def notes(self, pool: str, line_id: str) -> Notes:
        """Return what the author noted on a line, or on its whole file where the line has nothing."""
        line, header = self.authored(pool, line_id), self.header(pool)
        lens = {**_lens(header), **_lens(line)}
        text = line.get("notes", header.get("notes", ""))
        return Notes(text=text if isinstance(text, str) else "", lens=lens)

    @property
    def plans(self) -> tuple[str, ...]:
        """The plan files, as paths from the root, sorted."""
        return self.state.plans

    def findings_of(self, pool: str, line_id: str | None = None) -> tuple[Problem, ...]:
        """Return what was found in the file of a pool, or about one of its lines."""
        found = self.findings.get(self.file_of(pool), ())
        if line_id is None:
            return found
        at = self.state.index_of(pool, line_id)
        if at is None:
            return ()
        here = f"$.lines[{at}]"
        return tuple(
            one
            for one in found
            if one.where.pointer == here or (one.where.pointer or "").startswith(f"{here}.")
        )

    @cached_property
    def pools(self) -> tuple[PoolView, ...]:
        """All pools, dialogue first, by path."""
        talks, thoughts = self.pack.dialogue_pools, self.pack.monologue_pools
        return (*map(self._view, talks), *map(self._view, thoughts))

    def _view(self, pool: DialoguePool | MonologuePool) -> PoolView:
        file = self.file_of(pool.path)
        counts = Counter(one.severity for one in self.findings.get(file, ()))
        talks = isinstance(pool, DialoguePool)
        return PoolView(
            path=pool.path,
            kind="dialogue" if talks else "monologue",
            location=pool.location,
            role=pool.role if isinstance(pool, DialoguePool) else None,
            character=pool.character if isinstance(pool, MonologuePool) else None,
            speakers=self._speakers(pool) if isinstance(pool, DialoguePool) else (),
            lines=pool.size,
            strategy=pool.strategy,
            file=file,
            errors=counts[Severity.ERROR],
            warnings=counts[Severity.WARNING],
            notes=counts[Severity.NOTE],
        )

    def _speakers(self, pool: DialoguePool) -> tuple[str, ...]:
        """Return who speaks from *pool* at its place: its own speaker, then those of its role."""
        pack = self.pack
        asked = [pool.stem, *(slug for slug in pack.profiles if slug != pool.stem)]
        return tuple(slug for slug in asked if pool in pack.pools_for(slug, pool.location))
