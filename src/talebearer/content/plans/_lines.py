"""How a plan names a line: by its id, or as pool/path#id with as much of the path as is needed."""

from __future__ import annotations

from talebearer.content._structure import suggestion
from talebearer.lines import DialoguePool, LineKey, MonologuePool, Pack

_SHOWN_MAX = 4


def names_line(reference: str, key: LineKey) -> bool:
    """Return whether *reference* means the line *key*."""
    path, _, line_id = reference.rpartition("#")
    if line_id != key[1]:
        return False
    return not path or key[0] == path or key[0].endswith(f"/{path}")


class LineIndex:
    """The lines of a pack by their ids."""

    def __init__(self, pack: Pack) -> None:
        self._pools: tuple[DialoguePool | MonologuePool, ...] = (
            *pack.dialogue_pools,
            *pack.monologue_pools,
        )

    def find(self, reference: str) -> tuple[LineKey, ...]:
        """Return the lines that *reference* may mean."""
        return tuple(key for key in self._with_id(reference) if names_line(reference, key))

    def _with_id(self, reference: str) -> list[LineKey]:
        line_id = reference.rpartition("#")[2]
        found = (pool for pool in self._pools if pool.position_of(line_id) is not None)
        return [(pool.path, line_id) for pool in found]

    def hint(self, reference: str) -> str:
        """Return what may have been meant instead of *reference*."""
        found = self.find(reference)
        if found:
            listed = ", ".join(f"{pool}#{line}" for pool, line in found[:_SHOWN_MAX])
            return f"it is in {len(found)} pools: name one as {listed}"
        line_id = reference.rpartition("#")[2]
        pools = [pool for pool, _ in self._with_id(reference)]
        if pools:
            return f"that id is in {', '.join(pools[:_SHOWN_MAX])}"
        hint = suggestion(line_id, sorted({one for pool in self._pools for one in pool.ids}))
        return hint.partition(" allowed: ")[0] if hint.startswith("did you mean") else ""
