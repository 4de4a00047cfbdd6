"""The words of a pack, as the schema of plans wants them."""

from __future__ import annotations

from talebearer.lines import Pack


def words_of(pack: Pack) -> dict[str, tuple[str, ...]]:
    """Return the values of each enumeration of *pack*."""
    enums = pack.enums
    return {
        "access": tuple(enums.access),
        "trust": tuple(enums.trust),
        "situations": tuple(enums.situations),
        "topics": tuple(enums.topics),
        "moods": tuple(enums.moods),
        "triggers": tuple(enums.triggers),
        "characters": tuple(pack.characters),
    }
