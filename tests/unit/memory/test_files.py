"""One mind in one file, and schema version 2 of a save."""

from __future__ import annotations

import hashlib
import json
import zlib
from typing import Any

import pytest

from talebearer.errors import InvalidSave
from talebearer.memory import Event, Mind, dump_file, load_file, numbered
from talebearer.vocabulary import EventKind

ODO = "npc:odo-renn"
VESK = "npc:vesk"
WHY = {"code": "authored", "text": "because"}
STORY = {"about": "npc:wick", "mind": VESK, "fact_id": "interaction.wick_001", "teller": VESK}


@pytest.fixture
def full(log: Any, make_receipt: Any) -> Any:
    """A log with something of everything."""
    log.fill(make_receipt())
    log.start(VESK, tick=12, participants=[VESK, ODO])
    log.end("walked_away", VESK, tick=13, by="other")
    log.add(
        EventKind.STANDING_CHANGED,
        target=VESK,
        delta=-600,
        reason=WHY,
        forgivable=True,
        cause={"mind": "pc:wren", "stream": "live", "sequence": 1},
    )
    log.add(EventKind.STRESS_CHANGED, delta=7, reason=WHY)
    log.add(EventKind.GOSSIP_HEARD, **STORY, confidence="knows_of", interaction_state="walked_away")
    log.add(EventKind.KNOWLEDGE_DECAYED, tick=14, facts={"told_by": 5}, entities={"heard": 5})
    log.add(EventKind.KNOWLEDGE_DECAYED, tick=20, facts={"told_by": 5}, entities={"heard": 5})
    log.start("pc:storm", tick=21)
    return log


@pytest.mark.spec("IM-M10-file")
@pytest.mark.parametrize("compress", [True, False])
def test_a_file_holds_snapshot_and_log(full: Any, compress: bool) -> None:
    saved = load_file(dump_file(full.mind, full.events, compress=compress))
    assert saved.mind.dumps() == full.mind.dumps()
    assert [event.as_json() for event in saved.log()] == [event.as_json() for event in full.events]
    assert saved.mind.graph.in_progress_id == full.mind.graph.in_progress_id
    assert list(saved.mind.graph.facts) == list(full.mind.graph.facts)


@pytest.mark.spec("IM-M10-rebuild")
def test_the_log_rebuilds_the_snapshot_byte_for_byte(full: Any) -> None:
    saved = load_file(dump_file(full.mind, full.events))
    again = saved.rebuild()
    assert again.dumps() == saved.mind.dumps()
    assert dump_file(again, saved.log()) == dump_file(full.mind, full.events)


def test_numbers_that_vanished_survive(log: Any) -> None:
    log.mind = Mind("pc:wren", numbers={"odo-renn": 9, "vesk": 4})
    applied = log.start()
    events = [numbered(log.events[0], applied)]
    saved = load_file(dump_file(log.mind, events))
    assert saved.rebuild().dumps() == log.mind.dumps()
    assert saved.rebuild().numbers == {"odo-renn": 10, "vesk": 4}


def test_events_are_kept_with_the_numbers_that_they_gave(full: Any) -> None:
    mind = Mind("pc:wren", numbers={"odo-renn": 9})
    events = [numbered(event, mind.apply(event)) for event in full.events]
    assert [event.data["number"] for event in events if "number" in event.data] == [10, 1, 1, 1]
    assert load_file(dump_file(mind, events)).rebuild().dumps() == mind.dumps()
    assert [numbered(event, mind.apply(event)) for event in events] == events


def test_equal_minds_give_equal_files(full: Any) -> None:
    twin = Mind.loads(full.mind.dumps())
    assert dump_file(twin, full.events, compress=False) == dump_file(
        full.mind, full.events, compress=False
    )


def test_a_bare_snapshot_loads(full: Any, log: Any) -> None:
    saved = load_file(full.mind.dumps())
    assert saved.mind.dumps() == full.mind.dumps()
    assert saved.log() == []


