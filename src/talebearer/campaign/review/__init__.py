"""Review: decisions of people on what was extracted, kept apart from it and applied to it.

``_decisions`` says what a decision is and ``_apply`` what it does, both pure; ``_asks`` understands
what a person asks for, ``_session`` and ``_desk`` put what follows into the store and into memory,
``_list`` shows where review stands.
"""

from talebearer.campaign.review._apply import Names, apply_decisions
from talebearer.campaign.review._asks import Ask
from talebearer.campaign.review._decisions import (
    Change,
    Decision,
    DecisionAction,
    Subject,
    evidence_of,
    in_force,
    journal_text,
    read_decision,
    read_journal,
)
from talebearer.campaign.review._desk import Desk, read_decisions
from talebearer.campaign.review._list import (
    list_review,
    stale_numbers,
    stale_problems,
    view_decisions,
)
from talebearer.campaign.review._people import People, people_after_review
from talebearer.campaign.review._session import (
    Derived,
    Extracted,
    derive,
    put_session,
    read_extracted,
)
from talebearer.campaign.review._views import (
    DecisionView,
    NameReview,
    OccurrenceReview,
    Review,
    SessionQuote,
    decision_text,
)

__all__ = [
    "Ask",
    "Change",
    "Decision",
    "DecisionAction",
    "DecisionView",
    "Derived",
    "Desk",
    "Extracted",
    "NameReview",
    "Names",
    "OccurrenceReview",
    "People",
    "Review",
    "SessionQuote",
    "Subject",
    "apply_decisions",
    "decision_text",
    "derive",
    "evidence_of",
    "in_force",
    "journal_text",
    "list_review",
    "people_after_review",
    "put_session",
    "read_decision",
    "read_decisions",
    "read_extracted",
    "read_journal",
    "stale_numbers",
    "stale_problems",
    "view_decisions",
]
