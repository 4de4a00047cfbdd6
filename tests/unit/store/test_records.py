"""Which record values are stored, and how refusals read."""

import copy

import pytest

from talebearer.errors import InvalidRecord
from talebearer.store import Store, load_schemas
from talebearer.testing import (
    counting_ids,
    sample_artifact_metadata,
    sample_knowledge,
    sample_meta,
    sample_relation,
    sample_structured,
    stepping_clock,
)

META = sample_meta()
DIMENSIONS = {
    "epistemic": "unknown observation hypothesis belief knowledge derived",
    "ownership": "unknown world agent user shared",
    "abstraction": "unknown instance pattern concept rule",
    "persistence": "unknown working short_term long_term permanent",
    "actionability": "unknown informational directive constraint",
}
RETRIEVAL = ["unknown", "exact", "associative", "contextual", "causal", "procedural"]
RELATIONS = ["supports", "contradicts", "derived_from", "generalized_from", "causes", "supersedes"]
REF = {"type": "knowledge", "id": "a"}


class Undo(Exception):
    """Ends a test's batch, so that the next test finds an empty store."""


@pytest.fixture(scope="module")
def shared_store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("records")
    with Store.open(
        folder / "talebearer.db",
        artifacts=folder / "artifacts",
        now_ms=stepping_clock(),
        new_id=counting_ids(),
    ) as store:
        yield store


@pytest.fixture
def store(shared_store):
    """One store for all tests of the file, rolled back after each: no waiting for the disk."""
    try:
        with shared_store.batch():
            yield shared_store
            raise Undo
    except Undo:
        pass


def artifact(**members):
    return {
        "media_type": "text/plain",
        "name": None,
        "byte_length": None,
        "digest": None,
        "placement": {"kind": "indexed", "provider": "p", "locator": "l", "revision": None},
        "metadata": sample_artifact_metadata(),
    } | members


def changed(value, path, new):
    """Return a copy of *value* with *new* at *path*, a dotted path; ``...`` removes."""
    value = copy.deepcopy(value)
    *parents, last = path.split(".")
    place = value
    for name in parents:
        place = place[name]
    if new is ...:
        del place[last]
    else:
        place[last] = new
    return value


def refused(store, record_type, value):
    """Return the JSON pointers at which *value* is refused; nothing may have been stored."""
    with pytest.raises(InvalidRecord) as error:
        store.create(META, record_type, value)
    assert store.changes(META) == []
    return [problem["pointer"] for problem in error.value.data["problems"]]


@pytest.mark.spec("KM-records-schemas")
def test_there_are_four_schemas():
    assert sorted(load_schemas()) == [
        "urn:patchouli:schema:artifact:1",
        "urn:patchouli:schema:fact-common:1",
        "urn:patchouli:schema:knowledge-relation:1",
        "urn:patchouli:schema:knowledge:1",
    ]


@pytest.mark.spec("KM-records-all-findings")
def test_all_findings_come_at_once_with_their_places(store):
    value = changed(sample_knowledge(), "content", {"kind": "text"})
    value = changed(value, "profile.epistemic", "rumour")
    value = changed(value, "metadata.core.time.ingested_at", ...)
    assert refused(store, "knowledge", value) == [
        "/content",
        "/metadata/core/time",
        "/profile/epistemic",
    ]


def test_a_refusal_names_the_value_and_what_is_allowed(store):
    with pytest.raises(InvalidRecord) as error:
        store.create(META, "knowledge", changed(sample_knowledge(), "profile.epistemic", "rumour"))
    assert "rumour" in error.value.message
    assert "/profile/epistemic" in error.value.message
    assert "hypothesis" in error.value.hint


@pytest.mark.spec("KM-knowledge-four-members")
@pytest.mark.parametrize("member", ["content", "metadata", "artifact", "profile"])
def test_knowledge_has_four_members(store, member):
    assert refused(store, "knowledge", changed(sample_knowledge(), member, ...)) == [""]
    assert refused(store, "knowledge", changed(sample_knowledge(), "extra", 1)) == [""]


@pytest.mark.spec("KM-knowledge-content")
@pytest.mark.parametrize(
    ("content", "accepted"),
    [
        ({"kind": "text", "text": "a"}, True),
        ({"kind": "structured", "value": None}, True),
        ({"kind": "structured", "value": [1, {"": 2}]}, True),
        ({"kind": "text", "text": ""}, False),
        ({"kind": "text", "text": "a", "value": 1}, False),
        ({"kind": "structured"}, False),
        ({"kind": "binary", "value": "AA=="}, False),
        ("plain", False),
    ],
)
def test_content_is_text_or_structured(store, content, accepted):
    value = changed(sample_knowledge(), "content", content)
    if accepted:
        assert store.create(META, "knowledge", value).value["content"] == content
    else:
        assert refused(store, "knowledge", value)


@pytest.mark.spec("KM-knowledge-profile")
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_profile_dimensions_are_closed(store, dimension):
    for word in DIMENSIONS[dimension].split():
        store.create(META, "knowledge", changed(sample_knowledge(), f"profile.{dimension}", word))
    bad = changed(sample_knowledge(), f"profile.{dimension}", "vector")
    with pytest.raises(InvalidRecord):
        store.create(META, "knowledge", bad)


