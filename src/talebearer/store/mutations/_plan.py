"""What a mutation makes of one entity: the versions to write and the heads that are left.

Reads through a view, decides, and writes nothing.

Source: the protocol sheet, sections 5.1 to 5.5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from talebearer.errors import StoreCorrupt
from talebearer.store._canonical import Encoded, decode
from talebearer.store._model import EntityRef, EntityVersion
from talebearer.store.merging import Document, Documents, MergeEngine, Merger, NotMergeable, Variant
from talebearer.store.policy import Conflict, ConflictStrategy, Request
from talebearer.store.versions import (
    NewVersion,
    Stored,
    Versions,
    View,
    check_bases,
    conflict,
    not_found,
)


class Plan(NamedTuple):
    """A decided mutation of one entity.

    Attributes:
        ref: The entity.
        made: New versions; the mutation's own is the first.
        before: The heads that it was decided on.
        after: The heads that it leaves, sorted.
        bases: The versions that it was based on.
        deleted: Whether the one head that it leaves is a tombstone.
        result: What the caller gets.
        text: The canonical text of its value; None for a tombstone.
        fallbacks: Why something was kept apart rather than merged.
    """

    ref: EntityRef
    made: tuple[NewVersion, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    bases: tuple[str, ...]
    deleted: bool
    result: EntityVersion
    text: str | None = None
    fallbacks: tuple[str, ...] = ()


class Planner:
    """Decides mutations."""

    def __init__(
        self,
        versions: Versions,
        documents: Documents,
        engine: MergeEngine | None,
        *,
        new_id: Callable[[], str],
        check_endpoints: Callable[[str, Any, View], None],
    ) -> None:
        self._versions = versions
        self._documents = documents
        self._engine = engine
        self._new_id = new_id
        self._check_endpoints = check_endpoints

    def create(self, request: Request, view: View, ref: EntityRef, encoded: Encoded) -> Plan:
        """Plan the first version of *ref*.

        Raises:
            VersionConflict: It exists, even as a tombstone (TB205).
        """
        heads = view.head_versions(ref)
        if heads:
            raise conflict(ref, heads)
        return self._write(request, view, ref, encoded, heads=(), bases=())

    def replace(
        self,
        request: Request,
        view: View,
        ref: EntityRef,
        encoded: Encoded | None,
        *,
        bases: Callable[[], tuple[str, ...]],
    ) -> Plan:
        """Plan a new version on top of the versions that *bases* gives; None deletes.

        Raises:
            NotFound: It was never created (TB204).
            VersionConflict: A base was never published, or the strategy refuses (TB205).
        """
        heads = view.head_versions(ref)
        if not heads:
            raise not_found(ref)
        named = bases()
        if not set(named) <= set(heads) and view.unknown_bases(ref, named):
            raise conflict(ref, heads)
        check_bases(heads, named, strategy=request.strategy, ref=ref)
        if encoded is None:
            return self._delete(request, ref, heads, named)
        return self._write(request, view, ref, encoded, heads=heads, bases=named)

    def _delete(
        self, request: Request, ref: EntityRef, heads: tuple[str, ...], bases: tuple[str, ...]
    ) -> Plan:
        named = set(bases)
        kept = [head for head in heads if head not in named]
        if kept and request.behavior.conflict.otherwise == "reject":
            raise conflict(ref, heads)
        version = self._new_id()
        return Plan(
            ref=ref,
            made=(NewVersion(version, None),),
            before=heads,
            after=tuple(sorted([*kept, version])),
            bases=bases,
            deleted=not kept,
            result=EntityVersion(ref=ref, version=version, state="deleted"),
        )

    def _write(
        self,
        request: Request,
        view: View,
        ref: EntityRef,
        encoded: Encoded,
        *,
        heads: tuple[str, ...],
        bases: tuple[str, ...],
    ) -> Plan:
        self._check_endpoints(ref.type, encoded.value, view)
        version = self._new_id()
        rules = request.behavior.conflict
        if not heads and not rules.merge:
            return _first(ref, version, encoded)
        merger = Merger(self._engine, rules)
        proposal = Variant(encoded.text, encoded.value)
        named = set(bases)
        concurrent = [head for head in heads if head not in named]
        try:
            if rules.merge:
                based_on = self._bases(request, view, ref, bases, merger)
                proposal.documents = merger.write_documents(proposal, based_on, version=version)
            if request.strategy is ConflictStrategy.MERGE and concurrent:
                left = self._merged(view, ref, proposal, concurrent, merger)
                made, after = self.name_versions(left, first=version)
            else:
                # What is kept as it is needs no look at its value.
                merger.fallbacks.clear()
                made = (NewVersion(version, proposal.text, proposal.documents),)
                after = tuple(sorted([*concurrent, version]))
        except NotMergeable:
            raise conflict(ref, heads) from None
        return Plan(
            ref=ref,
            made=made,
            before=heads,
            after=after,
            bases=bases,
            deleted=False,
            result=EntityVersion(ref=ref, version=version, state="active", value=proposal.value),
            text=proposal.text,
            fallbacks=tuple(merger.fallbacks),
        )

    def _merged(
        self,
        view: View,
        ref: EntityRef,
        proposal: Variant,
        concurrent: Sequence[str],
        merger: Merger,
    ) -> list[Variant]:
        """Return what is left of the proposal, which comes first, and the concurrent heads."""
        others = [
            self.variant(
                view.scope_json, ref, one, self._stored(view, ref, one), rules=merger.conflict
            )
            for one in concurrent
        ]
        return merger.resolve([proposal, *others])

    def _stored(self, view: View, ref: EntityRef, version: str) -> Stored:
        stored = self._versions.version(view.scope_json, ref, version)
        assert stored is not None, version
        return stored

    def name_versions(
        self, left: Iterable[Variant], *, first: str | None = None
    ) -> tuple[tuple[NewVersion, ...], tuple[str, ...]]:
        """Give a version to each new variant; return the new ones and the heads, sorted."""
        made: list[NewVersion] = []
        after: list[str] = []
        for one in left:
            version = one.version
            if version is None:
                version = first if first is not None and not made else self._new_id()
                made.append(NewVersion(version, one.text, one.documents))
            after.append(version)
        return tuple(made), tuple(sorted(after))

    def variant(
        self, scope_json: str, ref: EntityRef, version: str, stored: Stored, *, rules: Conflict
    ) -> Variant:
        """Return a stored version with its documents.

        Raises:
            StoreCorrupt: A document is damaged (TB207).
        """
        if stored.text is None:
            return Variant(None, None, version=version)
        value = decode(stored.text)
        documents: dict[str, Document] = {}
        if rules.merge:
            documents = self._documents.of_version(scope_json, ref, version, value)
        return Variant(stored.text, value, version=version, documents=documents)

    def _bases(
        self,
        request: Request,
        view: View,
        ref: EntityRef,
        bases: tuple[str, ...],
        merger: Merger,
    ) -> list[Variant]:
        found = []
        for base in bases:
            stored = self._stored(view, ref, base)
            try:
                found.append(
                    self.variant(view.scope_json, ref, base, stored, rules=merger.conflict)
                )
            except StoreCorrupt:
                # Only a merge needs what is damaged; any other write begins a history of its own.
                if request.strategy is ConflictStrategy.MERGE:
                    raise
                found.append(Variant(stored.text, decode(stored.text or "null"), version=base))
        return found


def _first(ref: EntityRef, version: str, encoded: Encoded) -> Plan:
    return Plan(
        ref=ref,
        made=(NewVersion(version, encoded.text),),
        before=(),
        after=(version,),
        bases=(),
        deleted=False,
        result=EntityVersion(ref=ref, version=version, state="active", value=encoded.value),
        text=encoded.text,
    )
