"""``talebearer init``: a new campaign folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from talebearer.cli._options import JsonOption, clock, id_salt
from talebearer.cli._output import print_json, say

NAME = "init"
EXAMPLE = "Example: talebearer init my-campaign --name 'The Drowned Bell'"


def run(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The new campaign's folder.")],
    name: Annotated[
        str | None, typer.Option("--name", help="Title; else the folder's name.")
    ] = None,
    campaign_id: Annotated[
        str | None, typer.Option("--id", help="Campaign id; else made from the folder's name.")
    ] = None,
    template: Annotated[
        str | None,
        typer.Option("--template", help="Start from a bundled campaign: drowned-bell."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a campaign: settings, enumerations, editor schemas and an empty store."""
    from talebearer.campaign import Campaign

    with Campaign.create(
        folder,
        name=name,
        campaign_id=campaign_id,
        template=template,
        now_ms=clock(),
        id_salt=id_salt(),
    ) as campaign:
        made = sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
        if as_json:
            print_json({"campaign": campaign.config.id, "folder": str(folder), "files": made})
            return
        say(f"{campaign.config.name} is ready in {folder}")
        say("Next: name players and game master in campaign.toml, then")
        print(f"  talebearer record TRANSCRIPT --campaign {folder}")
        page = f"talebearer preview {folder / 'content'}"
        say(f"Or write what people say: {page} shows what your lines will do")
