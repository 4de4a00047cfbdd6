"""The pack: its members, its defaults, its bytes."""

import hashlib
import json
from pathlib import Path

import orjson
import pytest

from talebearer.content import SCHEMAS, compile_content, schema_of, write_schemas
from talebearer.lines import load_pack
from talebearer.vocabulary import (
    DEFAULT_ENUMS,
    DIALOGUE_ID,
    ENTITY_REF,
    FACT_ID,
    MONOLOGUE_ID,
    SLUG,
    Confidence,
    FactState,
    InteractionState,
    RelationshipState,
)

SMALL = Path(__file__).parents[2] / "fixtures" / "content" / "small" / "content"
QUAY = "campaigns/mire/dialogue/the-quay"


shipped = schema_of


@pytest.mark.spec("LP-11-pack-bytes")
def test_a_pack_is_canonical_json_and_has_the_digest_of_its_bytes():
    compiled = compile_content(SMALL)
    again = json.dumps(compiled.pack, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert compiled.data == again.encode() + b"\n"
    assert compiled.digest == f"sha256:{hashlib.sha256(compiled.data).hexdigest()}"
    assert json.loads(compiled.data) == compiled.pack


def test_a_pack_is_the_same_whoever_reads_its_json():
    data = compile_content(SMALL).data
    plain, quick = load_pack(data), load_pack(data, parse=orjson.loads)
    assert quick.digest == plain.digest
    assert [list(pool.lines) for pool in quick.dialogue_pools] == [
        list(pool.lines) for pool in plain.dialogue_pools
    ]
    assert [list(pool.lines) for pool in quick.monologue_pools] == [
        list(pool.lines) for pool in plain.monologue_pools
    ]


@pytest.mark.spec("LP-L1-pool-path")
def test_pools_are_sorted_by_path_and_lines_keep_their_order():
    pools = compile_content(SMALL).pack["pools"]
    assert [pool["path"] for pool in pools] == [
        f"{QUAY}/bram-holt",
        f"{QUAY}/passenger",
        "campaigns/mire/monologue/detective/ferry-tells",
        "campaigns/mire/monologue/smuggler/the-quay",
    ]
    assert [line["id"][-3:] for line in pools[0]["lines"]] == ["001", "002", "003"]


@pytest.mark.spec("LP-3.3-defaults")
def test_optional_fields_of_dialogue_have_their_defaults():
    line = compile_content(SMALL).pack["pools"][0]["lines"][0]
    assert line == {
        "id": "bram-holt_d_001",
        "text": "No",
        "role": "ferryman",
        "access": ["public", "peer"],
        "trust": "surface",
        "situation": ["social"],
        "topic": [],
        "mood": [],
        "tags": [],
    }


@pytest.mark.spec("LP-4.3-defaults")
def test_optional_fields_of_monologue_have_their_defaults():
    pools = compile_content(SMALL).pack["pools"]
    assert pools[2]["lines"][0]["priority"] == 5
    assert pools[2]["lines"][0]["cooldown"] == 0
    assert pools[3]["lines"][0]["priority"] == 7
    assert "when" not in pools[2]["lines"][0]


@pytest.mark.spec("IM-6-defaults-in-pack")
def test_gates_are_complete_in_the_pack():
    gates = compile_content(SMALL).pack["pools"][0]["lines"][1]["when"]
    assert gates == {
        "interactions": [{"target": "npc:bram-holt", "state": "walked_away", "count": {">=": 1}}],
        "relationships": [{"target": "npc:bram-holt", "states": ["known", "friendly"]}],
    }


def test_facts_profiles_and_letters_are_in_the_pack():
    pack = compile_content(SMALL).pack
    assert list(pack["facts"]) == ["ferry.no_lantern", "ferry.runs_at_night"]
    assert pack["characters"] == {"smuggler": {"letter": "s"}, "detective": {"letter": "d"}}
    profile = pack["profiles"]["bram-holt"]
    assert (profile["name"], profile["role"]) == ("Bram Holt", "ferryman")
    assert profile["tolerance"]["walk_away_threshold"] == [1, 3]


def test_the_runtime_loads_what_the_compiler_makes():
    compiled = compile_content(SMALL)
    pack = load_pack(compiled.data)
    assert pack.digest == compiled.digest
    assert pack.line(f"{QUAY}/bram-holt", "bram-holt_d_001").text == "No"


def test_whole_numbers_are_integers_however_they_are_written(tree):
    text = (
        "character: detective\nlocation: quay\nlines:\n"
        "  - {id: x_m_d_001, text: Hm., trigger: time_idle, priority: 7.0, cooldown: 6e2}\n"
    )
    line = compile_content(tree({"monologue/detective/quay.yaml": text})).pack["pools"][0]["lines"]
    assert (str(line[0]["priority"]), str(line[0]["cooldown"])) == ("7", "600")


@pytest.mark.spec("LP-3.3-no-length-limit")
def test_dialogue_may_be_long(tree):
    text = (
        "location: quay\nrole: clerk\nlines:\n"
        f"  - {{id: x_d_001, text: {'a' * 5000}, role: clerk, access: [public], trust: real,"
        " situation: [social]}\n"
    )
    pools = compile_content(tree({"dialogue/quay/x.yaml": text})).pack["pools"]
    assert len(pools[0]["lines"][0]["text"]) == 5000


@pytest.mark.spec("LP-11-closed-schemas")
def test_every_object_of_a_schema_says_what_it_takes():
    def objects(node):
        if isinstance(node, dict):
            if node.get("type") == "object":
                yield node
            for part in node.values():
                yield from objects(part)
        elif isinstance(node, list):
            for part in node:
                yield from objects(part)

    for name in SCHEMAS:
        schema = shipped(name)
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert all(
            node["additionalProperties"] is False
            or "type" in node["additionalProperties"]
            or "$ref" in node["additionalProperties"]
            for node in objects(schema)
        )


@pytest.mark.spec("LP-6-enum-values")
def test_shipped_schemas_agree_with_the_vocabulary(tmp_path):
    write_schemas(tmp_path / "content" / "_schema")
    for name in SCHEMAS:
        written = (tmp_path / "content" / "_schema" / f"{name}.schema.json").read_text()
        assert json.loads(written) == shipped(name)
    dialogue, monologue = shipped("dialogue-pool")["$defs"], shipped("monologue-pool")["$defs"]
    assert dialogue["condition"] == monologue["condition"]
    assert dialogue["fact_state"]["enum"] == list(FactState)
    assert dialogue["confidence"]["enum"] == list(Confidence)
    assert dialogue["relationship_state"]["enum"] == list(RelationshipState)
    assert dialogue["interaction_state"]["enum"] == list(InteractionState)
    assert dialogue["situation"]["enum"] == [v.value for v in DEFAULT_ENUMS["situations"]]
    assert dialogue["slug"]["pattern"] == f"^{SLUG}$"
    assert dialogue["fact_id"]["pattern"] == f"^{FACT_ID}$"
    assert dialogue["entity_ref"]["pattern"] == f"^{ENTITY_REF}$"
    assert dialogue["line"]["properties"]["id"]["pattern"] == f"^{DIALOGUE_ID}$"
    assert monologue["line"]["properties"]["id"]["pattern"] == f"^{MONOLOGUE_ID}$"


@pytest.mark.spec("LP-6-enum-values")
def test_the_default_enumerations_have_the_spec_s_sizes():
    sizes = {stem: len(values) for stem, values in DEFAULT_ENUMS.items()}
    assert sizes == {
        "access": 5,
        "trust": 3,
        "situations": 13,
        "topics": 9,
        "moods": 8,
        "triggers": 9,
        "characters": 2,
    }
