"""The two questions of the specification, without a selector.

Source: the line-pool spec section 9.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from talebearer.lines import _bits
from talebearer.lines._declared import Scalar
from talebearer.lines._pools import DialoguePool, MonologuePool, Pool
from talebearer.lines._types import DialogueLine, LineKey, MonologueLine
from talebearer.lines.gates import Asked, Known
from talebearer.memory import KnowledgeGraph


def query_dialogue(
    pool: DialoguePool,
    player_access: str,
    active_situations: Sequence[str],
    player_trust: str,
    npc_topics: Sequence[str],
    npc_mood: Sequence[str],
    *,
    knowledge: KnowledgeGraph | None = None,
    known: Known | None = None,
    now: int = 0,
    speaker: str = "",
) -> list[DialogueLine]:
    """Return the top-scored lines of one pool, in file order.

    The arguments after *pool* are those of :class:`Scene`. A value that no line names matches no
    line; this function has no enumerations to check against. It knows of no repeats, ``once`` or
    cooldowns, and no chance holds.

    Args:
        pool: The lines.
        player_access: The listener's access tier.
        active_situations: The active situations.
        player_trust: The listener's trust tier.
        npc_topics: What the speaker is asked about.
        npc_mood: How the speaker feels.
        knowledge: What the listener knows; without it no gate on knowledge is met.
        known: The same with profiles and catalogue; counts instead of *knowledge*.
        now: The tick of the question, for gates on ages.
        speaker: Who speaks, for counters and timers of one speaker.

    Source: the line-pool spec section 9.2.
    """
    mask = pool.layers(player_access, player_trust, tuple(active_situations))
    asked = Asked(known or Known(graph=knowledge), tick=now, speaker=speaker)
    mask = _open(pool, mask, asked)
    if not mask:
        return []
    _, best = pool.top(mask, tuple(npc_topics), tuple(npc_mood))
    return [pool.line_at(position) for position in _bits.positions_of(best)]


def query_monologue(
    pools: Sequence[MonologuePool],
    character: str,
    trigger: str,
    knowledge: KnowledgeGraph | None,
    fired_cooldowns: Mapping[LineKey, int],
    now: int,
    *,
    known: Known | None = None,
    event: Mapping[str, Scalar] | None = None,
) -> list[MonologueLine]:
    """Return the lines that can fire, in the order of *pools*.

    Args:
        pools: The pools of the current place, and general ones; these count only when no line of
            the place is left. Pools of another character never count.
        character: Whose thoughts.
        trigger: What happened.
        knowledge: What the mind knows; without it no gate on knowledge is met.
        fired_cooldowns: Pool path and line id to the tick of the last firing.
        now: The tick of the question.
        known: *knowledge* with profiles and catalogue; counts instead of it.
        event: The fields of what happened.

    Source: the line-pool spec section 9.2.
    """
    mine = [pool for pool in pools if pool.character == character]
    asked = Asked(
        known or Known(graph=knowledge), tick=now, speaker=character, trigger=trigger, event=event
    )
    for general in (False, True):
        lines: list[MonologueLine] = []
        for pool in mine:
            if pool.general is general:
                mask = _open(pool, pool.trigger_bits.get(trigger, 0), asked)
                lines += [
                    pool.line_at(position)
                    for position in _bits.positions_of(mask)
                    if _rested(pool, position, fired_cooldowns, now)
                ]
        if lines:
            return lines
    return []


def _open(pool: Pool[DialogueLine] | Pool[MonologueLine], mask: int, asked: Asked) -> int:
    """Return *mask* without the lines whose gates are not met."""
    if not pool.when:
        return mask
    closed = []
    for position in _bits.positions_of(mask):
        asks = pool.when.get(position)
        if asks is not None:
            asked.about(pool.path, pool.ids[position])
            if not all(gate.holds(asked) for gate in asks.gates):
                closed.append(position)
    return mask & ~_bits.of_positions(closed, pool.size)


def _rested(pool: MonologuePool, position: int, fired: Mapping[LineKey, int], now: int) -> bool:
    cooldown = pool.cooldown.get(position)
    if cooldown is None:
        return True
    keys = ((pool.path, pool.ids[position]), *pool.aliases.get(position, ()))
    return all(now - fired[key] >= cooldown for key in keys if key in fired)
