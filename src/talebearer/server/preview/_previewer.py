"""The content behind the page: followed as files are saved, and asked one question at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from talebearer.errors import InternalError

if TYPE_CHECKING:
    from talebearer.server.preview._answers import Answers

QUESTIONS = (
    *("content", "start", "ask", "line", "roll", "talk", "lens"),
    *("findings", "source", "saved", "scene"),
)
CHANGES = ("save", "forget", "plan")
"""Methods of ``Answers``: last parts of paths, and what they are asked by."""
Answer = Mapping[str, Any]


class Previewer:
    """Takes the page's questions about one content folder in turn.

    The page is served while the content is still read; questions wait for it.

    Args:
        content: The content folder.
        cache: As for ``compile_content``.
        editor: The template of links to an editor; without one there are none.
        language: In what language lines are shown, where they are translated.
    """

    def __init__(
        self,
        content: Path,
        *,
        cache: Path | None = None,
        editor: str | None = None,
        language: str | None = None,
    ) -> None:
        self._language = language
        self._content = content.resolve()
        self._cache = cache
        self._editor = editor
        self._turn = threading.Lock()
        self._is_read = threading.Event()
        self._answers: Answers | None = None
        self._fault: Exception | None = None

    @property
    def name(self) -> str:
        """The content folder's name."""
        return self._content.name

    def watch(self, stop: threading.Event, tell: Callable[[dict[str, Any]], None]) -> None:
        """Read the content, then follow it until *stop*; *tell* is called after each change."""
        try:
            self._follow(stop, tell)
        except Exception as error:  # whoever asks next is told; nobody waits for this thread
            self._fault = error
        finally:
            self._is_read.set()

    def _follow(self, stop: threading.Event, tell: Callable[[dict[str, Any]], None]) -> None:
        from talebearer.content import changes
        from talebearer.server.preview._answers import Answers

        # Whoever saves while it is read is seen, since the watch begins before it.
        changed = changes(self._content, stop)
        answers = Answers(
            self._content, cache=self._cache, editor=self._editor, language=self._language
        )
        answers.read()
        self._answers = answers
        self._is_read.set()
        tell(self.news())
        for _ in changed:
            with self._turn:
                answers.read()
            tell(self.news())

    def news(self) -> dict[str, Any]:
        """Return which state of the content is in use, without waiting for any."""
        return {} if self._answers is None else self._answers.news()

    def questions(self) -> Mapping[str, Callable[[str], Answer]]:
        """Return what can be asked, by the last part of the path; each takes a query string."""
        return {name: self._question(name) for name in QUESTIONS}

    def changes(self) -> Mapping[str, Callable[[Mapping[str, Any]], Answer]]:
        """Return what can be changed, by the last part of the path; each takes a JSON object."""
        return {name: self._change(name) for name in CHANGES}

    def _question(self, name: str) -> Callable[[str], Answer]:
        def answer(raw: str) -> Answer:
            answers = self._wait()
            from talebearer.server.preview._query import Query

            query = Query(raw)
            with self._turn:
                return answers.shown(getattr(answers, name)(query))

        return answer

    def _change(self, name: str) -> Callable[[Mapping[str, Any]], Answer]:
        def make(asked: Mapping[str, Any]) -> Answer:
            answers = self._wait()
            with self._turn:
                found: Answer = getattr(answers, name)(asked)
                return found

        return make

    def _wait(self) -> Answers:
        self._is_read.wait()
        if self._answers is None or self._fault is not None:
            message = f"the content cannot be followed: {self._fault}"
            raise InternalError(message, hint="end the preview and start it again")
        return self._answers
