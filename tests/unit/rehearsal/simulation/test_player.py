"""Player files: every fault at its place, all at once; whatever is in the file."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import small_pack

from talebearer.errors import InvalidPlayer
from talebearer.lines import Pack, load_pack
from talebearer.rehearsal.simulation import Player, Simulation, load_player


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Pack:
    """The small tree's pack."""
    return load_pack(small_pack(tmp_path_factory.mktemp("small")))


def _problems(path: Path, data: bytes, pack: Pack) -> list[str]:
    path.write_bytes(data)
    with pytest.raises(InvalidPlayer) as caught:
        load_player(path, pack)
    assert caught.value.code == "TB125"
    return [
        f"{one['where'].get('line')}:{one['where'].get('column')} {one['message']} | {one['hint']}"
        for one in caught.value.data["problems"]
    ]


@pytest.mark.spec("LP-sim-player")
def test_what_is_left_out_has_its_default(tmp_path: Path, pack: Pack) -> None:
    path = tmp_path / "p.yaml"
    path.write_text("description: nobody in particular\n", encoding="utf-8")
    assert load_player(path, pack) == Player()
    path.write_text("talk: {lines: [1, 2], walk_out: 1}\nmind: 'pc:ilse'\nnpcs: [odo]\n")
    found = load_player(path, pack)
    assert (found.talk.lines, found.talk.walk_out, found.talk.topics) == ((1, 2), 1, 0.7)
    assert (found.mind, found.npcs) == ("pc:ilse", ("odo",))


@pytest.mark.spec("LP-sim-player")
def test_all_faults_of_form_come_at_once(tmp_path: Path, pack: Pack) -> None:
    text = (
        "talk: {lines: [1], topic: 0.5, walk_out: 1.5}\n"
        "does: {talk: -1}\ncharacters: [smugler]\nmood: x\n"
    )
    found = "\n".join(_problems(tmp_path / "p.yaml", text.encode(), pack))
    for part in ("1:15", "topic", "topics", "walk_out", "talk", "smugler", "smuggler", "mood"):
        assert part in found
    assert found.count("\n") == 5


@pytest.mark.spec("LP-sim-player")
def test_all_faults_of_meaning_come_at_once(tmp_path: Path, pack: Pack) -> None:
    text = (
        "npcs: [odo, idda]\nplaces: [the-key]\nticks: {move: [9, 3]}\n"
        "does: {talk: 0, move: 0, look: 0, wait: 0}\ntalk: {lines: [0, 0]}\n"
    )
    assert _problems(tmp_path / "p.yaml", text.encode(), pack) == [
        "1:13 no pool is of 'idda' | did you mean ida?",
        "2:10 no pool is at 'the-key' | did you mean the-quay?",
        "3:15 move has 9 for the least and 3 for the most | the least first",
        "4:7 the player does nothing | give at least one of them a weight above 0",
        "5:15 no line is ever asked for | [1, 1] or more",
    ]


@pytest.mark.parametrize(
    "data",
    [b"", b"\xff\xfe", b"- a\n", b"a: [", b"x: &a [*a]\n", b"[" * 5000, b"mind: npc:odo\n", b"\0"],
    ids=["empty", "no UTF-8", "list", "no YAML", "alias", "deep", "mind", "NUL"],
)
def test_hostile_files_are_findings(tmp_path: Path, pack: Pack, data: bytes) -> None:
    assert _problems(tmp_path / "p.yaml", data, pack)


def test_a_file_that_is_not_there_is_a_finding(tmp_path: Path, pack: Pack) -> None:
    with pytest.raises(InvalidPlayer) as caught:
        load_player(tmp_path / "none.yaml", pack)
    assert "none.yaml" in str(caught.value)


_CHANCE = st.sampled_from([0, 0.0, 0.3, 1, 1.0, -1, 2, "x", True])
_SPAN = st.sampled_from([[0, 0], [0, 3], [2, 5], [5, 2], [1], "x", [10**10, 10**11]])


@settings(max_examples=60)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "talk": st.fixed_dictionaries(
                {}, optional={"lines": _SPAN, "walk_out": _CHANCE, "access": _CHANCE}
            ),
            "game": st.fixed_dictionaries({}, optional={"facts": _CHANCE, "gossip": _CHANCE}),
            "ticks": st.fixed_dictionaries({}, optional={"line": _SPAN, "wait": _SPAN}),
            "does": st.fixed_dictionaries(
                {}, optional=dict.fromkeys(("talk", "move", "look", "wait"), st.integers(0, 2))
            ),
        },
    )
)
def test_whatever_a_player_is_a_playthrough_ends_and_repeats(
    tmp_path_factory: pytest.TempPathFactory, pack: Pack, value: dict[str, object]
) -> None:
    import json

    path = tmp_path_factory.mktemp("any") / "p.yaml"
    path.write_text(json.dumps(value), encoding="utf-8")
    try:
        player = load_player(path, pack)
    except InvalidPlayer:
        return
    simulation = Simulation(player=player, turns=25)
    setting = simulation.setting(pack)
    first = simulation.playthrough(setting, 1).run()
    assert len(first) <= 25
    assert first == simulation.playthrough(setting, 1).run()
