"""Components: what a pipeline file can name, built in or brought by plug-ins.

A plug-in is an entry point of the group ``talebearer.components``: its name is the key, its value a
:class:`Component`, or a tuple of several with that key and different roles. Only plug-ins that a pipeline
names are imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from talebearer.errors import Problem
from talebearer.extraction._session import Glossary
from talebearer.transcripts import Transcript
from talebearer.vocabulary import ArtifactKind

ENTRY_POINTS = "talebearer.components"


class Role(StrEnum):
    """What a component does in a lane."""

    EXTRACT = "extract"
    NORMALIZE = "normalize"
    VALIDATE = "validate"


class Stage(StrEnum):
    """Where a validator stands: after extraction, for each chunk, or after normalisation."""

    EXTRACT = "extract"
    NORMALIZE = "normalize"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a validator looks at.

    Attributes:
        stage: After which work.
        kind: What the lane makes.
        value: The parsed JSON; at ``extract`` in the private response form, at ``normalize`` the
            durable payload. None when the text is no JSON.
        parse_problems: Why it is no strict JSON.
        transcript: The current source.
        first: First unit that may be cited.
        last: Last unit that may be cited.
        names: The registry's names; None in a lane without registry.
        glossary: Known spellings.
        memo: What validators have worked out and need again; of one subject only.
    """

    stage: Stage
    kind: ArtifactKind
    value: Any
    parse_problems: tuple[Problem, ...] = ()
    transcript: Transcript
    first: int
    last: int
    names: tuple[str, ...] | None
    glossary: Glossary
    memo: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """Something that a pipeline can name.

    ``work`` depends on the role:

    - extract: ``(session, names) -> items`` in the private response form, ``{"name", "ranges":
      [{"start", "end"}]}`` and for interactions ``"kind"``; None: ask the run's provider.
    - normalize: ``(items, names) -> items`` of the durable form, in normal form.
    - validate: ``(subject) -> problems``.

    Attributes:
        key: How pipelines name it, such as ``dnd/npcs``.
        role: What it does.
        version: Changes whenever the same input may give something else.
        kind: What it makes or checks; None for a validator of any kind.
        slots: References that it needs, by slot, with the kind of each.
        work: The function.
        warning_only: Whether a validator's findings never reject.
        draft: Whether somebody should look at an extractor's results before relying on them.
    """

    key: str
    role: Role
    version: str = "1"
    kind: ArtifactKind | None = None
    slots: Mapping[str, ArtifactKind] = field(default_factory=dict)
    work: Callable[..., Any] | None
    warning_only: bool = False
    draft: bool = True

    def identity(self) -> dict[str, str]:
        """Return what a manifest says of it."""
        return {"key": self.key, "version": self.version}


class Components:
    """All components by role and key.

    Args:
        built_in: Those that are always there.
        plugged_in: Entry points; by default those of the installation.
    """

    def __init__(
        self, built_in: Iterable[Component], *, plugged_in: Iterable[EntryPoint] | None = None
    ) -> None:
        self._found = {(one.role, one.key): one for one in built_in}
        points = entry_points(group=ENTRY_POINTS) if plugged_in is None else plugged_in
        self._points = {point.name: point for point in points}

    def keys(self, role: Role) -> tuple[str, ...]:
        """Return the built-in keys of *role* and those of all plug-ins, whose roles are not known."""
        own = {key for one, key in self._found if one is role}
        return tuple(sorted(own | set(self._points)))

    def get(self, role: Role, key: str) -> Component | None:
        """Return a component, or None if there is none.

        Raises:
            ImportError: A plug-in's module fails, or gives something that is no component of that
                key. Built-in components cannot be replaced.
        """
        if (role, key) in self._found:
            return self._found[role, key]
        point = self._points.get(key)
        if point is None:
            return None
        for component in self._load(point):
            self._found.setdefault((component.role, key), component)
        return self._found.get((role, key))

    def _load(self, point: EntryPoint) -> tuple[Component, ...]:
        try:
            loaded = point.load()
        except Exception as error:  # a module of somebody else may fail in any way
            raise ImportError(f"its module fails ({type(error).__name__})") from error
        given = loaded if isinstance(loaded, tuple) else (loaded,)
        if not all(isinstance(one, Component) and one.key == point.name for one in given):
            raise ImportError("it gives something else than components of its key")
        return given
