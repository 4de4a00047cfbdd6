"""Content as text: edits that keep every other byte, and the canonical form."""

from talebearer.content.editing._edits import Edits
from talebearer.content.editing._format_tree import Formatting, format_content, format_text
from talebearer.content.editing._tree import barring, fresh_errors
from talebearer.content.editing._write import Change, diff_of, write_changes

__all__ = [
    "Change",
    "Edits",
    "Formatting",
    "barring",
    "diff_of",
    "format_content",
    "format_text",
    "fresh_errors",
    "write_changes",
]