@pytest.mark.spec("KM-knowledge-profile")
def test_retrieval_is_a_set_of_one_or_more(store):
    store.create(META, "knowledge", changed(sample_knowledge(), "profile.retrieval", RETRIEVAL))
    for bad in ([], ["exact", "exact"], ["full_text"], "exact"):
        value = changed(sample_knowledge(), "profile.retrieval", bad)
        with pytest.raises(InvalidRecord):
            store.create(META, "knowledge", value)


@pytest.mark.spec("PP-2.3-temporal")
@pytest.mark.parametrize(
    ("temporal", "accepted"),
    [
        ({"kind": "unknown"}, True),
        ({"kind": "timeless"}, True),
        ({"kind": "instant", "at": "2026-01-01T00:00:00Z"}, True),
        (
            {"kind": "interval", "start": "2026-01-02T00:00:00Z", "end": "2026-01-01T00:00:00Z"},
            True,
        ),
        ({"kind": "sequence", "items": [REF, REF]}, True),
        ({"kind": "sequence", "items": [REF] * 257}, False),
        ({"kind": "sequence", "items": []}, False),
        ({"kind": "instant"}, False),
        ({"kind": "timeless", "at": "2026-01-01T00:00:00Z"}, False),
        ({"kind": "sometimes"}, False),
        ({}, False),
    ],
)
def test_time_has_five_forms(store, temporal, accepted):
    value = changed(sample_knowledge(), "profile.temporal", temporal)
    if accepted:
        assert store.create(META, "knowledge", value).value["profile"]["temporal"] == temporal
    else:
        assert refused(store, "knowledge", value)[0].startswith("/profile/temporal")


@pytest.mark.spec("KM-knowledge-artifact-refs")
def test_artifact_references_have_a_role_and_are_unique(store):
    reference = {"type": "artifact", "id": "x", "role": "source"}
    both = [reference, reference | {"role": "embedding"}]
    assert store.create(META, "knowledge", changed(sample_knowledge(), "artifact", both))
    many = [reference | {"id": str(number)} for number in range(33)]
    for bad in ([reference, reference], [{"type": "artifact", "id": "x"}], many, [REF]):
        with pytest.raises(InvalidRecord):
            store.create(META, "knowledge", changed(sample_knowledge(), "artifact", bad))


@pytest.mark.spec("KM-metadata-nulls-present")
@pytest.mark.parametrize(
    "path",
    [
        "scope.tenant", "scope.user", "origin.provider", "origin.native_revision",
        "time.event_at", "time.source_created_at", "lifecycle.expires_at", "provenance", "schema",
    ],
)  # fmt: skip
def test_nullable_core_fields_must_be_there(store, path):
    value = changed(sample_knowledge(), f"metadata.core.{path}", ...)
    assert refused(store, "knowledge", value)[0].startswith("/metadata/core")


@pytest.mark.spec("KM-identity-value-without-id")
@pytest.mark.parametrize("member", ["id", "revision", "other"])
def test_identity_stands_outside_the_value(store, member):
    value = changed(sample_knowledge(), f"metadata.core.{member}", "x")
    assert refused(store, "knowledge", value) == ["/metadata/core"]


@pytest.mark.spec("PP-2.1-schema-constant")
def test_each_type_has_its_own_schema_constant(store):
    value = changed(sample_knowledge(), "metadata.core.schema", "patchouli.artifact@1")
    assert refused(store, "knowledge", value) == ["/metadata/core/schema"]


@pytest.mark.spec("PP-2.1-provenance")
def test_provenance_may_be_empty_and_has_at_most_64_steps(store):
    (step,) = sample_knowledge()["metadata"]["core"]["provenance"]
    for count, accepted in ((0, True), (64, True), (65, False)):
        value = changed(sample_knowledge(), "metadata.core.provenance", [step] * count)
        if accepted:
            store.create(META, "knowledge", value)
        else:
            with pytest.raises(InvalidRecord):
                store.create(META, "knowledge", value)


@pytest.mark.spec("KM-metadata-extension-keys")
@pytest.mark.parametrize(
    ("extensions", "accepted"),
    [
        ({"local.session": {"any": [1]}}, True),
        ({"a.b-c.d_e": {}}, True),
        ({"session": {}}, False),
        ({".a": {}}, False),
        ({"a..b": {}}, False),
        ({"local.session": "text"}, False),
        ({f"a.b{number}": {} for number in range(33)}, False),
    ],
)
def test_extension_keys_have_a_namespace(store, extensions, accepted):
    value = changed(sample_knowledge(), "metadata.extensions", extensions)
    if accepted:
        assert store.create(META, "knowledge", value).value["metadata"]["extensions"] == extensions
    else:
        assert refused(store, "knowledge", value)[0].startswith("/metadata/extensions")


