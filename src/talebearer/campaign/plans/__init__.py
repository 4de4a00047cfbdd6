"""Plans, played: the scenes that writers expect lines in, against the engine that games ask."""

from typing import TYPE_CHECKING

from talebearer._doors import opened_on_use

if TYPE_CHECKING:
    from talebearer.campaign.plans._minds import MadeUpMinds, Ungivable
    from talebearer.campaign.plans._run import CaseResult, PlanReport, run_plans
    from talebearer.campaign.plans._talk import made_up_conversation

__all__ = [
    "CaseResult",
    "MadeUpMinds",
    "PlanReport",
    "Ungivable",
    "made_up_conversation",
    "run_plans",
]

__getattr__ = opened_on_use(
    __name__,
    {
        "_minds": "MadeUpMinds Ungivable",
        "_run": "CaseResult PlanReport run_plans",
        "_talk": "made_up_conversation",
    },
)
