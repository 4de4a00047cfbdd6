"""``talebearer think``: what a player character thinks when something happens."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from talebearer.cli._lines import (
    EventOption,
    SaidInOption,
    SpeakingOption,
    StrategyOption,
    line_options,
)
from talebearer.cli._options import CampaignOption, JsonOption, MindOption, open_campaign
from talebearer.cli._output import plural, print_json, say, short_reference

NAME = "think"
EXAMPLE = "Example: talebearer think --character detective --trigger post_conversation"


def run(
    character: Annotated[str, typer.Option("--character", metavar="C", help="Who thinks.")],
    trigger: Annotated[str, typer.Option("--trigger", metavar="T", help="What happened.")],
    location: Annotated[
        str | None,
        typer.Option("--location", metavar="SLUG", help="Where; else the current location."),
    ] = None,
    tick: Annotated[
        int | None, typer.Option("--tick", metavar="N", help="When; else one tick from now.")
    ] = None,
    strategy: StrategyOption = None,
    event: EventOption = None,
    speaking: SpeakingOption = None,
    language: SaidInOption = None,
    mind: MindOption = "party",
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """Pick a monologue line for a trigger."""
    with open_campaign(campaign) as opened:
        if language is not None:
            opened.say_in(language)
        reply = opened.think(
            character,
            trigger,
            location=location,
            tick=tick,
            mind=mind,
            more=line_options(strategy, event, speaking),
        )
    if as_json:
        print_json(reply)
    elif reply.text is None:
        say(f"({character} thinks nothing)", style="dim")
        say(f"  {stopped_at(reply.funnel)}", style="dim")
    else:
        say(f"{character}: {reply.text}")
        say(f"  {short_reference(reply.reference or '')}", style="dim")


def stopped_at(funnel: Sequence[tuple[str, int]]) -> str:
    """Return in words where the last lines were dropped."""
    if not funnel or funnel[0][1] == 0:
        return "no pool has lines for this character here"
    before = funnel[0][1]
    for step, count in funnel[1:]:
        if count == 0:
            return f"{plural(funnel[0][1], 'line')}, the last {before} stopped at {step}"
        before = count
    return plural(before, "line")
