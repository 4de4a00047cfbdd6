"""Pages in each order, and filters that the index narrows: the same hits, and no more work than needed."""

from __future__ import annotations

from collections import defaultdict
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from talebearer.store import CAMPAIGN_POLICY, EntityRef
from talebearer.testing import sample_knowledge, sample_meta, sample_relation

META = sample_meta()


class Clock:
    """A clock that stands where it was set."""

    def __init__(self):
        self.now = 1_000

    def __call__(self):
        return self.now


@contextmanager
def counted(store):
    """Count how many hundreds of steps SQLite makes, which no other load on the machine changes."""
    steps = [0]

    def count():
        steps[0] += 1
        return False

    store._db.connection.set_progress_handler(count, 100)
    try:
        yield steps
    finally:
        store._db.connection.set_progress_handler(None)


def ids(result):
    return [hit.variants[0].ref.id for hit in result.hits]


def pages(store, meta, query, *, limit):
    """Return the ids of all pages, one after the other."""
    names, cursor = [], None
    while True:
        asked = query if cursor is None else {**query, "cursor": cursor}
        page = store.retrieve(meta, asked, limit=limit)
        names += ids(page)
        cursor = page.next_cursor
        if cursor is None:
            return names


@pytest.fixture
def dated(open_store):
    """A store with its clock."""
    clock = Clock()
    return open_store(policy=CAMPAIGN_POLICY, now_ms=clock), clock


WRITES = st.lists(
    st.tuples(
        st.integers(min_value=0, max_value=2),  # when
        st.sampled_from(["k1", "k2", "k3", "k4", "r1", "r2"]),  # which
        st.sampled_from(["bell", "gong", "the bell and the gong"]),
    ),
    max_size=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(writes=WRITES, limit=st.integers(min_value=1, max_value=4), is_indexed=st.booleans())
def test_pages_of_an_order_are_the_whole_order(dated, writes, limit, is_indexed):
    """Also where records share a millisecond, are of several types, or have several heads."""
    store, clock = dated
    meta = sample_meta(workspace=f"w{store._controller.new_id()}")
    for name in ("k0", "k9"):
        store.create(meta, "knowledge", sample_knowledge("nothing"), id=name)
    heads = defaultdict(list)
    for when, name, text in writes:
        clock.now = 1_000 + when
        _add_head(store, meta, name, text, known=name in heads)
        heads[name].append((clock.now, text))
    if is_indexed:
        store.keep_up()
    for text in ("bell", "gong"):
        query = {"where": {"/metadata/core/scope/session": {"$contains": text}}}
        for order, key in _KEYS.items():
            times = {
                name: max((at for at, one in versions if text in one), default=None)
                for name, versions in heads.items()
            }
            matching = [(at, name) for name, at in times.items() if at is not None]
            expected = [name for _, name in sorted(matching, key=key)]
            if order == "id_desc":
                expected.reverse()
            assert pages(store, meta, {**query, "order": order}, limit=limit) == expected


_KEYS = {
    "newest": lambda one: (-one[0], one[1]),
    "oldest": lambda one: one,
    "id_asc": lambda one: one[1],
    "id_desc": lambda one: one[1],
}


def _add_head(store, meta, name, text, *, known):
    """Write a head beside those that are there; the order of the names is that of types and ids."""
    kind = "knowledge" if name.startswith("k") else "knowledge_relation"
    value = sample_knowledge("x") if kind == "knowledge" else sample_relation("k0", "k9")
    if not known:
        store.create(meta, kind, value, id=name)
    value["metadata"]["core"]["scope"]["session"] = text
    first = store._db.rows(
        "SELECT version FROM patchouli_entity_version WHERE entity_id = ? AND scope_json LIKE ? "
        "ORDER BY row_id LIMIT 1",
        (name, f'%"{meta["workspace_id"]}"%'),
    )[0][0]
    beside = {**meta, "base_versions": [first], "conflict_strategy": "mvcc"}
    store.update(beside, EntityRef(kind, name), value)


def _fill(store, clock, count, *, apart):
    with store.batch():
        for number in range(count):
            clock.now += apart
            value = sample_knowledge(f"the bell of tower {number:05d}")
            store.create(META, "knowledge", value, id=f"k{number:05d}")
    store.keep_up()


@pytest.mark.parametrize("order", ["newest", "oldest", "id_asc", "id_desc"])
def test_a_page_costs_no_more_where_all_records_are_of_one_millisecond(dated, order):
    store, clock = dated
    costs = []
    for count in (200, 1_800):
        _add_many(store, clock, count)
        query = {"order": order, "where": {"/profile/epistemic": "unknown"}}
        first = store.retrieve(META, query, limit=5)
        with counted(store) as steps:
            page = store.retrieve(META, {**query, "cursor": first.next_cursor}, limit=5)
        assert len(page.hits) == 5
        costs.append(steps[0])
    assert costs[1] <= 2 * costs[0]


def _add_many(store, clock, count):
    with store.batch():
        for _ in range(count):
            name = f"k-{store._controller.new_id()}"
            store.create(META, "knowledge", sample_knowledge("x"), id=name)
    store.keep_up()


@pytest.mark.parametrize("order", ["newest", "oldest", "id_asc", "id_desc"])
@pytest.mark.parametrize(
    "condition",
    [{"/content/text": "the bell of tower 00007"}, {"/content/text": {"$contains": "tower 00007"}}],
)
def test_a_filter_that_few_records_meet_does_not_read_them_all(dated, order, condition):
    """The index knows which records have a text, wherever in them it is."""
    store, clock = dated
    rare = sample_knowledge("an alphorn was heard")
    store.create(META, "knowledge", rare, id="rare")
    _fill(store, clock, 2_000, apart=1)
    query = {"order": order, "where": {"/content/text": rare["content"]["text"]}}
    with counted(store) as steps:
        assert ids(store.retrieve(META, query)) == ["rare"]
    everything = {"order": order, "where": {"/content/text": {"$gt": "the bell of tower 01998"}}}
    with counted(store) as all_steps:
        assert ids(store.retrieve(META, everything)) == ["k01999"]
    assert steps[0] * 3 < all_steps[0]
    assert ids(store.retrieve(META, {"order": order, "where": condition})) == ["k00007"]


def test_a_filter_finds_what_is_not_indexed_and_what_is_too_long_for_it(dated):
    store, clock = dated
    _fill(store, clock, 300, apart=1)
    clock.now = 5
    long = sample_knowledge("x" * 70_000)
    long["metadata"]["core"]["scope"]["session"] = "alphorn"
    store.create(META, "knowledge", long, id="long")
    store.keep_up()
    short = sample_knowledge("a word")
    short["metadata"]["core"]["scope"]["session"] = "alphorn"
    store.create(META, "knowledge", short, id="unindexed")
    query = {"where": {"/metadata/core/scope/session": "alphorn"}, "order": "id_asc"}
    assert ids(store.retrieve(META, query)) == ["long", "unindexed"]
