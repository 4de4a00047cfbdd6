"""Encodings that are neither UTF-8 nor Western European, told by the letters that they give.

Each candidate decodes the whole file strictly. It fits when nearly all of what is not ASCII is what
people write in that language: small Cyrillic or Greek letters (capitals are few, which tells the
Cyrillic encodings apart), Hangul, kana among kanji, or enough of the commonest Chinese characters.
The best share wins; without a fit nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffd\ue000-\uf8ff]")
_LETTERS_MIN = 6
"""Fewer letters than this say too little."""
_SHARE_MIN = 0.7
_SAMPLE_CHARS_MAX = 200_000
_RUN_CHARS_MAX = 2
_SINGLE_SHARE_MIN = 0.9


class _Candidate(NamedTuple):
    encoding: str
    share: Callable[[str], float]


def guess(data: bytes) -> tuple[str, str] | None:
    """Return the text of *data* and the name of its encoding, or None."""
    best: tuple[float, str, str] | None = None
    for encoding, share in _CANDIDATES:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if _CONTROL.search(text):
            continue
        foreign = "".join(_NOT_ASCII.findall(text))[:_SAMPLE_CHARS_MAX]
        fit = share(foreign) if len(foreign) >= _LETTERS_MIN else 0.0
        if fit >= _SHARE_MIN and (best is None or fit > best[0]):
            best = (fit, text, encoding)
    return None if best is None else (best[1], best[2])


def isolated_western(data: bytes) -> str | None:
    """Return *data* as Windows-1252 if its accents stand singly between other letters, else None.

    In Western languages they do, however many there are; letters of another script come in words.
    """
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        return None
    runs = _NOT_ASCII.findall(text[:_SAMPLE_CHARS_MAX])
    short = sum(len(run) <= _RUN_CHARS_MAX for run in runs)
    if _CONTROL.search(text) or short < len(runs) * _SINGLE_SHARE_MIN:
        return None
    return text if _WESTERN("".join(runs)) >= _SINGLE_SHARE_MIN else None


def _of(pattern: str) -> Callable[[str], float]:
    letters = re.compile(f"[{pattern}]")

    def share(text: str) -> float:
        return len(letters.findall(text)) / len(text)

    return share


def _japanese(text: str) -> float:
    """Return the share of kana and kanji, if one in four is kana."""
    kana = _of("\u3041-\u30ff")(text)
    return 0.0 if kana < 0.25 else _of("\u3000-\u30ff\u4e00-\u9fff\uff01-\uff9f")(text) * 0.99


def _chinese(common: str) -> Callable[[str], float]:
    commonest, any_of = _of(common), _of("\u3000-\u303f\u4e00-\u9fff\uff01-\uff60“”‘’…—")

    def share(text: str) -> float:
        often = commonest(text)
        return 0.0 if often < 0.05 else any_of(text) * 0.9 + min(often, 0.5) * 0.1

    return share


_WESTERN = _of("À-ÖØ-öø-ÿŒœŠšŽžŸ«»“”‘’‚„…–—¿¡€ß°")
_CYRILLIC_SMALL = _of("а-яёіїєґў„“”«»—…№’")
_CANDIDATES = (
    _Candidate("cp1251", _CYRILLIC_SMALL),
    _Candidate("koi8-r", _CYRILLIC_SMALL),
    _Candidate("cp866", _CYRILLIC_SMALL),
    _Candidate("cp1253", _of("ά-ώ«»“”…—’")),
    _Candidate("euc-jp", _japanese),
    _Candidate("shift-jis", _japanese),
    _Candidate("euc-kr", _of("\uac00-\ud7a3")),
    _Candidate("gb18030", _chinese("的是不了一我有在人他这你们来到说")),
    _Candidate("big5", _chinese("的是不了一我有在人他這你們來到說")),
)
