"""What a write makes of an entity's heads. Decisions only: nothing is read or written here.

Source: the protocol sheet, sections 5.1 to 5.5.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from talebearer.errors import NotFound, VersionConflict
from talebearer.store._model import ChangeKind, EntityRef
from talebearer.store.policy import ConflictStrategy


def check_bases(
    heads: Collection[str], bases: Collection[str], *, strategy: ConflictStrategy, ref: EntityRef
) -> None:
    """Refuse a write whose *bases* the *strategy* does not accept on top of *heads*.

    ``reject`` wants exactly the heads; the others take any published versions.

    Source: the protocol sheet, section 5.3.
    """
    if strategy is ConflictStrategy.REJECT and set(bases) != set(heads):
        raise conflict(ref, heads)


def conflict(ref: EntityRef, heads: Iterable[str]) -> VersionConflict:
    """Return the error that names the current *heads* of *ref*."""
    current = sorted(heads)
    return VersionConflict(
        f"{ref.type} {ref.id!r} is now at {', '.join(current)}",
        hint="read it again and write on its current versions",
        data={"type": ref.type, "id": ref.id, "current_versions": current},
    )


def unit_conflict(found: Iterable[tuple[EntityRef, Iterable[str]]]) -> VersionConflict:
    """Return the error of a work unit that cannot be published, with each entity's heads."""
    conflicts = [
        {"ref": {"type": ref.type, "id": ref.id}, "current_versions": sorted(heads)}
        for ref, heads in found
    ]
    return VersionConflict(
        f"{len(conflicts)} entities of the work unit were changed outside of it",
        hint="read them again and do the work under a new work unit",
        data={"conflicts": conflicts},
    )


def not_found(ref: EntityRef, *, version: str | None = None) -> NotFound:
    """Return the error for an entity, or a version of one, that is not there."""
    at = f" at version {version}" if version is not None else ""
    return NotFound(
        f"there is no {ref.type} {ref.id!r}{at} in this scope",
        data={"type": ref.type, "id": ref.id},
    )


def change_kind(*, heads_before: int, heads_after: int, deleted: bool) -> ChangeKind:
    """Return the kind of a transition; *deleted* is about the one head that it leaves.

    Source: the protocol sheet, section 5.5 rule 9.
    """
    if not heads_before:
        return "created"
    if heads_after > 1:
        return "conflicted"
    if heads_before > 1:
        return "resolved"
    return "deleted" if deleted else "updated"
