"""Retrieval: which entities of a scope hold a text or meet conditions, page by page."""

from talebearer.store.retrieval._index import LAG_ROWS_MAX, TextIndex, indexed_text, quoted
from talebearer.store.retrieval._query import Query, parse_query, query_text
from talebearer.store.retrieval._retrieve import (
    LIMIT_DEFAULT,
    LIMIT_MAX,
    Hit,
    Retrieval,
    RetrieveResult,
)

__all__ = [
    "LAG_ROWS_MAX",
    "LIMIT_DEFAULT",
    "LIMIT_MAX",
    "Hit",
    "Query",
    "Retrieval",
    "RetrieveResult",
    "TextIndex",
    "indexed_text",
    "parse_query",
    "query_text",
    "quoted",
]
