"""Content as text: edits that keep every other byte, the canonical form, and scaffolds."""

from talebearer.content.editing._edits import Edits
from talebearer.content.editing._format_tree import Formatting, format_content, format_text
from talebearer.content.editing._headers import schema_headers
from talebearer.content.editing._ids import LineIds, next_line_id
from talebearer.content.editing._new_line import NewLine, new_line
from talebearer.content.editing._rename import RENAMED_KINDS, Renaming, rename
from talebearer.content.editing._scaffold import new_location, new_npc, schema_header
from talebearer.content.editing._tree import Revision, barring, fresh_errors
from talebearer.content.editing._write import Change, diff_of, write_changes

__all__ = [
    "RENAMED_KINDS",
    "Change",
    "Edits",
    "Formatting",
    "LineIds",
    "NewLine",
    "Renaming",
    "Revision",
    "barring",
    "diff_of",
    "format_content",
    "format_text",
    "fresh_errors",
    "new_line",
    "new_location",
    "new_npc",
    "next_line_id",
    "rename",
    "schema_header",
    "schema_headers",
    "write_changes",
]