@pytest.mark.spec("KM-artifact-placement")
@pytest.mark.parametrize(
    ("members", "accepted"),
    [
        ({}, True),
        (
            {"placement": {"kind": "indexed", "provider": "p", "locator": "l", "revision": "r"}},
            True,
        ),
        ({"placement": {"kind": "indexed", "provider": "p", "locator": "l"}}, False),
        ({"placement": {"kind": "managed", "provider": "p", "key": "k"}}, False),
        (
            {
                "placement": {"kind": "managed", "provider": "p", "key": "k"},
                "byte_length": 0,
                "digest": "d",
            },
            True,
        ),
        ({"placement": {"kind": "indexed", "provider": "p", "key": "k"}}, False),
        ({"placement": {"kind": "remote", "provider": "p", "key": "k"}}, False),
        ({"media_type": "text"}, False),
        ({"media_type": "text/plain; charset=utf-8"}, True),
        ({"media_type": "a/b/c"}, False),
        ({"byte_length": -1}, False),
        ({"name": ""}, False),
    ],
)
def test_an_artifact_has_one_placement(store, members, accepted):
    value = artifact(**members)
    if accepted:
        assert store.create(META, "artifact", value).value == value
    else:
        assert refused(store, "artifact", value)


@pytest.mark.spec("KM-artifact-managed-identity")
def test_managed_bytes_need_length_and_digest(store):
    managed = {"kind": "managed", "provider": "p", "key": "k"}
    value = artifact(placement=managed)
    assert refused(store, "artifact", value) == ["/byte_length", "/digest"]


@pytest.mark.spec("KM-relation-types")
@pytest.mark.parametrize("relation", RELATIONS)
def test_six_relation_types(store, relation):
    store.create(META, "knowledge", sample_knowledge(), id="a")
    value = sample_relation("a", "a", relation)
    assert store.create(META, "knowledge_relation", value).value == value


@pytest.mark.spec("KM-relation-sides")
@pytest.mark.parametrize(
    ("path", "new"),
    [
        ("from", []),
        ("to", []),
        ("to", [REF, REF]),
        ("from", [{"type": "artifact", "id": "a"}]),
        ("type", "follows"),
    ],
)
def test_relation_sides_are_sets_of_knowledge(store, path, new):
    value = changed(sample_relation("a", "a"), path, new)
    assert refused(store, "knowledge_relation", value)[0].startswith(f"/{path}")


@pytest.mark.spec("KM-relation-cycles")
def test_self_relations_and_cycles_are_valid(store):
    for name in ("a", "b"):
        store.create(META, "knowledge", sample_knowledge(), id=name)
    for pair in (("a", "a"), ("a", "b"), ("b", "a")):
        store.create(META, "knowledge_relation", sample_relation(*pair))
    assert len(list(store.list(META, "knowledge_relation"))) == 3


@pytest.mark.spec("PP-2.5-no-more-checks")
def test_what_the_schema_does_not_say_is_not_checked(store):
    value = changed(sample_knowledge(), "metadata.core.time.event_at", "last winter")
    value = changed(value, "artifact", [{"type": "artifact", "id": "nowhere", "role": "source"}])
    assert store.create(META, "knowledge", value).value == value


@pytest.mark.spec("PP-3.4-canonical")
@pytest.mark.parametrize(
    "value",
    [
        {
            "": 1,
            "é": "\x00\x1f\u2028",
            "z": -0.0,
            "a": [True, None, 1.5, 2**63, -(2**63), 2**64 - 1],
        },
        ["👩‍👩‍👧", "\ufeff", "\\", '"'],
        "x" * 1_000_000,
        [[[[[[[[]]]]]]]],
    ],
)
def test_values_survive_exactly(store, value):
    made = store.create(META, "knowledge", sample_structured(value))
    found = store.read(META, made.ref).value["content"]["value"]
    assert repr(found) == repr(dict(sorted(value.items())) if isinstance(value, dict) else value)


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        ({"n": float("nan")}, "/content/value/n"),
        ([1, float("inf")], "/content/value/1"),
        ({"n": 2**64}, "/content/value/n"),
        ({"n": -(2**63) - 1}, "/content/value/n"),
        ({"a/b~": "\ud800"}, "/content/value/a~1b~0"),
        ({"\udfff": 1}, "/content/value"),
        ({1: 1}, "/content/value"),
        ({"when": {1, 2}}, "/content/value/when"),
        (b"bytes", "/content/value"),
    ],
)
def test_what_json_cannot_hold_is_refused(store, value, pointer):
    assert refused(store, "knowledge", sample_structured(value)) == [pointer]


def test_endless_values_are_refused(store):
    value = []
    value.append(value)
    assert refused(store, "knowledge", sample_structured(value))


def test_the_store_keeps_a_copy(store):
    value = sample_structured([1])
    made = store.create(META, "knowledge", value)
    value["content"]["value"].append(2)
    made.value["content"]["value"].append(3)
    assert store.read(META, made.ref).value["content"]["value"] == [1]


def test_tuples_are_arrays(store):
    made = store.create(META, "knowledge", sample_structured(((1, 2), ())))
    assert made.value["content"]["value"] == [[1, 2], []]
