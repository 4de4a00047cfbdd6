"""Sessions of an editor with the language server, drawn at random: whatever is typed, opened and asked.

Every request is answered and no answer is our own fault; every place in an answer is a place of the
text that it is about; edits can be made; findings belong to the state that they name.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from editors import Editor
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

pytest.importorskip("pygls", reason="needs the extra authoring")
pytestmark = [pytest.mark.slow]

INTERNAL_ERROR = -32603
POOL = "m/dialogue/quay/odo.yaml"
PLAN = "m/dialogue/quay/odo.plan.yaml"
FACTS = "global/knowledge/sea.yaml"
FILES = {
    FACTS: (
        "category: sea\nfacts:\n  - id: sea.deep\n    description: Deep.\n"
        '  - {id: sea.cold, description: "Cold 😀 and wet"}\n'
    ),
    "global/npcs/odo.yaml": "name: Odo Renn\nrole: clerk\nlocation: quay\n",
    "global/state.yaml": "counters:\n  - {id: visits, scope: pair}\nclasses:\n  - {id: shout}\n",
    POOL: (
        "location: quay\nrole: clerk\nlines:\n"
        '  - {id: odo_d_001, text: "😀 deep 😀", role: clerk, access: [public], trust: surface,\n'
        "     situation: [social], knowledge_grant: {fact_id: sea.deep, confidence: knows_of}}\n"
        "  - id: odo_d_002\n    text: 'É, told you.'\n    role: clerk\n    access: [public]\n"
        "    trust: surface\n    situation: [social]\n    prerequisites:\n      facts:\n"
        '        - fact_id: "sea.deep"\n          min_confidence: suspects\n'
        "      reply_to: {line: odo_d_001}\n"
    ),
    PLAN: (
        "cases:\n  - {name: One, speaker: odo, location: quay, access: public, trust: surface,\n"
        "     situations: [social], given: {facts: [{fact_id: sea.deep, confidence: direct}]},\n"
        "     never: [odo_d_002]}\n"
    ),
}
PLACED = ("completion", "hover", "definition", "references", "prepareRename", "rename")
NEW = "m/dialogue/quay/new.yaml"
OUTSIDE = "../outside.yaml"
SNIPPETS = st.sampled_from(
    [
        *("😀", "é", "\u0301", "\ufeff", "\t", '"', "'", ": ", "- ", "{", "}", "[", "]", "#", "&a ", "*a"),
        *("\n", "\r\n", "\r", "\u2028", "\x00", "\x85", "sea.deep", "npc:odo", "odo_d_001", "fact_id: "),
        *("  - id: odo_d_003\n", "prerequisites: {facts: [{fact_id: sea.", "lines: []\n", "\ud83d", "|\n  x"),
    ]
)  # fmt: skip
NAMES = st.sampled_from(
    ["sea.wide", "sea.deep", "Not A Name", "", "odo_d_009", "wharf", "npc:nobody", "😀", "../x"]
)
ROWS_MAX = 2**31 - 1
NUMBERS = st.integers(0, 40) | st.sampled_from([0, 10**6, ROWS_MAX])


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _rows(text: str) -> list[str]:
    """Return the rows of *text* as the protocol has them."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _path(uri: str) -> str:
    return unquote(urlsplit(uri).path)


