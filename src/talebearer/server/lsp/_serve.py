"""The life of the server on one pair of streams, and the table of what it answers."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any, BinaryIO

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from talebearer.server.lsp import _actions, _names, _rename, _words
from talebearer.server.lsp._server import Server, asked

MESSAGE_BYTES_MAX = 64 * 1024 * 1024
"""Size above which a message is passed over: sixteen times the largest file that is read."""

_HEADER_BYTES_MAX = 64 * 1024
_CHUNK_BYTES = 1024 * 1024


def serve_stdio() -> int:
    """Serve one editor over standard input and output until it leaves.

    Returns:
        0 if it asked for the end first, as the protocol wants, else 1.
    """
    protocol = _Messages(os.fdopen(os.dup(sys.stdout.fileno()), "wb"))
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a stray print is no message
    server = make_server()
    server.start_io(_Bounded(sys.stdin.buffer), protocol)  # type: ignore[arg-type]  # they have what is used
    return 0 if server.is_shut_down else 1


class _Messages:
    """Standard output; an editor that reads no more is about to close its own end, too."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, data: bytes) -> None:
        """Send *data*, if anybody is there to read it."""
        with suppress(BrokenPipeError):
            self._stream.write(data)
            self._stream.flush()

    def flush(self) -> None:
        """Do nothing: all is sent at once."""

    def close(self) -> None:
        """Send no more."""
        with suppress(BrokenPipeError):
            self._stream.close()


class _Bounded:
    """Standard input, of which no message can take all memory."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readline(self) -> bytes:
        """Return the next header; a longer one than any header is comes in pieces."""
        return self._stream.readline(_HEADER_BYTES_MAX)

    def read(self, size: int) -> bytes:
        """Return a message's body; one that is too large is read and left out."""
        if size <= MESSAGE_BYTES_MAX:
            return self._stream.read(size)
        print(f"a message of {size} bytes is passed over", file=sys.stderr, flush=True)
        while size > 0 and (chunk := self._stream.read(min(size, _CHUNK_BYTES))):
            size -= len(chunk)
        return b"{}" if size == 0 else b""


def make_server() -> Server:
    """Return a server that answers all that it can."""
    server = Server()
    for method, (function, options) in _TABLE.items():
        server.feature(method, options)(function)
    return server


def _initialize(ls: Server, params: types.InitializeParams) -> None:
    ls.begin(params)


def _initialized(ls: Server, _: types.InitializedParams) -> None:
    ls.find_folders()
    watching = _capability(ls, "workspace", "did_change_watched_files", "dynamic_registration")
    if watching:
        watchers = [types.FileSystemWatcher(glob_pattern=glob) for glob in _WATCHED]
        registration = types.Registration(
            id="content",
            method=types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
            register_options=types.DidChangeWatchedFilesRegistrationOptions(watchers=watchers),
        )
        ls.client_register_capability(types.RegistrationParams(registrations=[registration]))


_WATCHED = ("**/*.yaml", "**/_schema/*.json", "**/campaign.toml")


def _capability(ls: LanguageServer, *names: str) -> Any:
    """Return what the editor says of itself under *names*; None where it is silent."""
    found: Any = ls.client_capabilities
    for name in names:
        found = getattr(found, name, None)
    return found


def _shutdown(ls: Server, _: None) -> None:
    ls.is_shut_down = True
    for folder in ls.folders.values():
        folder.stop(is_last=True)


