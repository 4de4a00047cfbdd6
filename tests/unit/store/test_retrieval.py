"""Searching: the index that lags, what it finds, and what it leaves out."""

from __future__ import annotations

import json
from contextlib import closing

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from talebearer.errors import InvalidRecord, NotFound, StoreUnavailable, UsageFault
from talebearer.store import CAMPAIGN_POLICY, Call, EntityRef
from talebearer.testing import sample_knowledge, sample_meta

META = sample_meta()
SCOPE = '{"user_id":"u","workspace_id":"w"}'


def add(store, *texts, meta=META):
    return [
        store.create(meta, "knowledge", sample_knowledge(text), id=f"k{number}")
        for number, text in enumerate(texts)
    ]


def found(store, query, **options):
    hits = store.retrieve(META, query, **options).hits
    return [hit.variants[0].ref.id for hit in hits]


def lag(store):
    return store._controller.retrieval.index.lag()[1]


@pytest.fixture
def quick(open_store):
    """A store without merge documents, which search does not need."""
    return open_store(policy=CAMPAIGN_POLICY)


def test_what_is_not_indexed_yet_is_found(quick):
    add(quick, "the gong rang", "nothing")
    assert lag(quick) == 2
    assert found(quick, {"text": "GONG"}) == ["k0"]
    assert lag(quick) == 2  # a few rows are cheaper to look at than to index


def test_many_rows_are_indexed_before_a_search(quick):
    add(quick, *(f"record {number:03d}" for number in range(100)))
    assert found(quick, {"text": "record 042"}) == ["k42"]
    assert lag(quick) == 0


def test_a_group_of_requests_keeps_the_index_up(quick):
    add(quick, "a")
    assert quick.keep_up() == 1
    assert quick.keep_up() == 0


def test_superseded_and_deleted_values_are_not_found(quick):
    first, second = add(quick, "the old bell", "another old bell")
    quick.keep_up()
    base = sample_meta(base_versions=[first.version])
    quick.update(base, first.ref, sample_knowledge("the new drum"))
    quick.delete(sample_meta(base_versions=[second.version]), second.ref)
    for _ in range(2):
        assert found(quick, {"text": "old bell"}) == []
        assert found(quick, {"text": "new drum"}) == ["k0"]
        quick.keep_up()


def test_keys_and_escapes_are_no_text(quick):
    add(quick, 'she said "no"\nand left \\ back')
    assert found(quick, {"text": "provenance"}) == []
    for text in ('said "no"', 'no"\nand', "left \\ b"):
        assert found(quick, {"text": text}) == ["k0"]
    assert found(quick, {"text": "\\n"}) == []


def test_a_text_does_not_span_two_strings(quick):
    value = sample_knowledge()
    value["content"] = {"kind": "structured", "value": ["left part", "right part"]}
    quick.create(META, "knowledge", value, id="k")
    quick.keep_up()
    assert found(quick, {"text": "partright"}) == []
    assert found(quick, {"text": "right part"}) == ["k"]


def test_a_very_long_text_is_found_though_only_its_length_is_indexed(quick):
    add(quick, "x" * 1_000_000 + " the bell of Kalbrek", "short")
    quick.keep_up()
    for text in ("bell of kalbrek", "kalbrek", "lb"):
        assert found(quick, {"text": text}) == ["k0"]
    assert found(quick, {"text": "kalbrok"}) == []


def test_requests_of_the_wire_keep_the_index_near(quick):
    for number in range(1_030):
        value = {"type": "knowledge", "value": sample_knowledge(f"n {number}")}
        quick.call(Call("patchouli.entity.create@1", META, value))
    assert lag(quick) < 1_024


def test_python_methods_keep_the_index_near(quick):
    (made,) = add(quick, "n")
    for number in range(1_030):
        quick.upsert(META, made.ref, sample_knowledge(f"n {number}"))
    assert lag(quick) < 1_024


def test_a_batch_is_indexed_when_it_is_over(quick):
    with quick.batch():
        add(quick, *(f"n {number}" for number in range(600)))
        with quick.batch():
            add(quick, *(f"m {number}" for number in range(600)), meta=sample_meta(user="other"))
        assert lag(quick) == 1_200
    assert lag(quick) == 0


