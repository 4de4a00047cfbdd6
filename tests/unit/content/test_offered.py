"""Schemas that offer the names of a tree to editors, and refuse none for them."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs
import pytest

from talebearer.content import lint, put_schemas, schemas_for, schemas_with_names, stale_schemas
from talebearer.errors import findings_content as codes

FILES = {
    "global/knowledge/sea.yaml": (
        "category: sea\nfacts:\n  - {id: sea.deep, description: Deep.}\n"
        "  - {id: sea.cold, description: Cold.}\n  - 7\n  - {id: [x]}\n"
    ),
    "global/knowledge/torn.yaml": "category: [torn\n",
    "global/npcs/odo.yaml": "name: Odo\n",
    "global/state.yaml": (
        "counters: [{id: visits, scope: pair}]\ntimers: [{id: toll, scope: world}]\n"
        "values: [{id: weather, scope: world, type: text}]\nclasses: [{id: shout}]\n"
    ),
    "global/conditions.yaml": (
        "conditions: [{id: met, when: {relationship: {target: npc:odo, state: known}}}]\n"
    ),
}


@pytest.mark.spec("LP-8.3-names")
def test_schemas_offer_facts_characters_and_what_is_declared(tree) -> None:
    schemas = {name: json.loads(text) for name, text in schemas_with_names(tree(FILES)).items()}
    pool = schemas["dialogue-pool.schema.json"]["$defs"]
    assert pool["fact_id"]["examples"] == ["sea.cold", "sea.deep"]
    assert pool["entity_ref"]["examples"] == ["npc:odo"]
    assert pool["class"]["examples"] == ["shout"]
    assert pool["counter_gate"]["properties"]["counter"]["examples"] == ["visits"]
    assert pool["timer_gate"]["properties"]["timer"]["examples"] == ["toll"]
    assert pool["effect"]["properties"]["set"]["properties"]["value"]["examples"] == ["weather"]
    assert pool["condition"]["properties"]["conditions"]["items"]["examples"] == ["met"]
    case = schemas["plan.schema.json"]["$defs"]["case"]["properties"]
    assert case["speaker"]["examples"] == ["odo"]
    assert "examples" not in case["location"]


@pytest.mark.spec("LP-8.3-names")
def test_a_name_that_is_not_offered_is_not_refused(tree) -> None:
    schema = json.loads(schemas_with_names(tree(FILES))["dialogue-pool.schema.json"])
    text = "Hm."
    line = {"id": "odo_d_001", "text": text, "role": "clerk", "access": ["public"]}
    line |= {"trust": "surface", "situation": ["social"]}
    line |= {"knowledge_grant": {"fact_id": "sea.new", "confidence": "knows_of"}}
    jsonschema_rs.validate(schema, {"location": "quay", "role": "clerk", "lines": [line]})


@pytest.mark.spec("LP-8.3-names")
def test_lint_notes_old_enumerations_and_not_names_that_were_not_offered(tree) -> None:
    root: Path = tree({**FILES, "global/knowledge/torn.yaml": "category: torn\nfacts: []\n"})
    folder = root / "_schema"
    put_schemas(folder, schemas_with_names(root))
    assert list(stale_schemas(folder, schemas_with_names(root), exactly=True)) == []
    assert _noted(root) == []
    new = FILES["global/state.yaml"].replace("visits", "calls")
    tree({"global/state.yaml": new})
    assert _noted(root) == []
    assert list(stale_schemas(folder, schemas_for(root), exactly=False)) == []
    renewed = list(stale_schemas(folder, schemas_with_names(root), exactly=True))
    assert "dialogue-pool.schema.json" in renewed
    tree({"global/enums/moods.yaml": "values: [{value: sour}]\n"})
    assert len(_noted(root)) == 1
    for odd in ("[" * 100_000, "{", "\x00"):
        (folder / "dialogue-pool.schema.json").write_text(odd, encoding="utf-8")
        assert "dialogue-pool.schema.json" in _noted(root)[0]
    (folder / "plan.schema.json").unlink()
    assert "plan.schema.json" in list(stale_schemas(folder, schemas_for(root), exactly=False))


def _noted(root: Path) -> list[str]:
    return [one.message for one in lint(root) if one.code == codes.STALE_SCHEMA]
