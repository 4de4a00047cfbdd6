"""Packs are checked as a whole before any line of them can be said."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest

from talebearer.errors import InvalidPack, UnknownReference
from talebearer.lines import Pack, load_pack

Encode = Callable[[Any], bytes]
QUAY = "campaigns/tollhouse/dialogue/the-quay"
ODO = 1  # index of odo-renn's pool


def at(value: Any, path: str) -> tuple[Any, Any]:
    """Return the container and the key that the dotted *path* ends in."""
    *steps, last = (int(step) if step.isdigit() else step for step in path.split("/"))
    for step in steps:
        value = value[step]
    return value, last


def test_the_digest_is_of_the_bytes(value: dict[str, Any], encode: Encode) -> None:
    data = encode(value)
    assert load_pack(data).digest == "sha256:" + hashlib.sha256(data).hexdigest()


@pytest.mark.spec("LP-9.1-types")
def test_a_line_has_every_field_of_its_type(pack: Pack) -> None:
    line = pack.line(f"{QUAY}/odo-renn", "odo-renn_d_005")
    assert (line.access, line.trust, line.situation) == (("peer",), "real", ("social",))
    assert (line.topic, line.mood, line.tags, line.role) == (("cargo",), (), (), "toll-clerk")
    assert line.knowledge_grant.fact_id == "ledger.false_weights"
    assert line.knowledge_grant.confidence == "knows_of"
    assert line.prerequisites is None


@pytest.mark.spec("LP-9.1-types")
def test_a_thought_has_every_field_of_its_type(pack: Pack) -> None:
    line = pack.line("campaigns/tollhouse/monologue/smuggler/the-quay", "pc_m_s_002")
    assert (line.trigger, line.priority, line.cooldown) == ("enter_location", 7, 0)
    assert line.prerequisites.interaction.target == "npc:odo-renn"
    assert line.prerequisites.gates == (line.prerequisites.interaction,)


def test_optional_fields_may_be_left_out(value: dict[str, Any], encode: Encode) -> None:
    for pool in value["pools"]:
        for line in pool["lines"]:
            for name in ("topic", "mood", "tags", "priority", "cooldown"):
                line.pop(name, None)
    pack = load_pack(encode(value))
    thought = pack.line("campaigns/tollhouse/monologue/smuggler/the-quay", "pc_m_s_001")
    assert (thought.priority, thought.cooldown, thought.tags) == (5, 0, ())
    spoken = pack.line(f"{QUAY}/odo-renn", "odo-renn_d_002")
    assert (spoken.topic, spoken.mood) == ((), ())


@pytest.mark.spec("LP-5.3-composite-key")
def test_the_same_id_in_two_files_is_two_lines(pack: Pack) -> None:
    here = pack.line("campaigns/tollhouse/monologue/smuggler/the-quay", "pc_m_s_001")
    general = pack.line("campaigns/tollhouse/monologue/smuggler/general", "pc_m_s_001")
    assert here.text != general.text


def test_a_line_that_is_not_there_names_similar_ones(pack: Pack) -> None:
    with pytest.raises(UnknownReference, match="TB113") as caught:
        pack.line(f"{QUAY}/odo-renn", "odo-renn_d_055")
    assert "odo-renn_d_005" in caught.value.hint
    with pytest.raises(UnknownReference) as caught:
        pack.line(f"{QUAY}/odo-ren", "odo-renn_d_005")
    assert f"{QUAY}/odo-renn" in caught.value.hint


@pytest.mark.spec("LP-9.3-sorted-maps")
def test_iteration_is_sorted_whatever_the_order_of_the_file(
    value: dict[str, Any], encode: Encode
) -> None:
    value["pools"].reverse()
    value["profiles"] = dict(reversed(value["profiles"].items()))
    pack = load_pack(json.dumps(value).encode())
    paths = [pool.path for pool in pack.dialogue_pools]
    assert paths == sorted(paths)
    assert list(pack.profiles) == sorted(pack.profiles)
    thoughts = [pool.path for pool in pack.monologue_pools]
    assert thoughts == sorted(thoughts)


@pytest.mark.spec("LP-9.3-trigger-index")
def test_thoughts_are_grouped_by_trigger_in_file_order(pack: Pack) -> None:
    for pool in pack.monologue_pools:
        grouped = [line for lines in pool.by_trigger.values() for line in lines]
        assert sorted(grouped, key=pool.lines.index) == list(pool.lines)
        assert all(line.trigger == key for key, lines in pool.by_trigger.items() for line in lines)


class TestPoolsFor:
    """Who speaks from which file."""

    @pytest.mark.spec("LP-L9-speaker-pools")
    @pytest.mark.spec("LP-9.3-primary-index")
    def test_own_file_and_the_role_s(self, pack: Pack) -> None:
        """Mira's own and the player character's file have stems that are somebody's."""
        paths = [pool.path for pool in pack.pools_for("odo-renn", "the-quay")]
        assert paths == [f"{QUAY}/odo-renn", f"{QUAY}/toll-clerk"]

    @pytest.mark.spec("LP-L9-speaker-pools")
    def test_without_a_role_only_the_own_file(self, pack: Pack) -> None:
        assert [pool.stem for pool in pack.pools_for("mira-soot", "the-quay")] == ["mira-soot"]

    @pytest.mark.spec("LP-L9-speaker-pools")
    def test_a_file_needs_no_profile(self, pack: Pack) -> None:
        assert [pool.stem for pool in pack.pools_for("pc-smuggler", "the-quay")] == ["pc-smuggler"]

    def test_nobody_speaks_where_there_is_no_file(self, pack: Pack) -> None:
        assert pack.pools_for("odo-renn", "the-mill") == ()
        assert pack.pools_for("nobody", "the-quay") == ()