def test_a_batch_that_is_undone_leaves_the_index_as_it_was(quick):
    def undone():
        with quick.batch():
            add(quick, *(f"n {number}" for number in range(1_100)))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        undone()
    assert lag(quick) == 0
    assert found(quick, {"text": "n 7"}) == []


def test_a_full_disk_keeps_nobody_from_searching(quick):
    add(quick, *(f"record {number:03d} {'x' * 3_000}" for number in range(100)))
    connection = quick._db._connection
    quick.checkpoint()
    connection.pragma("max_page_count", connection.pragma("page_count"))
    assert found(quick, {"text": "record 042"}) == ["k42"]
    assert lag(quick) == 100


def test_other_scopes_are_never_found(quick):
    add(quick, "a secret bell", meta=sample_meta(workspace="w2"))
    for _ in range(2):
        for text in ("secret bell", "se", "%", "_"):
            assert found(quick, {"text": text}) == []
        quick.keep_up()


@pytest.mark.spec("PP-4.2-text-index")
def test_the_index_is_rebuilt_from_the_versions(quick):
    add(quick, "the gong rang", "鐘が鳴る")
    quick.keep_up()
    with quick._db.writing():
        quick._db.run("INSERT INTO patchouli_entity_fts (rowid, strings) VALUES (99, 'stale')")
        quick._controller.retrieval.index.rebuild()
    assert lag(quick) == 2
    quick.keep_up()
    with quick._db.reading():
        assert quick._db.rows("SELECT id FROM patchouli_entity_fts_docsize ORDER BY id") == [
            (1,),
            (2,),
        ]
    assert found(quick, {"text": "gong"}) == ["k0"]
    assert found(quick, {"text": "鐘が"}) == ["k1"]


def test_rows_whose_numbers_are_given_again_are_indexed(open_store):
    now = [1_000]
    store = open_store(now_ms=lambda: now[0])
    staged = sample_meta(transaction_id="t")
    store.create(staged, "knowledge", sample_knowledge("staged bell"), id="k0")
    store.keep_up()
    now[0] += 4_000_000
    store.create(META, "knowledge", sample_knowledge("published drum"), id="k1")
    store.keep_up()
    assert found(store, {"text": "published drum"}) == ["k1"]
    assert found(store, {"text": "staged bell"}) == []


def test_a_reader_beside_the_writer_searches_without_writing(open_store, tmp_path):
    store = open_store(policy=CAMPAIGN_POLICY)
    add(store, *(f"record {number:03d}" for number in range(100)))
    reader = open_store(policy=CAMPAIGN_POLICY, read_only=True)
    assert found(reader, {"text": "record 042"}) == ["k42"]
    assert lag(store) == 100


def test_what_has_expired_can_be_left_out(open_store):
    store = open_store(now_ms=lambda: 1_000_000)
    times = {
        "past": "1970-01-01T00:16:39Z",
        "now": "1970-01-01T01:16:40+01:00",
        "future": "1970-01-01T00:16:41Z",
        "words": "next week",
        "never": None,
    }
    for name, at in times.items():
        value = sample_knowledge("a bell")
        value["metadata"]["core"]["lifecycle"]["expires_at"] = at
        store.create(META, "knowledge", value, id=name)
    kept = ["future", "never", "words"]
    for query in ({"order": "id_asc"}, {"order": "id_asc", "text": "bell"}):
        assert found(store, query) == sorted(times)
        assert found(store, query, exclude_expired=True) == kept


def test_pages_agree_while_a_text_comes_to_be_everywhere(quick):
    add(quick, *("bell " * (1 + number % 3) for number in range(6)))
    first = quick.retrieve(META, {"text": "bell"}, limit=4)
    second = quick.retrieve(META, {"text": "bell", "cursor": first.next_cursor}, limit=4)
    names = [hit.variants[0].ref.id for hit in (*first.hits, *second.hits)]
    assert sorted(names) == [f"k{number}" for number in range(6)]
    scores = [hit.score for hit in (*first.hits, *second.hits)]
    assert scores == sorted(scores, reverse=True)
    assert second.next_cursor is None


@pytest.mark.parametrize("limit", [0, 101, -1, 1.5, True])
def test_a_limit_is_between_one_and_a_hundred(quick, limit):
    with pytest.raises(InvalidRecord):
        quick.retrieve(META, {}, limit=limit)


