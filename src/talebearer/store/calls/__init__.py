"""Requests of the wire: the shape of each method's data, and what answers it."""

from talebearer.store.calls._deadlines import deadline_ms, refuse_late
from talebearer.store.calls._dispatch import METHODS, WRITING_METHODS, answer, reads_aside
from talebearer.store.calls._encoded import answer_encoded, encoded
from talebearer.store.calls._group import answer_many

__all__ = [
    "METHODS",
    "WRITING_METHODS",
    "answer",
    "answer_encoded",
    "answer_many",
    "deadline_ms",
    "encoded",
    "reads_aside",
    "refuse_late",
]
