"""``talebearer new``: a line, a character or a location, with the next free id and all its files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from talebearer.cli._content import DEFAULT_CONTENT, cache_of, must_be_content
from talebearer.cli._options import JsonOption
from talebearer.cli._output import print_json, print_plain, progress
from talebearer.errors import UsageFault

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from talebearer.content.editing import Change

NAME = "new"
EXAMPLE = (
    'Example: talebearer new line the-quay/odo-renn --text "You again." --access public '
    "--trust surface --situation social"
)
NPC_EXAMPLE = 'talebearer new npc ada-moll --name "Ada Moll" --role clerk --location the-quay'
LOCATION_EXAMPLE = "talebearer new location the-moor --role shepherd --role digger"
SUBCOMMANDS = ("line", "npc", "location")

app = typer.Typer(
    help="Add a line, a character or a location to content; nothing is overwritten.",
    rich_markup_mode=None,
    no_args_is_help=False,
)
ContentOption = Annotated[
    Path,
    typer.Option("--content", metavar="DIR", help="The content folder.", show_default="content"),
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Write nothing; print what would be written.")
]
Words = list[str] | None


@app.command("line", epilog=EXAMPLE)
def line(
    pool: Annotated[str, typer.Argument(metavar="POOL", help="The pool's path, or its end.")],
    text: Annotated[str | None, typer.Option("--text", help="What is said or thought.")] = None,
    access: Annotated[Words, typer.Option("--access", help="Who may hear it; repeatable.")] = None,
    trust: Annotated[str | None, typer.Option("--trust", help="The trust it takes.")] = None,
    situation: Annotated[Words, typer.Option("--situation", help="When it fits.")] = None,
    topic: Annotated[Words, typer.Option("--topic", help="What it is about.")] = None,
    mood: Annotated[Words, typer.Option("--mood", help="Its temper.")] = None,
    tag: Annotated[Words, typer.Option("--tag", help="A free tag.")] = None,
    role: Annotated[str | None, typer.Option("--role", help="Else the pool's.")] = None,
    trigger: Annotated[str | None, typer.Option("--trigger", help="Of a thought.")] = None,
    priority: Annotated[int | None, typer.Option("--priority", help="Of a thought.")] = None,
    cooldown: Annotated[int | None, typer.Option("--cooldown", help="Ticks of silence.")] = None,
    fact: Annotated[str | None, typer.Option("--fact", help="The fact that it tells.")] = None,
    confidence: Annotated[
        str, typer.Option("--confidence", help="How surely it tells the fact.")
    ] = "knows_of",
    notes: Annotated[str | None, typer.Option("--notes", help="For writers.")] = None,
    content: ContentOption = DEFAULT_CONTENT,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Add a line at the end of a pool, with the next free id."""
    from talebearer.content.editing import new_line

    must_be_content(content)
    fields = {
        "text": text,
        "access": access,
        "trust": trust,
        "situation": situation,
        "topic": topic,
        "mood": mood,
        "tags": tag,
        "role": role,
        "trigger": trigger,
        "priority": priority,
        "cooldown": cooldown,
        "knowledge_grant": {"fact_id": fact, "confidence": confidence} if fact else None,
        "notes": notes,
    }
    # An option that was not given is a field that the line lacks.
    given = {name: part for name, part in fields.items() if part}
    with progress("new", quiet=as_json) as advance:
        made = new_line(content, pool, given, cache=_cache(content), progress=advance)
    _finish((made.change,), dry_run=dry_run, as_json=as_json, made={"id": made.id})
    if not as_json:
        print_plain(f"{made.id} {'would be' if dry_run else 'is'} in {made.pool}")


@app.command(
    "npc",
    epilog=f"Example: {NPC_EXAMPLE}",
)
def npc(
    slug: Annotated[str, typer.Argument(metavar="SLUG", help="The short name in files and ids.")],
    name: Annotated[str | None, typer.Option("--name", help="The name that people use.")] = None,
    role: Annotated[str | None, typer.Option("--role", help="The role.")] = None,
    location: Annotated[
        str | None, typer.Option("--location", help="Where the character is.")
    ] = None,
    alias: Annotated[Words, typer.Option("--alias", help="Another name; repeatable.")] = None,
    content: ContentOption = DEFAULT_CONTENT,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Add a character: a profile, and an empty pool at the location."""
    from talebearer.content.editing import new_npc

    must_be_content(content)
    _must_be_given({"--name": name, "--role": role, "--location": location}, NPC_EXAMPLE)
    with progress("new", quiet=as_json) as advance:
        changes = new_npc(
            content,
            slug,
            name=name or "",
            role=role or "",
            location=location or "",
            aliases=tuple(alias or ()),
            cache=_cache(content),
            progress=advance,
        )
    _finish(changes, dry_run=dry_run, as_json=as_json, made={"id": slug})


@app.command("location", epilog=f"Example: {LOCATION_EXAMPLE}")
def location(
    slug: Annotated[str, typer.Argument(metavar="SLUG", help="The location.")],
    role: Annotated[Words, typer.Option("--role", help="Who is met there; repeatable.")] = None,
    within: Annotated[
        str | None,
        typer.Option(
            "--in",
            metavar="FOLDER",
            help="The folder of content with dialogue/ and monologue/, if there are several.",
        ),
    ] = None,
    content: ContentOption = DEFAULT_CONTENT,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Add a location: an empty pool for each role, and for each player character's thoughts."""
    from talebearer.content.editing import new_location

    must_be_content(content)
    _must_be_given({"--role": role}, LOCATION_EXAMPLE)
    with progress("new", quiet=as_json) as advance:
        changes = new_location(
            content, slug, roles=role or (), within=within, cache=_cache(content), progress=advance
        )
    _finish(changes, dry_run=dry_run, as_json=as_json, made={"id": slug})


def _must_be_given(options: Mapping[str, object], example: str) -> None:
    """Refuse options that are missing, all at once.

    Raises:
        UsageFault: One is (TB111).
    """
    missing = [name for name, value in options.items() if not value]
    if missing:
        raise UsageFault(f"missing: {', '.join(missing)}", hint=example)


def _cache(content: Path) -> Path | None:
    return cache_of(content, no_cache=False)


def _finish(
    changes: Sequence[Change], *, dry_run: bool, as_json: bool, made: dict[str, object]
) -> None:
    from talebearer.content.editing import diff_of, write_changes

    if not dry_run:
        write_changes(changes)
    if as_json:
        files = [str(change.path) for change in changes]
        diff = {"diff": "".join(diff_of(change) for change in changes)} if dry_run else {}
        print_json({**made, "files": files, "written": not dry_run, **diff})
        return
    for change in changes:
        if dry_run:
            for row in diff_of(change).splitlines():
                print_plain(row)
        else:
            print_plain(f"{change.name} {'changed' if change.before else 'written'}")
