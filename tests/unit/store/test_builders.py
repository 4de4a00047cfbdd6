"""Builders make complete, valid records."""

import pytest

from talebearer.store import (
    artifact_metadata,
    campaign_meta,
    knowledge_value,
    moment,
    relation_value,
)
from talebearer.vocabulary import RelationType

ABOUT = {"now": "2026-03-01T10:00:00.000Z", "workspace": "bell", "actor": "test"}
META = campaign_meta("bell")


@pytest.mark.spec("KM-metadata-nulls-present")
def test_built_records_are_accepted_with_every_null_in_place(store):
    made = store.create(META, "knowledge", knowledge_value("It rang.", **ABOUT), id="a")
    core = made.value["metadata"]["core"]
    assert core["scope"] == {"tenant": None, "workspace": "bell", "user": None, "session": None}
    assert set(core["origin"].values()) == {None}
    assert core["time"]["ingested_at"] == core["time"]["observed_at"] == ABOUT["now"]
    assert core["lifecycle"] == {"status": "active", "expires_at": None}
    store.create(META, "knowledge_relation", relation_value("supports", ["a"], ["a"], **ABOUT))


def test_what_is_known_is_kept(store):
    value = knowledge_value(
        {"kind": "structured", "value": {"n": 1}},
        artifacts=[("transcript:s1", "source")],
        profile={"epistemic": "observation", "retrieval": ("exact", "causal")},
        extensions={"talebearer.event": {"tick": 3}},
        user="npc:odo",
        session="s1",
        provenance_kind="observed",
        source="units 3-4",
        origin={"native_id": "x"},
        event_at="2026-02-01T10:00:00Z",
        **ABOUT,
    )
    stored = store.create(META, "knowledge", value).value
    core = stored["metadata"]["core"]
    assert (core["scope"]["user"], core["scope"]["session"]) == ("npc:odo", "s1")
    assert core["origin"]["native_id"] == "x"
    assert (
        core["provenance"][0] | {"kind": "observed", "source": "units 3-4"} == core["provenance"][0]
    )
    assert stored["profile"]["retrieval"] == ["exact", "causal"]
    assert stored["profile"]["ownership"] == "unknown"
    assert stored["artifact"] == [{"type": "artifact", "id": "transcript:s1", "role": "source"}]


def test_relations_take_the_vocabulary():
    value = relation_value(RelationType.DERIVED_FROM, ["event"], ["occurrence"], **ABOUT)
    assert value["type"] == "derived_from"
    assert value["from"] == [{"type": "knowledge", "id": "event"}]


def test_uploads_take_built_metadata(store):
    made = store.upload(
        META, b"x", media_type="text/plain", name="x.txt", metadata=artifact_metadata(**ABOUT)
    )
    assert made.value["name"] == "x.txt"


def test_moments_are_utc_with_milliseconds():
    assert moment(0) == "1970-01-01T00:00:00.000Z"
    assert moment(1_700_000_000_123) == "2023-11-14T22:13:20.123Z"
    assert moment(-1) == "1969-12-31T23:59:59.999Z"
