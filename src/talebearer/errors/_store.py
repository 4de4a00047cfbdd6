"""TB2xx: the store cannot do it."""

from __future__ import annotations

from talebearer.errors._tree import StoreError


class SchemaTooNew(StoreError):
    """A database of a newer schema version than this program knows."""

    code = "TB201"
    title = "A database of a newer schema version"
    text = "A newer version of the program wrote it. It was opened read-only and left as it is."
    fix = "Install the newer version."


class ForeignDatabase(StoreError):
    """A database, or another file, of another program."""

    code = "TB202"
    title = "A database of another program"
    text = "The file is not a Talebearer database, so nothing in it was touched."
    fix = "Move it away, or choose another folder."


class StoreLocked(StoreError):
    """Another process writes to this store."""

    code = "TB203"
    title = "Another process writes to this store"
    text = "A store has one writer at a time. Commands that only read go on beside it."
    fix = "Wait for the process that the message names, or stop it."
    wire_code = -32009
    wire_reason = "OVERLOADED"


class NotFound(StoreError):
    """An entity that never existed in the scope."""

    code = "TB204"
    title = "No such entity"
    text = "No entity with that type and id exists in the scope."
    fix = "Check the id and the scope."
    wire_code = -32003
    wire_reason = "NOT_FOUND"


class VersionConflict(StoreError):
    """A write whose base versions are not the current ones."""

    code = "TB205"
    title = "A write on an old version"
    text = "Somebody else wrote in between, or the entity exists already. Nothing was stored."
    fix = "Read the entity again and write on its current versions."
    wire_code = -32004
    wire_reason = "VERSION_CONFLICT"


class StoreFull(StoreError):
    """The disk is full; the transaction was rolled back."""

    code = "TB206"
    title = "No space left on the disk"
    text = "The write was rolled back as a whole: nothing is half stored."
    fix = "Free some space and run the same command again."
    wire_code = -32009
    wire_reason = "OVERLOADED"


class StoreCorrupt(StoreError):
    """Stored bytes that do not match their digest, or a damaged database page."""

    code = "TB207"
    title = "Stored data is damaged"
    text = "Bytes on disk do not match their recorded digest, or a page cannot be read."
    fix = "Restore the file that the message names from a backup."
    wire_code = -32009
    wire_reason = "OVERLOADED"


class UnsafeSqlite(StoreError):
    """The linked SQLite may corrupt a database in WAL mode."""

    code = "TB208"
    title = "An unsafe SQLite"
    text = "SQLite 3.7.0 to 3.51.2 can corrupt a database when its write-ahead log is reset."
    fix = "Install a newer apsw: pip install --upgrade apsw."


class SchemaTooOld(StoreError):
    """A database of an older schema version without a way up."""

    code = "TB209"
    title = "A database of an older schema version"
    text = "This program has no conversion from that version. The database was left as it is."
    fix = "Export it with the version that wrote it, and record again."


class StoreUnavailable(StoreError):
    """The store cannot be opened or written for a reason of the file system."""

    code = "TB210"
    title = "The store cannot be opened"
    text = "The file system refuses: a missing folder, missing permission, or a read-only disk."
    fix = "Correct the permission or path that the message names."
    wire_code = -32009
    wire_reason = "OVERLOADED"


class CursorExpired(StoreError):
    """A change cursor that the log no longer reaches back to, or never had."""

    code = "TB211"
    title = "A change cursor that is out of reach"
    text = "The changes after that cursor are gone, or the cursor is of another scope or store."
    fix = "Read the current state again, and follow the changes from there."
    wire_code = -32010
    wire_reason = "CURSOR_EXPIRED"


class UnsupportedPlacement(StoreError):
    """Artifact bytes that this store does not hold."""

    code = "TB212"
    title = "Bytes that another provider holds"
    text = "The artifact is indexed, or its bytes belong to another node. Only that one reads them."
    fix = "Ask the placement provider that the message names."
    wire_code = -32006
    wire_reason = "UNSUPPORTED_CAPABILITY"
