"""``talebearer lines``: lines as sheets and as texts to translate, and back; one file a command."""

from __future__ import annotations

import typer

from talebearer.cli.commands.lines import export, import_, translations

NAME = "lines"
EXAMPLE = "Example: talebearer lines export content --to lines.xlsx"
COMMANDS = (export, import_, translations)
SUBCOMMANDS = tuple(command.NAME for command in COMMANDS)

app = typer.Typer(
    help="Lines as sheets for writers and studios, and as texts for translators; and back.",
    rich_markup_mode=None,
    no_args_is_help=False,
)

for command in COMMANDS:
    app.command(command.NAME, epilog=f"{command.EXAMPLE}\n\n{command.EXITS}")(command.run)
