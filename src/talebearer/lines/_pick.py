"""A picked line."""

from __future__ import annotations

from typing import Any

from talebearer.errors import UsageFault
from talebearer.lines._effects import besides_of, heard_of
from talebearer.lines._scene import Speech
from talebearer.lines._strategies import Drawing
from talebearer.lines._types import DialogueLine, MonologueLine
from talebearer.lines._verdicts import Verdict, in_draw
from talebearer.lines.gates import GateResult
from talebearer.memory import EventDraft


class Pick:
    """One line, picked. It is made of values: what happens to the mind later does not change it.

    Attributes:
        pool: The pool path; with ``line_id`` it names the line.
        line_id: The line's id.
        position: Where the line stands in its pool, from 0.
        text: What is said or thought: the variant that was drawn, of a line with several.
        interrupts: What is cut short by it, of what the request said is being spoken.
    """

    __slots__ = (
        "_drawing",
        "_effects",
        "_gates",
        "_mind",
        "_shown",
        "_speaker",
        "interrupts",
        "line_id",
        "pool",
        "position",
        "text",
    )

    def __init__(
        self,
        drawing: Drawing,
        mind: str,
        speaker: str | None,
        text: str,
        shown: dict[str, Any],
        gates: tuple[GateResult, ...] | None,
        interrupts: tuple[Speech, ...] = (),
    ) -> None:
        pool = drawing.view.pool
        self.pool: str = pool.path
        self.position = drawing.position
        self.line_id: str = pool.ids[drawing.position]
        self.text = text
        self.interrupts = interrupts
        self._drawing = drawing
        self._mind = mind
        self._speaker = speaker
        self._shown = shown
        self._gates = gates
        self._effects: tuple[EventDraft, ...] | None = None

    @property
    def line(self) -> DialogueLine | MonologueLine:
        """The line, with the text that was drawn."""
        line: DialogueLine | MonologueLine = self._drawing.view.pool.line_at(
            self._drawing.position, text=self.text
        )
        return line

    @property
    def effects(self) -> tuple[EventDraft, ...]:
        """Events that make the minds remember the pick, ``line_fired`` first.

        Each names the mind in whose log it belongs: the one that was asked for, or ``world``. The
        caller applies them; until then nothing has happened.
        """
        if self._effects is None:
            drawing = self._drawing
            heard = heard_of(
                drawing.view.pool,
                drawing.position,
                mind=self._mind,
                speaker=self._speaker,
                shown=self._shown,
            )
            self._effects = (heard, *self.besides)
        return self._effects

    @property
    def besides(self) -> tuple[EventDraft, ...]:
        """What of :attr:`effects` comes after the mind's own ``line_fired``."""
        view, position = self._drawing.view, self.position
        pool = view.pool
        if position not in pool.effects and position not in pool.once:
            return ()
        return besides_of(
            pool,
            position,
            mind=self._mind,
            speaker=self._speaker,
            declared=view.declared,
            shown=self._shown,
        )

    @property
    def plain_key(self) -> tuple[str, str, str] | None:
        """Who said it (empty for a thought), pool and line, of a line of one text.

        None where the first of the effects is more than a ``line_fired`` of these three. It is what
        :meth:`talebearer.memory.Mind.hear` takes.
        """
        return None if self._shown else (self._speaker or "", self.pool, self.line_id)

    @property
    def verdict(self) -> Verdict:
        """Why this line could be picked.

        Raises:
            UsageFault: The pick was asked for without it (TB111).
        """
        drawing = self._drawing
        if self._gates is None:
            raise UsageFault(
                "the line was asked for without its verdict", hint="leave out verdict=False"
            )
        return in_draw(
            (self.pool, self.line_id),
            self.text,
            weight=drawing.weight,
            total=drawing.total,
            count=drawing.number,
            gates=self._gates,
            score=None if self._speaker is None else drawing.score,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pick):
            return NotImplemented
        return self._values() == other._values()

    def __hash__(self) -> int:
        return hash((self.pool, self.line_id, self.text))

    def _values(self) -> tuple[Any, ...]:
        why = None if self._gates is None else self.verdict
        return self.pool, self.line_id, self.text, self.interrupts, self.effects, why

    def __repr__(self) -> str:
        return f"<Pick {self.pool}#{self.line_id}>"

    def as_json(self) -> dict[str, Any]:
        """Return the pick as a JSON object; ``interrupts`` only where something is cut short."""
        value: dict[str, Any] = {
            "pool": self.pool,
            "line_id": self.line_id,
            "text": self.text,
            "effects": [effect.as_json() for effect in self.effects],
            "verdict": self.verdict.as_json(),
        }
        if self.interrupts:
            value["interrupts"] = [
                {"class": one.speaking_class, "character": one.character} for one in self.interrupts
            ]
        return value
