"""A setup to begin from: one in which something of a pool is likely to come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from talebearer.errors import UsageFault
from talebearer.lines import DialoguePool, MonologuePool, Pack
from talebearer.rehearsal._setup import Setup

_ORDINARY = "social"
"""The situation of a conversation about which nothing is known, where the content has it."""


def first_setup(pack: Pack, path: str | None, *, speaker: str | None) -> Setup:
    """Return a setup for the pool *path*, see ``Rehearsal.first_setup``."""
    if path is None:
        pools = [pool.path for pool in pack.dialogue_pools if pool.size]
        pools += [pool.path for pool in pack.monologue_pools if pool.size]
        if not pools:
            raise UsageFault("the content has no line", hint="write a pool first")
        path = pools[0]
    pool = pack.pool(path)
    if isinstance(pool, MonologuePool):
        return _thought(pack, pool)
    return _talk(pack, pool, speaker)


def _talk(pack: Pack, pool: DialoguePool, speaker: str | None) -> Setup:
    """Return the access, trust and situation that most lines of *pool* have.

    A pool without a line, as a new one is, begins as the other pools of its speaker do.
    """
    enums = pack.enums
    who = speaker or _speaker(pack, pool)
    pools = (pool,) if pool.size else pack.pools_for(who, pool.location)
    tiers = (tier for one in pools for found in one.access for tier in found)
    situations = Counter(word for one in pools for found in one.situation for word in found)
    if not situations and _ORDINARY in enums.situations:
        situations[_ORDINARY] = 1
    return Setup(
        speaker=who,
        location=pool.location,
        access=_commonest(tiers, enums.access),
        trust=_commonest((tier for one in pools for tier in one.trust), enums.trust),
        situations=(_commonest(situations.elements(), enums.situations),),
    )


def _speaker(pack: Pack, pool: DialoguePool) -> str:
    """Return who speaks from *pool*: its own speaker, or somebody of its role who is there."""
    if pool.stem not in pack.profiles:
        for slug in pack.profiles:
            if pool in pack.pools_for(slug, pool.location):
                return slug
    return pool.stem


def _thought(pack: Pack, pool: MonologuePool) -> Setup:
    return Setup(
        character=pool.character,
        trigger=_commonest(pool.triggers, pack.enums.triggers),
        location=pool.location,
    )


def _commonest(words: Iterable[str], allowed: tuple[str, ...]) -> str:
    """Return the word that is there most often; the earliest allowed of several."""
    counts = Counter(words)
    return max(allowed, key=lambda word: (counts[word], -allowed.index(word)))
