"""The Typer application: options that all commands share, and the commands in reading order."""

from __future__ import annotations

from typing import Annotated

import typer

from talebearer import __version__
from talebearer.cli.commands import (
    build,
    checkpoint,
    coverage,
    demo,
    doctor,
    estimate,
    evaluate,
    explain,
    facts,
    fmt,
    init,
    lines,
    lint,
    lsp,
    mcp,
    mind,
    new,
    npcs,
    preview,
    recall,
    record,
    rename,
    report,
    review,
    schemas,
    serve,
    simulate,
    speakers,
    status,
    stop,
    store,
    talk,
    test,
    think,
    vendor,
    why,
)

EXIT_CODES = (
    "Exit codes: 0 fine, 1 findings, 2 usage or bad input, 3 store, 4 provider, 70 our bug, "
    "130 interrupted."
)


app = typer.Typer(
    name="talebearer",
    help="Characters with a memory that has receipts: from transcripts to what a character says.",
    epilog=EXIT_CODES,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"talebearer {__version__}")
        raise typer.Exit


@app.callback()
def _shared(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Print the full traceback of an error; anywhere.")
    ] = False,
) -> None:
    """Characters with a memory that has receipts."""


COMMANDS = (
    *(init, record, estimate, speakers, npcs, recall, talk, think, explain, why),
    *(lint, lsp, fmt, preview, coverage, test, simulate, build),
    *(rename, facts, schemas, vendor, report, demo, evaluate, doctor),
    *(serve, status, checkpoint, stop, mcp),
)
COMMAND_NAMES = (
    *(command.NAME for command in COMMANDS),
    *(f"{mind.NAME} {name}" for name in mind.SUBCOMMANDS),
    *(f"{new.NAME} {name}" for name in new.SUBCOMMANDS),
    review.NAME,
    *(f"{review.NAME} {name}" for name in review.SUBCOMMANDS),
    *(f"{lines.NAME} {name}" for name in lines.SUBCOMMANDS),
    *(f"{store.NAME} {name}" for name in store.SUBCOMMANDS),
)

for command in COMMANDS:
    app.command(command.NAME, epilog=f"{command.EXAMPLE}\n\n{EXIT_CODES}")(command.run)
app.add_typer(mind.app, name=mind.NAME, epilog=f"{mind.EXAMPLE}\n\n{EXIT_CODES}")
app.add_typer(new.app, name=new.NAME, epilog=f"{new.EXAMPLE}\n\n{EXIT_CODES}")
app.add_typer(review.app, name=review.NAME, epilog=f"{review.EXAMPLE}\n\n{EXIT_CODES}")
app.add_typer(lines.app, name=lines.NAME, epilog=f"{lines.EXAMPLE}\n\n{EXIT_CODES}")
app.add_typer(store.app, name=store.NAME, epilog=f"{store.EXAMPLE}\n\n{EXIT_CODES}")
