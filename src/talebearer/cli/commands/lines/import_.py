"""``talebearer lines import``: what was changed in a sheet or translated, as a whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from talebearer.cli._content import DEFAULT_CONTENT, FINDINGS, ContentArgument, must_be_content
from talebearer.cli._options import JsonOption
from talebearer.cli._output import plural, print_json, print_plain, progress, say
from talebearer.cli.commands.lines._shared import (
    EXITS_FINDINGS,
    SHOWN_MAX,
    LanguageOption,
    say_counts,
    say_problems,
)
from talebearer.errors import UsageFault

if TYPE_CHECKING:
    from talebearer.content.sheets import Choices, Conflict, Imported

__all__ = ["EXAMPLE", "EXITS", "NAME", "run"]

NAME = "import"
EXITS = EXITS_FINDINGS
EXAMPLE = (
    "Example: talebearer lines import content --from lines.xlsx --dry-run\n\n"
    "Example: talebearer lines import content --from lines.csv --add --theirs\n\n"
    "Example: talebearer lines import content --from de.po"
)


def run(
    content: ContentArgument = DEFAULT_CONTENT,
    source: Annotated[
        Path | None,
        typer.Option(
            "--from", metavar="FILE", help="A sheet, .xlsx or .csv; or translations, .po."
        ),
    ] = None,
    add: Annotated[bool, typer.Option("--add", help="Make lines of rows that are new.")] = False,
    remove: Annotated[
        bool, typer.Option("--remove", help="Delete lines of the sheet's pools without a row.")
    ] = False,
    ours: Annotated[
        bool, typer.Option("--ours", help="Of a conflict the content's value stays.")
    ] = False,
    theirs: Annotated[
        bool, typer.Option("--theirs", help="Of a conflict the sheet's value wins.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change; write nothing.")
    ] = False,
    language: LanguageOption = "",
    as_json: JsonOption = False,
) -> None:
    """Bring a changed sheet, or translations, into the content; exit 1 on findings or conflicts.

    Only values that were changed in the sheet change; comments, order and layout of the YAML stay.
    Nothing is written if anything is wrong, or if the content would have an error that it has not now.
    """
    from talebearer.content.sheets import Choices, import_lines

    must_be_content(content)
    if source is None:
        raise UsageFault("--from FILE says what", hint="--from lines.xlsx")
    choices = Choices(adds=add, removes=remove, ours=ours, theirs=theirs, dry_run=dry_run)
    if source.suffix == ".po":
        _translations(content, source, language, choices, as_json=as_json)
        return
    with progress("import", quiet=as_json) as told:
        found = import_lines(content, source, choices=choices, progress=told)
    if as_json:
        print_json(found.as_json())
    else:
        _say(found, dry_run=dry_run)
    if found.is_refused:
        raise typer.Exit(FINDINGS)


def _say(found: Imported, *, dry_run: bool) -> None:
    say_problems(found.problems)
    for conflict in found.conflicts[:SHOWN_MAX]:
        _say_conflict(conflict)
    if len(found.conflicts) > SHOWN_MAX:
        print_plain(f"… and {len(found.conflicts) - SHOWN_MAX} more conflicts; --json lists all")
    if dry_run and found.diff:
        print_plain(found.diff.rstrip("\n"))
    counts = [f"{plural(len(found.changes), 'value')} changed"]
    counts += [f"{plural(len(found.added), 'line')} added"] if found.added else []
    counts += [f"{plural(len(found.removed), 'line')} removed"] if found.removed else []
    counts += [plural(len(found.conflicts), "conflict")] if found.conflicts else []
    counts += [f"in {plural(len(found.files), 'file')}, {plural(found.rows, 'row')} read"]
    say(", ".join(counts))
    if found.reordered:
        pools = plural(len(found.reordered), "pool")
        say(f"rows of {pools} stand in another order; the lines stay where they are", style="dim")
    if found.is_refused:
        say("nothing was written")
    elif dry_run:
        say("dry run: nothing was written")


def _say_conflict(conflict: Conflict) -> None:
    change = conflict.change
    print_plain(f"{change.place}: {change.pool}#{change.line_id} {change.column}: conflict", "red")
    print_plain(f"  exported: {conflict.exported}")
    print_plain(f"  content:  {change.before}")
    print_plain(f"  sheet:    {change.after}")


def _translations(
    content: Path, source: Path, language: str, choices: Choices, *, as_json: bool
) -> None:
    from talebearer.content.sheets import import_translations

    if choices.adds or choices.removes or choices.ours or choices.theirs:
        hint = "translations win where they are filled in; no text is added or removed"
        raise UsageFault("--add, --remove, --ours and --theirs are for sheets", hint=hint)
    with progress("import", quiet=as_json) as told:
        found = import_translations(
            content, source, language=language, dry_run=choices.dry_run, progress=told
        )
    if as_json:
        print_json(found.as_json() | {"diff": found.diff})
        return
    say_problems(found.problems)
    if choices.dry_run and found.diff:
        print_plain(found.diff.rstrip("\n"))
    say_counts([found])
    if choices.dry_run:
        say("dry run: nothing was written")