def test_an_empty_mind_has_a_file() -> None:
    saved = load_file(dump_file(Mind("party")))
    assert saved.mind.dumps() == Mind("party").dumps()
    assert saved.rebuild().dumps() == Mind("party").dumps()


@pytest.mark.spec("IM-M10-older-file")
def test_an_older_save_without_metadata_goes_through_a_file(log: Any) -> None:
    save = log.mind.snapshot()
    save["facts"]["interaction.odo-renn_001"] = {
        "confidence": "knows_of",
        "source": {"kind": "background", "payload": {}},
        "state": "active",
        "acquired_tick": 5,
    }
    mind = Mind.from_snapshot(save)
    assert load_file(dump_file(mind)).mind.dumps() == mind.dumps()


@pytest.mark.spec("IM-M10-content-changes")
def test_a_save_knows_nothing_of_content(full: Any) -> None:
    """Pools, lines, facts and characters that no content has any more stay as they are."""
    mind = load_file(dump_file(full.mind, full.events)).mind
    assert mind.fired_tick("b", "x_d_001") == 11
    assert mind.last_heard([("a pool that is new", "y"), ("b", "x_d_001")]) == ("b", "x_d_001")
    assert mind.graph.fact("cargo.one") is not None
    assert mind.graph.fact("cargo.renamed") is None


def sections(data: bytes) -> tuple[Any, bytes, bytes]:
    head, _, rest = data.partition(b"\n")
    header = json.loads(head)
    first = header["sections"][0]["stored_bytes"]
    return header, rest[:first], rest[first:]


def rewritten(data: bytes, change: Any) -> bytes:
    """Return the file with another snapshot, and a header that goes with it."""
    header, snapshot, log = sections(data)
    value = json.loads(snapshot)
    change(value)
    body = json.dumps(value).encode()
    header["sections"][0].update(
        stored_bytes=len(body), size_bytes=len(body), sha256=hashlib.sha256(body).hexdigest()
    )
    return json.dumps(header).encode() + b"\n" + body + log


def cell(column: str, row: int, value: Any) -> Any:
    def put(save: Any) -> None:
        save["interactions"]["columns"][column][row] = value

    return put


def table(name: str, place: int, value: Any) -> Any:
    def put(save: Any) -> None:
        save["interactions"]["tables"][name][place] = value

    return put


@pytest.mark.spec("IM-M10-file-refused")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda save: save.pop("interactions"), "has no interactions"),
        (lambda save: save["interactions"].pop("tables"), "interactions.tables: is missing"),
        (lambda save: save["interactions"]["columns"].pop("state"), "columns.state: is missing"),
        (lambda save: save["interactions"]["columns"]["state"].pop(), "cells, not 3"),
        (cell("state", 0, True), "is not a list of whole numbers"),
        (cell("state", 0, 5), "has cells below 0 or above 4"),
        (cell("state", 0, 0), "columns.lasted: does not go with active"),
        (cell("target", 0, 9), "columns.target: has cells"),
        (cell("number", 0, 0), "columns.number: has cells below 1"),
        (cell("started", 0, -9), "columns.started: has cells below 0"),
        (cell("lasted", 0, 2**63), "columns.lasted: has cells"),
        (cell("flags", 1, 1), "columns.flags: 1 does not go with active"),
        (cell("flags", 0, 5), "columns.flags: 5 does not go with walked_away"),
        (cell("sequence", 0, -99), "columns.sequence: has cells below 0"),
        (table("targets", 0, "odo"), r"tables.targets\[0\]"),
        (table("targets", 0, "pc:wren"), "names somebody twice"),
        (table("locations", 0, ""), r"tables.locations\[0\]: is empty"),
        (table("streams", 0, ""), "0 goes with no stream"),
        (table("others", 0, ["x"]), r"tables.others\[0\]\[0\]"),
        (table("receipts", 0, [{}]), r"tables.receipts\[0\]\[0\]"),
        (lambda save: save.update(mind="party"), "the file is of pc:wren"),
    ],
)
def test_a_table_that_no_events_made_is_refused(full: Any, change: Any, message: str) -> None:
    data = dump_file(full.mind, full.events, compress=False)
    with pytest.raises(InvalidSave, match=message):
        load_file(rewritten(data, change))


