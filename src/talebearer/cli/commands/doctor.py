"""``talebearer doctor``: versions, counts, and whether the campaign is sound."""

from __future__ import annotations

from pathlib import Path

import typer

from talebearer.cli._options import CampaignOption, JsonOption, open_campaign
from talebearer.cli._output import plural, print_json, print_table, say

NAME = "doctor"
EXAMPLE = "Example: talebearer doctor --campaign my-campaign"
FINDINGS = 1


def run(campaign: CampaignOption = Path(), as_json: JsonOption = False) -> None:
    """Show versions and counts; check digests and that memory equals its log; exit 1 if not."""
    with open_campaign(campaign, read_only=True) as opened:
        report = opened.doctor()
    if as_json:
        print_json(report)
    else:
        print_table(
            ("what", "value"),
            [(key, str(value)) for key, value in report.facts.items()],
            wrap=("value",),
        )
        for problem in report.faults:
            say(problem, style="red")
        say(plural(len(report.faults), "fault") if report.faults else "no fault found")
    if report.faults:
        raise typer.Exit(FINDINGS)
