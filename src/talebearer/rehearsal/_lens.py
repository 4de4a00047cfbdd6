"""One moment as each player character reads it: what the author noted, and what each would think."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from talebearer.campaign.plans import MadeUpMinds
from talebearer.errors import UsageFault, Where
from talebearer.lines import DialoguePool, MonologuePool, Pick, Selector
from talebearer.rehearsal._ask import arguments
from talebearer.rehearsal._content import Loaded
from talebearer.rehearsal._setup import Setup

AFTER_A_LINE = "post_conversation"
"""The trigger of thoughts about what somebody said, where the content has it and none is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How one player character reads the moment.

    Attributes:
        character: Who.
        note: What the author noted of it (``dual_lens``); empty for nothing.
        is_own: Whether the line is this character's own thought.
        thought: What the engine has the character think at that moment; None for nothing.
        eligible: How many thoughts could be drawn.
    """

    character: str
    note: str
    is_own: bool
    thought: Pick | None
    eligible: int

    def as_json(self) -> dict[str, Any]:
        """Return the reading as a JSON object."""
        return {
            "character": self.character,
            "note": self.note,
            "is_own": self.is_own,
            "thought": None if self.thought is None else self.thought.as_json(),
            "eligible": self.eligible,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    """One line, and how each player character reads it.

    Attributes:
        pool: The pool path.
        line_id: The line.
        text: Its text.
        where: Its place in the files.
        notes: The author's notes on it.
        trigger: On what the characters think; None when the content has no such trigger.
        readings: One a player character, by name.
    """

    pool: str
    line_id: str
    text: str
    where: Where
    notes: str
    trigger: str | None
    readings: tuple[Reading, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the lens as a JSON object."""
        return {
            "pool": self.pool,
            "line_id": self.line_id,
            "text": self.text,
            "file": self.where.file,
            "line": self.where.line,
            "notes": self.notes,
            "trigger": self.trigger,
            "readings": [one.as_json() for one in self.readings],
        }


def lens(
    loaded: Loaded,
    minds: MadeUpMinds,
    setup: Setup,
    *,
    pool: str,
    line_id: str,
    trigger: str | None,
) -> Lens:
    """Return how each player character reads a line in *setup*.

    Args:
        loaded: The content.
        minds: What is known; of something that is said, they hear it.
        setup: When and where.
        pool: The line's pool.
        line_id: The line.
        trigger: On what they think; a thought's own trigger, or :data:`AFTER_A_LINE`, by default.

    Raises:
        UnknownReference: There is no such line (TB113).
        UsageFault: There is no such trigger (TB111).
    """
    pack = loaded.pack
    line = pack.line(pool, line_id)
    home = pack.pool(pool)
    own = home.character if isinstance(home, MonologuePool) else None
    upon = trigger or _usual_trigger(loaded, home, line_id)
    if upon is not None and upon not in pack.enums.triggers:
        hint = f"one of: {', '.join(pack.enums.triggers)}"
        raise UsageFault(f"there is no trigger {upon!r}", hint=hint)
    selector = minds.selector(setup.seed)
    if isinstance(home, DialoguePool):
        for draft in selector.hear(pool, line_id, speaker=setup.speaker or home.stem):
            minds.apply(draft, setup.tick)
    notes = loaded.notes(pool, line_id)
    place = setup.location if isinstance(home, DialoguePool) or home.general else home.location
    return Lens(
        pool=pool,
        line_id=line_id,
        text=line.text,
        where=loaded.where(pool, line_id),
        notes=notes.text,
        trigger=upon,
        readings=tuple(
            _reading(
                selector,
                setup.but(location=place or home.location),
                character,
                upon,
                note=notes.lens.get(character, ""),
                is_own=character == own,
            )
            for character in pack.characters
        ),
    )


def _usual_trigger(loaded: Loaded, home: DialoguePool | MonologuePool, line_id: str) -> str | None:
    if isinstance(home, MonologuePool):
        position = home.position_of(line_id)
        assert position is not None, "the line was found"
        return home.triggers[position]
    return AFTER_A_LINE if AFTER_A_LINE in loaded.pack.enums.triggers else None


def _reading(
    selector: Selector,
    setup: Setup,
    character: str,
    trigger: str | None,
    *,
    note: str,
    is_own: bool,
) -> Reading:
    thought, eligible = None, 0
    if trigger is not None:
        asked = {**arguments(setup), "strategy": None, "location": setup.location}
        if setup.trigger != trigger:
            asked["event"] = {}  # the fields of another trigger
        thought = selector.pick_monologue(character, trigger, **asked)
        eligible = selector.count_monologue(character, trigger, **asked).eligible
    return Reading(
        character=character, note=note, is_own=is_own, thought=thought, eligible=eligible
    )
