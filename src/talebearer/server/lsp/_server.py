"""The protocol's server: what is open, where it belongs, and who answers what."""

from __future__ import annotations

import logging
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter

from talebearer import __version__
from talebearer.content.index import Analysis, ContentFile, Cursor, cursor_at
from talebearer.server.lsp._folder import TEXT_CHARS_MAX, Document, Folder
from talebearer.server.lsp._positions import Text
from talebearer.server.lsp._roots import content_root, folders_of, path_of, root_around

NAME = "talebearer"
NOT_INITIALIZED = int(types.ErrorCodes.ServerNotInitialized)
_log = logging.getLogger(__name__)


class Refused(JsonRpcException):
    """What is asked cannot be, for a reason that the editor shows."""

    CODE = JsonRpcInvalidParams.CODE
    MESSAGE = "that cannot be"


class Protocol(LanguageServerProtocol):
    """The library's protocol, but a request that cannot be read is answered, too."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return the message in *data*, or refuse it to whoever asked."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if isinstance(data.get("id"), int | str) and "method" in data:
                # The library only logs it, and an editor would wait for ever.
                self._send_response(data["id"], None, error.to_response_error())
            raise

    def handle_message(self, message: Any) -> None:
        """Take in *message*; before the editor has introduced itself only that and its leaving."""
        method = getattr(message, "method", None)
        if self._workspace is None and method not in (None, types.INITIALIZE, types.EXIT):
            if getattr(message, "id", None) is not None:
                error = types.ResponseError(code=NOT_INITIALIZED, message="initialize comes first")
                self._send_response(message.id, None, error)
            return
        super().handle_message(message)

    def _send_handler_result(self, future: Future[Any], *, msg_id: Any) -> None:
        """Send what came of a request; a refusal is an answer, and no fault to be logged."""
        error = None if future.cancelled() else future.exception()
        if isinstance(error, Refused):
            self._request_futures.pop(msg_id, None)
            self._send_response(msg_id, error=error.to_response_error())
        else:
            super()._send_handler_result(future, msg_id=msg_id)


class Server(LanguageServer):
    """The server of one editor.

    Attributes:
        is_shut_down: Whether the editor has asked for the end before it left.
        documents: What is open, by the editor's names.
        folders: The content folders, by where they really are.
    """

    def __init__(self) -> None:
        super().__init__(
            name=NAME,
            version=__version__,
            # Whole texts: ranged changes would have to agree with an editor on what a row is.
            text_document_sync_kind=types.TextDocumentSyncKind.Full,
            protocol_cls=Protocol,
            converter_factory=default_converter,
        )
        self.is_shut_down = False
        self.documents: dict[str, Document] = {}
        self.folders: dict[Path, Folder] = {}
        self._workspaces: list[Path] = []

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Say what went wrong on standard error; a window for each would be in the way."""
        _log.error("%s: %s", getattr(source, "__name__", source), error)

    @property
    def encoding(self) -> str:
        """What the editor counts columns in."""
        found = self.server_capabilities.position_encoding
        return str(getattr(found, "value", found) or "utf-16")

    def begin(self, params: types.InitializeParams) -> None:
        """Note which folders the editor has open."""
        self._workspaces = folders_of(params)

    def find_folders(self) -> None:
        """Find the content of all that is open; what is none any more is let go."""
        roots = {root.resolve(): root for one in self._workspaces if (root := content_root(one))}
        if not self._workspaces:
            around = (root_around(one.path) for one in self.documents.values())
            roots = {root.resolve(): root for root in around if root is not None}
        for real in self.folders.keys() - roots.keys():
            self.folders.pop(real).stop()
        for real, root in roots.items():
            if real not in self.folders:
                _log.info("content: %s", root)
                folder = Folder(root, self.encoding, self.text_document_publish_diagnostics)
                self.folders[real] = folder
                for document in self.documents.values():
                    self._place(document)
                folder.touch()

    def change_folders(self, added: list[str], removed: list[str]) -> None:
        """Take in workspace folders and let others go."""
        gone = {path_of(uri) for uri in removed}
        kept = [one for one in self._workspaces if one not in gone]
        new = [path for uri in added if (path := path_of(uri)) is not None]
        self._workspaces = list(dict.fromkeys([*kept, *new]))
        self.find_folders()

    def put(self, uri: str, version: int, content: str) -> None:
        """Take *content* as the state *version* of *uri*, unless a later one is known."""
        known = self.documents.get(uri)
        path = path_of(uri)
        if path is None or (known is not None and version <= known.version):
            return
        text = Text(content if len(content) <= TEXT_CHARS_MAX else "", self.encoding)
        document = Document(uri=uri, path=path, version=version, content=content, text=text)
        self.documents[uri] = document
        if known is None and not self._workspaces:
            self.find_folders()
        self._place(document)

    def drop(self, uri: str) -> None:
        """Let *uri* go, which the editor has closed."""
        document = self.documents.pop(uri, None)
        if document is None:
            return
        for folder in self.folders.values():
            path = folder.path_below(document.path)
            if path in folder.documents:
                folder.close(path)

    def _place(self, document: Document) -> None:
        for folder in self.folders.values():
            path = folder.path_below(document.path)
            if path is not None:
                folder.open(path, document)

    def touched(self, uris: list[str]) -> None:
        """Look anew at the folders that the files *uris* are in."""
        paths = [path for uri in uris if (path := path_of(uri)) is not None]
        self.find_folders()
        for folder in self.folders.values():
            if any(folder.path_below(path) is not None for path in paths):
                folder.touch()

    def folder_of(self, uri: str) -> tuple[Folder, Document] | None:
        """Return the content folder that the open file *uri* is in; None if it is in none."""
        document = self.documents.get(uri)
        if document is None or not document.is_readable:
            return None
        for folder in self.folders.values():
            if folder.path_below(document.path) is not None:
                return folder, document
        return None


