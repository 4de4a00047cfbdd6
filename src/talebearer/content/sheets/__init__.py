"""Lines as sheets for writers, editors and voice recording, and back; texts for translators."""

from talebearer.content.sheets._columns import Column, columns
from talebearer.content.sheets._export import Exported, export_lines
from talebearer.content.sheets._import import Choices, Imported, import_lines
from talebearer.content.sheets._plan import CellChange, Conflict
from talebearer.content.sheets._rows import Filter, recording_stem
from talebearer.content.sheets._said import Said, said_in, texts_in, translations_file
from talebearer.content.sheets._translations import (
    Translated,
    export_translations,
    import_translations,
    translations,
)

__all__ = [
    "CellChange",
    "Choices",
    "Column",
    "Conflict",
    "Exported",
    "Filter",
    "Imported",
    "Said",
    "Translated",
    "columns",
    "export_lines",
    "export_translations",
    "import_lines",
    "import_translations",
    "recording_stem",
    "said_in",
    "texts_in",
    "translations",
    "translations_file",
]
