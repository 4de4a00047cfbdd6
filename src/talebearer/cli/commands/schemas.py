"""``talebearer schemas``: the JSON Schemas that editors check content against."""

from __future__ import annotations

from typing import Annotated

import typer

from talebearer.cli._content import DEFAULT_CONTENT, FINDINGS, ContentArgument, must_be_content
from talebearer.cli._options import JsonOption
from talebearer.cli._output import print_json, print_plain

NAME = "schemas"
EXAMPLE = (
    "Example: talebearer schemas content --headers --write\n\n"
    "Example: talebearer schemas content --names --write"
)


def run(
    content: ContentArgument = DEFAULT_CONTENT,
    write: Annotated[
        bool, typer.Option("--write", help="Bring content/_schema up to date.")
    ] = False,
    headers: Annotated[
        bool, typer.Option("--headers", help="Look at the row of each file that names its schema.")
    ] = False,
    names: Annotated[
        bool,
        typer.Option("--names", help="Let them offer the content's facts, characters, counters."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Compare content/_schema with the enumerations; exit 1 while a schema is out of date.

    Editors that know of schemas only complete by them. Names that they offer refuse no other name;
    without --names, which of them are offered does not count.
    """
    from talebearer.content import put_schemas, schemas_for, schemas_with_names, stale_schemas
    from talebearer.content.editing import schema_headers, write_changes

    must_be_content(content)
    folder = content / "_schema"
    schemas = schemas_with_names(content) if names else schemas_for(content)
    stale = list(stale_schemas(folder, schemas, exactly=names))
    changes = schema_headers(content) if headers else ()
    if write and stale:
        put_schemas(folder, {name: schemas[name] for name in stale})
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
