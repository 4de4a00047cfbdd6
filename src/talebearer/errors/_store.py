"""TB2xx: the store cannot do it."""

from __future__ import annotations

from typing import ClassVar

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
    wire_reason: ClassVar[str | None] = "OVERLOADED"


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


class IdempotencyConflict(StoreError):
    """An idempotency key that stands for another mutation already."""

    code = "TB213"
    title = "An idempotency key that is taken"
    text = "The same key was sent before with other data. Nothing was stored."
    fix = "Send a new key with a new mutation; send the same data to have the first result again."
    wire_code = -32005
    wire_reason = "IDEMPOTENCY_CONFLICT"


class UnsupportedCapability(StoreError):
    """Something that this store or this connection cannot do."""

    code = "TB214"
    title = "Something that this store cannot do"
    text = "The protocol version is not spoken here, or no placement may answer the whole request."
    fix = "Ask for what the message names as possible."
    wire_code = -32006
    wire_reason = "UNSUPPORTED_CAPABILITY"


class DeadlineExceeded(StoreError):
    """A request whose deadline had passed before it was committed."""

    code = "TB215"
    title = "A deadline that has passed"
    text = "The request's deadline_unix_ms was reached before its commit. Nothing was stored."
    fix = "Send it again with a later deadline, or with none."
    wire_code = -32007
    wire_reason = "DEADLINE_EXCEEDED"


class WorkUnitExpired(StoreError):
    """A work unit that was not closed in time; what was staged in it is gone."""

    code = "TB216"
    title = "A work unit that was not closed in time"
    text = "Its time ran out before the closing mutation, so everything staged in it was discarded."
    fix = "Do the work again under a new work unit."
    wire_code = -32011
    wire_reason = "WORK_UNIT_EXPIRED"


class Overloaded(StoreError):
    """A request that cannot be answered now: a frontier that is not reached, or a full queue."""

    code = "TB217"
    title = "A request that cannot be answered now"
    text = "The state that the request asks for is not reached here, or too much waits already."
    fix = "Send it again a little later."
    wire_code = -32009
    wire_reason = "OVERLOADED"


class Unauthenticated(StoreError):
    """A request before a successful handshake."""

    code = "TB218"
    title = "A request before the handshake"
    text = "A connection begins with a handshake; nothing else is answered before it."
    fix = "Send patchouli.protocol.handshake@1 first."
    wire_code = -32001
    wire_reason = "UNAUTHENTICATED"


class Forbidden(StoreError):
    """A caller that may not do what it asks for."""

    code = "TB219"
    title = "A call that is not allowed"
    text = "The daemon does not serve this caller."
    fix = "Run the client as the user who started the daemon."
    wire_code = -32002
    wire_reason = "FORBIDDEN"


class UploadNotFound(StoreError):
    """An upload that was never begun, is finished, or was discarded at a restart."""

    code = "TB220"
    title = "No such upload"
    text = (
        "The upload was never begun, is finished already, or was discarded when the store closed."
    )
    fix = "Begin the upload again."
    wire_code = -32003


class CheckpointFailed(StoreError):
    """A checkpoint that a reader held up."""

    code = "TB221"
    title = "A checkpoint that could not be completed"
    text = (
        "A reader still needs the write-ahead log. Everything acknowledged is durable all the same."
    )
    fix = "Ask for the checkpoint again when the reader is done."


class ArtifactDamaged(StoreCorrupt):
    """Artifact bytes that are missing or are not what was recorded; code TB207."""

    wire_code = -32603
    wire_reason = None
