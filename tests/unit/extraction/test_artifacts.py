import copy
import json

import pytest

from talebearer.errors import InvalidArtifact
from talebearer.extraction import decode_artifact
from talebearer.vocabulary import ArtifactKind, OccurrenceKind

INTERACTIONS = ArtifactKind.NPC_INTERACTION_LIST
NPCS = ArtifactKind.NPC_LIST


def ref(first=1, last=2, source="s1"):
    return {"source_id": source, "start_unit_id": first, "end_unit_id": last}


def item(name="Mora Lint", kind="dialogue", refs=None):
    return {"name": name, "kind": kind, "source_refs": [ref()] if refs is None else refs}


def dump(*items):
    return json.dumps({"interactions": list(items)}).encode()


def codes(data, kind=INTERACTIONS, **known):
    with pytest.raises(InvalidArtifact) as caught:
        decode_artifact(kind, data, **known)
    return [problem["code"] for problem in caught.value.data["problems"]]


@pytest.mark.spec("NI-id-identity")
@pytest.mark.spec("NI-id-metadata")
def test_the_artifact_carries_its_durable_identity() -> None:
    artifact = decode_artifact(INTERACTIONS, dump(item()))
    assert artifact.kind == "dnd/npc-interaction-list"
    assert artifact.schema_id == "notarius.dnd.npc_interactions"
    assert artifact.schema_name == "notarius_dnd_npc_interactions_v1"
    assert (artifact.schema_version, artifact.media_type) == ("v1", "application/json")
    assert artifact.metadata == {"interaction_count": 1}


@pytest.mark.spec("NI-id-empty")
def test_an_empty_list_is_an_artifact() -> None:
    assert decode_artifact(INTERACTIONS, b'{"interactions":[]}').metadata["interaction_count"] == 0
    registry = decode_artifact(NPCS, b'{"npcs":[]}')
    assert registry.schema_id == "notarius.dnd.npcs"
    assert registry.metadata == {"npc_count": 0}


def test_bytes_are_canonical() -> None:
    artifact = decode_artifact(INTERACTIONS, dump(item(name="Émile")))
    assert (
        artifact.encode()
        == (
            '{"interactions":[{"kind":"dialogue","name":"Émile","source_refs":'
            '[{"end_unit_id":2,"source_id":"s1","start_unit_id":1}]}]}\n'
        ).encode()
    )
    assert artifact.digest.startswith("sha256:")
    assert len(artifact.digest) == 7 + 64


@pytest.mark.spec("NI-cat-closed")
@pytest.mark.parametrize("kind", [kind.value for kind in OccurrenceKind])
def test_all_six_kinds_are_accepted(kind: str) -> None:
    assert decode_artifact(INTERACTIONS, dump(item(kind=kind))).payload["interactions"]


@pytest.mark.spec("NI-cat-closed")
@pytest.mark.parametrize("kind", ["talked", "", "Dialogue", None, 3, ["dialogue"], {}])
def test_no_other_kind_is(kind: object) -> None:
    assert codes(dump(item(kind=kind))) == ["TB608"]


@pytest.mark.spec("NI-id-exact-members")
@pytest.mark.parametrize("member", ["name", "kind", "source_refs"])
def test_every_member_is_required(member: str) -> None:
    broken = item()
    del broken[member]
    assert codes(dump(broken)) == ["TB603"]


@pytest.mark.spec("NI-id-exact-members")
def test_unknown_members_are_refused_at_every_level() -> None:
    deep = item(refs=[{**ref(), "note": "n"}])
    payload = {"interactions": [{**deep, "summary": "s"}], "extra": 1}
    assert codes(json.dumps(payload).encode()) == ["TB604", "TB604", "TB604"]


@pytest.mark.spec("NI-val-range")
@pytest.mark.parametrize(
    ("first", "last", "code"),
    [
        (3, 2, "TB610"),
        (0, 2, "TB610"),
        (-1, 2, "TB610"),
        (True, 2, "TB605"),
        (1.0, 2, "TB605"),
        ("1", 2, "TB605"),
        (1, None, "TB605"),
        (10**30, 10**30, "TB611"),
        (3, 9, "TB611"),
    ],
)
def test_a_range_has_whole_units_in_order_inside_the_source(transcript, first, last, code) -> None:
    session = transcript("GM: One.\nGM: Two.\nGM: Three.")
    assert codes(dump(item(refs=[ref(first, last)])), transcript=session)[0] == code


