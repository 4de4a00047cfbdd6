"""Whatever text stands in scopes, ids, keys and filters: nothing crosses a scope."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from served import short_folder
from subjects import StoreSubject

from talebearer.testing import sample_relation
from talebearer.testing.conformance import SCOPES, Actor, default_policy
from talebearer.testing.conformance.values import knowledge, structured
from talebearer.testing.model import Refused

ODD = ["%", "_", "'", '"', "\\", "\x00", "\u202e", "$.", '"]', "') OR 1=1 --", "*", "~", "/", "a",
       "A", "\u00e9", "e\u0301", "\U0010ffff", "{}", "null", " "]  # fmt: skip
TEXTS = st.lists(st.sampled_from(ODD), min_size=1, max_size=4).map("".join)
SHORT = settings(max_examples=60, deadline=None)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=16,
)


@pytest.fixture(scope="module")
def subject():
    with short_folder() as folder:
        subject = StoreSubject(folder, default_policy())
        yield subject
        subject.close()


def pointer(keys):
    return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in keys)


def variants_of(answer):
    return [variant for hit in answer.data["hits"] for variant in hit["variants"]]


@pytest.mark.spec("KM-identity-scope-boundary")
@SHORT
@given(
    users=st.lists(TEXTS, min_size=2, max_size=2, unique=True), name=TEXTS, key=TEXTS, word=TEXTS
)
def test_no_answer_crosses_a_scope(subject, users, name, key, word):
    workspace = f"w{next(SCOPES)}"
    actors = [Actor(subject, workspace_id=workspace, user_id=user) for user in users]
    feeds = [actor.subscribe() for actor in actors]
    for actor in actors:
        value = structured({key: [word, actor.meta["user_id"]]})
        actor.create(value, id=name)
        actor.create(sample_relation(name, name), id=name, type="knowledge_relation")
    where = {pointer(["content", "value", key, "0"]): word}
    queries = [{}, {"ids": [name]} if name.strip() else {}, {"where": where},
               {"where": {pointer(["content", "value", key]): {"$contains": word}}}]  # fmt: skip
    if word.strip():
        queries.append({"text": word})
    for actor, feed in zip(actors, feeds, strict=True):
        mine = actor.heads(name) + actor.heads(name, type="knowledge_relation")
        for query in queries:
            found = variants_of(actor.retrieve(query))
            assert {one["version"] for one in found} <= set(mine)
            if query.get("text") is None:
                assert mine[0] in [one["version"] for one in found]
        told = [event["change"]["head_versions"][0] for event in feed.rest()]
        assert told == mine
        assert {event["meta"]["user_id"] for event in feed.rest()} <= {actor.meta["user_id"]}
    strangers = [{"user_id": users[0] + users[1]}, {"user_id": "%"}, {"workspace_id": "%"}]
    for meta in strangers:
        if meta.get("user_id") in users:
            continue
        stranger = actors[0].also(**meta)
        assert [stranger.found(query) for query in queries] == [[] for _ in queries]
        with pytest.raises(Refused) as error:
            stranger.read(name)
        assert error.value.reason == "NOT_FOUND"


@pytest.mark.spec("KM-identity-scope-boundary")
@SHORT
@given(where=st.dictionaries(TEXTS.map(lambda text: f"/{text}"), TEXTS | JSON, max_size=3))
def test_a_filter_is_only_data(subject, where):
    """Any pointer and any value: an answer or an invalid request, and only of the own scope."""
    workspace = f"w{next(SCOPES)}"
    mine = Actor(subject, workspace_id=workspace, user_id="mine")
    theirs = Actor(subject, workspace_id=workspace, user_id="theirs")
    made = mine.create(knowledge("a"))
    theirs.create(knowledge("a"))
    try:
        found = variants_of(mine.retrieve({"where": where}))
    except Refused as error:
        found = []
        reason = error.reason
    else:
        reason = "INVALID_REQUEST"
    assert reason == "INVALID_REQUEST"
    assert [one["version"] for one in found] in ([], [made["version"]])


@pytest.mark.spec("PP-3.4-canonical")
@settings(max_examples=120, deadline=None)
@given(value=JSON)
def test_any_json_comes_back_as_it_went(subject, value):
    actor = Actor(subject, workspace_id=f"w{next(SCOPES)}", user_id="u")
    made = actor.create(structured(value), id="k")
    for one in (made, *actor.read("k")["variants"]):
        back = one["value"]["content"]["value"]
        assert json.dumps(back, sort_keys=True) == json.dumps(value, sort_keys=True)