def test_a_number_stands_once(log: Any) -> None:
    for _ in range(2):
        log.start()
        log.end()
    data = dump_file(log.mind, compress=False)
    with pytest.raises(InvalidSave, match="odo-renn_001 stands here twice"):
        load_file(rewritten(data, cell("number", 1, 1)))


def test_one_conversation_is_in_progress(log: Any) -> None:
    log.start()
    log.end()
    log.start()
    data = dump_file(log.mind, compress=False)

    def reopen(save: Any) -> None:
        cell("state", 0, 0)(save)
        cell("lasted", 0, -1)(save)

    with pytest.raises(InvalidSave, match="is in progress beside another"):
        load_file(rewritten(data, reopen))


@pytest.mark.parametrize("compress", [True, False])
def test_every_cut_is_noticed(full: Any, compress: bool) -> None:
    data = dump_file(full.mind, full.events, compress=compress)
    for end in range(0, len(data) - 1, 41):
        with pytest.raises(InvalidSave):
            load_file(data[:end])
    with pytest.raises(InvalidSave):
        load_file(data + b"x")


def test_a_changed_byte_is_noticed(full: Any) -> None:
    data = bytearray(dump_file(full.mind, full.events, compress=False))
    start = data.index(b"cargo.one")
    data[start] = ord("d")
    with pytest.raises(InvalidSave, match="its digest differs"):
        load_file(bytes(data))
    data = bytearray(dump_file(full.mind, full.events, compress=False))
    data[-3] ^= 1
    saved = load_file(bytes(data))
    with pytest.raises(InvalidSave, match="the log is not what was saved"):
        saved.log()


def head(**change: Any) -> Any:
    def put(header: Any) -> None:
        header.update(change)

    return put


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (head(schema_version=2), "2 is newer than 1"),
        (head(encoding="brotli"), "encoding"),
        (head(mind="nobody"), "is no mind id"),
        (head(sections=[]), "are not snapshot and log"),
        (head(extra=1), "extra"),
        (lambda header: header["sections"][0].update(size_bytes=2**40), "is above"),
        (lambda header: header["sections"][0].update(size_bytes=5), "has not the 5 bytes"),
        (lambda header: header["sections"][1].update(stored_bytes=-1), "out of range"),
    ],
)
def test_a_wrong_header_is_refused(full: Any, change: Any, message: str) -> None:
    header, snapshot, log = sections(dump_file(full.mind, full.events))
    change(header)
    with pytest.raises(InvalidSave, match=message):
        load_file(json.dumps(header).encode() + b"\n" + snapshot + log)


def test_a_section_is_never_unpacked_beyond_its_size() -> None:
    bomb = zlib.compress(bytes(10_000_000))
    header, _, log = sections(dump_file(Mind("party")))
    header["sections"][0]["stored_bytes"] = len(bomb)
    with pytest.raises(InvalidSave, match="has not the"):
        load_file(json.dumps(header).encode() + b"\n" + bomb + log)


def test_a_log_of_other_lines_is_refused(log: Any) -> None:
    class Odd(Event):
        def as_json(self) -> dict[str, Any]:
            return {"stream": "x"}

    odd = Odd(stream="x", sequence=1, tick=1, kind=EventKind.LINE_FIRED, data={})
    with pytest.raises(InvalidSave, match="event 1 of the log"):
        load_file(dump_file(log.mind, [odd])).log()


