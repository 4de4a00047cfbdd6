"""The draw, in bytes and numbers that another language can check itself against."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from typing import Any

import pytest

from talebearer.lines import SplitMix64, draw_key, pick_index, weighted_index

ASKED: dict[str, Any] = {
    "seed": 7,
    "tick": 120,
    "mind": "party",
    "pools": ["campaigns/tollhouse/dialogue/the-quay/odo-renn"],
    "request": "dialogue",
    "draw": 0,
}

# Computed with another language's integers from the module's text, not with this code.
FIRST = 6079032342637540939
EVEN = [2, 4, 0, 1, 6, 5, 4, 1, 3, 3, 2, 0]
WEIGHTED = [9, 9, 10, 9, 8, 10, 10, 5, 10, 10, 9, 10]


@pytest.mark.spec("LP-L5-draw")
def test_splitmix64_gives_the_published_numbers() -> None:
    generator = SplitMix64(1234567)
    assert [generator.next() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert SplitMix64(0).next() == 0xE220A8397B1DCDAF


@pytest.mark.spec("LP-L5-draw")
def test_the_bytes_that_are_hashed() -> None:
    assert draw_key(**ASKED) == (
        b'[7,120,"party",["campaigns/tollhouse/dialogue/the-quay/odo-renn"],"dialogue",0]'
    )
    odd = draw_key(**{**ASKED, "pools": ['caf\u00e9/"\\', "\x01\n\U0001f600"], "seed": -1})
    assert odd == (
        '[-1,120,"party",["caf\u00e9/\\"\\\\","\\u0001\\n\U0001f600"],"dialogue",0]'.encode()
    )


@pytest.mark.spec("LP-L5-draw")
def test_fixed_vectors() -> None:
    """Seven even weights, then priorities 0 to 10."""
    even = [pick_index([1] * 7, **{**ASKED, "draw": draw}) for draw in range(12)]
    assert even == EVEN
    doubling = [2**priority for priority in range(11)]
    weighted = [pick_index(doubling, **{**ASKED, "tick": tick}) for tick in range(12)]
    assert weighted == WEIGHTED
    first = SplitMix64(int.from_bytes(hashlib.sha256(draw_key(**ASKED)).digest()[:8], "big"))
    assert first.next() == FIRST


@pytest.mark.spec("LP-L5-draw")
@pytest.mark.parametrize(
    ("number", "index"), [(0, 0), (2**62 - 1, 0), (2**62, 1), (2**63, 2), (2**64 - 1, 2)]
)
def test_weights_are_cumulative(number: int, index: int) -> None:
    assert weighted_index(number, [1, 1, 2]) == index


@pytest.mark.parametrize("field", ["seed", "tick", "mind", "pools", "request", "draw"])
def test_each_part_of_the_key_moves_the_draw(field: str) -> None:
    other = {**ASKED, field: ["b"] if field == "pools" else 1 if field != "mind" else "pc:a"}
    assert draw_key(**other) != draw_key(**ASKED)
    assert pick_index([1] * 1000, **other) != pick_index([1] * 1000, **ASKED)


SCRIPT = """
import json, sys
from talebearer.lines import Scene, Selector, load_pack
from talebearer.memory import Mind
pack = load_pack(sys.stdin.buffer.read())
selector = Selector(pack, Mind("party"), seed=99)
scene = Scene(location="the-quay", access="public", trust="surface", situations=("social",),
              topics=("cargo", "money"), moods=("anxious", "warm"))
for tick in range(30):
    for strategy in ("top_scored", "weighted", "best_specific", "least_recent"):
        pick = selector.pick_dialogue("odo-renn", scene, tick=tick, strategy=strategy)
        print(json.dumps(pick.as_json()))
        print(json.dumps(selector.explain_dialogue("odo-renn", scene, tick=tick).as_json()))
    thought = selector.pick_monologue("smuggler", "enter_location", location="x", tick=tick)
    print(json.dumps(thought.as_json()))
"""


@pytest.mark.slow
@pytest.mark.spec("LP-9.3-deterministic")
def test_the_same_picks_under_every_hash_seed(value: dict[str, Any], encode: Any) -> None:
    outputs = set()
    for hash_seed in ("0", "1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": "src"}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            input=encode(value),
            env=environment,
            capture_output=True,
            check=True,
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert outputs.pop().count(b"\n") == 270
