"""``talebearer report``: one HTML page of everything."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from talebearer.cli._options import (
    Audience,
    CampaignOption,
    ForOption,
    JsonOption,
    open_campaign,
    shown_to,
)
from talebearer.cli._output import print_json, say

if TYPE_CHECKING:
    from talebearer.campaign import Campaign

NAME = "report"
EXAMPLE = "Example: talebearer report --for players --output session-report.html"
# Pages for different readers do not take each other's place.
SUFFIXES = {Audience.GAME_MASTER: "", Audience.PLAYERS: "-players"}


def run(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Else in runs/.")
    ] = None,
    audience: ForOption = Audience.GAME_MASTER,
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """Write one HTML page: who was met, what passed, the quotes, and what is remembered."""
    with open_campaign(campaign, read_only=True) as opened:
        path = write(shown_to(opened, audience), output, name=f"report{SUFFIXES[audience]}.html")
    if as_json:
        print_json({"report": str(path), "bytes": path.stat().st_size})
    else:
        say(f"report: {path}")


def write(campaign: Campaign, output: Path | None = None, *, name: str = "report.html") -> Path:
    """Render the report of an open campaign and return where it lies."""
    from talebearer.errors import UsageFault
    from talebearer.server import render_report

    path = output or campaign.folder / "runs" / name
    if path.is_dir() or (output is not None and not path.parent.is_dir()):
        wrong = path if path.is_dir() else path.parent
        what = "is a folder" if path.is_dir() else "is not a folder"
        raise UsageFault(f"{wrong} {what}", hint="name a file in a folder that exists")
    campaign.write_file(path, render_report(campaign))
    return path
