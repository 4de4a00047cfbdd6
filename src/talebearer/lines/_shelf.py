"""Packs that are loaded again and again while a few pools change.

Source: rule LP-L8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from talebearer.lines import _reader as read
from talebearer.lines._load import Opened, assembled, opened
from talebearer.lines._pack import Pack
from talebearer.lines._pools import DialoguePool, MonologuePool
from talebearer.lines._types import LineKey

_Aliases = dict[LineKey, tuple[LineKey, ...]]
_Pool = DialoguePool | MonologuePool


class PackShelf:
    """Loads packs, and keeps the pools of the last one.

    A pool is taken from the shelf when its own bytes and everything around the pools are those of
    before, and no line got or lost a former name anywhere; it is then what reading it would give.
    """

    def __init__(self) -> None:
        self._around: tuple[bytes, Mapping[LineKey, Sequence[LineKey]]] | None = None
        self._pools: dict[bytes, tuple[_Pool, _Aliases]] = {}

    def load(self, head: bytes, pools: Sequence[bytes], *, digest: str) -> Pack:
        """Return the pack of *head*, which is a pack without its pools, and *pools*.

        Args:
            head: The pack's JSON object without the member ``pools``.
            pools: The JSON of each pool, in the order of the pack.
            digest: Of the whole pack.

        Raises:
            InvalidPack: As :func:`load_pack` raises it for the whole (TB114).
        """
        top = read.mapping(read.parse_json(head), "$")
        known = self._pools if self._around and self._around[0] == head else {}
        around = opened(dict(top))
        loaded = self._load(around, pools, known)
        if known and self._around and around.lines.aliases != self._around[1]:
            around = opened(dict(top))  # an answer may lead to another line now
            loaded = self._load(around, pools, {})
        self._around = (head, around.lines.aliases)
        self._pools = {
            data: (pool, _aliases_of(pool)) for data, pool in zip(pools, loaded, strict=True)
        }
        return assembled(around, loaded, digest)

    def _load(
        self, around: Opened, pools: Sequence[bytes], known: Mapping[bytes, tuple[_Pool, _Aliases]]
    ) -> list[_Pool]:
        entries: list[Any] = []
        for data in pools:
            kept = known.get(data)
            if kept is None:
                entries.append(read.parse_json(data))
                continue
            entries.append(kept[0])
            for key, names in kept[1].items():
                around.lines.aliases.setdefault(key, []).extend(names)
        return around.pools(entries)


def _aliases_of(pool: _Pool) -> _Aliases:
    return {(pool.path, pool.ids[position]): names for position, names in pool.aliases.items()}
