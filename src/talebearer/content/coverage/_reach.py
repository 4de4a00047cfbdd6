"""Lines that are never said, and what looks as if it were meant otherwise: findings with reasons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from talebearer.content._findings import Draft, ValuePath
from talebearer.content._targets import Targets
from talebearer.content.coverage._beaten import decide_beaten
from talebearer.content.coverage._fates import (
    AnyPool,
    Fate,
    Fates,
    Reason,
    all_pools,
    decide,
    impossible,
)
from talebearer.content.coverage._samples import World
from talebearer.content.coverage._slips import Mark, slips
from talebearer.errors import Severity
from talebearer.errors import findings_content as codes
from talebearer.lines import DialoguePool, LineKey, MonologuePool, Pack, ReplyGate
from talebearer.lines.gates import Gate

GATES_NAMED_MAX = 4
LINES_NAMED_MAX = 3
_SHUT = frozenset({Fate.NEVER, Fate.NEEDS_GAME, Fate.BEATEN})


class Finding(NamedTuple):
    """What is to be said of one line.

    Attributes:
        line: The line.
        draft: The finding, with its path in the line's file.
    """

    line: LineKey
    draft: Draft


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What can be said of all lines without playing.

    Attributes:
        fates: Line to fate, in the order of the pack.
        findings: What to tell the writer, warnings first, by pool and place.
    """

    fates: Mapping[LineKey, Fate]
    findings: tuple[Finding, ...]

    def of(self, fate: Fate) -> tuple[LineKey, ...]:
        """Return the lines with *fate*, in the order of the pack."""
        return tuple(key for key, one in self.fates.items() if one is fate)

    @property
    def warnings(self) -> int:
        """How many of the findings are warnings: lines that are never said."""
        return sum(one.draft.severity is Severity.WARNING for one in self.findings)

    @property
    def undecided(self) -> tuple[LineKey, ...]:
        """The lines that only playing can tell about."""
        return self.of(Fate.UNDECIDED)

    def counts(self) -> dict[str, int]:
        """Return how many lines have each fate."""
        found = dict.fromkeys((fate.value for fate in Fate), 0)
        for fate in self.fates.values():
            found[fate.value] += 1
        return found

    def as_json(self) -> dict[str, Any]:
        """Return counts, and the lines of each fate but ``said``, as a JSON object."""
        lines = {
            fate.value: [f"{pool}#{line}" for pool, line in self.of(fate)]
            for fate in Fate
            if fate is not Fate.SAID
        }
        return {"counts": self.counts(), "lines": lines}


def reach(pack: Pack, targets: Targets | None = None) -> Reach:
    """Return the fate of every line of *pack*, and what is suspicious about them.

    ``never`` and ``beaten`` are certain: no mind, no scene and no draw brings the line by the
    strategies that the pools name. ``needs_game`` is certain as far as lines go: a game, or whoever
    writes into a mind, may still open it.

    Args:
        pack: The content.
        targets: What the campaign declares; what the game writes counts as written.
    """
    targets = targets or Targets()
    fates = decide(pack, World(closed=True, free=targets.written_by_game))
    decide_beaten(pack, fates)
    findings = [*_closed(fates, pack), *_replies(pack, fates), *_looks(pack, targets)]
    order = {key: place for place, key in enumerate(fates.of)}
    findings.sort(
        key=lambda one: (
            one.draft.severity is not Severity.WARNING,
            order[one.line],
            one.draft.code,
            one.draft.message,
        )
    )
    return Reach(fates=fates.of, findings=tuple(findings))


def contradictions(pack: Pack) -> Iterator[tuple[str, int, str]]:
    """Yield pool path, position and reason of the lines of *pack* whose gates exclude each other."""
    for pool, position, reason in impossible(pack):
        yield pool.path, position, in_words(reason)


def in_words(reason: Reason) -> str:
    """Return which gates are to blame."""
    words = [gate.words for gate in reason.gates[:GATES_NAMED_MAX]]
    more = "" if len(reason.gates) <= GATES_NAMED_MAX else " and more"
    if len(words) == 1:
        return f"it never comes that {words[0]}"
    return f"never at once: {'; '.join(words)}{more}"


def _finding(pack: Pack, key: LineKey, code: str, message: str, *field: str) -> Finding:
    pool = pack.pool(key[0])
    position = pool.position_of(key[1])
    assert position is not None, "it is a line of the pack"
    severity = Severity.WARNING if code in _WARNINGS else Severity.NOTE
    path: ValuePath = ("lines", position, *field)
    return Finding(key, Draft(code=code, message=message, severity=severity, path=path))


_WARNINGS = frozenset({codes.CONTRADICTION, codes.ALWAYS_BEATEN, codes.DANGLING_REPLY})


