"""``talebearer think``: what a player character thinks when something happens."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from talebearer.cli._options import CampaignOption, JsonOption, MindOption, open_campaign
from talebearer.cli._output import print_json, say, short_reference

NAME = "think"
EXAMPLE = "Example: talebearer think --character detective --trigger post_conversation"


def run(
    character: Annotated[str, typer.Option("--character", metavar="C", help="Who thinks.")],
    trigger: Annotated[str, typer.Option("--trigger", metavar="T", help="What happened.")],
    location: Annotated[
        str | None, typer.Option("--location", metavar="L", help="Where; else the current place.")
    ] = None,
    tick: Annotated[
        int | None, typer.Option("--tick", metavar="N", help="When; else one tick from now.")
    ] = None,
    mind: MindOption = "party",
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """Pick a monologue line for a trigger."""
    with open_campaign(campaign) as opened:
        reply = opened.think(character, trigger, location=location, tick=tick, mind=mind)
    if as_json:
        print_json(reply)
    elif reply.text is None:
        say(f"({character} thinks nothing)", style="dim")
        say("  " + ", ".join(f"{step} {count}" for step, count in reply.funnel), style="dim")
    else:
        say(f"{character}: {reply.text}")
        say(f"  {short_reference(reply.reference or '')}", style="dim")
