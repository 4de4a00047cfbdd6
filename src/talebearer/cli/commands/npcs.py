"""``talebearer npcs``: everybody that the campaign met."""

from __future__ import annotations

from pathlib import Path

from talebearer.cli._options import (
    Audience,
    CampaignOption,
    ForOption,
    JsonOption,
    open_campaign,
    shown_to,
)
from talebearer.cli._output import print_json, print_table, say

NAME = "npcs"
EXAMPLE = "Example: talebearer npcs --json"


def run(
    audience: ForOption = Audience.GAME_MASTER,
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """List the NPCs of all recorded sessions, and what passed with each."""
    with open_campaign(campaign, read_only=True) as opened:
        npcs = shown_to(opened, audience).npcs()
    if as_json:
        print_json({"npcs": npcs})
        return
    if not npcs:
        say("Nobody yet. Record a session: talebearer record TRANSCRIPT")
        return
    print_table(
        ("name", "sessions", "what passed", "relationship", "known", ""),
        [
            (
                npc.name,
                ", ".join(npc.sessions),
                ", ".join(f"{kind} {count}" for kind, count in npc.kinds.items()) or "-",
                npc.relationship,
                npc.confidence or "-",
                ", ".join(
                    word
                    for word, there in (
                        ("draft", npc.draft),
                        ("GM only", npc.game_master_only),
                    )
                    if there
                ),
            )
            for npc in npcs
        ],
        wrap=("sessions", "what passed"),
    )
