"""A content folder that is read again after each save comes to what a first reading comes to."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from talebearer.content import LiveContent, compile_content, lint
from talebearer.errors import Severity
from talebearer.lines import DialoguePool, MonologuePool, Pack, load_pack

ODO = "c/dialogue/quay/odo.yaml"
VESK = "c/dialogue/quay/vesk.yaml"
THOUGHTS = "c/monologue/detective/quay.yaml"
STATE = "global/state.yaml"
NAMED = "global/conditions.yaml"
FACTS = "global/knowledge/sea.yaml"
HEAD = "location: quay\nrole: docker\nlines:\n"


def _line(line_id: str, text: str, more: str = "") -> str:
    return (
        f'  - {{id: {line_id}, text: "{text}", role: docker, access: [public], trust: surface, '
        f"situation: [social]{more}}}\n"
    )


ANSWER = ", prerequisites: {reply_to: {line: vesk_d_001}}"
READS = ", prerequisites: {counters: [{counter: asked, '>=': 1}], conditions: [met]}"
VERSIONS: dict[str, list[str | None]] = {
    ODO: [
        HEAD + _line("odo_d_001", "The tide."),
        HEAD + "# a remark\n" + _line("odo_d_001", "The tide."),
        HEAD + _line("odo_d_001", "The tide.", ANSWER) + _line("odo_d_002", "Ropes.", READS),
        HEAD + _line("odo_d_002", "The tide.", ", effects: [{add: {counter: asked}}]"),
        HEAD + _line("odo_d_001", "The tide.", ", prerequisites: {facts: [{fact_id: sea.low, "
                     "min_confidence: suspects}]}"),
        "location: quay\nrole: docker\nlines: [\n",
        "",
        None,
    ],
    VESK: [
        HEAD + _line("vesk_d_001", "Salt."),
        HEAD + _line("vesk_d_002", "Salt.", ", aliases: [vesk_d_001]"),
        HEAD + _line("vesk_d_002", "Salt.", ', aliases: ["vesk_d_001"]') + _line("vesk_d_003", "S"),
        HEAD + _line("odo_d_002", "Salt."),
        HEAD.replace("docker", "priest") + _line("vesk_d_001", "Salt."),
        None,
    ],
    THOUGHTS: [
        'character: detective\nlocation: quay\nlines:\n  - {id: pc-detective_m_d_001, text: "Rope.",'
        " trigger: enter_location}\n",
        'character: smuggler\nlocation: quay\nlines:\n  - {id: pc-detective_m_d_001, text: "Rope.",'
        " trigger: enter_location}\n",
        None,
    ],
    STATE: ["counters: [{id: asked, scope: pair}]\n", "counters: [{id: other, scope: pair}]\n", None],
    NAMED: [
        "conditions: [{id: met, when: {interaction: {target: 'npc:vesk'}}}]\n",
        "conditions: [{id: met, when: {reply_to: {line: vesk_d_001}}}]\n",
        None,
    ],
    FACTS: ["category: sea\nfacts: [{id: sea.low, description: Low.}]\n", None],
}  # fmt: skip
EDITS = st.sampled_from(sorted(VERSIONS)).flatmap(
    lambda name: st.tuples(st.just(name), st.sampled_from(VERSIONS[name]))
)


def _save(root: Path, name: str, text: str | None) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if text is None:
        path.unlink(missing_ok=True)
    else:
        path.write_text(text, encoding="utf-8")


def _contents(pack: Pack) -> list[Any]:
    pools: tuple[DialoguePool | MonologuePool, ...] = (*pack.dialogue_pools, *pack.monologue_pools)
    return [
        pack.digest,
        [(pool.path, pool.location, pool.strategy, tuple(pool.lines)) for pool in pools],
        pack.enums,
        pack.facts,
        pack.profiles,
        pack.declared,
        pack.known(None).former,
    ]


@pytest.mark.spec("LP-live")
@settings(max_examples=60)
@given(edits=st.lists(EDITS, min_size=1, max_size=8), cached=st.booleans())
def test_a_state_after_saves_is_that_of_a_first_reading(
    edits: list[tuple[str, str | None]], cached: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "content"
        for name, versions in VERSIONS.items():
            _save(root, name, versions[0])
        live = LiveContent(root, cache=Path(folder) / "cache" if cached else None)
        live.first()
        for name, text in edits:
            _save(root, name, text)
            state = live.read()
            assert state.problems == lint(root)
            errors = any(one.severity is Severity.ERROR for one in state.problems)
            assert (state.pack is None) is errors
            if state.pack is not None:
                fresh = load_pack(compile_content(root).data)
                assert _contents(state.pack) == _contents(fresh)
            assert live.read() is state


@pytest.mark.spec("LP-live")
def test_a_first_state_from_the_cache_is_the_same_and_places_lines(tmp_path: Path) -> None:
    root = tmp_path / "content"
    for name, versions in VERSIONS.items():
        _save(root, name, versions[0])
    cold = LiveContent(root, cache=tmp_path / "cache").first()
    warm = LiveContent(root, cache=tmp_path / "cache").first()
    assert cold.pack is not None
    assert warm.pack is not None
    assert _contents(cold.pack) == _contents(warm.pack)
    assert cold.problems == warm.problems
    for state in (cold, warm):
        where = state.where("c/dialogue/quay/odo", "odo_d_001")
        assert (where.file, where.line, where.column) == ("content/c/dialogue/quay/odo.yaml", 4, 5)
        assert state.authored("c/dialogue/quay/odo", "odo_d_001")["text"] == "The tide."
        assert state.header("c/dialogue/quay/odo") == {"location": "quay", "role": "docker"}
        assert state.where("c/dialogue/quay/odo", "odo_d_099").line is None
        assert state.file_of("c/dialogue/quay/nobody") == ""
