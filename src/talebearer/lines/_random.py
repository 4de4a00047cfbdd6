"""Randomness that every machine and every language can draw again.

One pick is drawn like this::

    text   = the JSON array [seed, tick, mind, pools, request, draw] without any space
    hash   = SHA-256 of the UTF-8 bytes of text
    state  = the first 8 bytes of hash, big-endian
    state  = (state + 0x9E3779B97F4A7C15) mod 2^64                (one SplitMix64 step)
    z      = ((state xor (state >> 30)) * 0xBF58476D1CE4E5B9) mod 2^64
    z      = ((z xor (z >> 27)) * 0x94D049BB133111EB) mod 2^64
    number = z xor (z >> 31)
    point  = (number * total weight) >> 64                        (128-bit product)
    index  = the first whose cumulative weight is greater than point

When only one line is left, nothing is drawn. A line with several texts and a gate with a chance draw
numbers of their own, of the same array with more members behind *draw*, so that they shift no other
draw::

    [..., draw, "variant", pool, line]
    [..., draw, "chance", pool, line, condition, place]

*pool* and *line* are the line's. A variant is drawn evenly from the texts that are left in the line's
bag, in file order. A chance holds when (number * 1000000) >> 64 is below its parts per million;
*condition* is the name of the named condition that it stands in, or an empty string, and *place* its
place among the chances written there, from 0, in the order of the pack's members as they are read.

In the array, *seed*, *tick* and *draw* are decimal integers, *mind* and *request* strings, and
*pools* an array of strings: the paths of all candidate pools, sorted by code points. What was
renamed is named as it was called first, and sorted by that: so another name changes no draw. Strings are
written as they are, except that ``"`` and ``\\`` get a backslash, and characters below U+0020 are
``\\b \\t \\n \\f \\r`` or ``\\u00xx`` with lower-case digits. Nothing else is escaped. Example::

    [7,120,"party",["campaigns/tollhouse/dialogue/the-quay/odo-renn"],"dialogue",0]
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from struct import Struct

_MASK = 0xFFFFFFFFFFFFFFFF
_first_eight = Struct(">Q").unpack_from
# One encoder: json.dumps makes a new one for every text.
_array = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class SplitMix64:
    """The SplitMix64 generator.

    Args:
        state: The seed; only its low 64 bits count.
    """

    __slots__ = ("_state",)

    def __init__(self, state: int) -> None:
        self._state = state & _MASK

    def next(self) -> int:
        """Return the next number, 0 to 2**64 - 1."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)


def draw_key(
    *, seed: int, tick: int, mind: str, pools: Sequence[str], request: str, draw: int
) -> bytes:
    """Return the bytes that one draw hashes; the module's text gives the layout."""
    return f"[{seed},{tick}{key_part(mind, pools, request)}{draw}]".encode()


def key_part(mind: str, pools: Sequence[str], request: str) -> str:
    """Return the middle of a key: what stays the same from draw to draw, with commas around."""
    return f",{_array([mind, list(pools), request])[1:-1]},"


def more_part(*more: str | int) -> str:
    """Return what stands behind *draw* in the key of a variant or a chance, with a comma before."""
    return f",{_array(more)[1:-1]}"


def number_of(key: str) -> int:
    """Return the 64-bit number that the array *key* draws."""
    state: int = _first_eight(hashlib.sha256(key.encode()).digest())[0]
    # The first step of SplitMix64, written out: every pick goes through here.
    mixed = (state + 0x9E3779B97F4A7C15) & _MASK
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
    return mixed ^ (mixed >> 31)


def weighted_index(number: int, weights: Sequence[int]) -> int:
    """Return the index that the 64-bit *number* falls on; *weights* are positive integers."""
    cumulative = list(accumulate(weights))
    return bisect_right(cumulative, (number * cumulative[-1]) >> 64)


def pick_index(
    weights: Sequence[int],
    *,
    seed: int,
    tick: int,
    mind: str,
    pools: Sequence[str],
    request: str,
    draw: int,
) -> int:
    """Return which of *weights* is drawn.

    Args:
        weights: Positive integers, at least one.
        seed: The campaign's or the save's seed.
        tick: The tick of the pick.
        mind: The mind's id.
        pools: Paths of all candidate pools, sorted.
        request: ``dialogue``, or the trigger.
        draw: How many picks this mind has made in this tick before.

    Returns:
        An index into *weights*, from 0; each with probability weight / sum of weights.

    Source: rule LP-L5.
    """
    if len(weights) == 1:
        return 0  # every number falls on it
    key = draw_key(seed=seed, tick=tick, mind=mind, pools=pools, request=request, draw=draw)
    return weighted_index(number_of(key.decode()), weights)