@pytest.mark.spec("NI-val-empty-evidence")
def test_a_record_without_evidence_is_refused() -> None:
    assert codes(dump(item(refs=[]))) == ["TB609"]
    assert codes(dump(item(refs="units 1-2"))) == ["TB605"]


@pytest.mark.spec("NI-val-reference-evidence")
def test_evidence_of_another_source_is_refused(transcript) -> None:
    session = transcript("GM: One.\nGM: Two.")
    assert codes(dump(item(refs=[ref(source="handbook")])), transcript=session) == ["TB611"]


@pytest.mark.spec("NI-val-name")
@pytest.mark.parametrize("name", ["", "   ", " Mora", "Mora ", "E\u0301mile", None, 4])
def test_a_name_is_not_empty_and_canonical(name: object) -> None:
    assert codes(dump(item(name=name)))[0] in ("TB605", "TB606")


@pytest.mark.spec("NI-val-registry")
def test_a_name_outside_the_registry_is_refused_without_quoting_the_registry(registry) -> None:
    known = registry(["Secret Person", "Mora Lint"])
    with pytest.raises(InvalidArtifact) as caught:
        decode_artifact(INTERACTIONS, dump(item(name="Mora lint")), registry=known)
    assert caught.value.data["problems"][0]["code"] == "TB607"
    assert "Secret" not in json.dumps(caught.value.as_json())


@pytest.mark.spec("NI-val-bounded")
def test_all_problems_come_at_once_and_what_is_shown_is_bounded() -> None:
    broken = [item(name="x" * 5_000, kind="y" * 5_000, refs=[]) for _ in range(500)]
    with pytest.raises(InvalidArtifact) as caught:
        decode_artifact(INTERACTIONS, dump(*broken))
    assert caught.value.data["problem_count"] == 1_000
    assert len(json.dumps(caught.value.as_json())) < 60_000


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[",
        b"\xff\xfe",
        b'{"interactions": NaN}',
        b'{"interactions": 1e999}',
        b'{"interactions": "\\ud800"}',
        b"[" * 100_000,
        b"9" * 10_000,
    ],
)
def test_bytes_that_are_not_strict_json_are_refused(data: bytes) -> None:
    assert codes(data) == ["TB601"]


def test_a_duplicate_key_is_refused() -> None:
    assert codes(b'{"interactions": [], "interactions": []}') == ["TB602"]


@pytest.mark.parametrize("data", [b"[]", b"null", b'"interactions"', b"{}", b'{"interactions":{}}'])
def test_the_payload_is_one_object_with_one_array(data: bytes) -> None:
    assert codes(data)[0] in ("TB603", "TB605")


@pytest.mark.spec("NI-ord-order")
def test_records_and_ranges_out_of_order_are_not_normal() -> None:
    late, early = item(refs=[ref(5, 5)]), item(refs=[ref(1, 1)])
    assert codes(dump(late, early)) == ["TB612"]
    assert codes(dump(item(refs=[ref(5, 5), ref(1, 1)]))) == ["TB612"]
    assert codes(dump(early, copy.deepcopy(early))) == ["TB612"]


def test_a_registry_entry_has_the_id_of_its_name(registry) -> None:
    good = registry(["Mora Lint"]).payload["npcs"][0]
    assert good["id"].startswith("npc-")
    assert len(good["id"]) == 4 + 12
    data = json.dumps({"npcs": [{**good, "id": "npc-000000000000"}]}).encode()
    assert codes(data, NPCS) == ["TB612"]


def test_interactions_of_something_that_is_no_registry_are_refused() -> None:
    other = decode_artifact(INTERACTIONS, dump())
    with pytest.raises(InvalidArtifact, match="where the registry belongs"):
        decode_artifact(INTERACTIONS, dump(), registry=other)
