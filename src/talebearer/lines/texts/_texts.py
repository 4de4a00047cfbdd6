"""Texts of lines in one language, by the text that each was made from.

A translation is found by pool path, line id and the first 8 hex digits of the SHA-256 of the original. So
one whose original was changed since is never said, whatever pack it stands beside.

Source: rule LP-L8-languages.
"""

from __future__ import annotations

from collections.abc import Mapping

from talebearer.errors import InvalidPack
from talebearer.lines import _reader as read
from talebearer.lines._pick import Pick
from talebearer.lines._pools import variant_name
from talebearer.vocabulary import LANGUAGE

TEXTS_FORMAT = "talebearer.texts"
TEXTS_VERSION = 1

_ORIGINAL = "[0-9a-f]{8}"


class Texts:
    """The translations into one language.

    Attributes:
        language: Such as ``de`` or ``pt_BR``.
    """

    def __init__(self, language: str, texts: Mapping[str, Mapping[str, str]]) -> None:
        """Take in *texts*: from ``pool/path#id`` to translations by the name of their original."""
        self.language = language
        self._texts = texts

    def __len__(self) -> int:
        return sum(map(len, self._texts.values()))

    def of(self, pool: str, line_id: str, text: str) -> str:
        """Return the translation of *text*, one of a line's; *text* itself where there is none."""
        known = self._texts.get(f"{pool}#{line_id}")
        return text if known is None else known.get(variant_name(text), text)

    def said(self, pick: Pick) -> str:
        """Return what is said of *pick* in this language; its own text where nothing is translated."""
        return self.of(pick.pool, pick.line_id, pick.text)


def load_texts(data: bytes) -> Texts:
    """Load what ``talebearer build --language`` writes.

    Raises:
        InvalidPack: It is no such file, or of a newer version (TB114).
    """
    top = read.members(
        read.parse_json(data), "$", required=("format", "version", "language", "texts")
    )
    if top["format"] != TEXTS_FORMAT:
        read.refuse("$.format", f"expected {TEXTS_FORMAT!r}, found {read.shown(top['format'])}")
    version = read.integer(top["version"], "$.version", minimum=1, maximum=10**9)
    if version > TEXTS_VERSION:
        raise InvalidPack(
            f"the texts are of version {version}, and this program knows up to {TEXTS_VERSION}",
            hint="install a newer Talebearer, or build them with this one",
            data={"pointer": "$.version", "found": version, "known_max": TEXTS_VERSION},
        )
    texts: dict[str, dict[str, str]] = {}
    for key, entry in read.mapping(top["texts"], "$.texts").items():
        at = f"$.texts[{read.shown(key)}]"
        texts[key] = {
            read.matching(original, at, _ORIGINAL): read.string(text, at)
            for original, text in read.mapping(entry, at).items()
        }
    return Texts(read.matching(top["language"], "$.language", LANGUAGE), texts)
