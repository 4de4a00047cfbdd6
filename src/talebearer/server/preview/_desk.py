"""The content behind the page: loaded once, followed as files are saved, asked one question at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from talebearer.content import changes
from talebearer.errors import InvalidContent, UsageFault
from talebearer.rehearsal import Filter, Rehearsal, Setup
from talebearer.server.preview import _views
from talebearer.server.preview._files import Files
from talebearer.server.preview._query import BESIDE, Query

ROWS_MAX = 200
DRAWS_MAX = 1_000
_NUMBER_MAX = 10**9
_NAME_CHARS_MAX = 80
Answer = Mapping[str, Any]


class Desk:
    """Answers the page's questions about one content folder.

    A file with an error leaves the last good content in use; until there was any, the page is told
    the findings and nothing else.

    Args:
        content: The content folder.
        cache: As for ``compile_content``.
        editor: The template of links to an editor; without one there are none.
    """

    def __init__(
        self, content: Path, *, cache: Path | None = None, editor: str | None = None
    ) -> None:
        self._content = content.resolve()
        self._cache = cache
        self._files = Files(self._content, editor)
        self._turn = threading.Lock()
        self._is_read = threading.Event()
        self._rehearsal: Rehearsal | None = None
        self._broken: tuple[Mapping[str, Any], ...] = ()
        self._number = 0

    @property
    def name(self) -> str:
        """The content folder's name."""
        return self._content.name

    # --- following the files ---------------------------------------------------------------------

    def watch(self, stop: threading.Event, tell: Callable[[dict[str, Any]], None]) -> None:
        """Load the content, then follow it until *stop*; *tell* is called after each change."""
        # Whoever saves while it is loaded is seen, since the watch begins before it.
        changed = changes(self._content, stop)
        try:
            self._read()
        finally:
            self._is_read.set()
        tell(self.news())
        for _ in changed:
            if self._read():
                tell(self.news())

    def _read(self) -> bool:
        """Take in what the files say now; return whether that is anything new."""
        with self._turn:
            if self._rehearsal is not None:
                is_new = self._rehearsal.reload()
            else:
                is_new = self._begin()
            self._number += is_new
            return is_new

    def _begin(self) -> bool:
        try:
            self._rehearsal = Rehearsal(self._content, cache=self._cache)
        except InvalidContent as error:
            self._broken = tuple(error.data["problems"])
        return True

    def news(self) -> dict[str, Any]:
        """Return which state of the content is in use, without waiting for it."""
        rehearsal = self._rehearsal
        return {
            "number": self._number,
            "is_there": rehearsal is not None,
            "is_current": rehearsal is not None and rehearsal.is_current,
        }

    # --- questions -------------------------------------------------------------------------------

    def questions(self) -> Mapping[str, Callable[[str], Answer]]:
        """Return what can be asked, by the last part of the path; each takes a query string."""
        asked = {
            "content": self._overview,
            "start": self._start,
            "ask": self._ask,
            "line": self._line,
            "roll": self._roll,
            "talk": self._talk,
            "lens": self._lens,
            "findings": self._findings,
            "source": self._source,
            "saved": self._saved,
            "scene": self._scene,
        }
        return {name: self._in_turn(answer) for name, answer in asked.items()}

    def _in_turn(self, answer: Callable[[Query], Answer]) -> Callable[[str], Answer]:
        def wait_and_answer(raw: str) -> Answer:
            query = Query(raw)
            self._is_read.wait()
            with self._turn:
                return answer(query)

        return wait_and_answer

    def _tried(self) -> Rehearsal:
        if self._rehearsal is None:
            message = "the files have errors, so there is nothing to try yet"
            raise UsageFault(message, hint="correct what the findings list, and save")
        return self._rehearsal

    def _setup(self, query: Query) -> tuple[Rehearsal, Setup]:
        rehearsal = self._tried()
        return rehearsal, rehearsal.read_address(query.raw, beside=BESIDE)

    def _overview(self, _: Query) -> Answer:
        head = {**self.news(), "name": self.name}
        if self._rehearsal is None:
            return {**head, **_views.nothing(self._broken)}
        return {**head, **_views.overview(self._rehearsal)}

    def _start(self, query: Query) -> Answer:
        rehearsal = self._tried()
        return {"setup": rehearsal.first_setup(query.text("pool")).as_json()}

    def _ask(self, query: Query) -> Answer:
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

    def _line(self, query: Query) -> Answer:
        rehearsal, setup = self._setup(query)
        pool, line_id = query.text("pool"), query.text("line")
        rehearsal.pack.line(pool, line_id)  # says what is like it when there is none
        shown = Filter(pool=pool, text=line_id, every_pool=setup.is_thought)
        rows = rehearsal.ask(setup, shown=shown, rows=ROWS_MAX).rows
        row = next((one for one in rows if one.verdict.line_id == line_id), None)
        return _views.line(rehearsal, pool, line_id, row, self._files)

    def _roll(self, query: Query) -> Answer:
        rehearsal, setup = self._setup(query)
        skip = query.number("skip", 0, most=_NUMBER_MAX)
        rolls = rehearsal.roll(
            setup.but(seed=setup.seed + skip),
            query.number("draws", 100, most=DRAWS_MAX),
            remember=query.text("remember") == "1",
            wait=query.number("wait", 1, most=_NUMBER_MAX),
        )
        return rolls.as_json()

    def _talk(self, query: Query) -> Answer:
        rehearsal, setup = self._setup(query)
        return _views.talk(rehearsal, rehearsal.play(setup, query.moves()))

    def _lens(self, query: Query) -> Answer:
        rehearsal, setup = self._setup(query)
        lens = rehearsal.lens(
            setup,
            pool=query.text("pool"),
            line_id=query.text("line"),
            trigger=query.text("upon") or None,
        )
        return {**lens.as_json(), "place": self._files.place(lens.where)}

    def _findings(self, query: Query) -> Answer:
        problems = (
            [one.as_json() for one in self._rehearsal.problems]
            if self._rehearsal is not None
            else list(self._broken)
        )
        first = query.number("from", 0, most=_NUMBER_MAX)
        count = query.number("count", ROWS_MAX, most=ROWS_MAX)
        return _views.findings(problems, first, count, self._files)

    def _source(self, query: Query) -> Answer:
        return self._files.source(query.text("file"), query.number("line", 1, most=_NUMBER_MAX))

    def _saved(self, _: Query) -> Answer:
        return {"saved": [] if self._rehearsal is None else _views.saved(self._rehearsal)}

    def _scene(self, query: Query) -> Answer:
        return {"setup": self._tried().load(query.text("name")).as_json()}

    # --- changes ---------------------------------------------------------------------------------

    def changes(self) -> Mapping[str, Callable[[Mapping[str, Any]], Answer]]:
        """Return what can be changed, by the last part of the path; each takes a JSON object."""
        made = {"save": self._save, "forget": self._forget, "plan": self._plan}
        return {name: self._one_at_a_time(make) for name, make in made.items()}

    def _one_at_a_time(
        self, make: Callable[[Rehearsal, Mapping[str, Any]], Answer]
    ) -> Callable[[Mapping[str, Any]], Answer]:
        def wait_and_make(asked: Mapping[str, Any]) -> Answer:
            self._is_read.wait()
            with self._turn:
                return make(self._tried(), asked)

        return wait_and_make

    def _save(self, rehearsal: Rehearsal, asked: Mapping[str, Any]) -> Answer:
        rehearsal.save(_name(asked), rehearsal.read_json(asked.get("setup")))
        return {"saved": _views.saved(rehearsal)}

    def _forget(self, rehearsal: Rehearsal, asked: Mapping[str, Any]) -> Answer:
        rehearsal.saved.remove(_name(asked))
        return {"saved": _views.saved(rehearsal)}

    def _plan(self, rehearsal: Rehearsal, asked: Mapping[str, Any]) -> Answer:
        setup = rehearsal.read_json(asked.get("setup"))
        return _views.planned(rehearsal, setup, _name(asked))


def _name(asked: Mapping[str, Any]) -> str:
    name = asked.get("name", "")
    if not isinstance(name, str) or len(name) > _NAME_CHARS_MAX or not (name or " ").isprintable():
        raise UsageFault("the name is no text of one line", hint=f"up to {_NAME_CHARS_MAX} letters")
    return name.strip()
