"""The results of a simulation, as writers ask for them; every list has one order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from talebearer.errors import UsageFault, did_you_mean
from talebearer.lines import DialoguePool, MonologuePool, Pack
from talebearer.rehearsal.simulation._tally import Reached, Tally

SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class LineResult:
    """What became of one line.

    Attributes:
        pool: Its pool.
        line: Its id.
        text: What it says.
        heard: How often it was heard.
        playthroughs: In how many playthroughs.
        first: Playthrough and turn in which it was heard first; None if it never was.
    """

    pool: str
    line: str
    text: str
    heard: int
    playthroughs: int
    first: Reached | None

    @property
    def reference(self) -> str:
        """The line as plans and commands name it."""
        return f"{self.pool}#{self.line}"

    def as_json(self) -> dict[str, Any]:
        """Return the result as a JSON object."""
        first = (
            None if self.first is None else {"playthrough": self.first[0], "turn": self.first[1]}
        )
        return {
            "pool": self.pool,
            "line": self.line,
            "text": self.text,
            "heard": self.heard,
            "playthroughs": self.playthroughs,
            "first": first,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedResult:
    """How often somebody had nothing to say or to think.

    Attributes:
        who: Who speaks or thinks.
        location: Where.
        trigger: What brings a thought up; None for what is said.
        asked: How often a line was asked for.
        silent: How often none came.
    """

    who: str
    location: str
    trigger: str | None
    asked: int
    silent: int

    def as_json(self) -> dict[str, Any]:
        """Return the result as a JSON object."""
        return {
            "who": self.who,
            "location": self.location,
            "trigger": self.trigger,
            "asked": self.asked,
            "silent": self.silent,
        }


@dataclass(frozen=True)
class SimulationResult:
    """What playthroughs of a pack came to.

    Attributes:
        pack: The content.
        tally: The counts.
        seed: The run's seed.
        turns: Lines that each playthrough asks for.
        wanted: Playthroughs that were asked for; more than there are when it was interrupted.
    """

    pack: Pack
    tally: Tally
    seed: int
    turns: int
    wanted: int

    @property
    def interrupted(self) -> bool:
        """Whether it ended before all playthroughs were played."""
        return self.tally.playthroughs < self.wanted

    @cached_property
    def lines(self) -> tuple[LineResult, ...]:
        """Every line of the content, by pool path and place in its file."""
        tally = self.tally
        found = []
        pools: list[DialoguePool | MonologuePool] = []
        pools += self.pack.dialogue_pools
        pools += self.pack.monologue_pools
        for pool in sorted(pools, key=lambda pool: pool.path):
            for line_id, text in zip(pool.ids, pool.texts, strict=True):
                key = (pool.path, line_id)
                found.append(
                    LineResult(
                        pool=pool.path,
                        line=line_id,
                        text=text,
                        heard=tally.heard.get(key, 0),
                        playthroughs=tally.within.get(key, 0),
                        first=tally.first.get(key),
                    )
                )
        return tuple(found)

    @cached_property
    def never(self) -> tuple[LineResult, ...]:
        """The lines that were never heard."""
        return tuple(line for line in self.lines if not line.heard)

    @cached_property
    def asked(self) -> tuple[AskedResult, ...]:
        """Who was asked, most silences first, then by name."""
        found = [
            AskedResult(who=who, location=where, trigger=why or None, asked=times, silent=silent)
            for (who, where, why), (times, silent) in self.tally.asked.items()
        ]
        return tuple(
            sorted(found, key=lambda one: (-one.silent, one.who, one.location, one.trigger or ""))
        )

    def most_heard(self, count: int = SHOWN) -> list[LineResult]:
        """Return the lines heard most often, the most first."""
        return sorted(self.lines, key=lambda line: -line.heard)[:count]

    def least_heard(self, count: int = SHOWN) -> list[LineResult]:
        """Return the lines heard least often, of those that were heard, the least first."""
        heard = [line for line in self.lines if line.heard]
        return sorted(heard, key=lambda line: line.heard)[:count]

    @property
    def decisions(self) -> int:
        """How often a line was asked for."""
        return sum(times for times, _ in self.tally.asked.values())

    @property
    def heard(self) -> int:
        """How often a line came."""
        return sum(self.tally.heard.values())

    def silence(self, *, thoughts: bool | None = None) -> tuple[int, int]:
        """Return how often none came and how often one was asked for: of thoughts, speech or both."""
        some = [
            counts
            for (_, _, trigger), counts in self.tally.asked.items()
            if thoughts is None or bool(trigger) is thoughts
        ]
        return sum(silent for _, silent in some), sum(times for times, _ in some)

    def reach(self) -> list[tuple[int, int]]:
        """Return after which playthroughs how many lines had been heard, where that grew."""
        grown: dict[int, int] = {}
        for playthrough, _ in self.tally.first.values():
            grown[playthrough] = grown.get(playthrough, 0) + 1
        total, found = 0, []
        for playthrough in sorted(grown):
            total += grown[playthrough]
            found.append((playthrough, total))
        return found

    def find(self, references: Sequence[str]) -> list[LineResult]:
        """Return the lines of *references*, ids or ``pool/path#id``.

        Raises:
            UsageFault: One is no line (TB111); the hint names the nearest.
        """
        found: list[LineResult] = []
        for reference in references:
            path, _, line_id = reference.rpartition("#")
            here = [
                line
                for line in self.lines
                if line.line == line_id and (not path or f"/{line.pool}".endswith(f"/{path}"))
            ]
            if not here:
                ids = sorted({line.line for line in self.lines})
                raise UsageFault(f"there is no line {reference!r}", hint=did_you_mean(line_id, ids))
            found += [line for line in here if line not in found]
        return found

    def as_json(self, lines: Sequence[LineResult] | None = None) -> dict[str, Any]:
        """Return everything as a JSON object.

        Args:
            lines: The lines to list; all of them by default.
        """
        silent, asked = self.silence()
        return {
            "pack": self.pack.digest,
            "seed": self.seed,
            "turns": self.turns,
            "playthroughs": self.tally.playthroughs,
            "interrupted": self.interrupted,
            "decisions": asked,
            "heard": self.heard,
            "silent": silent,
            "silent_in_conversations": self.silence(thoughts=False)[0],
            "asked_in_conversations": self.silence(thoughts=False)[1],
            "window": self.tally.window,
            "heard_again": self.tally.again,
            "in_a_row": self.tally.in_a_row,
            "lines_in_all": len(self.lines),
            "lines_reached": len(self.lines) - len(self.never),
            "never_heard": [line.reference for line in self.never],
            "lines": [line.as_json() for line in (self.lines if lines is None else lines)],
            "asked": [one.as_json() for one in self.asked],
            "reach": [
                {"playthrough": playthrough, "lines": count} for playthrough, count in self.reach()
            ],
        }
