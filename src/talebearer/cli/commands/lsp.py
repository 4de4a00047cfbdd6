"""``talebearer lsp``: content in an editor, over standard input and output."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from talebearer.cli._options import JsonOption
from talebearer.cli._output import print_json
from talebearer.errors import extra_missing

NAME = "lsp"
EXAMPLE = (
    "Example: talebearer lsp, as the command of a language server in an editor's settings\n\n"
    "Example: talebearer lsp --json"
)
_LIBRARIES = ("pygls", "lsprotocol", "attrs", "cattrs")


def run(
    stdio: Annotated[  # noqa: ARG001 - it is what the command does anyway
        bool, typer.Option("--stdio", help="Changes nothing: some editors add it.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Serve an editor: findings as one types, completion, hover, definition, references, rename.

    The editor starts this and speaks the Language Server Protocol over standard input and output.
    Content is found in the folders that it has open; messages go to standard error. With --json it
    only says what it can do.
    """
    try:
        from talebearer.server.lsp import about_server, serve_stdio
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in _LIBRARIES:
            raise
        raise extra_missing("the language server", "authoring", library=error.name) from error
    if as_json:
        print_json(about_server())
        return
    if sys.stdin.isatty():
        print("waiting for an editor on standard input; Ctrl-C ends it", file=sys.stderr)
    code = serve_stdio()
    if code:
        raise typer.Exit(code)
