"""What the page asks and changes, answered by the rehearsal of one content folder.

Importing this loads the compiler and the engine, so it is imported when the page is served already.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from talebearer.errors import InvalidContent, UsageFault
from talebearer.rehearsal import Filter, Rehearsal, Setup
from talebearer.server.preview import _views
from talebearer.server.preview._files import Files
from talebearer.server.preview._language import InLanguage
from talebearer.server.preview._query import BESIDE, Query

ROWS_MAX = 200
DRAWS_MAX = 1_000
_NUMBER_MAX = 10**9
_NAME_CHARS_MAX = 80
Answer = Mapping[str, Any]


class Answers:
    """Answers for one content folder; for one thread at a time.

    A file with an error leaves the last good content in use; until there was any, there are the
    findings and nothing else.

    Args:
        content: The content folder, with links resolved.
        cache: As for ``compile_content``.
        editor: The template of links to an editor; without one there are none.
        language: In what language lines are shown, where they are translated.
    """

    def __init__(
        self,
        content: Path,
        *,
        cache: Path | None,
        editor: str | None,
        language: str | None = None,
    ) -> None:
        self._language = None if language is None else InLanguage(content, language, cache)
        self._content = content
        self._cache = cache
        self._files = Files(content, editor)
        self._rehearsal: Rehearsal | None = None
        self._broken: tuple[Mapping[str, Any], ...] = ()
        self._number = 0

    def read(self) -> None:
        """Take in what the files say now, which is another state of them, if only for a comment."""
        if self._rehearsal is None:
            self._begin()
        else:
            self._rehearsal.reload()
        self._number += 1

    def _begin(self) -> None:
        try:
            self._rehearsal = Rehearsal(self._content, cache=self._cache)
        except InvalidContent as error:
            self._broken = tuple(error.data["problems"])

    def news(self) -> dict[str, Any]:
        """Return which state of the content is in use."""
        rehearsal = self._rehearsal
        return {
            "number": self._number,
            "is_there": rehearsal is not None,
            "is_current": rehearsal is not None and rehearsal.is_current,
        }

    def shown(self, answer: Answer) -> Answer:
        """Return *answer* with the texts of its lines in the language that was asked for."""
        if self._language is None or self._rehearsal is None:
            return answer
        return self._language.shown(answer, self._rehearsal.pack)

    def _tried(self) -> Rehearsal:
        if self._rehearsal is None:
            message = "the files have errors, so there is nothing to try yet"
            raise UsageFault(message, hint="correct what the findings list, and save")
        return self._rehearsal

    def _setup(self, query: Query) -> tuple[Rehearsal, Setup]:
        rehearsal = self._tried()
        return rehearsal, rehearsal.read_address(query.raw, beside=BESIDE)

    # --- questions -------------------------------------------------------------------------------

    def content(self, _: Query) -> Answer:
        """Return what the content has, and which state of it this is."""
        head = {**self.news(), "name": self._content.name}
        if self._rehearsal is None:
            return {**head, **_views.nothing(self._broken)}
        return {**head, **_views.overview(self._rehearsal)}

    def start(self, query: Query) -> Answer:
        """Return a scene in which something of a pool is likely to come."""
        rehearsal = self._tried()
        return {"setup": rehearsal.first_setup(query.text("pool")).as_json()}

    def ask(self, query: Query) -> Answer:
        """Return the funnel of a scene and one window of its lines."""
        rehearsal, setup = self._setup(query)
        is_drawable = query.text("show") == "eligible"
        answer = rehearsal.ask(
            setup,
            first_row=query.number("from", 0, most=_NUMBER_MAX),
            rows=query.number("count", ROWS_MAX, most=ROWS_MAX),
            shown=Filter(
                stage=query.text("stage") or ("draw" if is_drawable else None),
                text=query.text("find"),
            ),
        )
        return _views.asked(answer, self._number)

    def line(self, query: Query) -> Answer:
        """Return everything about one line."""
        rehearsal, setup = self._setup(query)
        pool, line_id = query.text("pool"), query.text("line")
        rehearsal.pack.line(pool, line_id)  # says what is like it when there is none
        shown = Filter(pool=pool, line=line_id, every_pool=setup.is_thought)
        rows = rehearsal.ask(setup, shown=shown, rows=1).rows
        return _views.line(rehearsal, pool, line_id, rows[0] if rows else None, self._files)

    def roll(self, query: Query) -> Answer:
        """Return what many draws bring."""
        rehearsal, setup = self._setup(query)
        skip = query.number("skip", 0, most=_NUMBER_MAX)
        rolls = rehearsal.roll(
            setup.but(seed=setup.seed + skip),
            query.number("draws", 100, most=DRAWS_MAX),
            remember=query.text("remember") == "1",
            wait=query.number("wait", 1, most=_NUMBER_MAX),
        )
        return rolls.as_json()

    def talk(self, query: Query) -> Answer:
        """Return a conversation as far as its moves go, and what it changed."""
        rehearsal, setup = self._setup(query)
        return _views.talk(rehearsal, rehearsal.play(setup, query.moves()))

    def lens(self, query: Query) -> Answer:
        """Return how each player character reads a line."""
        rehearsal, setup = self._setup(query)
        lens = rehearsal.lens(
            setup,
            pool=query.text("pool"),
            line_id=query.text("line"),
            trigger=query.text("upon") or None,
        )
        return {**lens.as_json(), "place": self._files.place(lens.where)}

    def findings(self, query: Query) -> Answer:
        """Return one window of the findings about the files as they are."""
        problems = (
            [one.as_json() for one in self._rehearsal.problems]
            if self._rehearsal is not None
            else list(self._broken)
        )
        first = query.number("from", 0, most=_NUMBER_MAX)
        count = query.number("count", ROWS_MAX, most=ROWS_MAX)
        return _views.findings(problems, first, count, self._files)

    def source(self, query: Query) -> Answer:
        """Return the lines of a file."""
        return self._files.source(query.text("file"), query.number("line", 1, most=_NUMBER_MAX))

    def saved(self, _: Query) -> Answer:
        """Return the saved scenes."""
        return {"saved": [] if self._rehearsal is None else _views.saved(self._rehearsal)}

    def scene(self, query: Query) -> Answer:
        """Return a saved scene."""
        return {"setup": self._tried().load(query.text("name")).as_json()}

    # --- changes ---------------------------------------------------------------------------------

    def save(self, asked: Mapping[str, Any]) -> Answer:
        """Save a scene by name."""
        rehearsal = self._tried()
        rehearsal.save(_name(asked), rehearsal.read_json(asked.get("setup")))
        return {"saved": _views.saved(rehearsal)}

    def forget(self, asked: Mapping[str, Any]) -> Answer:
        """Remove a saved scene."""
        rehearsal = self._tried()
        rehearsal.saved.remove(_name(asked))
        return {"saved": _views.saved(rehearsal)}

    def plan(self, asked: Mapping[str, Any]) -> Answer:
        """Write a scene as a plan case."""
        rehearsal = self._tried()
        setup = rehearsal.read_json(asked.get("setup"))
        return _views.planned(rehearsal, setup, _name(asked))


def _name(asked: Mapping[str, Any]) -> str:
    name = asked.get("name", "")
    if not isinstance(name, str) or len(name) > _NAME_CHARS_MAX or not (name or " ").isprintable():
        raise UsageFault("the name is no text of one line", hint=f"up to {_NAME_CHARS_MAX} letters")
    return name.strip()
