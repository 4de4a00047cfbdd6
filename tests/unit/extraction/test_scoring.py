"""Scores against labelled excerpts: matching, leniency, names, widths, the baseline."""

import json

import pytest

from talebearer.errors import UsageFault
from talebearer.extraction import (
    Found,
    evaluate,
    find_by,
    load_labelled,
    mention_baseline,
    parse_labelled,
)


def item(name, kind, *ranges, **more):
    refs = [{"source_id": "s1", "start_unit_id": a, "end_unit_id": b} for a, b in ranges]
    return {"name": name, "kind": kind, "source_refs": refs, **more}


def excerpt(*interactions, units=None, excerpt_id="one", **more):
    lines = units or [
        ("SAM", "Orla wipes her hands. “You are late.”"),
        ("NIA; OLU", "Sorry, Orla."),
        *[("NIA", f"We could wait here, {number}.") for number in range(40)],
    ]
    raw = {
        "id": excerpt_id,
        "source_id": "s1",
        "party": ["Tavi Marsh", "Hest", "Biscuit"],
        "players": {"NIA": "Tavi Marsh", "OLU": "Hest"},
        "gm": "SAM",
        "units": [{"id": n, "speaker": a, "text": b} for n, (a, b) in enumerate(lines, 1)],
        "npcs": [
            {"name": "Orla Finch", "aliases": ["Orla"]},
            {"name": "Dov Pell", "aliases": ["Dov"]},
            {"name": "the boatman", "aliases": ["the boatman"]},
        ],
        "interactions": list(interactions),
        **more,
    }
    return json.dumps(raw).encode()


def scores(labelled, found, *, accept=None, names=None):
    files = {"one.json": excerpt(*labelled)}
    if accept is not None:
        files["accept.json"] = json.dumps(accept).encode()
    given = Found(interactions=tuple(found), names=names)
    return evaluate(parse_labelled(files), lambda _: given)


ORLA = item("Orla Finch", "dialogue", (1, 2))


@pytest.mark.parametrize(
    ("found", "matched", "without_kind"),
    [
        ([item("Orla Finch", "dialogue", (2, 5))], 1, 1),
        ([item("Orla Finch", "mentioned", (2, 5))], 0, 1),
        ([item("Orla Finch", "dialogue", (3, 5))], 0, 0),
        ([item("Dov Pell", "dialogue", (1, 2))], 0, 0),
        ([item("Orla Finch", "dialogue", (9, 9), (1, 1))], 1, 1),
        ([], 0, 0),
    ],
)
def test_a_pair_matches_by_name_kind_and_shared_units(found, matched, without_kind) -> None:
    result = scores([ORLA], found)
    assert result["strict"]["matched"] == matched
    assert result["without_kind"]["matched"] == without_kind


def test_pairs_are_one_to_one_and_as_many_as_possible() -> None:
    labelled = [item("Orla Finch", "mentioned", (1, 4)), item("Orla Finch", "mentioned", (5, 8))]
    wide = item("Orla Finch", "mentioned", (3, 6))
    first = item("Orla Finch", "mentioned", (2, 2))
    assert scores(labelled, [wide, first])["strict"]["matched"] == 2
    assert scores(labelled, [wide])["strict"] == {
        "labelled": 2, "found": 1, "matched": 1, "precision": 1.0, "recall": 0.5, "f1": 0.6667,
    }  # fmt: skip


def test_a_chain_of_exchanges_is_found() -> None:
    labelled = [item("Dov Pell", "other", (n, n + 1)) for n in range(1, 30, 2)]
    found = [item("Dov Pell", "other", (n + 1, n + 2)) for n in range(1, 28, 2)]
    found.append(item("Dov Pell", "other", (1, 30)))
    assert scores(labelled, found)["strict"]["matched"] == 15


def test_counts_are_summed_over_excerpts_and_kinds() -> None:
    files = {
        "a.json": excerpt(ORLA, excerpt_id="a"),
        "b.json": excerpt(ORLA, item("Dov Pell", "mentioned", (7, 7)), excerpt_id="b"),
    }
    result = evaluate(parse_labelled(files), lambda _: Found(interactions=(ORLA,)))
    assert (result["strict"]["labelled"], result["strict"]["matched"]) == (3, 2)
    assert result["by_kind"]["mentioned"]["recall"] == 0.0
    assert result["by_kind"]["dialogue"]["f1"] == 1.0
    assert result["by_kind"]["combat_ally"]["f1"] is None
    assert [row["id"] for row in result["excerpts"]] == ["a", "b"]
    assert [row["strict"]["f1"] for row in result["excerpts"]] == [1.0, 0.6667]


