"""One content folder that an editor works in: what is open in it, and what was found last.

Checks run in a thread of their own, one at a time, on the buffers as they are when a check begins.
Whoever needs what is true now waits until no change is unchecked.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from lsprotocol import types

from talebearer.content.index import Analysis, ContentFile, LiveTree
from talebearer.server.lsp._diagnostics import Shown, by_file, path_in, shown
from talebearer.server.lsp._positions import BOM, Text
from talebearer.server.lsp._roots import uri_of

DEBOUNCE_SECONDS = 0.15
"""How long after the last change a check begins, unless somebody waits for it."""

TEXT_CHARS_MAX = 4 * 1024 * 1024
"""Size above which a buffer is reported and not looked into, as ``lint`` has it for files."""

_log = logging.getLogger(__name__)
Publish = Callable[[types.PublishDiagnosticsParams], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A file that an editor has open, in one state.

    Attributes:
        uri: What the editor calls it.
        path: Where it is, as the editor spells it.
        version: The number of its state.
        content: Its text.
        text: The same by rows.
    """

    uri: str
    path: Path
    version: int
    content: str
    text: Text

    @property
    def is_readable(self) -> bool:
        """Whether it is small enough to look into."""
        return len(self.content) <= TEXT_CHARS_MAX


@dataclass(slots=True, kw_only=True)
class _Told:
    """What was published about one file last."""

    version: int | None
    shown: list[Shown] = field(default_factory=list)


class Folder:
    """A content folder.

    Attributes:
        root: The folder as the editor spells it.
        encoding: What the editor counts columns in.
        analysis: What was found last; None before the first check is done.
    """

    def __init__(self, root: Path, encoding: str, publish: Publish) -> None:
        self.root = root
        self.real = root.resolve()
        self.analysis: Analysis | None = None
        self.documents: dict[Path, Document] = {}
        self.told: dict[str, _Told] = {}
        self.encoding = encoding
        self._publish = publish
        self._tree = LiveTree(root)
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="check")
        self._is_dirty, self._is_stopped = True, False
        self._timer: asyncio.TimerHandle | None = None
        self._running: asyncio.Task[None] | None = None

    def path_below(self, path: Path) -> Path | None:
        """Return *path*, as an editor spells it, as content spells it; None if it is not inside."""
        for root in (self.root, self.real):
            if path.is_relative_to(root):
                return self.real / path.relative_to(root)
        try:
            found = path.parent.resolve() / path.name
        except (OSError, RuntimeError):  # older Pythons raise RuntimeError on circles of links
            return None
        return found if found.is_relative_to(self.real) else None

    def open(self, path: Path, document: Document) -> None:
        """Take *document* in place of the file at *path*."""
        self.documents[path] = document
        self.touch()

    def close(self, path: Path) -> None:
        """Go back to what is on disk at *path*."""
        self.documents.pop(path, None)
        self.touch()

    def touch(self) -> None:
        """Note that something has changed, and check soon."""
        if self._is_stopped:
            return
        self._is_dirty = True
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(DEBOUNCE_SECONDS, self._start)

    async def settled(self) -> Analysis | None:
        """Return what is true now; None if the first check has failed."""
        while self._is_dirty or self._running is not None:
            self._start()
            if self._running is not None:
                await asyncio.shield(self._running)
        return self.analysis

    def stop(self, *, is_last: bool = False) -> None:
        """End all work, and take back what was published unless the editor leaves anyway."""
        if self._timer is not None:
            self._timer.cancel()
        self._is_dirty, self._is_stopped = False, True
        for uri in () if is_last else self.told:
            self._publish(types.PublishDiagnosticsParams(uri=uri, diagnostics=[]))
        self.told = {}
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _start(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._running is None and self._is_dirty:
            self._running = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        try:
            while self._is_dirty:
                self._is_dirty = False
                loop, states = asyncio.get_running_loop(), dict(self.documents)
                analysis, found = await loop.run_in_executor(self._worker, self._check, states)
                self.analysis = analysis
                self._tell(found)
        except Exception:
            # What is known stays; the fault is ours, and an editor must not lose its server by it.
            _log.exception("the check of %s failed", self.root)
        finally:
            self._running = None

    def _check(self, states: Mapping[Path, Document]) -> tuple[Analysis, dict[str, _Told]]:
        """Check the tree with the buffers *states*, in the folder's own thread."""
        buffers = {
            path: document.content.encode("utf-8", "surrogatepass")
            for path, document in states.items()
        }
        analysis = self._tree.check(buffers)
        found = {one.uri: _Told(version=one.version) for one in states.values()}
        for name, problems in by_file(analysis).items():
            place = path_in(analysis, name, self.root)
            document = states.get(self.real / place.relative_to(self.root))
            if document is not None:
                text, uri, version = document.text, document.uri, document.version
            else:
                text = Text(analysis.texts.get(name) or "", self.encoding)
                uri, version = uri_of(place), None
            listed = shown(analysis, name, problems, text, uri)
            found[uri] = _Told(version=version, shown=listed)
        return analysis, found

    def _tell(self, found: dict[str, _Told]) -> None:
        """Publish what differs from what was published last."""
        for uri in sorted(self.told.keys() - found.keys()):
            self._publish(types.PublishDiagnosticsParams(uri=uri, diagnostics=[]))
        for uri, now in found.items():
            before = self.told.get(uri)
            if before is not None and before == now:
                continue
            if before is None and not now.shown and now.version is None:
                continue
            diagnostics = [one.diagnostic for one in now.shown]
            self._publish(
                types.PublishDiagnosticsParams(
                    uri=uri, diagnostics=diagnostics, version=now.version
                )
            )
        self.told = found

    def file_of(self, document: Document) -> ContentFile | None:
        """Return the content file that *document* is, if the last check knew it."""
        path = self.path_below(document.path)
        return self.analysis.file_at(path) if self.analysis and path else None

    def uri_of(self, file: ContentFile) -> str:
        """Return the editor's name of *file*."""
        document = self.documents.get(file.path)
        return document.uri if document else uri_of(self.root / file.path.relative_to(self.real))

    def version_of(self, file: ContentFile) -> int | None:
        """Return the version of *file* if it is open."""
        document = self.documents.get(file.path)
        return document.version if document else None

    def text_of(self, file: ContentFile) -> Text:
        """Return the text of *file* that the names of the last check are about.

        While the file is no YAML, that is how it was before; its positions are those in what is open.
        """
        index = self.analysis.symbols.files.get(file.name) if self.analysis else None
        document = self.documents.get(file.path)
        mark = BOM if document and document.content.startswith(BOM) else ""
        text = mark + (index.text if index else "")
        is_now = document is None or document.content == text
        return Text(text, self.encoding, now=None if is_now or document is None else document.text)
