"""What was read lately, as it goes over the wire, so that it need not be made again.

Only a store that writes may keep it: nobody else changes its database. What is kept is what stood
committed when it was read, and it is forgotten as soon as the entity's heads move, whether that is
then committed or undone. Inside a transaction nothing is kept, for it may be undone.
"""

from __future__ import annotations

from collections import OrderedDict

BYTES_MAX = 16_777_216
ENTRY_BYTES_MAX = 65_536
_OVERHEAD_BYTES = 512
"""About what an entry takes beside its text: a key of three texts, and its place."""

Key = tuple[str, str, str]
"""Scope, type and id."""


class RecentReads:
    """Answers by entity, the least lately used forgotten first.

    Args:
        bytes_max: What all entries may take together.
    """

    __slots__ = ("_bytes_max", "_entries", "size_bytes")

    def __init__(self, *, bytes_max: int = BYTES_MAX) -> None:
        self._bytes_max = bytes_max
        self._entries: OrderedDict[Key, bytes] = OrderedDict()
        self.size_bytes = 0

    def get(self, key: Key) -> bytes | None:
        """Return the answer that was kept for an entity."""
        found = self._entries.get(key)
        if found is not None:
            self._entries.move_to_end(key)
        return found

    def keep(self, key: Key, answer: bytes) -> None:
        """Keep *answer*, which is what stands committed; a long one is not kept."""
        self.forget(key)
        if len(answer) > ENTRY_BYTES_MAX:
            return
        # A copy: whoever wrote the text did so into more room than it needs in the end.
        self._entries[key] = bytes(memoryview(answer))
        self.size_bytes += len(answer) + _OVERHEAD_BYTES
        while self.size_bytes > self._bytes_max:
            self.forget(next(iter(self._entries)))

    def forget(self, key: Key) -> None:
        """Forget what was kept for an entity, because its heads move."""
        gone = self._entries.pop(key, None)
        if gone is not None:
            self.size_bytes -= len(gone) + _OVERHEAD_BYTES