def _open(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
    document = params.text_document
    ls.documents.pop(document.uri, None)  # an editor counts from anew when it opens
    ls.put(document.uri, document.version, document.text)


def _change(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
    whole = [
        change
        for change in params.content_changes
        if isinstance(change, types.TextDocumentContentChangeWholeDocument)
    ]
    if whole and params.text_document.uri in ls.documents:
        ls.put(params.text_document.uri, params.text_document.version, whole[-1].text)


def _close(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
    ls.drop(params.text_document.uri)


def _save(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
    ls.touched([params.text_document.uri])


def _watched(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
    ls.touched([change.uri for change in params.changes])


def _folders(ls: Server, params: types.DidChangeWorkspaceFoldersParams) -> None:
    event = params.event
    ls.change_folders([one.uri for one in event.added], [one.uri for one in event.removed])


async def _completion(ls: Server, params: types.CompletionParams) -> types.CompletionList | None:
    place = await asked(ls, params.text_document.uri, params.position, waits=False)
    return None if place is None else _words.completion(place)


async def _hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
    place = await asked(ls, params.text_document.uri, params.position)
    return None if place is None else _words.hover(place)


async def _definition(ls: Server, params: types.DefinitionParams) -> list[types.Location]:
    place = await asked(ls, params.text_document.uri, params.position)
    return [] if place is None else _names.definition(place)


async def _references(ls: Server, params: types.ReferenceParams) -> list[types.Location]:
    place = await asked(ls, params.text_document.uri, params.position)
    if place is None:
        return []
    return _names.references(place, with_declaration=params.context.include_declaration)


async def _prepare(ls: Server, params: types.PrepareRenameParams) -> Any:
    place = await asked(ls, params.text_document.uri, params.position)
    return None if place is None else _rename.prepared(place)


async def _renamed(ls: Server, params: types.RenameParams) -> types.WorkspaceEdit | None:
    place = await asked(ls, params.text_document.uri, params.position)
    if place is None:
        return None
    moves = types.ResourceOperationKind.Rename in _operations(ls)
    # It reads the whole tree, so it has a thread: what is typed meanwhile is not held up.
    loop = asyncio.get_running_loop()
    call = partial(_rename.renamed, place, params.new_name, versioned=_versioned(ls), moves=moves)
    return await loop.run_in_executor(None, call)


async def _outline(
    ls: Server, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | None:
    found = ls.folder_of(params.text_document.uri)
    if found is None:
        return None
    await found[0].settled()
    file = found[0].file_of(found[1])
    return None if file is None else _names.outline(found[0], file)


async def _search(ls: Server, params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
    found: list[types.WorkspaceSymbol] = []
    for folder in list(ls.folders.values()):
        await folder.settled()
        found += _names.search(folder, params.query)
    return found[: _names.FOUND_MAX]


async def _fixes(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    found = ls.folder_of(params.text_document.uri)
    if found is None:
        return []
    await found[0].settled()
    found = ls.folder_of(params.text_document.uri)
    if found is None:
        return []
    return _actions.actions(
        *found,
        params.range,
        versioned=_versioned(ls),
        creates=types.ResourceOperationKind.Create in _operations(ls),
    )


def _operations(ls: Server) -> Sequence[Any]:
    """Return what the editor can do to files."""
    return _capability(ls, "workspace", "workspace_edit", "resource_operations") or ()


def _versioned(ls: Server) -> bool:
    return bool(_capability(ls, "workspace", "workspace_edit", "document_changes"))


_TABLE: dict[str, tuple[Any, Any]] = {
    types.INITIALIZE: (_initialize, None),
    types.INITIALIZED: (_initialized, None),
    types.SHUTDOWN: (_shutdown, None),
    types.TEXT_DOCUMENT_DID_OPEN: (_open, None),
    types.TEXT_DOCUMENT_DID_CHANGE: (_change, None),
    types.TEXT_DOCUMENT_DID_CLOSE: (_close, None),
    types.TEXT_DOCUMENT_DID_SAVE: (_save, types.SaveOptions(include_text=False)),
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: (_watched, None),
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: (_folders, None),
    types.TEXT_DOCUMENT_COMPLETION: (
        _completion,
        types.CompletionOptions(trigger_characters=[" ", "[", "{", ",", ".", ":", '"', "'"]),
    ),
    types.TEXT_DOCUMENT_HOVER: (_hover, None),
    types.TEXT_DOCUMENT_DEFINITION: (_definition, None),
    types.TEXT_DOCUMENT_REFERENCES: (_references, None),
    types.TEXT_DOCUMENT_PREPARE_RENAME: (_prepare, None),
    types.TEXT_DOCUMENT_RENAME: (_renamed, types.RenameOptions(prepare_provider=True)),
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (_outline, None),
    types.WORKSPACE_SYMBOL: (_search, None),
    types.TEXT_DOCUMENT_CODE_ACTION: (
        _fixes,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix]),
    ),
}
