"""What every store must do, as a pytest class to inherit from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from talebearer.errors import (
    CursorExpired,
    InvalidRecord,
    NotFound,
    TalebearerError,
    VersionConflict,
)
from talebearer.store import EntityRef, EntityVersion
from talebearer.testing._samples import (
    sample_artifact_metadata,
    sample_knowledge,
    sample_meta,
    sample_relation,
)

spec = pytest.mark.spec

META = sample_meta()
BELL = EntityRef("knowledge", "bell")
ODD_TEXTS = (
    "%",
    "_",
    "a'b",
    'a"b',
    "a\x00b",
    "\u202eright to left",
    '"]} OR 1=1 --',
    "$.x",
    "bell ",
    "Bell",
    "e\u0301",
    "\u00e9",
    "\U0010ffff",
)


class StoreContract:
    """Inherit, and give :meth:`open_store`; each test gets an empty store of its own."""

    def open_store(self, folder: Path) -> AbstractContextManager[Any]:
        """Return a context that gives an empty store; *folder* is empty and its own."""
        raise NotImplementedError

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Any]:
        """An empty store."""
        with self.open_store(tmp_path) as store:
            yield store

    # --- create and read -----------------------------------------------------------------------

    @spec("PP-5.1-create")
    def test_a_created_record_is_read_back_equal(self, store: Any) -> None:
        value = sample_knowledge()
        made = store.create(META, "knowledge", value, id="bell")
        assert made == EntityVersion(ref=BELL, version=made.version, state="active", value=value)
        found = store.read(META, BELL)
        assert (found.state, found.variants) == ("active", (made,))

    @spec("PP-6-create-generated-id")
    def test_an_id_is_made_when_none_is_given(self, store: Any) -> None:
        first = store.create(META, "knowledge", sample_knowledge())
        second = store.create(META, "knowledge", sample_knowledge())
        assert first.ref != second.ref
        assert store.read(META, first.ref).value == first.value

    @spec("PP-5.1-create-conflict")
    def test_creating_what_exists_conflicts_with_its_heads(self, store: Any) -> None:
        made = store.create(META, "knowledge", sample_knowledge(), id="bell")
        with pytest.raises(VersionConflict) as error:
            store.create(META, "knowledge", sample_knowledge("other"), id="bell")
        assert error.value.data["current_versions"] == [made.version]

    @spec("PP-5.1-create-conflict")
    def test_creating_over_a_tombstone_conflicts(self, store: Any) -> None:
        made = store.create(META, "knowledge", sample_knowledge(), id="bell")
        gone = store.delete(_on(made), BELL)
        with pytest.raises(VersionConflict) as error:
            store.create(META, "knowledge", sample_knowledge(), id="bell")
        assert error.value.data["current_versions"] == [gone.version]

    @spec("PP-6-type-separates")
    def test_one_id_under_two_types_is_two_entities(self, store: Any) -> None:
        store.create(META, "knowledge", sample_knowledge(), id="bell")
        store.create(META, "knowledge_relation", sample_relation("bell", "bell"), id="bell")
        assert store.read(META, EntityRef("knowledge_relation", "bell")).value["type"]

    @spec("PP-5.2-not-found")
    def test_reading_what_never_was_is_not_found(self, store: Any) -> None:
        with pytest.raises(NotFound):
            store.read(META, BELL)

    @spec("PP-6-scope-missing")
    @pytest.mark.parametrize(
        "meta", [{}, {"workspace_id": "w"}, {"workspace_id": "w", "user_id": 3}]
    )
    def test_an_incomplete_scope_is_refused(self, store: Any, meta: dict[str, Any]) -> None:
        with pytest.raises(InvalidRecord):
            store.read(meta, BELL)

    @spec("PP-6-type-unknown")
    def test_a_type_that_is_not_configured_is_refused(self, store: Any) -> None:
        with pytest.raises(InvalidRecord):
            store.create(META, "person", sample_knowledge())

    @spec("PP-6-id-empty")
    def test_an_empty_id_is_refused(self, store: Any) -> None:
        with pytest.raises(InvalidRecord):
            store.create(META, "knowledge", sample_knowledge(), id="")

    # --- scope ---------------------------------------------------------------------------------

    @spec("KM-identity-scope-boundary")
    def test_another_workspace_or_user_sees_nothing(self, store: Any) -> None:
        store.create(META, "knowledge", sample_knowledge(), id="bell")
        for meta in (sample_meta(workspace="w2"), sample_meta(user="u2")):
            with pytest.raises(NotFound):
                store.read(meta, BELL)
            assert list(store.list(meta, "knowledge")) == []
            assert store.changes(meta) == []

    @spec("PP-6-scope-other-fields")
    def test_other_metadata_does_not_change_the_scope(self, store: Any) -> None:
        store.create(META, "knowledge", sample_knowledge(), id="bell")
        meta = sample_meta(channel_id="c", unknown={"any": "thing"})
        assert store.read(meta, BELL).state == "active"

    @spec("KM-identity-scope-boundary")
    def test_odd_scopes_and_ids_never_meet(self, store: Any) -> None:
        for number, text in enumerate(ODD_TEXTS):
            meta = sample_meta(workspace=text)
            store.create(meta, "knowledge", sample_knowledge(f"n{number}"), id=text)
        for number, text in enumerate(ODD_TEXTS):
            (only,) = store.list(sample_meta(workspace=text), "knowledge")
            assert (only.ref.id, only.value["content"]["text"]) == (text, f"n{number}")
            (change,) = store.changes(sample_meta(workspace=text))
            assert change.ref.id == text

    @spec("KM-identity-value-without-id")
    def test_the_scope_inside_a_value_widens_nothing(self, store: Any) -> None:
        value = sample_knowledge()
        value["metadata"]["core"]["scope"]["workspace"] = "w2"
        store.create(META, "knowledge", value, id="bell")
        with pytest.raises(NotFound):
            store.read(sample_meta(workspace="w2"), BELL)

    # --- update --------------------------------------------------------------------------------

    @spec("PP-5.3-one-head")
    def test_an_update_on_the_head_leaves_one_head(self, store: Any) -> None:
        made = store.create(META, "knowledge", sample_knowledge(), id="bell")
        second = store.update(_on(made), BELL, sample_knowledge("it rang"))
        assert store.read(META, BELL).variants == (second,)
        assert second.version != made.version

    @spec("PP-5.3-bases-shape")
    @pytest.mark.parametrize("bases", [None, [], ["a", "a"], [""]])
    def test_base_versions_are_a_set_of_versions(self, store: Any, bases: Any) -> None:
        store.create(META, "knowledge", sample_knowledge(), id="bell")
        meta = META if bases is None else sample_meta(base_versions=bases)
        with pytest.raises(InvalidRecord):
            store.update(meta, BELL, sample_knowledge())
        with pytest.raises(InvalidRecord):
            store.delete(meta, BELL)

    @spec("PP-5.3-unknown-base")
    def test_a_base_that_was_never_published_conflicts(self, store: Any) -> None:
        made = store.create(META, "knowledge", sample_knowledge(), id="bell")
        other = store.create(META, "knowledge", sample_knowledge(), id="other")
        for base in ("nothing", other.version):
            with pytest.raises(VersionConflict) as error:
                store.update(sample_meta(base_versions=[base]), BELL, sample_knowledge())
            assert error.value.data["current_versions"] == [made.version]

    @spec("PP-6-update-unknown")
    def test_what_never_was_can_be_neither_updated_nor_deleted(self, store: Any) -> None:
        with pytest.raises(NotFound):
            store.update(META, BELL, sample_knowledge())
        with pytest.raises(NotFound):
            store.delete(META, BELL)

    @spec("PP-5.3-reject")
    def test_reject_wants_exactly_the_heads(self, store: Any) -> None:
        first, second = _two_versions(store)
        before = store.changes(META)
        for bases in ([first.version], [first.version, second.version]):
            meta = sample_meta(base_versions=bases, conflict_strategy="reject")
            with pytest.raises(VersionConflict) as error:
                store.update(meta, BELL, sample_knowledge("late"))
            assert error.value.data["current_versions"] == [second.version]
            with pytest.raises(VersionConflict):
                store.delete(meta, BELL)
        assert store.changes(META) == before
        meta = sample_meta(base_versions=[second.version], conflict_strategy="reject")
        assert store.update(meta, BELL, sample_knowledge("late")).active

    @spec("PP-5.3-mvcc")
    def test_a_stale_write_stays_beside_the_head(self, store: Any) -> None:
        first, second = _two_versions(store)
        third = store.update(_on(first, "mvcc"), BELL, sample_knowledge("late"))
        found = store.read(META, BELL)
        assert found.state == "conflicted"
        assert found.versions == tuple(sorted([second.version, third.version]))

    @spec("PP-5.3-resolve")
    def test_naming_all_heads_ends_a_conflict(self, store: Any) -> None:
        heads = _conflict_of(store, 4)
        last = store.update(_on(*heads), BELL, sample_knowledge("agreed"))
        assert store.read(META, BELL).variants == (last,)

    @spec("PP-5.3-resolve")
    def test_naming_some_heads_replaces_those(self, store: Any) -> None:
        first, second, third = _conflict_of(store, 3)
        made = store.update(_on(first, "mvcc"), BELL, sample_knowledge("some"))
        expected = {second.version, third.version, made.version}
        assert set(store.read(META, BELL).versions) == expected

    @spec("PP-6-mvcc-four-writers")
    def test_four_stale_writers_all_keep_their_word(self, store: Any) -> None:
        made = store.create(META, "knowledge", sample_knowledge(), id="bell")
        texts = [f"writer {number}" for number in range(4)]
        for text in texts:
            store.update(_on(made, "mvcc"), BELL, sample_knowledge(text))
        found = store.read(META, BELL)
        assert {variant.value["content"]["text"] for variant in found.variants} == set(texts)
        assert store.changes(META)[-1].head_versions == found.versions

    @spec("PP-6-strategy-override")
    def test_the_strategy_of_a_request_is_its_own(self, store: Any) -> None:
        first, _ = _two_versions(store)
        with pytest.raises(VersionConflict):
            store.update(_on(first, "reject"), BELL, sample_knowledge("no"))
        store.update(_on(first), BELL, sample_knowledge("yes"))
        assert store.read(META, BELL).state == "conflicted"

    # --- delete --------------------------------------------------------------------------------

    @spec("PP-5.4-tombstone")
    def test_deleting_leaves_a_tombstone_without_a_value(self, store: Any) -> None:
        made = store.create(META, "knowledge", sample_knowledge(), id="bell")
        gone = store.delete(_on(made), BELL)
        assert (gone.state, gone.value) == ("deleted", None)
        found = store.read(META, BELL)
        assert (found.state, found.variants) == ("deleted", (gone,))
        assert list(store.list(META, "knowledge")) == []

    @spec("PP-5.4-stale-delete")
    def test_a_stale_delete_is_a_conflict_with_the_newer_head(self, store: Any) -> None:
        first, second = _two_versions(store)
        gone = store.delete(_on(first, "mvcc"), BELL)
        found = store.read(META, BELL)
        assert found.state == "conflicted"
        assert set(found.versions) == {second.version, gone.version}

    @spec("PP-5.2-states")
    def test_two_tombstones_are_a_conflict(self, store: Any) -> None:
        first, second = _two_versions(store)
        store.delete(_on(first, "mvcc"), BELL)
        store.delete(_on(second, "mvcc"), BELL)
        assert store.read(META, BELL).state == "conflicted"

    @spec("PP-5.4-delete-conflict")
    def test_all_heads_can_be_deleted_at_once(self, store: Any) -> None:
        gone = store.delete(_on(*_conflict_of(store, 3)), BELL)
        assert store.read(META, BELL).variants == (gone,)

    @spec("PP-5.4-delete-again")
    def test_a_tombstone_can_be_deleted_and_revived(self, store: Any) -> None:
        made = store.create(META, "knowledge", sample_knowledge(), id="bell")
        gone = store.delete(_on(made), BELL)
        again = store.delete(_on(gone), BELL)
        assert again.version != gone.version
        store.update(_on(again), BELL, sample_knowledge("back"))
        assert store.read(META, BELL).state == "active"
        assert store.changes(META)[-1].kind == "updated"

    # --- upsert and list -----------------------------------------------------------------------

    def test_upsert_creates_replaces_and_leaves_alone(self, store: Any) -> None:
        made = store.upsert(META, BELL, sample_knowledge())
        assert store.upsert(META, BELL, sample_knowledge()) == made
        second = store.upsert(META, BELL, sample_knowledge("new"))
        assert store.read(META, BELL).variants == (second,)
        assert [change.kind for change in store.changes(META)] == ["created", "updated"]

    def test_upsert_ends_a_conflict_and_revives_a_tombstone(self, store: Any) -> None:
        _conflict_of(store, 3)
        made = store.upsert(META, BELL, sample_knowledge("writer 0"))
        assert store.read(META, BELL).variants == (made,)
        store.delete(_on(made), BELL)
        assert store.upsert(META, BELL, sample_knowledge("writer 0")).version != made.version
        assert store.read(META, BELL).state == "active"

    def test_list_gives_active_heads_by_id(self, store: Any) -> None:
        for name in ("b", "a", "c", "ab"):
            store.create(META, "knowledge", sample_knowledge(name), id=name)
        store.delete(_on(*store.read(META, EntityRef("knowledge", "c")).variants), _ref("c"))
        assert [one.ref.id for one in store.list(META, "knowledge")] == ["a", "ab", "b"]
        assert [one.ref.id for one in store.list(META, "knowledge", id_prefix="a")] == ["a", "ab"]

    def test_a_prefix_is_taken_literally(self, store: Any) -> None:
        ids = ("%x", "ax", "_x", "a\U0010ffffz", "a\U0010ffff", "b", "\ud7ffx", "\ue000x")
        for one in ids:
            store.create(META, "knowledge", sample_knowledge(), id=one)
        for prefix in ("%", "_", "a\U0010ffff", "\ud7ff", "a", "*"):
            found = [one.ref.id for one in store.list(META, "knowledge", id_prefix=prefix)]
            assert found == sorted(one for one in ids if one.startswith(prefix))

    def test_a_list_is_of_the_moment_it_was_asked_for(self, store: Any) -> None:
        store.create(META, "knowledge", sample_knowledge(), id="a")
        found = store.list(META, "knowledge")
        store.create(META, "knowledge", sample_knowledge(), id="b")
        assert [one.ref.id for one in found] == ["a"]

    # --- changes -------------------------------------------------------------------------------

    @spec("PP-5.9-kinds")
    def test_each_transition_has_its_kind_and_heads(self, store: Any) -> None:
        first, second = _two_versions(store)
        third = store.update(_on(first, "mvcc"), BELL, sample_knowledge("late"))
        fourth = store.update(_on(second, third), BELL, sample_knowledge("agreed"))
        fifth = store.delete(_on(fourth), BELL)
        seen = [(change.kind, change.head_versions) for change in store.changes(META)]
        assert seen == [
            ("created", (first.version,)),
            ("updated", (second.version,)),
            ("conflicted", tuple(sorted([second.version, third.version]))),
            ("resolved", (fourth.version,)),
            ("deleted", (fifth.version,)),
        ]

    @spec("PP-5.9-event-meta")
    def test_a_change_carries_the_configured_metadata_only(self, store: Any) -> None:
        meta = sample_meta(channel_id="c", unknown="s")
        store.create(meta, "knowledge", sample_knowledge())
        (change,) = store.changes(META)
        assert change.meta == {"workspace_id": "w", "user_id": "u", "channel_id": "c"}

    @spec("PP-5.9-failed-silent")
    def test_what_fails_leaves_no_change(self, store: Any) -> None:
        with pytest.raises(TalebearerError):
            store.update(_on(), BELL, sample_knowledge())
        store.create(META, "knowledge", sample_knowledge(), id="bell")
        with pytest.raises(VersionConflict):
            store.create(META, "knowledge", sample_knowledge(), id="bell")
        assert len(store.changes(META)) == 1

    @spec("PP-5.9-resume")
    def test_changes_are_resumed_strictly_after_a_cursor(self, store: Any) -> None:
        for number in range(7):
            store.create(META, "knowledge", sample_knowledge(), id=f"k{number}")
            store.create(sample_meta(user="other"), "knowledge", sample_knowledge())
        seen, cursor = [], "0"
        while page := store.changes(META, after_cursor=cursor, limit=3):
            assert len(page) <= 3
            seen += [change.ref.id for change in page]
            cursor = page[-1].cursor
        assert seen == [f"k{number}" for number in range(7)]

    @spec("PP-5.9-cursor-range")
    def test_a_cursor_of_another_scope_or_of_nothing_is_refused(self, store: Any) -> None:
        store.create(META, "knowledge", sample_knowledge())
        store.create(sample_meta(user="other"), "knowledge", sample_knowledge())
        (later,) = store.changes(sample_meta(user="other"))
        with pytest.raises(CursorExpired):
            store.changes(META, after_cursor=later.cursor)
        for text in ("", "-1", "x", "1.0", " 1", "٣"):
            with pytest.raises(InvalidRecord):
                store.changes(META, after_cursor=text)

    # --- relations -----------------------------------------------------------------------------

    @spec("KM-relation-endpoints")
    def test_an_endpoint_must_be_there_and_alive(self, store: Any) -> None:
        made = store.create(META, "knowledge", sample_knowledge(), id="a")
        store.create(sample_meta(user="other"), "knowledge", sample_knowledge(), id="b")
        for far in ("b", "nothing"):
            with pytest.raises(InvalidRecord):
                store.create(META, "knowledge_relation", sample_relation("a", far))
        store.delete(_on(made), made.ref)
        with pytest.raises(InvalidRecord):
            store.create(META, "knowledge_relation", sample_relation("a", "a"))
        assert list(store.list(META, "knowledge_relation")) == []

    @spec("KM-relation-endpoints")
    def test_an_endpoint_may_come_later_in_the_batch(self, store: Any) -> None:
        with store.batch():
            store.create(META, "knowledge_relation", sample_relation("a", "b"), id="r")
            store.create(META, "knowledge", sample_knowledge(), id="a")
            store.create(META, "knowledge", sample_knowledge(), id="b")
        assert store.read(META, EntityRef("knowledge_relation", "r")).state == "active"

    @spec("KM-relation-endpoints")
    def test_an_endpoint_that_never_comes_undoes_the_batch(self, store: Any) -> None:
        def steps() -> None:
            store.create(META, "knowledge", sample_knowledge(), id="a")
            store.create(META, "knowledge_relation", sample_relation("a", "b"), id="r")

        with pytest.raises(InvalidRecord):
            _in_batch(store, steps)
        assert list(store.list(META, "knowledge")) == []

    @spec("KM-relation-replaced")
    def test_a_relation_may_change_all_of_itself(self, store: Any) -> None:
        for name in ("a", "b"):
            store.create(META, "knowledge", sample_knowledge(), id=name)
        made = store.create(META, "knowledge_relation", sample_relation("a", "b"), id="r")
        value = sample_relation("b", "b", "supersedes")
        assert store.update(_on(made), made.ref, value).value == value

    # --- batch ---------------------------------------------------------------------------------

    def test_a_batch_is_kept_as_a_whole(self, store: Any) -> None:
        with store.batch():
            made = store.create(META, "knowledge", sample_knowledge(), id="bell")
            store.update(_on(made), BELL, sample_knowledge("again"))
        assert len(store.changes(META)) == 2

    def test_an_error_undoes_the_whole_batch(self, store: Any) -> None:
        kept = store.create(META, "knowledge", sample_knowledge(), id="bell")
        before = store.changes(META)

        def steps() -> None:
            store.update(_on(kept), BELL, sample_knowledge("again"))
            store.create(META, "knowledge", sample_knowledge(), id="other")
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            _in_batch(store, steps)
        assert store.read(META, BELL).variants == (kept,)
        assert store.changes(META) == before

    def test_a_refusal_caught_inside_a_batch_changes_nothing(self, store: Any) -> None:
        with store.batch():
            store.create(META, "knowledge", sample_knowledge(), id="bell")
            with pytest.raises(VersionConflict):
                store.create(META, "knowledge", sample_knowledge(), id="bell")
            store.create(META, "knowledge", sample_knowledge(), id="other")
        assert len(store.changes(META)) == 2

    def test_an_inner_batch_can_be_undone_alone(self, store: Any) -> None:
        def inner() -> None:
            store.create(META, "knowledge", sample_knowledge(), id="b")
            store.create(META, "knowledge_relation", sample_relation("a", "nothing"))
            raise ZeroDivisionError

        with store.batch():
            store.create(META, "knowledge", sample_knowledge(), id="a")
            with pytest.raises(ZeroDivisionError):
                _in_batch(store, inner)
            with store.batch():
                store.create(META, "knowledge", sample_knowledge(), id="c")
        assert [one.ref.id for one in store.list(META, "knowledge")] == ["a", "c"]

    # --- artifacts -----------------------------------------------------------------------------

    @spec("PP-5.11-upload")
    @pytest.mark.parametrize("data", [b"", b"bell", bytes(range(256)) * 300])
    def test_bytes_come_back_as_they_went(self, store: Any, data: bytes) -> None:
        made = _upload(store, data, id="file")
        assert store.download(META, "file") == data
        assert made.value["byte_length"] == len(data)
        assert made.value["placement"]["kind"] == "managed"
        assert store.read(META, EntityRef("artifact", "file")).variants == (made,)

    @spec("KM-artifact-dedupe")
    def test_equal_bytes_are_one_object_and_two_entities(self, store: Any) -> None:
        first, second = _upload(store, b"same", id="a"), _upload(store, b"same", id="b")
        assert first.value["placement"] == second.value["placement"]
        store.delete(_on(first), first.ref)
        assert store.download(META, "b") == b"same"

    @spec("PP-5.11-download-scope")
    def test_another_scope_cannot_download(self, store: Any) -> None:
        _upload(store, b"mine", id="file")
        with pytest.raises(NotFound):
            store.download(sample_meta(user="other"), "file")

    @spec("PP-5.11-download-version")
    def test_several_heads_need_a_version(self, store: Any) -> None:
        first = _upload(store, b"one", id="file")
        second = _upload(store, b"two", id="file", meta=_on(first))
        third = _upload(store, b"three", id="file", meta=_on(first, "mvcc"))
        with pytest.raises(VersionConflict) as error:
            store.download(META, "file")
        assert error.value.data["current_versions"] == sorted([second.version, third.version])
        assert store.download(META, "file", version=third.version) == b"three"
        with pytest.raises(NotFound):
            store.download(META, "file", version=first.version)

    @spec("PP-5.11-download-deleted")
    def test_deleted_artifacts_are_not_found(self, store: Any) -> None:
        made = _upload(store, b"one", id="file")
        store.delete(_on(made), made.ref)
        with pytest.raises(NotFound):
            store.download(META, "file")

    def test_an_upload_on_an_existing_id_conflicts(self, store: Any) -> None:
        _upload(store, b"one", id="file")
        with pytest.raises(VersionConflict):
            _upload(store, b"two", id="file")
        assert store.download(META, "file") == b"one"


def _ref(entity_id: str) -> EntityRef:
    return EntityRef("knowledge", entity_id)


def _in_batch(store: Any, steps: Callable[[], None]) -> None:
    with store.batch():
        steps()


def _on(*versions: EntityVersion | str) -> dict[str, Any]:
    """Request metadata with base versions; a text among them is the conflict strategy."""
    bases = [one.version for one in versions if isinstance(one, EntityVersion)]
    meta = sample_meta(base_versions=bases or ["nothing"])
    for strategy in versions:
        if isinstance(strategy, str):
            meta["conflict_strategy"] = strategy
    return meta


def _two_versions(store: Any) -> tuple[EntityVersion, EntityVersion]:
    first = store.create(META, "knowledge", sample_knowledge("first"), id="bell")
    return first, store.update(_on(first), BELL, sample_knowledge("second"))


def _conflict_of(store: Any, count: int) -> list[EntityVersion]:
    made = store.create(META, "knowledge", sample_knowledge(), id="bell")
    return [
        store.update(_on(made, "mvcc"), BELL, sample_knowledge(f"writer {number}"))
        for number in range(count)
    ]


def _upload(store: Any, data: bytes, *, id: str, meta: Any = META) -> EntityVersion:
    return store.upload(  # type: ignore[no-any-return]  # any store may be under test
        meta,
        data,
        media_type="application/octet-stream",
        name=None,
        metadata=sample_artifact_metadata(),
        id=id,
    )
