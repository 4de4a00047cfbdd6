"""What a pick does: events for minds.

``line_fired`` comes first, for the mind that heard it. Then come the line's effects in their order. What
all minds share goes to the mind ``world``: counters, values and timers of the scopes ``character`` and
``world``, and that a line was heard which is said once in one of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from talebearer.lines._declared import Declared, Scope, cell_of
from talebearer.lines._pools import Pool
from talebearer.lines._types import AddCounter, Effect, KnowledgeGrant, SetValue
from talebearer.memory import EventDraft
from talebearer.vocabulary import EventKind, SourceKind

WORLD = "world"
_LINE_FIRED = EventKind.LINE_FIRED
_KEPT_MAX = 4096


def heard_of(
    pool: Pool[Any],
    position: int,
    *,
    mind: str,
    speaker: str | None,
    shown: dict[str, Any],
) -> EventDraft:
    """Return the event that makes *mind* remember a pick.

    Args:
        pool: The pool of the line.
        position: The line.
        mind: Who heard it.
        speaker: Who said it; None for a thought.
        shown: ``variant`` and ``round`` of the pick, where there are any.

    Source: rule LP-L6.
    """
    return EventDraft.of(mind, _LINE_FIRED, _fired(pool, position, speaker, shown))


def besides_of(
    pool: Pool[Any],
    position: int,
    *,
    mind: str,
    speaker: str | None,
    declared: Declared,
    shown: dict[str, Any],
) -> tuple[EventDraft, ...]:
    """Return what a pick does besides being heard by *mind*; most do nothing.

    Where no text was chosen it is always the same, so the pool keeps it.

    Args:
        pool: As for :func:`heard_of`, and so on.
        position: As there.
        mind: As there.
        speaker: As there.
        declared: Scopes of counters, values and timers.
        shown: As there.

    Source: rules LP-L6, LP-L13.
    """
    scope, effects = pool.once.get(position), pool.effects.get(position)
    if not effects and (scope is None or not scope.shared):
        return ()
    key = (position, mind, speaker)
    kept = None if shown else pool.besides.get(key)
    if kept is not None:
        return kept
    drafts = []
    if scope is not None and scope.shared:
        drafts.append(EventDraft.of(WORLD, _LINE_FIRED, _fired(pool, position, speaker, shown)))
    if effects:
        thinker: str = getattr(pool, "character", "")
        whose = thinker if speaker is None else speaker
        owner = _Owner(pool.path, pool.ids[position], mind, whose)
        drafts.extend(owner.drafts(effects, declared, spoken=speaker is not None))
    found = tuple(drafts)
    if not shown:
        if len(pool.besides) >= _KEPT_MAX:
            pool.besides.clear()
        pool.besides[key] = found
    return found


def _fired(
    pool: Pool[Any], position: int, speaker: str | None, shown: dict[str, Any]
) -> dict[str, Any]:
    fired: dict[str, Any] = {"pool": pool.path, "line": pool.ids[position]}
    if shown:
        fired.update(shown)
    if speaker is not None:
        fired["speaker"] = speaker
    return fired


class _Owner:
    """Whose cells a line writes."""

    def __init__(self, pool: str, line: str, mind: str, speaker: str) -> None:
        self.pool = pool
        self.line = line
        self.mind = mind
        self.speaker = speaker

    def drafts(
        self, effects: tuple[Effect, ...], declared: Declared, *, spoken: bool
    ) -> Iterator[EventDraft]:
        for effect in effects:
            if isinstance(effect, KnowledgeGrant):
                yield self._grant(effect, spoken=spoken)
            elif isinstance(effect, SetValue):
                scope = declared.values[effect.value].scope
                data = {"value": effect.value, "to": effect.to}
                yield self._written(EventKind.VALUE_SET, effect.value, scope, data)
            elif isinstance(effect, AddCounter):
                scope = declared.counters[effect.counter].scope
                data = {"counter": effect.counter, "by": effect.by}
                yield self._written(EventKind.COUNTER_ADDED, effect.counter, scope, data)
            else:
                scope = declared.timers[effect.timer]
                data = {"timer": effect.timer}
                yield self._written(EventKind.TIMER_STAMPED, effect.timer, scope, data)

    def _grant(self, grant: KnowledgeGrant, *, spoken: bool) -> EventDraft:
        """Return what the line tells; a grant raises only, which the fold of memory sees to (L13)."""
        source: dict[str, Any] = {"kind": SourceKind.INFERRED.value, "payload": {"from": []}}
        if spoken:
            entity = f"npc:{self.speaker}"
            source = {"kind": SourceKind.TOLD_BY.value, "payload": {"entity": entity}}
        learned = {
            "fact_id": grant.fact_id,
            "confidence": grant.confidence.value,
            "source": source,
        }
        return EventDraft.of(self.mind, EventKind.FACT_LEARNED, learned)

    def _written(
        self, kind: EventKind, name: str, scope: Scope, data: dict[str, Any]
    ) -> EventDraft:
        cell = cell_of(name, scope, speaker=self.speaker, pool=self.pool, line=self.line)
        if cell.character:
            data["character"] = cell.character
        if cell.pool:
            data.update(pool=cell.pool, line=cell.line)
        return EventDraft.of(WORLD if scope.shared else self.mind, kind, data)
