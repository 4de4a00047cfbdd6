"""Conversations on made-up minds: a campaign's own, kept nowhere."""

from __future__ import annotations

from talebearer.campaign._config import CampaignConfig, SceneDefaults
from talebearer.campaign._converse import Conversation, begin
from talebearer.campaign._names import Npc
from talebearer.campaign._play import LineOptions
from talebearer.campaign._social import Social
from talebearer.campaign._stage import Stage
from talebearer.campaign.plans._minds import MadeUpMinds
from talebearer.campaign.records import Now
from talebearer.lines import Pack


def made_up_conversation(
    pack: Pack,
    minds: MadeUpMinds,
    config: CampaignConfig,
    *,
    seed: int,
    npc: str,
    tick: int,
    options: SceneDefaults,
    more: LineOptions,
) -> Conversation:
    """Begin a conversation as a campaign does; what happens in it is kept in *minds*.

    Args:
        pack: The content.
        minds: Who talks, and who hears of it.
        config: Circles of gossip and rates of fading.
        seed: Of draws and of tolerances.
        npc: Slug of the NPC that it is with.
        tick: When it begins; later if a mind knows of something later.
        options: The scene.
        more: Strategy, event fields, what is being spoken.

    Raises:
        IllegalTransition: A conversation with somebody else is in progress (TB101).
    """
    stage = Stage(
        book=minds,
        minds=minds,
        config=config,
        pack=pack,
        seed=seed,
        investigator=None,
        social=Social(minds, pack, config, seed),
        selectors={},
    )
    # Each thing that happens takes a tick from here on.
    minds.put_now(Now(tick=tick - 1, location=options.location))
    profile = pack.profiles.get(npc)
    name = profile.name if profile else npc
    whom = Npc(slug=npc, name=name, names=(name,), profile=profile, met=False)
    return begin(stage, whom, mind=minds.mind_id, options=options, more=more)