class Asked:
    """A place that an editor asks about.

    Attributes:
        folder: The content folder.
        document: The file, as it is open.
        file: The same as content.
        analysis: What is known.
        cursor: Where the place is in the file's structure.
        column: The place's column, from 0 in code points.
    """

    def __init__(
        self,
        folder: Folder,
        document: Document,
        file: ContentFile,
        analysis: Analysis,
        position: types.Position,
    ) -> None:
        self.folder = folder
        self.document = document
        self.file = file
        self.analysis = analysis
        row, self.column = document.text.place(position)
        self.cursor: Cursor = cursor_at(document.text.rows, row, self.column)

    @property
    def word_range(self) -> types.Range:
        """The range of the word at the place, quotes left out."""
        cursor = self.cursor
        start, end = cursor.start, cursor.end
        if cursor.quote and end > start:
            row = self.document.text.rows[cursor.row]
            is_closed = end - start > 1 and row[end - 1] == cursor.quote
            start, end = start + 1, end - is_closed
        return self.document.text.range((cursor.row + 1, start + 1), (cursor.row + 1, end + 1))

    @property
    def typed(self) -> str:
        """What stands before the place, of its word."""
        row = self.document.text.rows[self.cursor.row]
        return row[self.cursor.start : self.column].lstrip("\"'")


async def asked(
    server: Server, uri: str, position: types.Position, *, waits: bool = True
) -> Asked | None:
    """Return what *position* of *uri* is, once all changes are checked; None for what is no content.

    Without *waits* what is known from before will do, if anything is: the text itself is always
    the present one.
    """
    found = server.folder_of(uri)
    if found is None:
        return None
    folder = found[0]
    analysis = folder.analysis
    if waits or analysis is None:
        analysis = await folder.settled()
    found = server.folder_of(uri)
    file = folder.file_of(found[1]) if found is not None else None
    if found is None or file is None or analysis is None:
        return None
    return Asked(folder, found[1], file, analysis, position)
