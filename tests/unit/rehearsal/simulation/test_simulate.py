"""Simulated playthroughs: every line is the engine's, every number can be counted again."""

from __future__ import annotations

import gc
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from playing import small_pack, small_tree
from small_packs import pack_data, talk

from talebearer.campaign import run_plans
from talebearer.content import compile_content
from talebearer.errors import UsageFault
from talebearer.lines import Pack, load_pack
from talebearer.memory import Event, Mind
from talebearer.rehearsal.simulation import (
    Game,
    Player,
    Simulation,
    SimulationResult,
    Step,
    Talk,
    plan_text,
    simulate,
    told,
    trace,
)
from talebearer.server import render_simulation
from talebearer.testing import ReferenceSelector

BUNDLED = Path(__file__).parents[4] / "src/talebearer/bundled/drowned-bell/content"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The small tree's pack."""
    return small_pack(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def pack(data: bytes) -> Pack:
    """The same, loaded."""
    return load_pack(data)


LIVELY = Player(
    talk=Talk(walk_out=0.4, confront=0.3, access=0.4, trust=0.4, speaking=0.3),
    game=Game(facts=0.3, relationships=0.2, attributes=0.2, state=0.2, gossip=0.2),
)


def _run(data: bytes, **members: Any) -> SimulationResult:
    return simulate(
        data, Simulation(**{"playthroughs": 20, "turns": 30, "player": LIVELY} | members)
    )


@pytest.mark.spec("LP-sim-engine")
@pytest.mark.parametrize("number", [1, 2, 3])
def test_every_line_is_the_one_that_the_plain_reference_draws(
    data: bytes, pack: Pack, number: int
) -> None:
    simulation = Simulation(player=LIVELY, turns=30, seed=7)
    seed = json.loads(json.dumps(plan_seed(pack, simulation, number)))
    logs: dict[str, list[Event]] = {"party": [], "world": []}
    for step in trace(pack, simulation, number):
        for mind, event in step.before:
            logs.setdefault(mind, []).append(event)
        reference = ReferenceSelector(json.loads(data), logs, mind="party", seed=seed)
        assert _asked(reference, step) == (step.pool, step.line, step.text, _effects(step))
        for mind, event in step.effects:
            logs.setdefault(mind, []).append(event)


def plan_seed(pack: Pack, simulation: Simulation, number: int) -> int:
    """Return the seed of a playthrough's selector, as its plan has it."""
    lines = plan_text(pack, simulation, number).splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("    seed: "))


def _asked(reference: ReferenceSelector, step: Step) -> tuple[Any, ...]:
    request = step.request
    more = {"tick": request.tick, "event": request.event, "speaking": request.speaking}
    if request.scene is None:
        assert request.trigger is not None
        answer = reference.monologue(
            request.who, request.trigger, location=request.location, **more
        )
    else:
        scene = {name: getattr(request.scene, name) for name in request.scene.__slots__}
        answer = reference.dialogue(request.who, scene, **more)
    pool, line = answer.chosen or (None, None)
    effects = [(mind, kind, dict(data)) for mind, kind, data in answer.effects]
    return pool, line, answer.text, effects


def _effects(step: Step) -> list[tuple[str, str, dict[str, Any]]]:
    return [(mind, event.kind.value, dict(event.data)) for mind, event in step.effects]


@pytest.mark.spec("LP-sim-counts")
def test_the_counts_are_those_of_the_playthroughs_step_by_step(data: bytes, pack: Pack) -> None:
    """Counted again, slowly, from the traces."""
    result = _run(data, seed=3)
    simulation = Simulation(player=LIVELY, turns=30, seed=3)
    traces = {number: trace(pack, simulation, number) for number in range(1, 21)}
    again = in_a_row = silent = 0
    for steps in traces.values():
        keys = [(step.pool, step.line) for step in steps if step.line is not None]
        silent += len(steps) - len(keys)
        again += sum(key in keys[max(0, at - 10) : at] for at, key in enumerate(keys))
        in_a_row += sum(one == other for one, other in itertools.pairwise(keys))
    value = result.as_json()
    assert (value["heard_again"], value["in_a_row"], value["silent"]) == (again, in_a_row, silent)
    assert value["decisions"] == sum(map(len, traces.values())) == 600
    for line in result.lines:
        found = [
            (number, step.turn)
            for number, steps in traces.items()
            for step in steps
            if (step.pool, step.line) == (line.pool, line.line)
        ]
        assert line.heard == len(found)
        assert line.first == (found[0] if found else None)
        assert line.playthroughs == len({number for number, _ in found})
    assert value["reach"][-1]["lines"] == len(result.lines) - len(result.never)


@pytest.mark.spec("LP-sim-replay")
def test_a_playthrough_written_as_a_plan_passes(tmp_path: Path) -> None:
    content = small_tree(tmp_path)
    small = load_pack(compile_content(content).data)
    for number in (1, 2, 3):
        text = plan_text(small, Simulation(player=LIVELY, turns=60, seed=5), number)
        (content / f"p{number}.plan.yaml").write_text(text, encoding="utf-8")
    report = run_plans(content)
    assert [str(p) for case in report.cases for p in case.problems] == []
    assert [str(p) for p in report.problems] == []
    assert [len(case.lines) for case in report.cases] == [60, 60, 60]
    assert any(line is None for case in report.cases for line in case.lines)


