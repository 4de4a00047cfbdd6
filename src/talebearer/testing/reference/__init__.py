"""A slow, plain selector, for comparing.

It works on the JSON of a pack and on the logs of the minds, holds nothing back from one question to the
next, and shares no code with :mod:`talebearer.lines`. What a mind knows it asks of
:mod:`talebearer.memory`; what lines wrote it counts in the log itself. A port to another language can be
compared with it, and the package is.
"""

from talebearer.testing.reference._selector import ReferenceAnswer, ReferenceSelector

__all__ = ["ReferenceAnswer", "ReferenceSelector"]
