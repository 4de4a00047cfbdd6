"""``talebearer schemas``: the JSON Schemas that editors check content against."""

from __future__ import annotations

from typing import Annotated

import typer

from talebearer.cli._content import DEFAULT_CONTENT, FINDINGS, ContentArgument, must_be_content
from talebearer.cli._options import JsonOption
from talebearer.cli._output import print_json, print_plain

NAME = "schemas"
EXAMPLE = "Example: talebearer schemas content --headers --write"


def run(
    content: ContentArgument = DEFAULT_CONTENT,
    write: Annotated[
        bool, typer.Option("--write", help="Bring content/_schema up to date.")
    ] = False,
    headers: Annotated[
        bool, typer.Option("--headers", help="Look at the row of each file that names its schema.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Compare content/_schema with the enumerations; exit 1 while a schema is out of date."""
    from talebearer.content import schemas_for, write_schemas
    from talebearer.content.editing import schema_headers, write_changes

    must_be_content(content)
    folder = content / "_schema"
    stale = [
        name
        for name, text in schemas_for(content).items()
        if not (folder / name).is_file()
        or (folder / name).read_bytes().decode("utf-8", "replace") != text
    ]
    changes = schema_headers(content) if headers else ()
    if write and stale:
        write_schemas(folder)
    if write:
        write_changes(changes)
    if as_json:
        found = {
            "folder": str(folder),
            "stale": stale,
            "written": bool(write and (stale or changes)),
        }
        print_json(found | ({"headers": [one.name for one in changes]} if headers else {}))
    else:
        for name in stale:
            print_plain(f"{folder / name} {'written' if write else 'is out of date'}")
        for change in changes:
            print_plain(f"{change.name} {'names' if write else 'does not name'} its schema")
        if not stale and not changes:
            print_plain(f"{folder} is up to date")
    if (stale or changes) and not write:
        raise typer.Exit(FINDINGS)
