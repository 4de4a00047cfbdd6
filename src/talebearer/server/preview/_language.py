"""What the page shows of lines in another language: their texts, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from talebearer.content.sheets import texts_in, translations_file
from talebearer.lines import Pack
from talebearer.lines.texts import Texts


class InLanguage:
    """Says the lines of answers in one language, where they are translated.

    Args:
        content: The content folder.
        language: Such as ``de``.
        cache: A folder that remembers what was made of the translations; None remembers nothing.
    """

    def __init__(self, content: Path, language: str, cache: Path | None) -> None:
        self._content = content
        self._language = language
        self._cache = cache
        self._made_of = b""
        self._texts: Texts | None = None

    def shown(self, answer: Mapping[str, Any], pack: Pack) -> Mapping[str, Any]:
        """Return *answer* with the texts of its lines in the language.

        Raises:
            UsageFault: There are no such translations (TB111).
            InvalidTranslations: They cannot be read (TB122).
        """
        found: Mapping[str, Any] = self._said(answer, self._current(pack))
        return found

    def _current(self, pack: Pack) -> Texts:
        """Return the texts as the files have them now."""
        data = translations_file(self._content, self._language).read_bytes()
        made_of = sha256(data + pack.digest.encode()).digest()
        if self._texts is None or made_of != self._made_of:
            self._texts = texts_in(self._content, pack, self._language, cache=self._cache)
            self._made_of = made_of
        return self._texts

    def _said(self, value: Any, texts: Texts) -> Any:
        if isinstance(value, list | tuple):
            return [self._said(part, texts) for part in value]
        if not isinstance(value, Mapping):
            return value
        found = {name: self._said(part, texts) for name, part in value.items()}
        key = _line_of(value)
        if key is not None:
            found["text"] = texts.of(*key, value["text"])
            if isinstance(value.get("variants"), list):
                found["variants"] = [texts.of(*key, text) for text in value["variants"]]
        return found


def _line_of(value: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return pool and id of the line that *value* is about, if it shows one's text."""
    if not isinstance(value.get("text"), str):
        return None
    if isinstance(value.get("reference"), str):
        pool, _, line_id = value["reference"].rpartition(":")
    else:
        pool, line_id = value.get("pool"), value.get("line_id", value.get("id"))
    is_line = isinstance(pool, str) and isinstance(line_id, str)
    return (pool, line_id) if is_line else None
