"""Moving a store's content as JSON Lines: export and import."""

from talebearer.store.upkeep.transfer._export import ExportOptions, export
from talebearer.store.upkeep.transfer._import import ImportReport, import_file
from talebearer.store.upkeep.transfer._plan import OnConflict

__all__ = ["ExportOptions", "ImportReport", "OnConflict", "export", "import_file"]
