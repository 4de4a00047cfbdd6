"""From a transcript and a roster to two evidence-cited artifacts.

Two lanes run in order. The registry lane finds who of the story is named (``dnd/npc-list``); the
interaction lane finds what each of them does where (``dnd/npc-interaction-list``), and gets only
the registry's names. Each lane is extract, normalise, validate: an extractor proposes, the rest is
deterministic and the same for all. The embedded extractor ``rules`` needs no model and no network.
"""

from talebearer.extraction._artifacts import Artifact, decode_artifact
from talebearer.extraction._extractors import EXTRACTORS
from talebearer.extraction._normalise import normalise_interactions, normalise_npcs
from talebearer.extraction._roster import (
    Player,
    Roster,
    SpeakerRole,
    UnknownSpeaker,
    unknown_speakers,
)
from talebearer.extraction._run import Extraction, extract_interactions, extract_npcs, run
from talebearer.extraction._session import Glossary

__all__ = [
    "EXTRACTORS",
    "Artifact",
    "Extraction",
    "Glossary",
    "Player",
    "Roster",
    "SpeakerRole",
    "UnknownSpeaker",
    "decode_artifact",
    "extract_interactions",
    "extract_npcs",
    "normalise_interactions",
    "normalise_npcs",
    "run",
    "unknown_speakers",
]