def test_an_accepted_kind_counts_as_the_labelled_one() -> None:
    rule = {"id": "one", "name": "Orla Finch", "start": 1, "gold": "dialogue", "accept": ["other"]}
    found = [item("Orla Finch", "other", (1, 1))]
    assert scores([ORLA], found, accept={"accept": [rule]})["lenient"]["f1"] == 1.0
    elsewhere = {**rule, "start": 2}
    assert scores([ORLA], found, accept={"accept": [elsewhere]})["lenient"]["f1"] == 0.0


def test_an_optional_interaction_is_no_fault() -> None:
    rule = {"id": "one", "name": "Dov Pell", "kind": "mentioned", "units": [5, 7]}
    found = [ORLA, item("Dov Pell", "mentioned", (6, 6)), item("Dov Pell", "mentioned", (9, 9))]
    result = scores([ORLA], found, accept={"optional": [rule]})
    assert (result["strict"]["found"], result["lenient"]["found"]) == (3, 2)


def test_one_found_interaction_may_cover_those_that_may_be_merged() -> None:
    labelled = [item("Orla Finch", "mentioned", (1, 1)), item("Orla Finch", "mentioned", (9, 9))]
    rule = {"id": "one", "name": "Orla Finch", "starts": [1, 9]}
    result = scores(
        labelled, [item("Orla Finch", "mentioned", (1, 9))], accept={"mergeable": [rule]}
    )
    assert result["strict"]["f1"] == 0.6667
    assert result["lenient"]["f1"] == 1.0


@pytest.mark.parametrize(
    ("names", "recalled", "false"),
    [
        (("Orla Finch", "Dov"), 2, 0),
        (("Captain Orla", "Karsk"), 1, 1),
        (("the boatman",), 0, 0),
        (("Orla Marsh", "Orlanda"), 1, 1),
        ((), 0, 0),
    ],
)
def test_names_are_scored_alone(names, recalled, false) -> None:
    result = scores([ORLA], [], names=names)["names"]
    assert (result["labelled"], result["recalled"], result["false"]) == (2, recalled, false)


def test_without_a_registry_lane_there_are_no_scores_of_names() -> None:
    assert scores([ORLA], [])["names"] is None


def test_widths_say_how_much_is_cited_and_how_much_of_it_is_shared() -> None:
    widths = scores([ORLA], [item("Orla Finch", "dialogue", (2, 5))])["widths"]
    assert (widths["labelled"]["units_mean"], widths["found"]["units_mean"]) == (2.0, 4.0)
    assert widths["matched_share_of_found"] == 0.25
    assert widths["matched_share_of_labelled"] == 0.5
    far = scores([ORLA], [item("Orla Finch", "dialogue", (2, 2), (9, 9))])["widths"]["found"]
    assert (far["units_mean"], far["span_mean"]) == (2.0, 8.0)


def test_misses_and_false_ones_are_quoted_and_bounded() -> None:
    long = excerpt(
        item("Orla Finch", "dialogue", (1, 30), why="w" * 900),
        units=[("SAM", "x" * 5_000)] * 30,
    )
    found = tuple(item("Dov Pell", "other", (n, n)) for n in range(1, 31)) * 20
    row = evaluate(parse_labelled({"a.json": long}), lambda _: Found(interactions=found))[
        "excerpts"
    ][0]
    (missed,) = row["missed"]
    assert (missed["ranges"], missed["units_not_quoted"]) == ([[1, 30]], 26)
    assert missed["quotes"][0] == {
        "unit_id": 1, "speaker": "SAM", "text": "x" * 240, "cut": True,
    }  # fmt: skip
    assert len(row["false"]) == 200
    assert row["strict"]["found"] == 600
    assert len(json.dumps(row)) < 400_000


