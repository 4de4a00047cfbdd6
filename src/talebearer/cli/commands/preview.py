"""``talebearer preview``: a page that shows what lines will do, while they are written."""

from __future__ import annotations

import json
import secrets
import sys
import threading
import webbrowser
from typing import Annotated

import typer

from talebearer.cli._content import (
    DEFAULT_CONTENT,
    ContentArgument,
    NoCacheOption,
    cache_of,
    must_be_content,
)
from talebearer.cli._options import JsonOption
from talebearer.cli._output import say
from talebearer.errors import extra_missing

NAME = "preview"
EXAMPLE = (
    "Example: talebearer preview content\n\n"
    "Example: talebearer preview content --port 0 --no-browser --json\n\n"
    "Example: talebearer preview content --editor vscode"
)
PORT = 8_427
TOKEN_BYTES = 32
_LIBRARIES = {"anyio", "h11", "starlette", "uvicorn", "watchfiles"}


def run(
    content: ContentArgument = DEFAULT_CONTENT,
    port: Annotated[
        int, typer.Option("--port", metavar="N", help="The port; 0 takes a free one.")
    ] = PORT,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Only print the address.")
    ] = False,
    editor: Annotated[
        str | None,
        typer.Option(
            "--editor",
            metavar="NAME|TEMPLATE",
            help="Add links that open files in an editor: vscode, idea and others, or a template "
            "with {path}, {line} and {column}.",
            show_default=False,
        ),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            "--language", metavar="CODE", help="Show lines in this language, where translated."
        ),
    ] = None,
    no_cache: NoCacheOption = False,
    as_json: JsonOption = False,
) -> None:
    """Serve a page on this machine that shows what the lines of a content tree will do.

    Set a scene and see which lines can be said, how likely each is, and what stopped the others;
    roll, talk, walk out. The page follows the files as they are saved. Ctrl-C ends it.
    """
    must_be_content(content)
    try:
        import watchfiles  # noqa: F401 - the page follows files by it; without, it would lag

        from talebearer.server.preview import Previewer, address_of, bind, editor_template, serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in _LIBRARIES:
            raise
        raise extra_missing("the previewer", "authoring", library=error.name) from error

    if language is not None:
        from talebearer.content.sheets import translations_file

        translations_file(content, language)
    template = None if editor is None else editor_template(editor)
    listener = bind(port)
    address = address_of(listener)

    def ready() -> None:
        if as_json:
            # Not by `print_json`: it loads the campaign, and the address is wanted at once.
            print(json.dumps({"address": address, "content": str(content)}))
        else:
            say(f"preview of {content}: {address} (Ctrl-C ends it)")
        sys.stdout.flush()
        if not no_browser:
            # Beside it, since some browsers keep whoever starts them waiting, and the page waits for us.
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    try:
        with listener:
            previewer = Previewer(
                content,
                cache=cache_of(content, no_cache=no_cache),
                editor=template,
                language=language,
            )
            serve(previewer, listener, token=secrets.token_urlsafe(TOKEN_BYTES), ready=ready)
    except KeyboardInterrupt:
        # Ctrl-C is the way to end it and no fault.
        return
