"""The application without its commands: options that all commands share; and with one of them alone.

To build all commands takes a quarter of what it takes to start, so whoever asks for one gets that one.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from types import ModuleType
from typing import Annotated

import typer

from talebearer import __version__

EXIT_CODES = (
    "Exit codes: 0 fine, 1 findings, 2 usage or bad input, 3 store, 4 provider, 70 our bug, "
    "130 interrupted."
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"talebearer {__version__}")
        raise typer.Exit


def _shared(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Print the full traceback of an error; anywhere.")
    ] = False,
) -> None:
    """Characters with a memory that has receipts."""


_COMMAND = re.compile(r"[a-z]+")
_MODULES = {"eval": "evaluate"}
"""Commands whose module is not called as they are."""


def bare() -> typer.Typer:
    """Return the application with no command in it."""
    app = typer.Typer(
        name="talebearer",
        help="Characters with a memory that has receipts: from transcripts to what a character says.",
        epilog=EXIT_CODES,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_shared)
    return app


def add(app: typer.Typer, command: ModuleType) -> None:
    """Add what the module *command* has to *app*: a command, or several of one family."""
    epilog = f"{command.EXAMPLE}\n\n{EXIT_CODES}"
    if hasattr(command, "app"):
        app.add_typer(command.app, name=command.NAME, epilog=epilog)
    else:
        app.command(command.NAME, epilog=epilog)(command.run)


def app_for(words: list[str]) -> typer.Typer:
    """Return the application with the command that *words* begin with, or with all of them."""
    name = words[0] if words else ""
    if _COMMAND.fullmatch(name):
        module = f"talebearer.cli.commands.{_MODULES.get(name, name)}"
        if importlib.util.find_spec(module) is not None:
            command = importlib.import_module(module)
            if getattr(command, "NAME", None) == name:
                app = bare()
                add(app, command)
                return app
    from talebearer.cli._app import app as whole

    return whole
