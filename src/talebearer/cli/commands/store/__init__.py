"""``talebearer store``: what operators do with a store, one file a command."""

from __future__ import annotations

import typer

from talebearer.cli.commands.store import (
    asof,
    backup,
    check,
    diff,
    export,
    fsck,
    gc,
    history,
    import_,
    init,
    restore,
    tail,
)

NAME = "store"
EXAMPLE = "Example: talebearer store history knowledge occurrence:session-01:1c5e"
COMMANDS = (init, check, fsck, backup, restore, export, import_, gc, history, diff, asof, tail)
SUBCOMMANDS = tuple(command.NAME for command in COMMANDS)

app = typer.Typer(
    help="Look after a store: check it, copy it, move it, clear it up, look into its past.",
    rich_markup_mode=None,
    no_args_is_help=False,
)

for command in COMMANDS:
    app.command(command.NAME, epilog=f"{command.EXAMPLE}\n\n{command.EXITS}")(command.run)
