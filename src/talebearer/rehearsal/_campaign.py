"""The rules of the campaign that content belongs to: who tells whom, and how fast memory fades."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from talebearer.campaign import CampaignConfig

SETTINGS = "campaign.toml"
_UP_MAX = 8
"""How many folders up a campaign may be from its content."""


def rules_of(content: Path) -> CampaignConfig:
    """Return the settings of the campaign that the folder *content* belongs to.

    That is the one beside which it lies, or the nearest one further up whose ``content`` it is.
    Content of no campaign has no circles of gossip and nothing fades.

    Raises:
        InvalidCampaign: The campaign's settings have faults (TB107).
    """
    # It brings half of a campaign along, which the first funnel of a page need not wait for.
    from talebearer.campaign import CampaignConfig, load_config
    from talebearer.extraction import Roster

    for folder in list(content.parents)[:_UP_MAX]:
        settings = folder / SETTINGS
        if not settings.is_file():
            continue
        config = load_config(settings)
        if folder == content.parent or (folder / config.content).resolve() == content:
            return config
        break
    return CampaignConfig(id="rehearsal", name="Rehearsal", roster=Roster())