def test_a_miss_says_which_kind_was_found_there() -> None:
    row = scores([ORLA], [item("Orla Finch", "other", (1, 1))])["excerpts"][0]
    assert row["missed"][0]["other_kinds_here"] == ["other"]
    assert row["false"][0]["other_kinds_here"] == ["dialogue"]


def test_what_is_cited_outside_the_excerpt_is_not_quoted() -> None:
    row = scores([ORLA], [item("Dov Pell", "other", (40, 90))])["excerpts"][0]
    assert [quote["unit_id"] for quote in row["false"][0]["quotes"]] == [40, 41, 42]


def test_the_baseline_joins_uses_that_are_at_most_twenty_units_apart() -> None:
    quiet = ("NIA", "We wait.")
    units = [
        ("NIA", "Orla?"),
        *[quiet] * 19,
        ("NIA", "Orla Finch!"),
        *[quiet] * 20,
        ("OLU", "Orla"),
    ]
    (one,) = parse_labelled({"a.json": excerpt(units=units)})
    found = mention_baseline(one).interactions
    starts = [[ref["start_unit_id"] for ref in record["source_refs"]] for record in found]
    assert starts == [[1, 21], [42]]
    assert {record["kind"] for record in found} == {"mentioned"}


def test_the_extractor_gets_names_aliases_and_roster() -> None:
    (one,) = parse_labelled({"a.json": excerpt(ORLA)})
    assert one.transcript.units[1].speaker == "NIA & OLU"
    assert {"Biscuit", "Tavi", "Hest"} <= set(one.roster.excluded_names)
    assert [npc["name"] for npc in one.registry.payload["npcs"]] == [
        "Dov Pell", "Orla Finch", "the boatman",
    ]  # fmt: skip
    result = evaluate([one], find_by("rules"))
    assert result["strict"]["f1"] == 1.0
    assert result["names"]["recalled"] == 1


def test_scores_do_not_depend_on_the_order_of_records() -> None:
    labelled = [item("Orla Finch", "mentioned", (n, n)) for n in range(1, 6)]
    found = [item("Orla Finch", "mentioned", (n, n + 1)) for n in range(1, 6)]
    assert scores(labelled, found) == scores(labelled, found[::-1])
    json.dumps(scores(labelled, found), allow_nan=False)


def test_progress_is_told() -> None:
    seen: list[tuple[int, int]] = []
    evaluate(
        parse_labelled({"a.json": excerpt()}),
        mention_baseline,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(1, 1)]


def test_a_folder_is_read_in_the_order_of_its_names(tmp_path) -> None:
    (tmp_path / "b.json").write_bytes(excerpt(excerpt_id="first"))
    (tmp_path / "a.json").write_bytes(excerpt(excerpt_id="second"))
    (tmp_path / "README.md").write_text("no excerpt")
    (tmp_path / "accept.json").write_text("{}")
    assert [one.excerpt_id for one in load_labelled(tmp_path)] == ["second", "first"]


@pytest.mark.parametrize(
    "data",
    [
        b"{",
        b"[]",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        excerpt(item("Nobody", "other", (1, 1))),
        excerpt(item("Orla Finch", "other", (1, 999))),
        excerpt(item("Orla Finch", "other", (0, 1))),
        excerpt(item("Orla Finch", "other", (2, 1))),
        excerpt(item("Orla Finch", "other")),
        excerpt(item("Orla Finch", "friend", (1, 1))),
        excerpt(players=7),
    ],
)
def test_what_is_no_labelled_excerpt_is_refused(data) -> None:
    with pytest.raises(UsageFault) as caught:
        parse_labelled({"odd.json": data})
    assert caught.value.data["file"] == "odd.json"
    assert len(str(caught.value)) < 500


def test_odd_alternates_twice_the_same_id_and_empty_folders_are_refused(tmp_path) -> None:
    for files in (
        {"a.json": excerpt(), "accept.json": b'{"accept": [{}]}'},
        {"a.json": excerpt(), "accept.json": b"[1]"},
        {"a.json": excerpt(), "b.json": excerpt()},
    ):
        with pytest.raises(UsageFault):
            parse_labelled(files)
    for folder in (tmp_path, tmp_path / "absent"):
        with pytest.raises(UsageFault):
            load_labelled(folder)
