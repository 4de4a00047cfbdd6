"""TB7xx: findings in a store, a backup or an export."""

from __future__ import annotations

from talebearer.errors._catalogue import register

DAMAGED_PAGE = register(
    "TB701",
    "A damaged page of the database",
    "SQLite cannot read a page, or a tree or index in it is not what it must be. What does not lie on "
    "that page is still served.",
    "Restore the last backup into a new place, and take over from here what `talebearer store export` "
    "can still read.",
)
BROKEN_REFERENCE = register(
    "TB702",
    "A row that refers to nothing",
    "A row names another row that is not there.",
    "Restore the last backup into a new place.",
)
DAMAGED_VALUE = register(
    "TB703",
    "A damaged value",
    "A stored value is no JSON, is not in its canonical form, or does not fit its state.",
    "Write the entity again, or restore the last backup into a new place.",
)
WRONG_HEADS = register(
    "TB704",
    "Heads that do not follow from the history",
    "The current heads of an entity are not those that its last change left, or name no published "
    "version.",
    "Restore the last backup into a new place.",
)
WRONG_LOG = register(
    "TB705",
    "A change log that contradicts itself",
    "Cursors, frontiers, tokens and versions name each other, and here they do not agree.",
    "Restore the last backup into a new place.",
)
MISSING_BYTES = register(
    "TB706",
    "Bytes that are missing",
    "A stored version names managed bytes that are not in the artifact folder.",
    "Put the file back from a backup, or upload the same bytes again.",
)
DAMAGED_BYTES = register(
    "TB707",
    "Bytes that are damaged",
    "A file of the artifact folder does not have the digest or the length under which it stands.",
    "Put the file back from a backup, or upload the same bytes again: they take its place.",
)
DAMAGED_CHANGE = register(
    "TB708",
    "A damaged merge change",
    "The bytes of a merge change do not have the hash under which they stand. Versions keep their "
    "values; what is lost is joining on top of that change, and writes there stay side by side.",
    "Restore the last backup into a new place, or go on: a write on all heads starts afresh.",
)
WRONG_PARENTS = register(
    "TB709",
    "A merge change whose parents do not agree",
    "The recorded parents of a merge change are not those in its bytes, or one of them is missing.",
    "Restore the last backup into a new place.",
)
WRONG_DOCUMENT = register(
    "TB710",
    "A merge document that does not give the stored value",
    "The changes of a version lead to another value than the version has.",
    "Write the entity again on its current heads, or restore the last backup into a new place.",
)
INDEX_DRIFT = register(
    "TB711",
    "A text index that is not up to date",
    "The text index is derived from the current heads, and here it lacks some or has others.",
    "Run `talebearer store fsck --repair`, which builds it again.",
)
WRONG_UNIT = register(
    "TB712",
    "A work unit that contradicts itself",
    "Staged versions, their unit and its heads name each other, and here they do not agree.",
    "Let the unit expire, which discards what is staged.",
)
UNNAMED_BYTES = register(
    "TB713",
    "Bytes that nothing names",
    "No stored version names these bytes. That happens when a write is cut off after its upload.",
    "Run `talebearer store gc` if you want the room.",
)
STRAY_FILE = register(
    "TB714",
    "A file that does not belong there",
    "The artifact folder has a file that is neither an object under its digest nor an upload.",
    "Move it away.",
)
OPEN_MODE = register(
    "TB715",
    "A file that others can read",
    "A store's files are for their owner only.",
    "Take the rights of group and others away: chmod go= FILE.",
)
NOT_CHECKED = register(
    "TB716",
    "A part that could not be checked",
    "Damage, or something that is not installed, stood in the way, so nothing is known of that part.",
    "See the other findings; check again when they are settled.",
)
BACKUP_DIFFERS = register(
    "TB720",
    "A backup that differs from its manifest",
    "A file, a count or a digest of the backup is not what was recorded when it was made.",
    "Use another backup.",
)
IMPORT_LINE = register(
    "TB721",
    "A line that cannot be imported",
    "The line is no JSON, is not of the format, or contradicts another line.",
    "Export again; nothing was imported.",
)
IMPORT_CONFLICT = register(
    "TB722",
    "An entity that exists already",
    "The store has the entity with other versions, and nothing says which are to hold.",
    "Choose with --on-conflict: skip, replace or keep-both. Nothing was imported.",
)
IMPORT_LACKS = register(
    "TB723",
    "An import that is not complete",
    "The file names bytes, versions, merge changes or endpoints that neither it nor the store has.",
    "Export again with all of it; nothing was imported.",
)
CONFIG_FAULT = register(
    "TB724",
    "A store root that is not in order",
    "A folder or file of the root is missing, is of another kind, or cannot be used.",
    "Correct what the message names; `talebearer store init` makes what is missing.",
)
