"""The campaign's book: everything that it keeps in the store, in the campaign's own words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any

from talebearer.campaign._config import TICKS_PER_SESSION
from talebearer.campaign.records import ids, values
from talebearer.campaign.records._now import Now
from talebearer.campaign.records.values import StoredOccurrence, Writer
from talebearer.errors import NotFound, UnknownReference
from talebearer.extraction import Artifact, decode_artifact
from talebearer.store import EntityRef, EntityVersion, Store, campaign_meta, moment
from talebearer.transcripts import Transcript, parse
from talebearer.vocabulary import ArtifactKind, RecordType

ARTIFACT = RecordType.ARTIFACT.value
KNOWLEDGE = RecordType.KNOWLEDGE.value
RELATION = RecordType.KNOWLEDGE_RELATION.value


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRecord:
    """What the store says of one recorded session.

    Attributes:
        id: Session id, also its source id.
        ordinal: Its place in the campaign, from 1; gives its ticks.
        file: The transcript file's name.
        format: What it was read as.
        digest: ``sha256:`` and hex of its bytes.
        unit_count: Number of units.
    """

    id: str
    ordinal: int
    file: str
    format: str
    digest: str
    unit_count: int

    @property
    def base_tick(self) -> int:
        """The tick at which it begins; unit u is at this plus u."""
        return self.ordinal * TICKS_PER_SESSION


@dataclass(slots=True)
class Book:
    """Reads and writes the campaign's records; one instance per open campaign.

    Attributes:
        store: The open store.
        campaign: Campaign id.
        now_ms: The clock, Unix milliseconds.
        names: Gives former slugs of characters and those that they have now. Records keep the slugs
            that they were written with, and are read by those of today.
    """

    store: Store
    campaign: str
    now_ms: Callable[[], int]
    names: Callable[[], Mapping[str, str]] = dict
    _transcripts: dict[str, Transcript] = field(default_factory=dict)
    _registries: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written; another process may be writing meanwhile."""
        return bool(self.store.status()["read_only"])

    @property
    def meta(self) -> dict[str, Any]:
        """The request metadata that selects the campaign's scope."""
        return campaign_meta(self.campaign)

    def writer(self, *, session: str | None = None, mind: str | None = None) -> Writer:
        """Return what the records of one writing share."""
        now = moment(self.now_ms())
        return Writer(campaign=self.campaign, now=now, session=session, mind=mind)

    def batch(self) -> AbstractContextManager[Any]:
        """Return one transaction: all that is written inside, or nothing."""
        return self.store.batch()

    # --- reading -------------------------------------------------------------------------------

    def find(self, record_type: str, entity_id: str) -> EntityVersion | None:
        """Return the active head of an entity, or ``None``."""
        try:
            result = self.store.read(self.meta, EntityRef(record_type, entity_id))
        except NotFound:
            return None
        return result.variants[0] if result.state == "active" else None

    def sessions(self) -> tuple[SessionRecord, ...]:
        """Return the recorded sessions in campaign order."""
        found = [_session(version) for version in self.each(ARTIFACT, ids.transcript_id(""))]
        return tuple(sorted(found, key=lambda session: (session.ordinal, session.id)))

    def session(self, session: str) -> SessionRecord | None:
        """Return one recorded session, or ``None``."""
        version = self.find(ARTIFACT, ids.transcript_id(session))
        return None if version is None else _session(version)

    def transcript(self, session: str) -> Transcript:
        """Return a session's transcript, read from the stored bytes.

        Raises:
            UnknownReference: No such session is recorded (TB113).
        """
        if session not in self._transcripts:
            record = self.session(session)
            if record is None:
                raise UnknownReference(f"no session {session!r} is recorded")
            data = self.store.download(self.meta, ids.transcript_id(session))
            self._transcripts[session] = parse(data, source_id=session, format=record.format)
        return self._transcripts[session]

    def forget(self, session: str) -> None:
        """Drop what is kept in memory of a session that is being replaced."""
        self._transcripts.pop(session, None)
        self._registries.pop(session, None)

    def occurrences(self, session: str | None = None) -> tuple[StoredOccurrence, ...]:
        """Return the occurrences of one session, or of all in campaign order, in artifact order."""
        order = {record.id: record.ordinal for record in self.sessions()}
        prefix = f"occurrence:{session}:" if session else "occurrence:"
        found = [
            self._occurrence(version.ref.id, version.value)
            for version in self.each(KNOWLEDGE, prefix)
        ]

        def place(item: StoredOccurrence) -> tuple[Any, ...]:
            first = item.source_refs[0]
            return (order.get(item.session, 0), item.session, first.start_unit_id, item.key)

        return tuple(sorted(found, key=place))

    def occurrence(self, entity_id: str) -> StoredOccurrence | None:
        """Return one occurrence, or ``None``."""
        version = self.find(KNOWLEDGE, entity_id)
        return None if version is None else self._occurrence(entity_id, version.value)

    def _occurrence(self, entity_id: str, value: Mapping[str, Any]) -> StoredOccurrence:
        found = values.read_occurrence(entity_id, value)
        slug = self.names().get(found.slug)
        return found if slug is None else replace(found, slug=slug)

    def registry(self, session: str) -> tuple[str, ...]:
        """Return the names of a session's registry after review, in order of appearance."""
        if session not in self._registries:
            reviewed = ids.reviewed_registry_id(session)
            there = self.find(ARTIFACT, reviewed) is not None
            entity_id = reviewed if there else ids.registry_id(session)
            registry = self.decoded(ArtifactKind.NPC_LIST, entity_id)
            self._registries[session] = tuple(npc["name"] for npc in registry.payload["npcs"])
        return self._registries[session]

    def artifact(self, session: str, kind: ArtifactKind) -> bytes:
        """Return the bytes of a session's registry or interaction list.

        Raises:
            UnknownReference: No such session is recorded (TB113).
        """
        if self.session(session) is None:
            raise UnknownReference(f"no session {session[:80]!r} is recorded")
        registry = kind is ArtifactKind.NPC_LIST
        entity_id = ids.registry_id(session) if registry else ids.interactions_id(session)
        return bytes(self.store.download(self.meta, entity_id))

    def decoded(self, kind: ArtifactKind, entity_id: str) -> Artifact:
        """Return a stored extraction artifact."""
        return decode_artifact(kind, self.store.download(self.meta, entity_id))

    def npc_names(self) -> dict[str, tuple[str, ...]]:
        """Return slug to the canonical names that it was given for, in slug order."""
        now = self.names()
        names: dict[str, tuple[str, ...]] = {}
        for version in self.each(KNOWLEDGE, "npc:"):
            content = values.content_of(version.value)
            slug = now.get(content["slug"], content["slug"])
            names[slug] = tuple(dict.fromkeys((*names.get(slug, ()), *content["names"])))
        return dict(sorted(names.items()))

    def now_called(self, mind: str) -> str:
        """Return the id that *mind* has now, of a character that was renamed."""
        slug = mind.removeprefix("npc:")
        return f"npc:{self.names().get(slug, slug)}" if mind != slug else mind

    def now(self) -> Now:
        """Return the running tick and place."""
        version = self.find(KNOWLEDGE, ids.CLOCK)
        if version is None:
            return Now()
        content = values.content_of(version.value)
        return Now(tick=content["tick"], location=content["location"])

    def each(self, record_type: str, prefix: str) -> Iterator[EntityVersion]:
        """Yield the active heads whose id begins with *prefix*, in id order."""
        yield from self.store.list(self.meta, record_type, id_prefix=prefix)

    # --- writing -------------------------------------------------------------------------------

    def put(self, record_type: str, entity_id: str, value: Any) -> EntityVersion:
        """Create the entity, or put *value* in the place of what it holds."""
        return self.store.upsert(self.meta, EntityRef(record_type, entity_id), value)

    def drop(self, record_type: str, entity_id: str) -> None:
        """Delete an entity if it is there; its versions stay in the history."""
        version = self.find(record_type, entity_id)
        if version is not None:
            meta = {**self.meta, "base_versions": [version.version]}
            self.store.delete(meta, version.ref)

    def upload(
        self, entity_id: str, data: bytes, *, name: str, media_type: str, metadata: Any
    ) -> None:
        """Keep the bytes of an Artifact, in the place of what it holds."""
        meta = self.meta
        try:
            # What was deleted has a head, too, and comes back on top of it.
            heads = self.store.read(meta, EntityRef(ARTIFACT, entity_id)).variants
            meta = {**meta, "base_versions": [head.version for head in heads]}
        except NotFound:
            pass
        self.store.upload(
            meta, data, media_type=media_type, name=name, metadata=metadata, id=entity_id
        )

    def put_now(self, now: Now) -> None:
        """Keep the running tick and place."""
        value = self.writer().knowledge(
            {"tick": now.tick, "location": now.location},
            profile={**values.WORLD, "retrieval": ["exact"]},
            kind="asserted",
        )
        self.put(KNOWLEDGE, ids.CLOCK, value)

    def put_npc(self, slug: str, name: str) -> None:
        """Keep that *name* has *slug*; once given it stays."""
        if self.names() and name in self.npc_names().get(slug, ()):
            return
        found = self.find(KNOWLEDGE, ids.npc_record_id(slug))
        names = [] if found is None else list(values.content_of(found.value)["names"])
        if name in names:
            return
        value = self.writer().knowledge(
            {"slug": slug, "names": [*names, name]},
            profile={**values.WORLD, "retrieval": ["exact", "associative"]},
            kind="derived",
        )
        self.put(KNOWLEDGE, ids.npc_record_id(slug), value)


def _session(version: EntityVersion) -> SessionRecord:
    facts = version.value["metadata"]["extensions"][values.TRANSCRIPT_KEY]
    return SessionRecord(
        id=facts["session"],
        ordinal=facts["ordinal"],
        file=version.value["name"],
        format=facts["format"],
        digest=version.value["digest"],
        unit_count=facts["unit_count"],
    )
