"""``talebearer lines export``: lines for writers, editors, voice recording and translators."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from talebearer.cli._content import DEFAULT_CONTENT, ContentArgument, must_be_content
from talebearer.cli._options import JsonOption
from talebearer.cli._output import plural, print_json, progress, say
from talebearer.cli.commands.lines._shared import EXITS, LanguageOption, say_counts
from talebearer.errors import UsageFault

if TYPE_CHECKING:
    from talebearer.content.sheets import Exported, Filter

__all__ = ["EXAMPLE", "EXITS", "NAME", "run"]

NAME = "export"
EXAMPLE = (
    "Example: talebearer lines export content --to lines.xlsx --location the-quay\n\n"
    "Example: talebearer lines export content --to script.xlsx --takes recordings\n\n"
    "Example: talebearer lines export content --to pickups.xlsx --changed-since script.xlsx\n\n"
    "Example: talebearer lines export content --language de"
)


def run(
    content: ContentArgument = DEFAULT_CONTENT,
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="FILE", help="The file: .xlsx, .csv, or .po of a language."),
    ] = None,
    language: LanguageOption = "",
    pool: Annotated[
        str, typer.Option("--pool", metavar="TEXT", help="Only pools with this in their path.")
    ] = "",
    role: Annotated[
        str, typer.Option("--role", metavar="ROLE", help="Only dialogue of this role or speaker.")
    ] = "",
    character: Annotated[
        str, typer.Option("--character", metavar="NAME", help="Only thoughts of this character.")
    ] = "",
    location: Annotated[
        str, typer.Option("--location", metavar="SLUG", help="Only pools of this location.")
    ] = "",
    takes: Annotated[
        Path | None,
        typer.Option("--takes", metavar="DIR", help="Recordings; the sheet says which are there."),
    ] = None,
    changed_since: Annotated[
        Path | None,
        typer.Option(
            "--changed-since",
            metavar="FILE",
            help="An earlier sheet; only what is new or changed since.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write lines as a sheet, or as texts to translate.

    A sheet has one row for each line and for each of its variants. With --language it is a PO file,
    by default translations/LANGUAGE.po of the content; translations that are there are kept.
    """
    from talebearer.content.sheets import Filter

    must_be_content(content)
    only = Filter(pool=pool, role=role, character=character, location=location)
    if language or (to is not None and to.suffix == ".po"):
        if changed_since is not None:
            raise UsageFault("--changed-since is for sheets", hint="leave it out")
        _translations(content, to, language, only, takes, as_json=as_json)
        return
    if to is None:
        raise UsageFault("--to FILE says where", hint="--to lines.xlsx, or --language de")
    _sheet(content, to, only, takes, changed_since, as_json=as_json)


def _sheet(
    content: Path,
    to: Path,
    only: Filter,
    takes: Path | None,
    since: Path | None,
    *,
    as_json: bool,
) -> None:
    from talebearer.content.editing import Change, write_changes
    from talebearer.content.sheets import export_lines

    if to.is_dir():
        raise UsageFault(f"{to} is a folder", hint="name a file that ends in .xlsx or .csv")
    with progress("export", quiet=as_json) as told:
        found = export_lines(
            content,
            to.suffix.lower(),
            only=only,
            takes=takes,
            changed_since=since,
            progress=told,
        )
    before = to.read_bytes() if to.is_file() else None
    write_changes([Change(path=to, name=str(to), before=before, after=found.data)])
    if as_json:
        print_json({"file": to.as_posix(), "pools": found.pools, "rows": found.rows}
                   | ({} if found.missing is None else {"missing": found.missing})
                   | ({} if found.gone is None else {"gone": _listed(found)}))  # fmt: skip
    else:
        _say(to, found)


def _say(to: Path, found: Exported) -> None:
    say(f"{to} written: {plural(found.rows, 'row')} of {plural(found.pools, 'pool')}")
    if found.gone is not None:
        say(f"new or changed since the earlier sheet; {plural(len(found.gone), 'text')} gone")
    if found.missing is not None:
        say(f"{plural(found.missing, 'text')} without a recording")


def _listed(found: Exported) -> list[dict[str, object]]:
    return [
        {"pool": pool, "id": line_id, **({"variant": variant} if variant else {})}
        for pool, line_id, variant in found.gone or ()
    ]


def _translations(
    content: Path,
    to: Path | None,
    language: str,
    only: Filter,
    takes: Path | None,
    *,
    as_json: bool,
) -> None:
    from talebearer.content.sheets import export_translations

    if to is not None and to.suffix != ".po":
        raise UsageFault(f"--language and {to.name} exclude each other", hint="--to FILE.po")
    if takes is not None:
        raise UsageFault("--takes is for sheets", hint="leave it out")
    language = language or (to.stem if to is not None else "")
    with progress("export", quiet=as_json) as told:
        found = export_translations(content, language, target=to, only=only, progress=told)
    if as_json:
        print_json(found.as_json())
    else:
        say(f"{found.path} {'written' if found.is_written else 'was up to date'}")
        say_counts([found])
