"""Cutting a transcript into chunks that fit a request; nothing is merged across them.

Tokens are estimated from bytes. Two tokenizers gave 3.7 characters a token on transcripts, and some
five tokens for the number and label of a line.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from talebearer.transcripts import Transcript, Unit

BYTES_PER_TEN_TOKENS = 37
LINE_TOKENS = 5
CONTEXT_TOKENS_MAX = 800
SILENCE_S_MIN = 20.0
TAIL_SHARE = 4
"""A chunk may end anywhere in the last fourth of its budget, where the scene gives a hint."""

_BREAK = re.compile(r"\W*(?:short |quick )?break\W*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Consecutive units that one request asks about.

    Attributes:
        index: 0-based place among the lane's chunks; parts of a split chunk share it.
        context: Units before it, shown and not to be cited.
        units: The units that may be cited; at least one.
    """

    index: int
    context: tuple[Unit, ...]
    units: tuple[Unit, ...]

    @property
    def first(self) -> int:
        """Id of the first unit that may be cited."""
        return self.units[0].unit_id

    @property
    def last(self) -> int:
        """Id of the last unit that may be cited."""
        return self.units[-1].unit_id

    @property
    def text(self) -> str:
        """The variable part of the prompt."""
        parts = []
        if self.context:
            parts += ["Context, not to be cited:", *map(line_of, self.context), ""]
        parts += [f"Transcript, units {self.first} to {self.last}:", *map(line_of, self.units)]
        return "\n".join(parts) + "\n"

    @property
    def digest(self) -> str:
        """64 hex digits of the SHA-256 of the text, unit numbers and context included."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()

    def halves(self, context_units: int) -> tuple[Chunk, Chunk]:
        """Return the chunk in two parts of about as many bytes; it has at least two units."""
        sizes = [tokens_of_line(unit) for unit in self.units]
        half, total, cut = sum(sizes) / 2, 0, 1
        for place, size in enumerate(sizes[:-1], 1):
            total += size
            cut = place
            if total >= half:
                break
        left, right = self.units[:cut], self.units[cut:]
        before = _context((*self.context, *left), context_units)
        return (
            Chunk(index=self.index, context=self.context, units=left),
            Chunk(index=self.index, context=before, units=right),
        )


def line_of(unit: Unit) -> str:
    """Return *unit* as a prompt shows it: ``[12] MATT: text``, always one line."""
    label = " ".join(unit.speaker.split()) or "?"
    return f"[{unit.unit_id}] {label}: {' '.join(unit.text.splitlines())}"


def tokens_of(text: str) -> int:
    """Return about how many tokens *text* has."""
    return -(-len(text.encode("utf-8", "surrogatepass")) * 10 // BYTES_PER_TEN_TOKENS)


def tokens_of_line(unit: Unit) -> int:
    """Return about how many tokens the line of *unit* has."""
    return LINE_TOKENS + tokens_of(line_of(unit))


def plan_chunks(
    transcript: Transcript, *, chunk_tokens: int, context_units: int
) -> tuple[Chunk, ...]:
    """Return the chunks of *transcript*: every unit in exactly one, in order.

    A chunk ends at its budget, or in the last fourth of it where a break or a silence is. A unit
    that is larger than the budget is a chunk of its own; a unit is never cut.

    Args:
        transcript: What to cut.
        chunk_tokens: Budget of the units that may be cited, in estimated tokens.
        context_units: Most units before a chunk that are shown with it.
    """
    units = transcript.units
    sizes = [tokens_of_line(unit) for unit in units]
    chunks: list[Chunk] = []
    start = 0
    while start < len(units):
        end = _end(units, sizes, start, chunk_tokens)
        context = _context(units[:start], context_units)
        chunks.append(Chunk(index=len(chunks), context=context, units=units[start:end]))
        start = end
    return tuple(chunks)


def _end(units: Sequence[Unit], sizes: Sequence[int], start: int, budget: int) -> int:
    """Return where the chunk that begins at *start* ends, exclusive."""
    total, end, tail = 0, start, start
    while end < len(units) and (end == start or total + sizes[end] <= budget):
        total += sizes[end]
        end += 1
        if total * TAIL_SHARE < budget * (TAIL_SHARE - 1):
            tail = end
    if end == len(units):
        return end
    best = max(range(max(tail, start + 1), end + 1), key=lambda cut: (_hint(units, cut), cut))
    return best if _hint(units, best) > 0 else end


def _hint(units: Sequence[Unit], cut: int) -> float:
    """Return how good a cut before unit index *cut* is: 0 for no reason, seconds of silence, a break."""
    if _BREAK.fullmatch(units[cut - 1].text) or "break" in units[cut - 1].tags:
        return float("inf")
    before, after = units[cut - 1].end_s, units[cut].start_s
    if before is None or after is None or after - before < SILENCE_S_MIN:
        return 0.0
    return after - before


def _context(units: Sequence[Unit], count_max: int) -> tuple[Unit, ...]:
    kept: list[Unit] = []
    total = 0
    for unit in reversed(units[-count_max:] if count_max else ()):
        total += tokens_of_line(unit)
        if total > CONTEXT_TOKENS_MAX:
            break
        kept.append(unit)
    return tuple(reversed(kept))
