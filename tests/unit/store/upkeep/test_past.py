"""Looking back: history, difference, a scope as it stood, the feed from outside."""

from __future__ import annotations

import pytest
from stores import META, NOTE, SCOPE, open_store

from talebearer.errors import CursorExpired, NotFound, UsageFault
from talebearer.store import EntityRef
from talebearer.store.upkeep import (
    Place,
    Reading,
    as_of,
    cursor_at,
    diff,
    history,
    scope_of,
    tail,
)
from talebearer.testing import SAMPLE_NOW_MS, sample_knowledge


def texts(place: Place, **asked: object) -> dict[str, list[object]]:
    with Reading(place) as reading:
        return {
            one.ref.id: [variant.value and variant.value["content"] for variant in one.variants]
            for one in as_of(reading, SCOPE, type="knowledge", **asked)  # type: ignore[arg-type]
        }


def text(words: str) -> dict[str, str]:
    return {"kind": "text", "text": words}


def test_the_history_has_every_version_with_what_it_did(place: Place) -> None:
    with Reading(place) as reading:
        note = history(reading, SCOPE, NOTE)
        two = history(reading, SCOPE, EntityRef("knowledge", "two"))
        gone = history(reading, SCOPE, EntityRef("knowledge", "gone"))
    assert [(one.kind, one.head) for one in note] == [("created", False), ("updated", True)]
    assert [one.value["content"]["text"] for one in note] == ["first", "second"]
    assert [one.kind for one in two] == ["created", "updated", "conflicted"]
    assert [one.head for one in two] == [False, True, True]
    assert two[-1].head_versions == tuple(sorted(one.version for one in two[1:]))
    assert [(one.kind, one.state, one.value) for one in gone[1:]] == [("deleted", "deleted", None)]


def test_what_never_was_has_no_history(place: Place) -> None:
    with Reading(place) as reading, pytest.raises(NotFound):
        history(reading, SCOPE, EntityRef("knowledge", "nobody"))


def test_two_versions_are_compared_by_pointer(place: Place) -> None:
    with Reading(place) as reading:
        first, second = (one.version for one in history(reading, SCOPE, NOTE))
        found = diff(reading, SCOPE, NOTE, first=first, second=second)
        none = diff(reading, SCOPE, NOTE, first=first, second=first)
        with pytest.raises(NotFound, match="v99"):
            diff(reading, SCOPE, NOTE, first=first, second="v99")
    assert [one.as_json() for one in found] == [
        {"op": "replace", "pointer": "/content/text", "before": "first", "after": "second"}
    ]
    assert none == []


def test_a_scope_is_shown_as_it_stood_at_each_change(place: Place) -> None:
    one, two, three = [text("first")], [text("second")], {"kind": "structured", "value": {"n": 1}}
    assert texts(place, cursor=0) == {}
    assert texts(place, cursor=1) == {"note": one}
    assert texts(place, cursor=3) == {"note": two, "two": [three]}
    assert texts(place, cursor=7)["gone"] == [None]
    assert len(texts(place)["two"]) == 2


def test_a_moment_stands_for_the_last_change_recorded_by_then(place: Place) -> None:
    with Reading(place) as reading:
        versions = history(reading, SCOPE, NOTE)
        at = [one.recorded_at_unix_ms for one in versions]
        assert cursor_at(reading, SCOPE, time_unix_ms=at[0]) == 1
        assert cursor_at(reading, SCOPE, time_unix_ms=at[1]) == 2
        assert cursor_at(reading, SCOPE, time_unix_ms=SAMPLE_NOW_MS - 1) == 0


def test_a_cursor_beyond_the_log_is_refused(place: Place) -> None:
    with pytest.raises(UsageFault, match="outside 0 to"):
        texts(place, cursor=99)


def test_the_feed_is_read_in_pages_and_followed_until_told_to_stop(place: Place) -> None:
    with open_store(place.root, prefix="late") as store, Reading(place) as reading:
        seen = []

        def wait() -> bool:
            if len(seen) < 400:
                store.create(META, "knowledge", sample_knowledge(), id=f"late{len(seen)}")
                return True
            return False

        for change in tail(reading, SCOPE, wait=wait):
            seen.append(int(change.cursor))
        again = [int(one.cursor) for one in tail(reading, SCOPE, after_cursor=str(seen[99]))]
    assert len(seen) == 400
    assert seen == sorted(set(seen))
    assert again == seen[100:]


def test_a_cursor_of_another_scope_is_out_of_reach(place: Place) -> None:
    with Reading(place) as reading, pytest.raises(CursorExpired):
        list(tail(reading, SCOPE, after_cursor="4000"))


def test_a_scope_must_be_named_where_there_are_several(place: Place) -> None:
    with Reading(place) as reading:
        with pytest.raises(UsageFault, match="several scopes") as several:
            scope_of(reading, None)
        with pytest.raises(UsageFault, match="no scope"):
            scope_of(reading, {"workspace_id": "%", "user_id": "u"})
        assert scope_of(reading, {"workspace_id": "w", "user_id": "u"}) == SCOPE
    assert SCOPE in several.value.hint
