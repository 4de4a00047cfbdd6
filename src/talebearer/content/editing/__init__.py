"""Text edits of authored YAML: what is asked for changes, and every other byte stays."""

from talebearer.content.editing._edits import Edits
from talebearer.content.editing._tree import barring, fresh_errors
from talebearer.content.editing._write import Change, write_changes

__all__ = ["Change", "Edits", "barring", "fresh_errors", "write_changes"]