class Sessions(RuleBasedStateMachine):
    """What an editor does; the server outlives the machine, and leaves nothing behind in it."""

    editor: Editor
    root: Path

    @initialize()
    def begin(self) -> None:
        self.open: dict[str, tuple[int, str]] = {}
        self.version = 0

    def teardown(self) -> None:
        for name in list(getattr(self, "open", {})):
            self.close(name)
        # What was asked before this is answered by then, and nothing is open any more.
        self.editor.request("workspace/symbol", {"query": "sea"})
        self.editor.diagnosed.clear()
        self.editor.opened.clear()

    # --- what is typed ---------------------------------------------------------------------------

    def _uri(self, name: str) -> str:
        return (self.root / name).as_uri()

    def _text(self, uri: str) -> str | None:
        """Return what the editor has at *uri*: the buffer, else the file."""
        for name, (_, text) in self.open.items():
            if _path(self._uri(name)) == _path(uri):
                return text
        path = Path(_path(uri))
        return path.read_bytes().decode("utf-8") if path.is_file() else None

    @rule(name=st.sampled_from([*FILES, NEW, OUTSIDE]), is_as_on_disk=st.booleans())
    def opens(self, name: str, is_as_on_disk: bool) -> None:
        if name in self.open:
            return
        path = self.root / name
        text = path.read_text(encoding="utf-8") if path.is_file() and is_as_on_disk else FILES[POOL]
        self.version += 1
        self.editor.open(path, text, self.version)
        self.open[name] = (self.version, text)

    @precondition(lambda self: self.open)
    @rule(data=st.data(), snippet=SNIPPETS, removed=st.integers(0, 30))
    def types(self, data: st.DataObject, snippet: str, removed: int) -> None:
        name = data.draw(st.sampled_from(sorted(self.open)), label="file")
        _, text = self.open[name]
        at = data.draw(st.integers(0, len(text)), label="at")
        text = text[:at] + snippet + text[at + removed :]
        self.version += 1
        self.editor.change(self.root / name, text, self.version)
        self.open[name] = (self.version, text)

    @precondition(lambda self: self.open)
    @rule(data=st.data())
    def says_something_old(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.open)), label="file")
        self.editor.change(self.root / name, "old: news\n", self.open[name][0] - 1)

    @precondition(lambda self: self.open)
    @rule(data=st.data())
    def closes(self, data: st.DataObject) -> None:
        self.close(data.draw(st.sampled_from(sorted(self.open)), label="file"))

    def close(self, name: str) -> None:
        self.editor.notify("textDocument/didClose", {"textDocument": {"uri": self._uri(name)}})
        del self.open[name]

    @rule(name=st.sampled_from([*FILES, NEW]))
    def tells_of_a_file(self, name: str) -> None:
        changes = [{"uri": self._uri(name), "type": 2}]
        self.editor.notify("workspace/didChangeWatchedFiles", {"changes": changes})

    # --- what is asked ---------------------------------------------------------------------------

    def _ask(self, method: str, params: dict[str, Any]) -> Any:
        reply = self.editor.reply(self.editor.ask(method, params))
        if "error" in reply:
            assert reply["error"]["code"] != INTERNAL_ERROR, reply
            return None
        return reply["result"]

    @precondition(lambda self: self.open)
    @rule(
        data=st.data(),
        method=st.sampled_from(PLACED),
        row=NUMBERS,
        character=NUMBERS,
        new=NAMES,
        is_near=st.booleans(),
    )
    def asks_about_a_place(
        self, data: st.DataObject, method: str, row: int, character: int, new: str, is_near: bool
    ) -> None:
        name = data.draw(st.sampled_from([*sorted(self.open), NEW]), label="file")
        text = self.open.get(name, (0, ""))[1]
        if is_near:  # at something that has a name
            words = [word for word in ("sea.deep", "odo_d_001", "quay", "clerk") if word in text]
            if words:
                at = text.index(data.draw(st.sampled_from(words), label="word"))
                head = _rows(text[:at])
                row, character = len(head) - 1, _units(head[-1]) + character % 9
        where = {"line": row, "character": character}
        params: dict[str, Any] = {"textDocument": {"uri": self._uri(name)}, "position": where}
        params |= {"newName": new} if method == "rename" else {}
        params |= {"context": {"includeDeclaration": True}} if method == "references" else {}
        self._check(self._uri(name), self._ask(f"textDocument/{method}", params))

    @precondition(lambda self: self.open)
    @rule(data=st.data(), row=NUMBERS, rows=st.integers(0, 40))
    def asks_about_a_file(self, data: st.DataObject, row: int, rows: int) -> None:
        uri = self._uri(data.draw(st.sampled_from(sorted(self.open)), label="file"))
        outline = self._ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        self._check(uri, outline)
        place = {
            "start": {"line": row, "character": 0},
            "end": {"line": min(row + rows, ROWS_MAX), "character": 9},
        }
        params = {"textDocument": {"uri": uri}, "range": place, "context": {"diagnostics": []}}
        self._check(uri, self._ask("textDocument/codeAction", params))

    @rule(query=st.sampled_from(["", "sea", "😀", "odo_d", "x" * 2000]))
    def searches(self, query: str) -> None:
        self._check("", self._ask("workspace/symbol", {"query": query}))

    # --- what must hold --------------------------------------------------------------------------

    def _check(self, uri: str, answer: Any) -> None:
        """See that each range in *answer* is in the text that it is about; *uri*'s by default."""
        if isinstance(answer, list):
            for one in answer:
                self._check(uri, one)
        elif isinstance(answer, dict):
            if set(answer) == {"start", "end"}:
                self._check_range(uri, answer)
                return
            about = answer.get("uri") or answer.get("textDocument", {}).get("uri") or uri
            if "edits" in answer:
                self._check_edits(about, answer["edits"])
            for name, part in answer.items():
                if name == "changes":
                    for changed, edits in part.items():
                        self._check_edits(changed, edits)
                        self._check(changed, edits)
                else:
                    self._check(about, part)

    def _check_range(self, uri: str, found: dict[str, dict[str, int]]) -> None:
        text = self._text(uri)
        if text is None:  # a file that the answer makes, or moves
            return
        rows = _rows(text)
        start, end = found["start"], found["end"]
        for place in (start, end):
            assert 0 <= place["line"] < len(rows), (uri, found, rows)
            row = rows[place["line"]]
            assert 0 <= place["character"] <= _units(row), (uri, found, row)
            _split(row, place["character"])
        assert (start["line"], start["character"]) <= (end["line"], end["character"]), found

    def _check_edits(self, uri: str, edits: list[dict[str, Any]]) -> None:
        """See that *edits* do not meet, so that they can be made in any order."""
        spans = sorted(
            tuple((one["range"][side]["line"], one["range"][side]["character"]) for side in ("start", "end"))
            for one in edits
        )  # fmt: skip
        for (_, end), (start, _) in pairwise(spans):
            assert end <= start, (uri, edits)

    @invariant()
    def findings_are_about_the_text_that_they_name(self) -> None:
        for name, (version, _) in getattr(self, "open", {}).items():
            for told in self.editor.diagnosed.get(self._uri(name), ()):
                if told.get("version") == version:
                    for one in told["diagnostics"]:
                        self._check_range(self._uri(name), one["range"])


def _split(row: str, units: int) -> None:
    """See that *units* is between two characters of *row*."""
    row.encode("utf-16-le", "surrogatepass")[: units * 2].decode("utf-16-le", "surrogatepass")


@contextmanager
def _begun() -> Iterator[tuple[Editor, Path]]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "campaign" / "content"
        for name, text in FILES.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        (root / OUTSIDE).write_text("a: b\n", encoding="utf-8")
        with Editor(root.parent) as editor:
            yield editor, root


@pytest.mark.spec("LP-tools-editor-sessions")
def test_no_session_of_an_editor_ends_the_server_or_leads_out_of_a_text() -> None:
    with _begun() as (editor, root):

        class Here(Sessions):
            pass

        Here.editor, Here.root = editor, root
        run_state_machine_as_test(
            Here,
            settings=settings(max_examples=25, stateful_step_count=25, phases=[Phase.generate]),
        )
        assert editor.leave() == 0
    said = editor.stderr.decode("utf-8", "replace")
    assert "Traceback" not in said, said
    assert " failed" not in said, said
