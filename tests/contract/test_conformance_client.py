"""The cases about a client's own helpers, asked of ours: 90, 121 and 134."""

import pytest
from served import DaemonSubject, short_folder

from talebearer.client import Client, Create, EntityRef, Update
from talebearer.errors import InvalidRecord, UsageFault
from talebearer.testing import sample_meta
from talebearer.testing.conformance import SCOPES, default_policy
from talebearer.testing.conformance.values import knowledge

CLOSE = {"transaction_state": "commit"}


@pytest.fixture(scope="module")
def subject():
    with short_folder() as folder:
        subject = DaemonSubject(folder, default_policy())
        yield subject
        subject.close()


@pytest.fixture
def client(subject):
    with Client.connect(subject.running.endpoint, timeout_seconds=60) as client:
        yield client


@pytest.fixture
def meta():
    return sample_meta(f"w{next(SCOPES)}")


@pytest.mark.spec("PP-7-client")
@pytest.mark.parametrize("count", [0, 1, 4, 5])
def test_090_pages_are_followed_to_the_last_one(client, meta, count):
    for number in range(count):
        client.create(meta, "knowledge", knowledge("harp"), id=f"k{number}")
    query = {"text": "harp", "order": "id_asc"}
    pages = list(client.query_pages(meta, query, limit=2))
    assert [page.next_cursor is None for page in pages] == [*[False] * (len(pages) - 1), True]
    found = [hit.variants[0].ref.id for page in pages for hit in page.hits]
    assert found == [f"k{number}" for number in range(count)]
    assert len(pages) == max(1, -(-count // 2))


@pytest.mark.spec("KM-S1-expired-left-out")
def test_089_expired_records_are_left_out_when_asked(client, meta):
    value = knowledge("harp")
    value["metadata"]["core"]["lifecycle"]["expires_at"] = "2001-01-01T00:00:00Z"
    client.create(meta, "knowledge", value, id="old")
    client.create(meta, "knowledge", knowledge("harp"), id="new")
    query = {"order": "id_asc"}
    for exclude, expected in ((False, ["new", "old"]), (True, ["new"])):
        pages = client.query_pages(meta, query, limit=1, exclude_expired=exclude)
        assert [hit.variants[0].ref.id for page in pages for hit in page.hits] == expected


@pytest.mark.spec("PP-7-client")
def test_121_a_work_unit_becomes_visible_as_a_whole(client, meta):
    base = client.create(meta, "knowledge", knowledge("old"), id="k")
    unit = {**meta, "transaction_id": "t"}
    change = Update(
        ref=EntityRef("knowledge", "k"),
        value=knowledge("new"),
        meta={"base_versions": [base.version]},
    )
    made = client.run_work_unit(
        unit, [change, Create(type="knowledge", id="l", value=knowledge("x"))], close=CLOSE
    )
    assert [client.read(meta, one.ref).versions for one in made] == [[one.version] for one in made]
    with pytest.raises(InvalidRecord):
        client.read(unit, EntityRef("knowledge", "k"))


@pytest.mark.spec("PP-7-client")
@pytest.mark.parametrize(
    ("count", "close"),
    [(0, CLOSE), (1, {}), (1, {**CLOSE, "transaction_id": "other"}), (1, {"user_id": "x"})],
)
def test_121_a_unit_that_cannot_be_closed_is_not_sent(client, meta, count, close):
    one = Create(type="knowledge", id="k", value=knowledge("x"))
    with pytest.raises(UsageFault):
        client.run_work_unit({**meta, "transaction_id": "t"}, [one] * count, close=close)
    unit = {**meta, "transaction_id": "t"}
    assert not client.retrieve(unit, {}).hits


@pytest.mark.spec("PP-7-client")
def test_134_a_closed_feed_tells_nothing_more(client, meta):
    with client.follow(meta) as feed:
        client.create(meta, "knowledge", knowledge("a"), id="k")
        assert next(feed).ref.id == "k"
    client.create(meta, "knowledge", knowledge("a"), id="l")
    with client.follow(meta, after_cursor=feed.cursor) as again:
        assert next(again).ref.id == "l"
