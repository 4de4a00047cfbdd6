"""``talebearer schemas``: the JSON Schemas that editors check content against."""

from __future__ import annotations

from typing import Annotated

import typer

from talebearer.cli._content import DEFAULT_CONTENT, FINDINGS, ContentArgument, must_be_content
from talebearer.cli._options import JsonOption
from talebearer.cli._output import print_json, print_plain

NAME = "schemas"
EXAMPLE = "Example: talebearer schemas content --write"


def run(
    content: ContentArgument = DEFAULT_CONTENT,
    write: Annotated[
        bool, typer.Option("--write", help="Bring content/_schema up to date.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Compare content/_schema with the enumerations; exit 1 while a schema is out of date."""
    from talebearer.content import schemas_for, write_schemas

    must_be_content(content)
    folder = content / "_schema"
    stale = [
        name
        for name, text in schemas_for(content).items()
        if not (folder / name).is_file()
        or (folder / name).read_bytes().decode("utf-8", "replace") != text
    ]
    if write and stale:
        write_schemas(folder)
    if as_json:
        print_json({"folder": str(folder), "stale": stale, "written": bool(write and stale)})
    else:
        for name in stale:
            print_plain(f"{folder / name} {'written' if write else 'is out of date'}")
        if not stale:
            print_plain(f"{folder} is up to date")
    if stale and not write:
        raise typer.Exit(FINDINGS)
