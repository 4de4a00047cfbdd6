"""What is written and what is missing, and which lines can never be said.

Pure but for what is read from a content folder: a pack goes in, counts, gaps and fates come out.
Whether a gate can hold is asked of the engine's own gates; what cannot be decided without playing is
left undecided and says so.
"""

from talebearer.content._targets import VOLUMES, RoleTarget, Targets, ThoughtTarget, Volume
from talebearer.content.coverage._coverage import GUIDELINES, Coverage, coverage
from talebearer.content.coverage._fates import Fate
from talebearer.content.coverage._files import placed_findings, read_targets
from talebearer.content.coverage._gaps import Gap, VolumeRow, gaps_in_words
from talebearer.content.coverage._matrix import (
    Cell,
    CellKey,
    RoleMatrix,
    ThoughtMatrix,
    ThoughtTable,
)
from talebearer.content.coverage._reach import Finding, Reach, contradictions, reach

__all__ = [
    "GUIDELINES",
    "VOLUMES",
    "Cell",
    "CellKey",
    "Coverage",
    "Fate",
    "Finding",
    "Gap",
    "Reach",
    "RoleMatrix",
    "RoleTarget",
    "Targets",
    "ThoughtMatrix",
    "ThoughtTable",
    "ThoughtTarget",
    "Volume",
    "VolumeRow",
    "contradictions",
    "coverage",
    "gaps_in_words",
    "placed_findings",
    "reach",
    "read_targets",
]