WORDS = st.text(
    alphabet=st.sampled_from('abAB "\\\x00\n%_*ßİı鐘が\u0301🔔'), min_size=1, max_size=8
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(WORDS.map(lambda text: f"x{text}"), min_size=1, max_size=4), text=WORDS)
def test_a_search_finds_what_looking_at_every_record_finds(quick, texts, text):
    meta = sample_meta(workspace=f"w{quick._controller.new_id()}")
    wanted = text.strip()
    for number, one in enumerate(texts):
        quick.create(meta, "knowledge", sample_knowledge(one), id=f"k{number}")
    expected = {f"k{n}" for n, one in enumerate(texts) if wanted.casefold() in one.casefold()}
    quick.keep_up()
    if not wanted:
        with pytest.raises(InvalidRecord):
            quick.retrieve(meta, {"text": text})
        return
    where = {"/content/text": {"$ne": None}}
    hits = quick.retrieve(meta, {"text": text, "where": where}, types=["knowledge"]).hits
    names = {hit.variants[0].ref.id for hit in hits}
    assert expected <= names
    # Samples hold some more strings, which are the same in all of them.
    other = sample_knowledge("")
    assert names == expected or wanted.casefold() in str(other).casefold()


def test_the_change_log_is_pruned_in_bounded_steps(open_store, tmp_path):
    now = [1_000]
    store = open_store(now_ms=lambda: now[0], policy=CAMPAIGN_POLICY)
    for number in range(5):
        store.upsert(META, EntityRef("knowledge", "k"), sample_knowledge(f"{number}"))
    now[0] += 604_800_001
    store.upsert(META, EntityRef("knowledge", "k"), sample_knowledge("late"))
    assert [change.cursor for change in store.changes(META)] == ["6"]
    with closing(apsw.Connection(str(tmp_path / "talebearer.db"))) as connection:
        assert connection.execute("SELECT count(*) FROM patchouli_change").fetchall() == [(1,)]
    assert store.read(META, EntityRef("knowledge", "k")).state == "active"


def test_a_clock_that_is_set_back_loses_no_change(open_store):
    now = [700_000_000]
    store = open_store(now_ms=lambda: now[0], policy=CAMPAIGN_POLICY)
    ref = EntityRef("knowledge", "k")
    store.upsert(META, ref, sample_knowledge("first"))
    now[0] = 1_000
    store.upsert(META, ref, sample_knowledge("second"))
    now[0] = 700_000_001
    kinds = [change.kind for change in store.changes(META)]
    assert kinds == ["created", "updated"]
    assert store.read(META, ref).value["content"]["text"] == "second"


def test_a_reader_sees_what_is_durable_and_writes_nothing(quick):
    add(quick, "a gong")
    with closing(quick.reader()) as reader:
        assert found(reader, {"text": "gong"}) == ["k0"]
        quick.create(META, "knowledge", sample_knowledge("a gong too"), id="late")
        assert sorted(found(reader, {"text": "gong"})) == ["k0", "late"]
        with pytest.raises(UsageFault):
            reader.create(META, "knowledge", sample_knowledge("no"))


def test_a_reader_sees_one_moment(quick):
    add(quick, "a gong")
    with closing(quick.reader()) as reader, reader._db.snapshot():
        assert len(reader._controller.versions.heads(SCOPE, EntityRef("knowledge", "k0"))) == 1
        quick.create(META, "knowledge", sample_knowledge("a gong too"), id="late")
        assert not reader._controller.versions.heads(SCOPE, EntityRef("knowledge", "late"))


def test_a_readers_search_can_be_cut_short(quick):
    add(quick, *(f"gong {number}" for number in range(50)))
    with closing(quick.reader()) as reader:

        def cut() -> None:
            with reader._db.snapshot():
                rows = reader._db.each("SELECT value_json FROM patchouli_entity_version")
                next(rows)
                reader.interrupt()
                list(rows)

        with pytest.raises(StoreUnavailable, match="cut short"):
            cut()
        assert found(reader, {"text": "gong 7"}) == ["k7"]


