"""``talebearer rename``: another name for something, everywhere that content names it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from talebearer.cli._content import DEFAULT_CONTENT, cache_of, must_be_content
from talebearer.cli._options import JsonOption
from talebearer.cli._output import plural, print_json, print_plain, progress, say

if TYPE_CHECKING:
    from talebearer.content.editing import Renaming

NAME = "rename"
EXAMPLE = (
    "Example: talebearer rename fact places.light_out places.lighthouse_dark --dry-run; "
    "talebearer rename npc odo-renn odo-marsh"
)


class Kind(StrEnum):
    """What can be renamed."""

    FACT = "fact"
    LINE = "line"
    NPC = "npc"
    LOCATION = "location"
    ROLE = "role"


def run(
    kind: Annotated[Kind, typer.Argument(help="What it is.")],
    old: Annotated[str, typer.Argument(metavar="OLD", help="Its name; a line's also POOL#ID.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="Its name to be.")],
    content: Annotated[
        Path,
        typer.Option(
            "--content", metavar="DIR", help="The content folder.", show_default="content"
        ),
    ] = DEFAULT_CONTENT,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Write nothing; print what would change.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Rename a fact, line, character, location or role everywhere; saves keep what they know of it."""
    from talebearer.content.editing import diff_of, rename, write_changes

    must_be_content(content)
    cache = cache_of(content, no_cache=False)
    with progress("rename", quiet=as_json) as advance:
        found = rename(content, kind.value, old, new, cache=cache, progress=advance)
    if not dry_run:
        write_changes(found.changes)
    if as_json:
        diff = {"diff": "".join(diff_of(one) for one in found.changes)} if dry_run else {}
        print_json(
            {
                "kind": found.kind,
                "old": found.old,
                "new": found.new,
                "files": [one.name for one in found.changes if one.after is not None],
                "words": found.count,
                "moves": [list(move) for move in found.moves],
                "notes": list(found.notes),
                "written": not dry_run,
                **diff,
            }
        )
        return
    _print(found, dry_run=dry_run)


def _print(found: Renaming, *, dry_run: bool) -> None:
    from talebearer.content.editing import diff_of

    moved = dict(found.moves)
    for was, now in found.moves:
        print_plain(f"{was} -> {now}")
    for change in found.changes:
        if dry_run and change.before is not None and change.after is not None:
            for row in diff_of(change).splitlines():
                print_plain(row, {"+": "green", "-": "red"}.get(row[:1], ""))
        elif change.name not in moved and change.name not in moved.values():
            print_plain(f"{change.name} changed")
    for note in found.notes:
        print_plain(f"note: {note}")
    would = "would change" if dry_run else "changed"
    files = sum(change.after is not None for change in found.changes)
    say(f"{plural(found.count, 'word')} {would} in {plural(files, 'file')}")
