"""Upkeep of a store: looking at it, checking it, copying it, moving it, and clearing it up.

Everything here works on the store's files from outside a running store. What only reads may run
beside the writer; what writes takes the writer's lock.
"""

from talebearer.store.upkeep._access import Reading, scope_of
from talebearer.store.upkeep._backup import BackupReport, backup
from talebearer.store.upkeep._difference import Difference, differences, same_json
from talebearer.store.upkeep._gc import GcReport, gc
from talebearer.store.upkeep._init import CheckReport, InitReport, check_store, init_root
from talebearer.store.upkeep._past import PastEntity, PastVersion, as_of, cursor_at, diff, history
from talebearer.store.upkeep._place import Place, find_place, root_place
from talebearer.store.upkeep._restore import EPOCH, RestoreReport, restore
from talebearer.store.upkeep._tail import tail
from talebearer.store.upkeep.fsck import FsckReport, fsck
from talebearer.store.upkeep.transfer import (
    ExportOptions,
    ImportReport,
    OnConflict,
    export,
    import_file,
)

__all__ = [
    "EPOCH",
    "BackupReport",
    "CheckReport",
    "Difference",
    "ExportOptions",
    "FsckReport",
    "GcReport",
    "ImportReport",
    "InitReport",
    "OnConflict",
    "PastEntity",
    "PastVersion",
    "Place",
    "Reading",
    "RestoreReport",
    "as_of",
    "backup",
    "check_store",
    "cursor_at",
    "diff",
    "differences",
    "export",
    "find_place",
    "fsck",
    "gc",
    "history",
    "import_file",
    "init_root",
    "restore",
    "root_place",
    "same_json",
    "scope_of",
    "tail",
]