class TestMonologuePoolsFor:
    """Whose thoughts come from which file."""

    @pytest.mark.spec("LP-4.4-character-partition")
    def test_pools_of_one_character_only(self, pack: Pack) -> None:
        pools = pack.monologue_pools_for("smuggler", "the-quay")
        assert [pool.path.rpartition("/")[2] for pool in pools] == ["general", "the-quay"]
        assert {pool.character for pool in pools} == {"smuggler"}

    @pytest.mark.spec("LP-L12-header-location")
    def test_a_topic_file_counts_at_its_header_s_location(self, pack: Pack) -> None:
        pools = pack.monologue_pools_for("smuggler", "the-mill")
        assert [pool.path.rpartition("/")[2] for pool in pools] == ["general", "old-debts"]

    def test_general_asked_for_by_name_comes_once(self, pack: Pack) -> None:
        assert len(pack.monologue_pools_for("smuggler", "general")) == 1


BENT = [
    ("format", "other", "$.format"),
    ("version", 0, "$.version"),
    ("version", True, "$.version"),
    ("version", "1", "$.version"),
    ("pools", {}, "$.pools"),
    ("extra", 1, "$.extra"),
    ("conditions", [], "$.conditions"),
    ("enums/access", "public", "$.enums.access"),
    ("enums/trust", ["surface", "surface"], "$.enums.trust"),
    ("enums/moods", [""], "$.enums.moods[0]"),
    ("enums/colours", [], "$.enums.colours"),
    ("characters/smuggler", {"letter": "S"}, "$.characters.smuggler.letter"),
    ("characters/smuggler", {"letter": "d"}, "$.characters.detective.letter"),
    ("facts/ledger", "no topic", "$.facts.ledger"),
    ("facts/ledger.false_weights", None, "$.facts.ledger.false_weights"),
    ("profiles/Odo", {"name": "Odo"}, "$.profiles.Odo"),
    ("profiles/odo-renn/role", "Clerk", "$.profiles.odo-renn.role"),
    ("profiles/odo-renn/attributes", {"age": [60]}, "$.profiles.odo-renn.attributes.age"),
    ("profiles/odo-renn/aliases", "clerk", "$.profiles.odo-renn.aliases"),
    ("pools/1/kind", "song", "$.pools[1].kind"),
    ("pools/1/path", "/abs", "$.pools[1].path"),
    ("pools/1/path", "a/../b", "$.pools[1].path"),
    ("pools/1/path", "a\\b", "$.pools[1].path"),
    ("pools/1/path", "cafe\u0301", "$.pools[1].path"),
    ("pools/1/path", f"{QUAY}/mira-soot", "$.pools[1].path"),
    ("pools/1/location", "The Quay", "$.pools[1].location"),
    ("pools/1/lines", None, "$.pools[1].lines"),
    ("pools/1/lines/0/id", "odo-renn_m_s_001", "$.pools[1].lines[0].id"),
    ("pools/1/lines/0/id", "odo-renn_d_001\n", "$.pools[1].lines[0].id"),
    ("pools/1/lines/0/id", "odo-renn_d_00\u0661", "$.pools[1].lines[0].id"),
    ("pools/1/lines/1/id", "odo-renn_d_001", "$.pools[1].lines[1].id"),
    ("pools/1/lines/0/text", "", "$.pools[1].lines[0].text"),
    ("pools/1/lines/0/text", 5, "$.pools[1].lines[0].text"),
    ("pools/1/lines/0/access", [], "$.pools[1].lines[0].access"),
    ("pools/1/lines/0/access", ["peer", "peer"], "$.pools[1].lines[0].access"),
    ("pools/1/lines/0/access", ["crew"], "$.pools[1].lines[0].access[0]"),
    ("pools/1/lines/0/trust", "deep", "$.pools[1].lines[0].trust"),
    ("pools/1/lines/0/situation", [], "$.pools[1].lines[0].situation"),
    ("pools/1/lines/0/topic", ["weather"], "$.pools[1].lines[0].topic[0]"),
    ("pools/1/lines/0/tags", [1], "$.pools[1].lines[0].tags[0]"),
    ("pools/1/lines/0/notes", "x", "$.pools[1].lines[0].notes"),
    ("pools/1/lines/4/knowledge_grant/confidence", "sure", ".knowledge_grant.confidence"),
    ("pools/1/lines/4/knowledge_grant/fact_id", "weights", ".knowledge_grant.fact_id"),
    ("pools/1/lines/4/knowledge_grant/fact_id", "interaction.a_001", ".knowledge_grant.fact_id"),
    ("pools/1/lines/5/prerequisites", [], ".prerequisites"),
    ("pools/1/lines/5/prerequisites", {"any_of": []}, ".prerequisites.any_of"),
    ("pools/1/lines/5/prerequisites/interaction/state", "over", ".interaction.state"),
    ("pools/1/lines/5/prerequisites/interaction/state", None, ".interaction.state"),
    ("pools/1/lines/5/prerequisites/interaction/min_count", 0, ".interaction.min_count"),
    ("pools/1/lines/5/prerequisites/interaction/min_count", True, ".interaction.min_count"),
    ("pools/1/lines/5/prerequisites/interaction/target", "odo", ".interaction.target"),
    ("pools/1/lines/5/prerequisites/relationship", {"target": "npc:a"}, ".relationship"),
    (
        "pools/1/lines/5/prerequisites/relationship",
        {"target": "npc:a", "state": "known", "states": ["known"]},
        ".relationship",
    ),
    (
        "pools/1/lines/5/prerequisites/relationship",
        {"target": "npc:a", "states": []},
        ".relationship.states",
    ),
    (
        "pools/1/lines/5/prerequisites/entity_attributes",
        [{"entity": "npc:a", "key": "trade", "value": 3}],
        ".entity_attributes[0].value",
    ),
    (
        "pools/1/lines/7/prerequisites/facts",
        [{"fact_id": "a.b", "min_confidence": "knows_off"}],
        ".facts[0].min_confidence",
    ),
    ("pools/6/character", "baker", "$.pools[6].character"),
    ("pools/6/lines/0/id", "pc_m_d_001", "$.pools[6].lines[0].id"),
    ("pools/6/lines/0/priority", 11, "$.pools[6].lines[0].priority"),
    ("pools/6/lines/0/priority", 5.0, "$.pools[6].lines[0].priority"),
    ("pools/6/lines/0/cooldown", -1, "$.pools[6].lines[0].cooldown"),
    ("pools/6/lines/0/cooldown", 2**32, "$.pools[6].lines[0].cooldown"),
    ("pools/6/lines/0/trigger", "sneeze", "$.pools[6].lines[0].trigger"),
    ("pools/6/lines/0/text", "x" * 161, "$.pools[6].lines[0].text"),
]


