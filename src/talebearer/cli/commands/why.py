"""``talebearer why``: the chain of evidence behind a line, a fact or an occurrence."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from talebearer.cli._options import (
    Audience,
    CampaignOption,
    ForOption,
    JsonOption,
    MindOption,
    open_campaign,
    shown_to,
)
from talebearer.cli._output import print_evidence, print_json

NAME = "why"
EXAMPLE = "Example: talebearer why interaction.maelis-brandt_001"


def run(
    reference: Annotated[
        str,
        typer.Argument(
            metavar="REFERENCE",
            help="A fact id, an interaction id, POOL:LINE, or an occurrence id.",
        ),
    ],
    mind: MindOption = "party",
    audience: ForOption = Audience.GAME_MASTER,
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """Follow a line, fact, interaction or occurrence back to the transcript."""
    with open_campaign(campaign, read_only=True) as opened:
        evidence = shown_to(opened, audience).why(reference, mind=mind)
    if as_json:
        print_json(evidence)
    else:
        print_evidence(evidence)
