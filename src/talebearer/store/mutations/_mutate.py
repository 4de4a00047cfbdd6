"""One mutation from its request to its rows, in the order in which requests are checked.

Everything is decided before anything is written, so that a refusal leaves nothing behind; what
must stay all the same (that a work unit was opened, expired or sealed) is marked as kept.

Source: the protocol sheet, sections 1.7, 4.5 and 5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from talebearer.errors import VersionConflict
from talebearer.store._engine import Database
from talebearer.store._frontiers import Frontiers
from talebearer.store._model import EntityRef, EntityVersion
from talebearer.store._replays import Replays, request_identity
from talebearer.store.merging import Documents
from talebearer.store.mutations._endpoints import Endpoints
from talebearer.store.mutations._plan import Plan, Planner
from talebearer.store.policy import PolicyReader, Request
from talebearer.store.units import Closing, Unit, Units, UnitView
from talebearer.store.versions import Publication, PublishedView, Versions, View

Decide = Callable[[View], Plan]


class Outcome(NamedTuple):
    """What a mutation gives back.

    Attributes:
        entity: The version that answers.
        meta: The result's metadata.
        text: The canonical text of the entity's value, where it is at hand.
    """

    entity: EntityVersion
    meta: dict[str, Any]
    text: str | None = None


class Mutation(NamedTuple):
    """One mutation to be carried out.

    Attributes:
        request: What its metadata means.
        operation: ``create``, ``update``, ``upsert`` or ``delete``.
        data: What a repeated request must be equal in.
        decide: Plans it on a view, after the value has been checked.
        check: Checks the value.
    """

    request: Request
    operation: str
    data: Mapping[str, Any]
    decide: Decide
    check: Callable[[], None]


class Mutations:
    """Carries mutations out; the caller holds the transaction."""

    def __init__(
        self,
        database: Database,
        *,
        reader: PolicyReader,
        versions: Versions,
        documents: Documents,
        frontiers: Frontiers,
        units: Units,
        replays: Replays,
        planner: Planner,
        closing: Closing,
        endpoints: Endpoints,
        now_ms: Callable[[], int],
        published: Callable[[str], None],
        fell_back: Callable[[tuple[str, ...]], None],
    ) -> None:
        self._db = database
        self._reader = reader
        self._versions = versions
        self._documents = documents
        self._frontiers = frontiers
        self._units = units
        self._replays = replays
        self._planner = planner
        self._closing = closing
        self._now_ms = now_ms
        self._published = published
        self._fell_back = fell_back
        self._endpoints = endpoints

    def run(self, mutation: Mutation) -> Outcome:
        """Carry *mutation* out."""
        request, now = mutation.request, self._now_ms()
        self._units.sweep(now_ms=now)
        identity = self._reader.idempotency_key(request)
        self._frontiers.check(request)
        replay = self._replay(mutation, identity, now_ms=now) if identity is not None else None
        if replay is not None:
            return replay
        if request.unit is not None:
            return self._run_in_unit(mutation, identity, now_ms=now)
        mutation.check()
        view = PublishedView(self._versions, request.scope_json)
        plan = mutation.decide(view)
        token = plan.made[0].version
        cursor = self._publish(_publication(request, plan, now_ms=now))
        if request.sessions:
            self._frontiers.after_write(request, cursor)
        outcome = Outcome(plan.result, self._meta(request, plan, token), plan.text)
        if identity is not None:
            self._replays.keep(identity, self._identity(mutation), _stored(outcome), now_ms=now)
        return outcome

    def view(self, request: Request) -> View:
        """Return what a read with *request* sees; the caller holds a write if it has a unit."""
        if request.unit is None:
            return PublishedView(self._versions, request.scope_json)
        now = self._now_ms()
        self._units.sweep(now_ms=now)
        unit = self._enter(request, now_ms=now)
        return UnitView(self._units, self._versions, unit)

    def _enter(self, request: Request, *, now_ms: int) -> Unit:
        assert request.unit is not None
        baseline, _ = self._frontiers.current(request.scope_json)
        return self._units.enter(request, request.unit, baseline=baseline, now_ms=now_ms)

    def _replay(self, mutation: Mutation, identity: str, *, now_ms: int) -> Outcome | None:
        wanted, unit = self._identity(mutation), mutation.request.unit
        found = self._replays.find(identity, wanted, now_ms=now_ms)
        if found is None:
            # A unit that is sealed answers for itself, but a key has one meaning there as well.
            sealed = unit is not None and self._units.is_sealed(unit.identity_json)
            found = self._replays.find_staged(
                identity,
                wanted,
                unit=None if unit is None else unit.identity_json,
                asks_again=sealed or (unit is not None and unit.closes),
            )
        return None if found is None else _outcome(found)

    def _identity(self, mutation: Mutation) -> str:
        return request_identity(mutation.operation, mutation.data)

    def _run_in_unit(self, mutation: Mutation, identity: str | None, *, now_ms: int) -> Outcome:
        request, key = mutation.request, mutation.request.unit
        assert key is not None
        mutation.check()
        unit = self._enter(request, now_ms=now_ms)
        self._frontiers.check(request, reached=unit.baseline)
        view = UnitView(self._units, self._versions, unit)
        try:
            with self._db.part():
                outcome = self._stage(mutation, view, identity, now_ms=now_ms)
                return (
                    self._close(mutation, view, outcome, now_ms=now_ms) if key.closes else outcome
                )
        except VersionConflict as error:
            if "conflicts" in error.data:
                self._units.set_state(unit, "closing", now_ms=now_ms)
                self._db.keep()
            raise

    def _stage(
        self, mutation: Mutation, view: UnitView, identity: str | None, *, now_ms: int
    ) -> Outcome:
        request, unit = mutation.request, view.unit
        assert request.unit is not None
        plan = mutation.decide(view)
        token = plan.made[0].version
        self._units.stage(
            unit,
            request,
            plan.ref,
            made=plan.made,
            after=plan.after,
            bases=plan.bases,
            token=token,
            closes=request.unit.closes,
            now_ms=now_ms,
        )
        for made in plan.made:
            self._documents.save(unit.scope_json, plan.ref, made.version, made.documents)
        outcome = Outcome(plan.result, self._meta(request, plan, token))
        if identity is not None:
            wanted = self._identity(mutation)
            self._replays.stage(
                identity, wanted, _stored(outcome), unit=unit.identity, now_ms=now_ms
            )
        return outcome

    def _close(
        self, mutation: Mutation, view: UnitView, outcome: Outcome, *, now_ms: int
    ) -> Outcome:
        unit = view.unit
        closed = self._closing.plan(unit, now_ms=now_ms)
        for publication in closed.publications:
            self._publish(publication)
        self._endpoints.check_published(
            PublishedView(self._versions, unit.scope_json), closed.publications
        )
        self._units.set_state(unit, "committed", now_ms=now_ms)
        drifted = closed.drifted.get(outcome.entity.ref)
        if drifted is not None:
            outcome = Outcome(drifted, {})
            identity = self._reader.idempotency_key(mutation.request)
            if identity is not None:
                wanted = self._identity(mutation)
                self._replays.stage(
                    identity, wanted, _stored(outcome), unit=unit.identity, now_ms=now_ms
                )
        self._replays.publish(unit.identity)
        return outcome

    def _publish(self, publication: Publication) -> int:
        cursor = self._versions.publish(publication)
        for made in publication.made:
            if made.documents:
                self._documents.save(
                    publication.scope_json, publication.ref, made.version, made.documents
                )
        self._db.after_commit(partial(self._published, publication.scope_json))
        return cursor

    def _meta(self, request: Request, plan: Plan, token: str) -> dict[str, Any]:
        meta = self._frontiers.write_meta(request, token) if request.behavior.causal else {}
        if plan.fallbacks:
            self._fell_back(plan.fallbacks)
            meta["merge_fallback"] = [*plan.fallbacks]
        return meta


def _publication(request: Request, plan: Plan, *, now_ms: int) -> Publication:
    return Publication(
        scope_json=request.scope_json,
        ref=plan.ref,
        token=plan.made[0].version,
        made=plan.made,
        before=plan.before,
        after=plan.after,
        deleted=plan.deleted,
        event_meta_json=request.event_meta_json,
        recorded_at_ms=now_ms,
    )


def _stored(outcome: Outcome) -> dict[str, Any]:
    return {"entity": outcome.entity.as_wire(), "meta": outcome.meta}


def _outcome(stored: Mapping[str, Any]) -> Outcome:
    entity = stored["entity"]
    version = EntityVersion(
        ref=EntityRef(entity["ref"]["type"], entity["ref"]["id"]),
        version=entity["version"],
        state=entity["state"],
        value=entity.get("value"),
    )
    return Outcome(version, dict(stored["meta"]))
