"""Names of a tree while one writes: where each is declared and used, and what may stand at a place."""

from talebearer.content._tree import ContentFile
from talebearer.content.index._about import about, meaning
from talebearer.content.index._complete import Offer, Proposal, Sort, offer
from talebearer.content.index._cursor import Cursor, cursor_at, rows_of
from talebearer.content.index._live import Analysis, LiveTree
from talebearer.content.index._shapes import NameKind, Shape, shape_of
from talebearer.content.index._symbols import FileIndex, NamePlace, NameUse, Purpose, Symbols
from talebearer.content.index._things import Thing, thing_at

__all__ = [
    "Analysis",
    "ContentFile",
    "Cursor",
    "FileIndex",
    "LiveTree",
    "NameKind",
    "NamePlace",
    "NameUse",
    "Offer",
    "Proposal",
    "Purpose",
    "Shape",
    "Sort",
    "Symbols",
    "Thing",
    "about",
    "cursor_at",
    "meaning",
    "offer",
    "rows_of",
    "shape_of",
    "thing_at",
]