def _closed(fates: Fates, pack: Pack) -> Iterator[Finding]:
    """Lines that are never said, or by the game's help only."""
    for key, reason in fates.why.items():
        fate, name = fates.of[key], key[1]
        if fate is Fate.BEATEN:
            by = ", ".join(_named(line, key) for line in reason.lines[:LINES_NAMED_MAX])
            message = f"{name} is never drawn: {by} can be said whenever it can, and comes first"
            yield _finding(pack, key, codes.ALWAYS_BEATEN, message)
        elif fate is Fate.NEVER and reason.gates:
            message = f"{name} is never said: {in_words(reason)}"
            yield _finding(pack, key, codes.CONTRADICTION, message, "prerequisites")
        elif fate is Fate.NEEDS_GAME and not reason.lines:
            what = _nothing_gives(reason.gates)
            yield _finding(pack, key, codes.NEEDS_GAME, f"{name} {what}", "prerequisites")


def _named(line: LineKey, beside: LineKey) -> str:
    """Return the id of *line*, with its pool where that is not the one of the line *beside* it."""
    return line[1] if line[0] == beside[0] else f"{line[1]} of {line[0]}"


def _nothing_gives(gates: tuple[Gate, ...]) -> str:
    words = "; ".join(gate.words for gate in gates[:GATES_NAMED_MAX])
    return f"waits for what no line brings about: {words}"


def _replies(pack: Pack, fates: Fates) -> Iterator[Finding]:
    """Answers to lines that are never said."""
    for pool in all_pools(pack):
        for position, asked in pool.when.items():
            for gate in asked.gates:
                if isinstance(gate, ReplyGate) and gate.line:
                    reason = _not_answered(pack, (gate.pool, gate.line), fates)
                    if reason:
                        key = (pool.path, pool.ids[position])
                        message = f"{key[1]} answers {gate.line}, {reason}"
                        place = ("prerequisites", "reply_to")
                        yield _finding(pack, key, codes.DANGLING_REPLY, message, *place)


def _not_answered(pack: Pack, key: LineKey, fates: Fates) -> str:
    found = pack.find(*key)
    if found is None:
        return "which is no line"
    pool, position = found
    if isinstance(pool, MonologuePool):
        return "which is a thought that nobody hears"
    fate = fates.of[(pool.path, pool.ids[position])]
    return _WORDS_OF[fate] if fate in _SHUT else ""


_WORDS_OF = {
    Fate.NEVER: "which is never said",
    Fate.BEATEN: "which is never drawn",
    Fate.NEEDS_GAME: "which no line opens",
}


def _looks(pack: Pack, targets: Targets) -> Iterator[Finding]:
    """Twins, copied gates and long cooldowns."""
    yield from _twins(pack)
    for pool in all_pools(pack):
        for slip in slips(pool):
            message = (
                f"{slip.line[1]} asks that {_marked(slip.asks)} is not there yet and writes "
                f"{_marked(slip.writes)}; {slip.siblings} lines here ask for what they write"
            )
            yield _finding(pack, slip.line, codes.GATE_SLIP, message, "prerequisites")
        for position, ticks in sorted(pool.cooldown.items()):
            if ticks > targets.session_ticks:
                key = (pool.path, pool.ids[position])
                message = f"{key[1]} rests {ticks} ticks; a session has {targets.session_ticks}"
                yield _finding(pack, key, codes.LONG_COOLDOWN, message, "cooldown")


def _marked(mark: Mark) -> str:
    return f"the {mark[0]} {mark[1]}"


def _twins(pack: Pack) -> Iterator[Finding]:
    """Lines that are drawn together and differ in nothing but their ids."""
    # Few lines say what another one says, so the rest of them is looked at only where one does.
    same: dict[tuple[str, ...], list[tuple[AnyPool, int]]] = {}
    for pool in all_pools(pack):
        for position in range(pool.size):
            texts = tuple(" ".join(text.split()).casefold() for text in pool.texts_at(position))
            same.setdefault(texts, []).append((pool, position))
    for found in same.values():
        if len(found) > 1:
            yield from _twins_among(pack, found)


def _twins_among(pack: Pack, found: Iterable[tuple[AnyPool, int]]) -> Iterator[Finding]:
    """The lines *found* say the same; yield those that are an earlier one again."""
    first: dict[tuple[object, ...], LineKey] = {}
    for pool, position in found:
        key = (pool.path, pool.ids[position])
        other = first.setdefault(_looks_of(pool, position), key)
        if other != key:
            where = "" if other[0] == key[0] else f" of {other[0]}"
            message = f"{key[1]} is {other[1]}{where} again: text, tags and gates"
            yield _finding(pack, key, codes.SAME_LINE, message, "text")


def _looks_of(pool: AnyPool, position: int) -> tuple[object, ...]:
    """Return all that a listener could tell a line by, its text apart, and where it is drawn."""
    gates = pool.when[position].gates if position in pool.when else ()
    common = (
        pool.location,
        tuple(gate.words for gate in gates),
        pool.once.get(position),
        pool.classes.get(position),
    )
    if isinstance(pool, DialoguePool):
        tags = (pool.access, pool.situation, pool.topic, pool.mood)
        sets = tuple(frozenset(axis[position]) for axis in tags)
        return (pool.role, pool.stem if _is_own(pool) else "", pool.trust[position], sets, *common)
    return (pool.character, pool.triggers[position], pool.priority[position], *common)


def _is_own(pool: DialoguePool) -> bool:
    """Whether the file is named for somebody rather than for the role."""
    return pool.stem != pool.role