@pytest.mark.spec("IM-M10-oldest-version")
def test_a_save_has_the_oldest_version_that_can_say_it(log: Any) -> None:
    log.start()
    log.add(EventKind.RELATIONSHIP_CHANGED, target=ODO, state="hostile")
    assert log.mind.snapshot()["schema_version"] == 1
    assert "standing" not in log.mind.snapshot()["entities"][ODO]
    log.stand(1)
    save = log.mind.snapshot()
    assert save["schema_version"] == 2
    assert save["entities"][ODO]["standing"] == -499
    assert Mind.from_snapshot({**save, "schema_version": 2}).dumps() == log.mind.dumps()
    with pytest.raises(InvalidSave):
        Mind.from_snapshot({**save, "schema_version": 1})


def test_a_hostile_character_of_an_older_save_stands_at_the_turn(log: Any) -> None:
    log.add(EventKind.RELATIONSHIP_CHANGED, target=ODO, state="hostile")
    again = Mind.loads(log.mind.dumps())
    assert again.graph.standing_with(ODO) == -500


M = "facts/interaction.vesk_001/metadata"
G = "facts/gossip.wick_001"


@pytest.mark.spec("IM-M10-version-2-refused")
@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("stress", -1),
        ("stress", 40_000),
        ("bonds", {"x": {"grudge": 1, "forgiven": 0}}),
        ("bonds", {VESK: {"grudge": -1, "forgiven": 0}}),
        ("causes", [["standing_changed", VESK, "party", "live"]]),
        ("causes", [["line_fired", VESK, "party", "live", 1]]),
        ("causes", [["stress_changed", "", "party", "live", 1]] * 2),
        ("gossip_numbers", {"wick": 0}),
        ("decay", {"since": 1}),
        ("decay", {"since": -1, "fresh": {}}),
        (f"entities/{VESK}/standing", 0),
        (f"entities/{VESK}/standing", -1001),
        (f"{M}/participants", [VESK]),
        (f"{M}/participants", [ODO, VESK]),
        (f"{M}/participants", [VESK, ODO, ODO]),
        (f"{M}/participants", [VESK, "pc:wren"]),
        (f"{M}/interaction_state", "completed"),
        (f"{G}/confidence", "direct"),
        (f"{G}/metadata/about", VESK),
        (f"{G}/metadata/mind", "pc:wren"),
        (f"{G}/metadata/hops", 0),
        (f"{G}/metadata/kind", "evidence"),
        (f"{G}/metadata/interaction_state", "active"),
    ],
)
def test_a_version_2_save_that_no_events_made_is_refused(full: Any, path: str, value: Any) -> None:
    save = json.loads(full.mind.dumps())
    Mind.from_snapshot(save)
    *way, last = path.split("/")
    place = save
    for name in way:
        place = place[name]
    place[last] = value
    with pytest.raises(InvalidSave):
        Mind.from_snapshot(save)


@pytest.mark.parametrize("name", ["gossip.wick", "gossip.wick_0002", "gossip.wick_000", "a.b"])
def test_gossip_has_its_own_ids(full: Any, name: str) -> None:
    save = full.mind.snapshot()
    save["facts"][name] = save["facts"].pop("gossip.wick_001")
    with pytest.raises(InvalidSave):
        Mind.from_snapshot(save)


def test_a_story_stands_once(full: Any) -> None:
    save = full.mind.snapshot()
    save["facts"]["gossip.wick_002"] = save["facts"]["gossip.wick_001"]
    with pytest.raises(InvalidSave, match="is the same story"):
        Mind.from_snapshot(save)


def test_a_copy_goes_its_own_way(full: Any) -> None:
    twin = full.mind.copy()
    before = full.mind.dumps()
    assert twin.dumps() == before
    assert list(twin.graph.facts) == list(full.mind.graph.facts)
    twin.apply(full.event(EventKind.INTERACTION_CONFRONTATION, target="pc:storm", tick=30))
    twin.apply(full.event(EventKind.STANDING_CHANGED, target=VESK, delta=-9, reason=WHY))
    assert full.mind.dumps() == before
    assert not full.mind.graph.has_confronted("pc:storm")
    assert twin.graph.has_confronted("pc:storm")
