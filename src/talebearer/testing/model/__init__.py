"""The plain model: the whole contract of the store over dictionaries and lists.

:class:`ModelController` is the oracle that the embedded store and the daemon are compared with.
It is written from the specification alone, decides everything anew and knows no cleverness.
"""

from talebearer.testing.model._controller import ModelController
from talebearer.testing.model._feed import ModelFeed
from talebearer.testing.model._joiner import EngineJoiner
from talebearer.testing.model._parts import CODES, Answer, Joiner, Refused

__all__ = ["CODES", "Answer", "EngineJoiner", "Joiner", "ModelController", "ModelFeed", "Refused"]
