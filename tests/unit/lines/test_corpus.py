"""The conformance corpus: what it covers, that it is current, and that the package agrees with it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from campaigns import run_python
from selection_player import play_all

ROOT = Path(__file__).resolve().parents[3]
CORPUS = ROOT / "tests" / "fixtures" / "selection" / "corpus.jsonl"
SIZE_BYTES_MAX = 400_000
GATES = {
    *("facts", "gossip", "entity_attributes", "relationships", "interactions", "timers"),
    *("counters", "values", "event", "reply_to", "chance", "conditions", "all_of", "any_of", "not"),
}
STAGES = {
    *("access", "situation", "trust", "location", "trigger", "prerequisites", "once", "cooldown"),
    *("class", "repeat", "score", "specificity", "recency", "bag"),
}


def _cases() -> list[dict[str, Any]]:
    lines = CORPUS.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines[1:]]


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in parts:
        yield from _keys(part)


@pytest.mark.spec("LP-corpus-played")
def test_the_package_answers_as_the_corpus_says() -> None:
    cases, asked = play_all(CORPUS)
    assert cases == len(_cases())
    assert asked > 3 * cases


@pytest.mark.spec("LP-corpus-current")
def test_the_corpus_is_what_the_reference_says_now(tmp_path: Path) -> None:
    done = run_python([str(ROOT / "tools" / "selection_corpus.py"), "--check"], cwd=tmp_path)
    assert done.code == 0, done.out + done.err
    assert CORPUS.stat().st_size <= SIZE_BYTES_MAX


@pytest.mark.spec("LP-corpus-covers")
def test_every_gate_stage_and_effect_is_in_it() -> None:
    cases = _cases()
    lines = [line for case in cases for pool in case["pack"]["pools"] for line in pool["lines"]]
    assert {key for line in lines for key in _keys(line.get("when", {}))} >= GATES
    answers = [step["answer"] for case in cases for step in case["steps"] if "answer" in step]
    fates = Counter(fate for answer in answers for _, _, fate in answer["lines"])
    assert {fate for fate in fates if isinstance(fate, str)} == STAGES
    kinds = {effect["kind"] for answer in answers for effect in answer["effects"]}
    told = {"fact_learned", "line_fired", "counter_added", "value_set", "timer_stamped"}
    assert kinds == told
    assert any(answer["interrupts"] for answer in answers)
    assert {answer["drawn"] is None for answer in answers} == {True, False}
