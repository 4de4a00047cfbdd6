"""``talebearer recall``: what a mind remembers of one NPC, with the quotes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
from talebearer.cli._output import indented, print_json, print_occurrence, print_table, say

if TYPE_CHECKING:
    from talebearer.campaign import Recollection

NAME = "recall"
EXAMPLE = "Example: talebearer recall 'Maelis Brandt'"


def run(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name, alias or slug of an NPC.")],
    mind: MindOption = "party",
    audience: ForOption = Audience.GAME_MASTER,
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """Show what is remembered of an NPC: occurrences with quotes, conversations, facts."""
    with open_campaign(campaign, read_only=True) as opened:
        recollection = shown_to(opened, audience).recall(name, mind=mind)
    if as_json:
        print_json(recollection)
    else:
        show(recollection)


def show(recollection: Recollection) -> None:
    """Print a recollection for people."""
    also = f" (also {', '.join(recollection.aliases)})" if recollection.aliases else ""
    where = f", {recollection.role}" if recollection.role else ""
    place = f" at {recollection.location}" if recollection.location else ""
    say(f"{recollection.name}{also}{where}{place}", style="bold")
    known = recollection.confidence or "nothing"
    marks = [
        text
        for flag, text in (
            (recollection.walked_away, "you walked out on them"),
            (recollection.confronted, "there was a confrontation"),
            (recollection.game_master_only, "for the game master only"),
        )
        if flag
    ]
    say(
        f"  to {recollection.mind}: {recollection.relationship}, {known}"
        + "".join(f"; {mark}" for mark in marks)
    )
    for occurrence in recollection.occurrences:
        print_occurrence(occurrence)
    if recollection.interactions:
        print_table(
            ("conversation", "ended", "confronted", "tick", "where", "from"),
            [
                (
                    view.id,
                    view.state,
                    "yes" if view.confrontation else "",
                    str(view.started_tick),
                    view.location,
                    view.session or "live",
                )
                for view in recollection.interactions
            ],
        )
    for fact in recollection.facts:
        indented(f"{fact.confidence} {fact.id}: {fact.description} ({fact.learned_via})", 2)
