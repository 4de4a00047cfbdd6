"""``talebearer store init``: the folders and settings of a store of its own."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import typer

from talebearer.cli._options import JsonOption
from talebearer.cli._output import print_json, say
from talebearer.cli.commands.store._shared import (
    EXITS_FINDINGS,
    FINDINGS,
    line,
    say_problems,
    settings_checks,
)

__all__ = ["EXAMPLE", "EXITS", "NAME", "run"]

NAME = "init"
EXAMPLE = "Example: talebearer store init my-store"
EXITS = EXITS_FINDINGS
POLICY_SCHEMA_NAME = "policy.schema.json"
PROVIDERS_SCHEMA_NAME = "providers.schema.json"


def run(
    root: Annotated[Path, typer.Argument(metavar="DIR", help="The store's root.")],
    as_json: JsonOption = False,
) -> None:
    """Make a store's root: data, artifacts, run, policy, providers and their schemas.

    Nothing is ever overwritten. What is there already is checked; with anything wrong, nothing is
    made and the exit code is 1.
    """
    from talebearer.store.upkeep import init_root, root_place

    place = root_place(root, settings_may_be_wrong=True)
    report = init_root(place, files=_documents(), checks=settings_checks())
    if as_json:
        print_json(report)
    else:
        say_problems(report.problems)
        for name in report.made:
            line(f"made {name}")
        if report.problems:
            say("nothing was made")
        elif not report.made:
            say(f"{report.root}: everything is there and in order")
    if report.problems:
        raise typer.Exit(FINDINGS)


def _documents() -> dict[str, Any]:
    """Return the settings of a new root."""
    from talebearer.server.daemon import PROVIDERS_SCHEMA
    from talebearer.store import shipped_document

    schema = files("talebearer.store.policy").joinpath("files", POLICY_SCHEMA_NAME)
    providers = {
        "$schema": f"./{PROVIDERS_SCHEMA_NAME}",
        "version": 1,
        "providers": {"local": {"kind": "local", "database": "data/talebearer.db"}},
        "routing": {"default": "local", "rules": []},
    }
    return {
        "config.json": {**shipped_document("default"), "$schema": f"./{POLICY_SCHEMA_NAME}"},
        "providers.json": providers,
        POLICY_SCHEMA_NAME: json.loads(schema.read_text("utf-8")),
        PROVIDERS_SCHEMA_NAME: PROVIDERS_SCHEMA,
    }