@pytest.mark.parametrize(("path", "wrong", "place"), BENT)
def test_anything_malformed_is_refused_with_its_place(
    value: dict[str, Any], path: str, wrong: Any, place: str
) -> None:
    container, key = at(value, path)
    container[key] = wrong
    with pytest.raises(InvalidPack, match="TB114") as caught:
        load_pack(json.dumps(value).encode())
    assert caught.value.data["pointer"].endswith(place)


@pytest.mark.parametrize(
    "path",
    ["format", "version", "enums/moods", "pools/1/path", "pools/1/lines/0/trust", "pools"],
)
def test_anything_missing_is_refused(value: dict[str, Any], path: str) -> None:
    container, key = at(value, path)
    del container[key]
    with pytest.raises(InvalidPack, match="TB114"):
        load_pack(json.dumps(value).encode())


def test_a_newer_version_is_refused_with_both_versions(value: dict[str, Any]) -> None:
    value["version"] = 2
    value["what_the_future_brings"] = True
    with pytest.raises(InvalidPack, match=r"version 2.*up to 1"):
        load_pack(json.dumps(value).encode())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe{}",
        b'{"format":"talebearer.pack","format":"talebearer.pack"}',
        b'{"format":NaN}',
        b"[" * 200_000,
        b"1" * 10_000,
        b'{"format":"\\ud800"}',
    ],
)
def test_what_is_no_json_object_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidPack, match="TB114"):
        load_pack(data)


