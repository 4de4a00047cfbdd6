from __future__ import annotations

import json
from typing import Any

import pytest

from talebearer.errors import InvalidSave
from talebearer.memory import Mind, fold
from talebearer.vocabulary import EventKind

ODO = "npc:odo-renn"
FIRST = "interaction.odo-renn_001"


@pytest.fixture
def full(log: Any, make_receipt: Any) -> Any:
    """A log with something of everything."""
    receipt = make_receipt()
    log.fill(receipt)
    log.add(EventKind.LINE_FIRED, pool="a", line="x_d_001", tick=11)
    log.start(tick=12)
    log.start("npc:zoe", stream="s2", receipt=receipt, tick=20)
    return log


@pytest.mark.spec("IM-M10-save")
def test_a_save_goes_on_like_the_original(full: Any) -> None:
    again = Mind.loads(full.mind.dumps())
    assert again.dumps() == full.mind.dumps()
    assert again.graph.in_progress_id == full.mind.graph.in_progress_id
    assert again.last_heard([("a", "x_d_001"), ("b", "x_d_001")]) == ("a", "x_d_001")
    assert again.picks_at(11) == 2
    more = [
        full.event(EventKind.INTERACTION_COMPLETED, tick=30, target=ODO, topics=[]),
        full.event(EventKind.LINE_FIRED, pool="b", line="x_d_001", tick=30, stream="x"),
    ]
    for event in more:
        assert again.apply(event) == full.mind.apply(event)
    assert again.dumps() == full.mind.dumps()


def test_a_fold_of_the_log_is_the_save(full: Any) -> None:
    assert fold("pc:wren", full.events).dumps() == full.mind.dumps()


def test_the_bytes_are_canonical(full: Any) -> None:
    data = full.mind.dumps()
    value = json.loads(data)
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert data == text.encode() + b"\n"
    assert value["schema_version"] == 1
    assert value == json.loads(json.dumps(full.mind.snapshot()))
    assert "source" in value["facts"]["cargo.one"]


@pytest.mark.spec("IM-10-additive")
def test_an_older_save_has_no_metadata(log: Any) -> None:
    save = log.mind.snapshot()
    save["facts"] = {
        name: {
            "confidence": "knows_of",
            "source": {"kind": "background", "payload": {}},
            "state": "active",
            "acquired_tick": 5,
        }
        for name in ("cargo.one", FIRST)
    }
    mind = Mind.from_snapshot(save)
    assert mind.graph.fact("cargo.one").metadata is None
    assert mind.graph.fact("cargo.one").origin == ("", 0)
    assert list(mind.graph.facts) == ["cargo.one", FIRST]
    assert not mind.graph.has_interacted_with(ODO)
    assert mind.graph.interactions_with(ODO) == []
    assert Mind.loads(mind.dumps()).dumps() == mind.dumps()
    log.mind = mind
    assert log.start().interaction_id == "interaction.odo-renn_002"


def change(path: str, value: Any) -> Any:
    """Return a function that puts *value* at the dotted *path*; None as a value removes."""

    def put(save: Any) -> None:
        *way, last = path.split("/")
        for step in way:
            save = save[step]
        if value is None:
            del save[last]
        else:
            save[last] = value

    return put


M = f"facts/{FIRST}/metadata"


@pytest.mark.spec("IM-M10-refused")
@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ("schema_version", 4, "schema_version"),
        ("schema_version", 0, "schema_version"),
        ("format", "talebearer.pack", "format"),
        ("extra", 1, "extra"),
        ("marks", None, "marks"),
        ("mind", "nobody", "mind"),
        ("tick", -1, "tick"),
        ("marks/live", 0, "marks['live']"),
        ("numbers/Odo", 1, "numbers"),
        ("picks", [], "picks"),
        ("fired", [["a", "b"]], "fired[0]"),
        ("fired", [["a", "b", 1], ["a", "b", 2]], "fired[1]"),
        ("facts/cargo.one/state", "gone", "facts['cargo.one'].state"),
        ("facts/cargo.one/origin", ["live"], "facts['cargo.one'].origin"),
        ("facts/interaction.x", {}, "facts['interaction.x']"),
        ("entities/npc:zoe/last_tick", -1, "entities['npc:zoe'].last_tick"),
        ("entities/odo", {}, "entities['odo']"),
        (f"facts/{FIRST}/confidence", "knows_of", f"facts['{FIRST}'].confidence"),
        (f"{M}/kind", "gossip", f"facts['{FIRST}'].metadata.kind"),
        (f"{M}/target_entity", "npc:zoe", f"facts['{FIRST}'].metadata.target_entity"),
        (f"{M}/interaction_state", "active", f"facts['{FIRST}'].metadata.ended_tick"),
        (f"{M}/interaction_state", "walked_away", f"facts['{FIRST}'].metadata.confrontation"),
        (f"{M}/ended_tick", 1, f"facts['{FIRST}'].metadata.ended_tick"),
    ],
)
def test_a_save_that_no_events_made_is_refused(
    full: Any, path: str, value: Any, field: str
) -> None:
    save = full.mind.snapshot()
    change(path, value)(save)
    with pytest.raises(InvalidSave) as caught:
        Mind.from_snapshot(save)
    assert caught.value.data["field"].startswith(field)


@pytest.mark.parametrize("name", ["interaction.odo-renn_0009", "interaction.odo_" + "9" * 5000])
def test_an_odd_interaction_id_is_refused(full: Any, name: str) -> None:
    save = full.mind.snapshot()
    save["facts"][name] = save["facts"][FIRST]
    with pytest.raises(InvalidSave):
        Mind.from_snapshot(save)


def test_two_live_conversations_are_refused(full: Any) -> None:
    save = full.mind.snapshot()
    running = save["facts"]["interaction.odo-renn_002"]
    save["facts"]["interaction.odo-renn_003"] = running
    with pytest.raises(InvalidSave, match="is in progress as well"):
        Mind.from_snapshot(save)


def test_metadata_belongs_to_interactions(full: Any) -> None:
    save = full.mind.snapshot()
    save["facts"]["cargo.one"]["metadata"] = save["facts"][FIRST]["metadata"]
    with pytest.raises(InvalidSave, match="only interactions have it"):
        Mind.from_snapshot(save)


@pytest.mark.parametrize(
    "data",
    [b"", b"\xff", b"[NaN]", b"[" * 100_000, b'{"a":1,"a":2}', b"9" * 5000, b"null"],
)
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(InvalidSave):
        Mind.loads(data)


@pytest.mark.parametrize("numbers", [{"Odo": 1}, {"odo": 0}, {"odo": "1"}])
def test_kept_numbers_are_checked(numbers: Any) -> None:
    with pytest.raises(InvalidSave):
        Mind("party", numbers=numbers)
