"""What is written and what is missing, and which lines can never be said.

Pure: a pack goes in, counts, gaps and fates come out. Whether a gate can hold is asked of the engine's
own gates; what cannot be decided without playing is left undecided and says so.
"""

from talebearer.content._targets import Targets
from talebearer.content.coverage._fates import Fate
from talebearer.content.coverage._reach import Finding, Reach, contradictions, reach

__all__ = ["Fate", "Finding", "Reach", "Targets", "contradictions", "reach"]
