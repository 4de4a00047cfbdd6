"""``talebearer lsp``: content in an editor, over standard input and output."""

from __future__ import annotations

import typer

from talebearer.cli._options import JsonOption
from talebearer.errors import extra_missing

NAME = "lsp"
EXAMPLE = "Example: talebearer lsp, as the command of a language server in an editor's settings"
_LIBRARIES = ("pygls", "lsprotocol", "attrs", "cattrs")


def run(as_json: JsonOption = False) -> None:  # noqa: ARG001 - every command takes it; the protocol is JSON
    """Serve an editor: findings as one types, completion, hover, definition, references, rename.

    The editor starts this and speaks the Language Server Protocol over standard input and output.
    Content is found in the folders that it has open; messages go to standard error.
    """
    try:
        from talebearer.server.lsp import serve_stdio
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in _LIBRARIES:
            raise
        raise extra_missing("the language server", "authoring", library=error.name) from error
    code = serve_stdio()
    if code:
        raise typer.Exit(code)
