"""What is decided of lines without playing, and what playing finds, never contradict each other."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import FILES, small_tree

from talebearer.content import compile_content
from talebearer.content.coverage import Fate, reach
from talebearer.lines import load_pack
from talebearer.rehearsal.simulation import Game, Player, Simulation, Talk

GATES = (
    "facts: [{fact_id: people.him, min_confidence: direct}]",
    "facts: [{fact_id: people.him, absent: true}]",
    "interaction: {target: 'npc:odo', state: walked_away}",
    "relationship: {target: 'npc:odo', state: friendly}",
    "counters: [{counter: asked, '>=': 3}]",
    "counters: [{counter: asked, '<': 1}]",
    "values: [{value: weather, '=': rain}]",
    "values: [{value: weather, '=': snow}]",
    "timers: [{timer: rang, within: 100}]",
    "timers: [{timer: rang, never: true}]",
    "reply_to: {line: odo_d_002, within: 300}",
    "gossip: {about: 'npc:ida'}",
    "chance: 0.5",
    "entity_attributes: [{entity: 'npc:odo', key: hat, value: red}]",
)
EAGER = Talk(walk_out=0.4, confront=0.3, access=0.5, trust=0.5, speaking=0.2)
GIVING = Game(facts=0.4, relationships=0.4, attributes=0.4, state=0.4, gossip=0.4)
ALONE = Game(facts=0, relationships=0.4, attributes=0, state=0, gossip=0)


@st.composite
def _line(draw: st.DrawFn, number: int) -> str:
    gates = draw(st.lists(st.sampled_from(GATES), max_size=3, unique=True))
    parts = {gate.partition(":")[0]: gate for gate in gates}
    when = f", prerequisites: {{{', '.join(parts.values())}}}" if parts else ""
    access = draw(st.sampled_from(["public", "peer", "hostile", "insider"]))
    situation = draw(st.sampled_from(["social", "confrontation", "alone"]))
    return (
        f"  - {{id: odo_d_{number:03}, text: 'Line {number}.', role: docker, access: [{access}],\n"
        f"     trust: surface, situation: [{situation}]{when}}}\n"
    )


@pytest.mark.spec("LP-sim-agrees")
@settings(max_examples=12)
@given(st.tuples(*(_line(number) for number in range(20, 28))))
def test_what_can_never_be_said_is_never_heard(lines: tuple[str, ...]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        content = small_tree(Path(folder))
        pool = content / "c/dialogue/the-quay/odo.yaml"
        pool.write_text(FILES["c/dialogue/the-quay/odo.yaml"] + "".join(lines), encoding="utf-8")
        pack = load_pack(compile_content(content).data)
    fates = reach(pack).fates
    for game, shut in (
        (GIVING, {Fate.NEVER, Fate.BEATEN}),
        (ALONE, {Fate.NEVER, Fate.BEATEN, Fate.NEEDS_GAME}),
    ):
        simulation = Simulation(player=Player(talk=EAGER, game=game), turns=80)
        heard = simulation.played(simulation.setting(pack), 1, 5).heard
        assert not [key for key in heard if fates[key] in shut]


@pytest.mark.spec("LP-sim-agrees")
def test_the_bundled_campaign_has_no_line_that_is_dead_and_heard() -> None:
    root = Path(__file__).parents[2] / "src/talebearer/bundled/drowned-bell/content"
    pack = load_pack(compile_content(root).data)
    simulation = Simulation(turns=100)
    heard = simulation.played(simulation.setting(pack), 1, 20).heard
    fates = reach(pack).fates
    assert not [key for key in heard if fates[key] in (Fate.NEVER, Fate.BEATEN)]
