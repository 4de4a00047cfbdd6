"""Closing a work unit: drift is resolved, then everything becomes visible together.

Source: the protocol sheet, section 5.6.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from talebearer.errors import InvalidRecord
from talebearer.store._model import EntityRef, EntityVersion
from talebearer.store.merging import MergeEngine, Merger, NotMergeable, Variant
from talebearer.store.policy import Conflict, ConflictStrategy
from talebearer.store.units._units import Touched, Unit, Units
from talebearer.store.versions import (
    NewVersion,
    Publication,
    Stored,
    Versions,
    entity_version,
    unit_conflict,
)


class Drift(Protocol):
    """What resolving drift needs of the planner."""

    def variant(
        self, scope_json: str, ref: EntityRef, version: str, stored: Stored, *, rules: Conflict
    ) -> Variant:
        """Return a stored version with its documents."""
        ...

    def name_versions(
        self, left: list[Variant], *, first: str | None = None
    ) -> tuple[tuple[NewVersion, ...], tuple[str, ...]]:
        """Give a version to each new variant."""
        ...


@dataclass(frozen=True, slots=True)
class Closed:
    """A published unit.

    Attributes:
        publications: What was published, in order.
        drifted: The entities whose heads had changed outside, with their first active head.
    """

    publications: tuple[Publication, ...]
    drifted: dict[EntityRef, EntityVersion]


class Closing:
    """Publishes work units."""

    def __init__(
        self,
        units: Units,
        versions: Versions,
        drift: Drift,
        engine: MergeEngine | None,
        *,
        check_value: Callable[[str, object], None],
    ) -> None:
        self._units = units
        self._versions = versions
        self._drift = drift
        self._engine = engine
        self._check_value = check_value

    def plan(self, unit: Unit, *, now_ms: int) -> Closed:
        """Return what publishing *unit* means.

        Raises:
            VersionConflict: ``data["conflicts"]`` has every entity that cannot be (TB205).
        """
        found: list[Publication] = []
        refused: list[tuple[EntityRef, tuple[str, ...]]] = []
        drifted: dict[EntityRef, EntityVersion] = {}
        for touched in self._units.touched(unit):
            published = self._versions.heads(unit.scope_json, touched.ref)
            baseline = self._versions.heads_at(unit.scope_json, touched.ref, unit.baseline)
            staged = self._units.heads(unit, touched.ref)
            if tuple(published) == baseline:
                found.append(self._publication(unit, touched, published, (), staged, now_ms))
                continue
            try:
                made, after = self._resolve(unit, touched, published, staged)
            except (NotMergeable, InvalidRecord):
                refused.append((touched.ref, tuple(published)))
                continue
            one = self._publication(unit, touched, published, made, after, now_ms)
            found.append(one)
            drifted[touched.ref] = self._first_active(one)
        if refused:
            raise unit_conflict(refused)
        return Closed(tuple(found), drifted)

    def _resolve(
        self, unit: Unit, touched: Touched, published: dict[str, Stored], staged: tuple[str, ...]
    ) -> tuple[tuple[NewVersion, ...], tuple[str, ...]]:
        if touched.strategy is ConflictStrategy.REJECT:
            raise NotMergeable
        together = sorted({*published, *staged})
        if touched.strategy is ConflictStrategy.MVCC:
            return (), tuple(together)
        candidates = []
        for version in together:
            stored = self._stored(unit.scope_json, touched.ref, version)
            candidates.append(
                self._drift.variant(
                    unit.scope_json, touched.ref, version, stored, rules=touched.conflict
                )
            )
        left = Merger(self._engine, touched.conflict).resolve(candidates)
        for one in left:
            if one.version is None:
                self._check_value(touched.ref.type, one.value)
        return self._drift.name_versions(left)

    def _stored(self, scope_json: str, ref: EntityRef, version: str) -> Stored:
        stored = self._versions.version(scope_json, ref, version)
        assert stored is not None, version
        return stored

    def _publication(
        self,
        unit: Unit,
        touched: Touched,
        published: dict[str, Stored],
        made: tuple[NewVersion, ...],
        after: tuple[str, ...],
        now_ms: int,
    ) -> Publication:
        texts = {one.version: one.text for one in made}
        deleted = False
        if len(after) == 1 and after[0] not in texts:
            deleted = self._stored(unit.scope_json, touched.ref, after[0]).text is None
        return Publication(
            scope_json=unit.scope_json,
            ref=touched.ref,
            token=touched.token,
            made=made,
            before=tuple(published),
            after=after,
            deleted=deleted,
            event_meta_json=touched.event_meta_json,
            recorded_at_ms=now_ms,
            unit=unit.identity,
        )

    def _first_active(self, publication: Publication) -> EntityVersion:
        texts = {one.version: one.text for one in publication.made}
        found = []
        for version in publication.after:
            if version in texts:
                text = texts[version]
                stored = Stored("deleted" if text is None else "active", text)
            else:
                stored = self._stored(publication.scope_json, publication.ref, version)
            found.append(entity_version(publication.ref, version, stored))
        return next((one for one in found if one.active), found[0])
