"""Entity ids of a campaign's records: derived from what they stand for, never random."""

from __future__ import annotations

import uuid
from hashlib import sha256

LIVE = "live"
"""The stream of what happens in play, as opposed to what was recorded."""

PARTY = "party"
"""The mind that a transcript's occurrences enter."""

WORLD = "world"
"""The mind that holds what lines keep for everybody."""

CLOCK = "clock"
"""The record that keeps the current tick and place."""


def session_stream(session: str) -> str:
    """Return the stream of a recorded session's events."""
    return f"session:{session}"


def transcript_id(session: str) -> str:
    """Return the Artifact id of a session's transcript."""
    return f"transcript:{session}"


def registry_id(session: str) -> str:
    """Return the Artifact id of a session's registry."""
    return f"registry:{session}"


def interactions_id(session: str) -> str:
    """Return the Artifact id of a session's occurrences."""
    return f"interactions:{session}"


def artifact_ids(session: str) -> tuple[str, str, str]:
    """Return the ids of the three Artifacts of a session."""
    return transcript_id(session), registry_id(session), interactions_id(session)


def reviewed_registry_id(session: str) -> str:
    """Return the Artifact id of a session's registry after review, where it differs."""
    return f"reviewed_registry:{session}"


def reviewed_interactions_id(session: str) -> str:
    """Return the Artifact id of a session's occurrences after review, where they differ."""
    return f"reviewed_interactions:{session}"


def decision_id(number: int) -> str:
    """Return the Knowledge id of a decision; ids of any length sort by number."""
    return f"decision:{number:09d}"


def occurrence_id(session: str, item_bytes: bytes) -> str:
    """Return the Knowledge id of an occurrence, from the canonical bytes of its item."""
    return f"occurrence:{session}:{sha256(item_bytes).hexdigest()[:16]}"


def event_id(mind: str, stream: str, sequence: int) -> str:
    """Return the Knowledge id of one event of one mind."""
    return f"event:{mind}:{stream}:{sequence}"


def mind_record_id(mind: str) -> str:
    """Return the Knowledge id of a mind's snapshot."""
    return f"mind:{mind}"


def npc_record_id(slug: str) -> str:
    """Return the Knowledge id that keeps an NPC's names under its slug."""
    return f"npc:{slug}"


def derivation_id(event: str) -> str:
    """Return the relation id that leads from an event to its occurrence."""
    return f"derived_from:{event}"


class SaltedIds:
    """Version ids that repeat from run to run, for fixed clock and seed.

    The store's generation is part of each, so that ids never repeat within a store.

    Attributes:
        generation: How often the store was opened for writing; set once it is open.
    """

    def __init__(self, salt: str) -> None:
        self._salt = salt
        self._count = 0
        self.generation = 0

    def __call__(self) -> str:
        """Return the next id."""
        self._count += 1
        text = f"{self._salt} {self.generation} {self._count}"
        return str(uuid.UUID(bytes=sha256(text.encode()).digest()[:16], version=4))