@pytest.mark.parametrize(
    ("method", "meta", "data", "aside"),
    [
        ("patchouli.entity.retrieve@1", META, {"query": "{}"}, True),
        ("patchouli.entity.retrieve@1", META, {"query": "{}", "types": ["artifact"]}, True),
        ("patchouli.entity.retrieve@1", META, {"query": "{}", "types": ["nothing"]}, False),
        ("patchouli.entity.retrieve@1", META, {"query": "{}", "types": 3}, False),
        ("patchouli.entity.retrieve@1", {}, {"query": "{}"}, False),
        ("patchouli.entity.retrieve@1", {**META, "transaction_id": "t"}, {"query": "{}"}, False),
        ("patchouli.entity.read@1", META, {"ref": {"type": "knowledge", "id": "k"}}, False),
    ],
)
def test_only_plain_retrievals_are_for_readers(open_store, method, meta, data, aside):
    assert open_store().may_read_aside(Call(method, meta, data)) is aside


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"ids": [f"k{n}" for n in range(10_001)]}, "10,001 ids; at most 10,000"),
        ({"where": {f"/a{n}": n for n in range(257)}}, "257 conditions; at most 256"),
    ],
)
def test_queries_are_bounded(quick, query, message):
    with pytest.raises(InvalidRecord, match=message):
        found(quick, query)


def _deep(levels):
    value = 1
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize("form", [dict, json.dumps], ids=["typed", "wire"])
@pytest.mark.parametrize(
    "condition", [_deep(300), {"$eq": _deep(300)}, {"$contains": [_deep(300)]}]
)
def test_a_condition_that_is_nested_too_deep_is_named_where_it_stands(quick, form, condition):
    query = {"where": {"/content/text": "x", "/profile/a~1b": condition}}
    with pytest.raises(InvalidRecord, match="nested deeper") as refused:
        quick.retrieve(META, form(query))
    (one,) = refused.value.data["problems"]
    assert one["pointer"].startswith("/query/where/~1profile~1a~01b")


NAMES, TEXTS = "abc", ("gong", "harp", "drum")
WRITES = st.lists(
    st.tuples(st.booleans(), st.sampled_from(NAMES), st.sampled_from(TEXTS)), max_size=10
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=WRITES, after=WRITES, is_indexed=st.booleans())
def test_a_unit_finds_by_text_what_it_finds_by_looking_at_all(store, before, after, is_indexed):
    meta = sample_meta(workspace=f"w{store._controller.new_id()}")
    inside = {**meta, "transaction_id": "t"}
    for _, name, text in before:
        store.upsert(meta, EntityRef("knowledge", name), sample_knowledge(text))
    with pytest.raises(NotFound):
        store.read(inside, EntityRef("knowledge", "this opens the unit"))
    for is_inside, name, text in after:
        ref = EntityRef("knowledge", name)
        store.upsert(inside if is_inside else meta, ref, sample_knowledge(text))
    if is_indexed:
        store.keep_up()
    everything = store.retrieve(inside, {}).hits
    for text in TEXTS:
        holding = [
            hit
            for hit in everything
            if text in [one.value["content"]["text"] for one in hit.variants]
        ]
        assert _names(store.retrieve(inside, {"text": text}).hits) == _names(holding)
    ids = {"ids": [*NAMES, "nobody"]}
    assert _names(store.retrieve(inside, ids).hits) == _names(everything)


def test_a_unit_finds_what_the_pruned_log_has_forgotten(open_store):
    now = [1_000]
    store = open_store(now_ms=lambda: now[0])
    store.create(META, "knowledge", sample_knowledge("the gong"), id="k")
    inside = {**META, "transaction_id": "t"}
    store.create(inside, "knowledge", sample_knowledge("opens the unit"), id="l")
    store.upsert(META, EntityRef("knowledge", "k"), sample_knowledge("the harp"))
    store.keep_up()
    with closing(apsw.Connection(str(store._db.path))) as connection:
        connection.execute("DELETE FROM patchouli_change")
        connection.execute("INSERT INTO patchouli_change_retention VALUES (?, 2)", (SCOPE,))
    assert _names(store.retrieve(inside, {"text": "gong"}).hits) == ["k"]


def _names(hits):
    return sorted(hit.variants[0].ref.id for hit in hits)


def test_a_query_of_the_longest_is_answered(quick):
    add(quick, "a gong")
    conditions = {f"/content/{n}": n for n in range(256)}
    assert found(quick, {"ids": [f"k{n}" for n in range(10_000)]}) == ["k0"]
    assert found(quick, {"where": conditions}) == []
    with pytest.raises(InvalidRecord, match="'k5' is there twice"):
        found(quick, {"ids": ["k5", "k6", "k5"]})
