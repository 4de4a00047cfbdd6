"""Plans: scenes that writers expect lines in, read and checked; nothing is played here."""

from talebearer.content.plans._given import CELLS, GIVEN_KINDS
from talebearer.content.plans._lines import LineIndex, names_line
from talebearer.content.plans._lint import lint_plans
from talebearer.content.plans._one import CaseCheck
from talebearer.content.plans._read import (
    Plan,
    Plans,
    check_plans,
    plan_problems,
    read_plan_text,
    read_plans,
)

__all__ = [
    "CELLS",
    "GIVEN_KINDS",
    "CaseCheck",
    "LineIndex",
    "Plan",
    "Plans",
    "check_plans",
    "lint_plans",
    "names_line",
    "plan_problems",
    "read_plan_text",
    "read_plans",
]
