"""The use cases: record, recall, talk, think, why. The one place that joins all the others."""

from typing import TYPE_CHECKING

from talebearer._doors import opened_on_use

if TYPE_CHECKING:
    from talebearer.campaign._campaign import Campaign
    from talebearer.campaign._config import CampaignConfig, SceneDefaults, load_config
    from talebearer.campaign._converse import Conversation
    from talebearer.campaign._doctor import Health
    from talebearer.campaign._layout import write_whole
    from talebearer.campaign._names import everybody, find_npc
    from talebearer.campaign._play import EventAnswer, Game, LineAnswer, LineOptions
    from talebearer.campaign._running import RunOptions, model_run
    from talebearer.campaign._scene import SceneBase, scene_base, scene_for
    from talebearer.campaign._social import Social
    from talebearer.campaign._stage import known_places
    from talebearer.campaign.plans import CaseResult, PlanReport, run_plans
    from talebearer.campaign.records import Draft, Now, SessionRecord
    from talebearer.campaign.review import (
        Ask,
        DecisionAction,
        DecisionView,
        NameReview,
        OccurrenceReview,
        Review,
        SessionQuote,
    )
    from talebearer.campaign.roster import Seat
    from talebearer.campaign.views import (
        ConsequenceView,
        EventView,
        Evidence,
        FactView,
        GateView,
        InteractionView,
        LearnedView,
        NpcView,
        OccurrenceView,
        Outcome,
        Quote,
        Recollection,
        Recording,
        Reply,
        SeatsView,
        SeatView,
        SourceSpeakers,
        SpeakerView,
        to_json,
    )

__all__ = [
    "Ask",
    "Campaign",
    "CampaignConfig",
    "CaseResult",
    "ConsequenceView",
    "Conversation",
    "DecisionAction",
    "DecisionView",
    "Draft",
    "EventAnswer",
    "EventView",
    "Evidence",
    "FactView",
    "Game",
    "GateView",
    "Health",
    "InteractionView",
    "LearnedView",
    "LineAnswer",
    "LineOptions",
    "NameReview",
    "Now",
    "NpcView",
    "OccurrenceReview",
    "OccurrenceView",
    "Outcome",
    "PlanReport",
    "Quote",
    "Recollection",
    "Recording",
    "Reply",
    "Review",
    "RunOptions",
    "SceneBase",
    "SceneDefaults",
    "Seat",
    "SeatView",
    "SeatsView",
    "SessionQuote",
    "SessionRecord",
    "Social",
    "SourceSpeakers",
    "SpeakerView",
    "everybody",
    "find_npc",
    "known_places",
    "load_config",
    "model_run",
    "run_plans",
    "scene_base",
    "scene_for",
    "to_json",
    "write_whole",
]

__getattr__ = opened_on_use(
    __name__,
    {
        "_campaign": "Campaign",
        "_config": "CampaignConfig SceneDefaults load_config",
        "_converse": "Conversation",
        "_doctor": "Health",
        "_layout": "write_whole",
        "_names": "everybody find_npc",
        "_play": "EventAnswer Game LineAnswer LineOptions",
        "_running": "RunOptions model_run",
        "_scene": "SceneBase scene_base scene_for",
        "_social": "Social",
        "_stage": "known_places",
        "views": """
            ConsequenceView EventView Evidence FactView GateView InteractionView LearnedView
            NpcView OccurrenceView Outcome Quote Recollection Recording Reply SeatsView SeatView
            SourceSpeakers SpeakerView to_json
        """,
        "plans": "CaseResult PlanReport run_plans",
        "records": "Draft Now SessionRecord",
        "review": "Ask DecisionAction DecisionView NameReview OccurrenceReview Review SessionQuote",
        "roster": "Seat",
    },
)
