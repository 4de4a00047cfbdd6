"""What lines say in one language; which line is said is decided without it."""

from talebearer.lines.texts._texts import TEXTS_FORMAT, TEXTS_VERSION, Texts, load_texts

__all__ = ["TEXTS_FORMAT", "TEXTS_VERSION", "Texts", "load_texts"]
