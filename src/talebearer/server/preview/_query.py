"""What a question of the page says beyond the scene: which rows, which file, which moves."""

from __future__ import annotations

from urllib.parse import parse_qsl

from talebearer.errors import UsageFault
from talebearer.rehearsal import MOVES, Move

PAGE = ("tab", "show", "stage", "find", "moves")
"""Members of the page's address that are not the scene's."""

MORE = (
    "from",
    "count",
    "pool",
    "line",
    "file",
    "draws",
    "remember",
    "wait",
    "skip",
    "upon",
    "name",
)
"""Members of questions that are neither."""

BESIDE = (*PAGE, *MORE)
_TEXT_CHARS_MAX = 4_096
_DIGITS_MAX = 12


class Query:
    """The query string of a question.

    Args:
        raw: The string, without the question mark.

    Raises:
        UsageFault: It cannot be read (TB111).
    """

    def __init__(self, raw: str) -> None:
        self.raw = raw
        try:
            pairs = parse_qsl(raw, keep_blank_values=True, errors="strict")
        except ValueError as error:
            raise UsageFault(f"the address cannot be read: {error}") from None
        self._values = {name: value for name, value in pairs if name in BESIDE}

    def text(self, name: str) -> str:
        """Return the text *name*, empty if it is not there.

        Raises:
            UsageFault: It is too long (TB111).
        """
        value = self._values.get(name, "")
        if len(value) > _TEXT_CHARS_MAX:
            raise UsageFault(f"{name} has more than {_TEXT_CHARS_MAX} characters")
        return value

    def number(self, name: str, default: int, *, most: int) -> int:
        """Return the whole number *name*, from 0 to *most*.

        Raises:
            UsageFault: It is none (TB111).
        """
        value = self._values.get(name)
        if value is None:
            return default
        is_number = value.isascii() and value.isdigit() and len(value) <= _DIGITS_MAX
        if not is_number or int(value) > most:
            raise UsageFault(f"{name} is {value[:40]!r}", hint=f"a whole number from 0 to {most}")
        return int(value)

    def moves(self) -> tuple[Move, ...]:
        """Return the moves of a conversation, as ``say:cargo,money;wait:20;walk_away`` says them.

        Raises:
            UsageFault: One of them is none (TB111).
        """
        parts = self._values.get("moves", "").split(";")
        return tuple(_move(part) for part in parts if part)


def _move(text: str) -> Move:
    kind, _, rest = text.partition(":")
    if kind == "wait":
        if not (rest.isascii() and rest.isdigit() and len(rest) <= _DIGITS_MAX):
            raise UsageFault(f"{text[:40]!r} does not say how long", hint="such as wait:20")
        return Move(kind=kind, ticks=int(rest))
    if kind == "at":
        return Move(kind=kind, location=rest)
    if kind not in MOVES:
        raise UsageFault(f"{text[:40]!r} is no move", hint=f"one of {', '.join(MOVES)}")
    return Move(kind=kind, words=tuple(word for word in rest.split(",") if word))