def test_a_wrong_word_comes_with_the_nearest_right_one(value: dict[str, Any]) -> None:
    value["pools"][ODO]["lines"][0]["access"] = ["pubilc"]
    with pytest.raises(InvalidPack) as caught:
        load_pack(json.dumps(value).encode())
    assert "public" in caught.value.hint


@pytest.mark.spec("LP-9.1-types")
def test_a_campaign_s_own_trust_tiers_keep_their_order(value: dict[str, Any]) -> None:
    value["enums"]["trust"] = ["surface", "kin", "real"]
    pack = load_pack(json.dumps(value).encode())
    assert pack.dialogue_pools[0].trust_order == ("surface", "kin", "real")


@pytest.mark.spec("LP-1-two-kinds")
def test_a_pool_is_dialogue_or_monologue(value: dict[str, Any], pack: Pack) -> None:
    assert (len(pack.dialogue_pools), len(pack.monologue_pools)) == (4, 4)
    value["pools"][ODO]["kind"] = "barks"
    with pytest.raises(InvalidPack, match="barks"):
        load_pack(json.dumps(value).encode())


@pytest.mark.spec("LP-5.3-unique-in-file")
def test_an_id_is_there_once_in_a_file(value: dict[str, Any]) -> None:
    value["pools"][ODO]["lines"][3]["id"] = "odo-renn_d_001"
    with pytest.raises(InvalidPack, match="there twice"):
        load_pack(json.dumps(value).encode())


@pytest.mark.spec("LP-5.3-gaps-allowed")
def test_numbers_may_have_gaps_and_any_order(value: dict[str, Any]) -> None:
    value["pools"][ODO]["lines"][0]["id"] = "odo-renn_d_999"
    line = load_pack(json.dumps(value).encode()).line(f"{QUAY}/odo-renn", "odo-renn_d_999")
    assert line.text == "Papers first, weather after."


@pytest.mark.spec("LP-7-not-at-runtime")
@pytest.mark.parametrize("field", ["notes", "dual_lens"])
def test_fields_for_authors_are_in_no_pack(value: dict[str, Any], field: str) -> None:
    value["pools"][ODO]["lines"][0][field] = {}
    with pytest.raises(InvalidPack) as caught:
        load_pack(json.dumps(value).encode())
    assert caught.value.data["pointer"].endswith(field)


@pytest.mark.spec("IM-6-closed-object")
@pytest.mark.parametrize(
    "gate",
    [
        {"state": "completed"},
        {"target": "npc:odo-renn", "topic": "cargo"},
        {"target": "npc:odo-renn", "state": "left"},
        {"target": "npc:odo-renn", "min_count": 0},
        {"target": "npc:odo-renn", "min_count": 1.5},
        [{"target": "npc:odo-renn"}],
    ],
)
def test_an_interaction_gate_has_its_members_only(value: dict[str, Any], gate: Any) -> None:
    value["pools"][ODO]["lines"][0]["prerequisites"] = {"interaction": gate}
    with pytest.raises(InvalidPack, match="interaction"):
        load_pack(json.dumps(value).encode())


@pytest.mark.spec("IM-6-min-count-default")
def test_one_interaction_is_enough_by_default(value: dict[str, Any]) -> None:
    value["pools"][ODO]["lines"][0]["prerequisites"] = {"interaction": {"target": "npc:odo-renn"}}
    line = load_pack(json.dumps(value).encode()).line(f"{QUAY}/odo-renn", "odo-renn_d_001")
    gate = line.prerequisites.interaction
    assert (gate.min_count, gate.state) == (1, None)


@pytest.mark.spec("LP-9.3-access-index")
def test_access_is_looked_up_not_searched_for(pack: Pack) -> None:
    """Bit i of a tier's mask says whether line i names it."""
    for pool in pack.dialogue_pools:
        for tier in pack.enums.access:
            mask = pool.index.access.get(tier, 0)
            named = [tier in line.access for line in pool.lines]
            assert [bool(mask >> bit & 1) for bit in range(len(pool.lines))] == named
