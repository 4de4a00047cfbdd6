"""The embedded extractor: general English cues, no model, no network, linear in the session.

Its cues are the words of any table: titles, verbs of persons, turns and rolls. It knows no name
and no phrase of any campaign. What it finds is a draft, and the floor that a model has to beat.
"""

from talebearer.extraction.rules._english import PARTICLES, TITLES
from talebearer.extraction.rules._extractor import RulesExtractor
from talebearer.extraction.rules._reading import read
from talebearer.extraction.rules._spellings import Spellings, words_of

__all__ = ["PARTICLES", "TITLES", "RulesExtractor", "Spellings", "read", "words_of"]
