"""``talebearer report``: one HTML page of everything."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from talebearer.cli._options import CampaignOption, JsonOption, open_campaign
from talebearer.cli._output import print_json, say

NAME = "report"
EXAMPLE = "Example: talebearer report --output session-report.html"


def run(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Else runs/report.html.")
    ] = None,
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """Write one HTML page: who was met, what passed, the quotes, and what is remembered."""
    with open_campaign(campaign, read_only=True) as opened:
        path = write(opened, output)
    if as_json:
        print_json({"report": str(path), "bytes": path.stat().st_size})
    else:
        say(f"report: {path}")


def write(campaign: object, output: Path | None = None) -> Path:
    """Render the report of an open campaign and return where it lies."""
    from talebearer.campaign import Campaign
    from talebearer.errors import UsageFault
    from talebearer.server import render_report

    assert isinstance(campaign, Campaign)
    path = output or campaign.folder / "runs" / "report.html"
    if output is None:
        path.parent.mkdir(exist_ok=True)
    elif not path.parent.is_dir():
        raise UsageFault(f"{path.parent} is not a folder", hint="make it first")
    part = path.with_name(path.name + ".part")
    part.write_text(render_report(campaign), encoding="utf-8")
    part.replace(path)
    return path