@pytest.mark.spec("LP-sim-replay")
def test_a_trace_and_a_run_are_the_same_playthrough(data: bytes, pack: Pack) -> None:
    simulation = Simulation(player=LIVELY, turns=40, seed=9)
    outcomes = simulation.playthrough(simulation.setting(pack), 4).run()
    steps = trace(pack, simulation, 4)
    keys = [None if step.line is None else (step.pool, step.line) for step in steps]
    assert [key for _, key in outcomes] == keys
    assert [step.turn for step in steps] == list(range(1, 41))
    assert trace(pack, simulation, 5) != steps


def test_a_trace_reads_as_what_happened(pack: Pack) -> None:
    text = "\n".join(
        line
        for number in range(1, 25)
        for step in trace(pack, Simulation(player=LIVELY, turns=40, seed=9), number)
        for line in told(step)
    )
    for part in (
        "party: walks out on npc:odo",
        "party: confronts npc:",
        "1. tick 0:",
        "    nothing",
        "-> world: timer rang is stamped",
        "-> party: learns people.him (suspects)",
        "item crate",
    ):
        assert part in text


@pytest.mark.spec("LP-sim-interrupt")
def test_an_interrupt_leaves_the_playthroughs_so_far(data: bytes) -> None:
    def stop(stage: str, done: int, total: int) -> None:
        assert (stage, total) == ("playing", 1000)
        if done >= 200:
            raise KeyboardInterrupt

    simulation = Simulation(playthroughs=1000, turns=4, seed=2)
    found = simulate(data, simulation, progress=stop)
    assert found.interrupted
    done = found.tally.playthroughs
    whole = simulate(data, Simulation(playthroughs=done, turns=4, seed=2))
    assert not whole.interrupted
    assert found.as_json() | {"interrupted": False} == whole.as_json()
    assert "Interrupted after" in render_simulation(found)
    assert "Interrupted after" not in render_simulation(whole)


@pytest.mark.spec("LP-sim-bounded")
def test_nothing_of_a_playthrough_is_kept_but_its_counts(data: bytes) -> None:
    few, many = _run(data, playthroughs=5), _run(data, playthroughs=60)
    assert few.interrupted is many.interrupted is False
    assert len(many.tally.heard) <= len(many.lines)
    assert len(many.tally.asked) <= 40
    gc.collect()
    assert not [one for one in gc.get_objects() if isinstance(one, Mind)]


def test_a_seed_and_a_number_decide(data: bytes) -> None:
    one, other = _run(data, seed=1), _run(data, seed=2)
    assert one.as_json() == _run(data, seed=1).as_json()
    assert one.as_json()["lines"] != other.as_json()["lines"]


@pytest.mark.spec("LP-sim-reach")
def test_a_line_that_no_player_can_reach_is_named_and_found_by_its_id(data: bytes) -> None:
    result = _run(data, player=Player(npcs=("ida",), characters=("smuggler",)))
    never = {line.line for line in result.never}
    assert {"odo_d_002", "pc-detective_m_d_001"} <= never
    (line,) = result.find(["ida_d_001"])
    assert line.first is not None
    assert [one.pool for one in result.find(["odo_d_001"])] == [
        "c/dialogue/the-hall/ida",
        "c/dialogue/the-quay/odo",
    ]
    assert len(result.find(["the-quay/odo#odo_d_001"])) == 1
    with pytest.raises(UsageFault) as caught:
        result.find(["odo_d_02"])
    assert "odo_d_002" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("member", "value"),
    [("playthroughs", 0), ("turns", 0), ("turns", 100_001), ("window", 0), ("playthroughs", 2**40)],
)
def test_sizes_are_bounded(member: str, value: int) -> None:
    with pytest.raises(UsageFault, match=member):
        Simulation(**{member: value})


def test_a_player_with_nobody_to_ask_is_refused(pack: Pack) -> None:
    nobody = Player(npcs=("ida",), places=("the-quay",), characters=("smuggler",))
    assert Simulation(player=nobody).setting(pack).places
    quiet = Player(npcs=("odo",), places=("the-hall",), characters=("detective",))
    with pytest.raises(UsageFault, match="no line"):
        Simulation(player=quiet).setting(pack)


def test_somebody_who_only_waits_where_nothing_is_thought_comes_to_an_end(data: bytes) -> None:
    from talebearer.rehearsal.simulation import Does

    still = Player(does=Does(talk=0, move=0, look=0, wait=1), places=("the-hall",), npcs=("ida",))
    result = _run(data, player=still, playthroughs=2, turns=50)
    assert result.tally.playthroughs == 2
    assert result.decisions < 100


@pytest.mark.spec("LP-sim-bundled")
def test_the_bundled_campaign_is_reached_nearly_whole() -> None:
    """A few lines need luck that so short a run may not have."""
    result = simulate(compile_content(BUNDLED).data, Simulation(playthroughs=60, turns=200, seed=4))
    assert len(result.never) < len(result.lines) // 10
    assert "maelis-brandt_d_044" not in {line.line for line in result.never}
    silent, asked = result.silence(thoughts=False)
    assert silent < asked // 20


def test_content_with_tiers_of_its_own_is_played() -> None:
    """No relationship gives a tier that the content has not: it gives the least one that it has."""
    enums = {
        "access": ["stranger", "kin"],
        "trust": ["shut", "open"],
        "situations": ["social"],
        "topics": [],
        "moods": [],
        "triggers": ["come"],
    }
    tiers = {"access": ["stranger"], "trust": "shut"}
    data = pack_data(talk(tiers, tiers), enums=enums, facts={}, state={})
    result = _run(data)
    assert result.as_json()["heard"]
