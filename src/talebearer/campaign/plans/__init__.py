"""Plans, played: the scenes that writers expect lines in, against the engine that games ask."""

from talebearer.campaign.plans._run import CaseResult, PlanReport, run_plans

__all__ = ["CaseResult", "PlanReport", "run_plans"]
