"""The change feed: ordered, resumable, of one scope."""

from talebearer.store.feed._changes import LIMIT_DEFAULT, Changes, parse_cursor
from talebearer.store.feed._feed import PAGE_ROWS, Feed, FeedFilter

__all__ = ["LIMIT_DEFAULT", "PAGE_ROWS", "Changes", "Feed", "FeedFilter", "parse_cursor"]
