"""Recording: a transcript becomes artifacts, occurrences, events and memory, in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from talebearer.campaign import _ids, _records
from talebearer.campaign._book import ARTIFACT, KNOWLEDGE, Book, SessionRecord
from talebearer.campaign._config import CampaignConfig
from talebearer.campaign._enter import EnteringSession, drop_session_events
from talebearer.campaign._layout import Layout, write_whole
from talebearer.campaign._minds import Minds
from talebearer.campaign._quotes import quote_units, quotes_of
from talebearer.campaign._records import StoredOccurrence
from talebearer.campaign._views import OccurrenceView, Recording, SpeakerView
from talebearer.errors import AlreadyRecorded
from talebearer.extraction import Extraction, Glossary, run, unknown_speakers
from talebearer.lines import Pack
from talebearer.memory import SourceRef, slug_of
from talebearer.transcripts import Transcript, load
from talebearer.vocabulary import OccurrenceKind

ProgressCallback = Callable[[str, int, int], None]

MEDIA_TYPES = {"webvtt": "text/vtt", "text": "text/plain"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorder:
    """The recording use case of one open campaign."""

    book: Book
    minds: Minds
    config: CampaignConfig
    layout: Layout
    pack: Pack

    def record(
        self,
        path: Path,
        *,
        session: str | None,
        format: str | None,
        extractor: str | None,
        replace: bool,
        size_bytes_max: int,
        progress: ProgressCallback | None,
    ) -> Recording:
        """Record the transcript at *path*; see :meth:`Campaign.record`."""
        data, transcript = load(
            path, source_id=session, format=format, size_bytes_max=size_bytes_max
        )
        existing = self.book.session(transcript.source_id)
        if existing is not None and not replace:
            if existing.digest == transcript.digest:
                return self._view(existing, transcript, file=path.name, already=True)
            raise AlreadyRecorded(
                f"session {existing.id!r} holds {existing.file} ({existing.digest[:19]}…), "
                f"not {path.name} ({transcript.digest[:19]}…)",
                data={"session": existing.id, "digest": existing.digest},
            )
        self._refuse_twin(transcript)
        extraction = run(
            transcript,
            self.config.roster,
            glossary=self.glossary(),
            extractor=extractor or self.config.extractor,
            progress=progress,
        )
        work = _Work(self, transcript, data, path.name, extraction, existing, progress)
        try:
            record = work.store()
        finally:
            # Whether it was stored or rolled back, what is kept in memory may be out of date.
            self.book.forget(transcript.source_id)
            self.minds.forget(self.minds.ids())
        return self._view(
            record,
            transcript,
            file=path.name,
            replaced=existing is not None,
            problems=extraction.problems,
        )

    def glossary(self) -> Glossary:
        """Return the spellings to look up: campaign.toml's glossary and the profiles' names."""
        merged: dict[str, list[str]] = {
            profile.name: list(profile.aliases) for profile in self.pack.profiles.values()
        }
        for name, spellings in self.config.glossary.items():
            merged.setdefault(name, []).extend(spellings)
        return {name: tuple(dict.fromkeys(merged[name])) for name in sorted(merged)}

    def _refuse_twin(self, transcript: Transcript) -> None:
        for other in self.book.sessions():
            if other.digest == transcript.digest and other.id != transcript.source_id:
                raise AlreadyRecorded(
                    f"the same bytes are recorded as session {other.id!r}",
                    hint=f"nothing needs to be done; see `talebearer recall` for {other.id}",
                    data={"session": other.id, "digest": other.digest},
                )

    def _view(
        self,
        record: SessionRecord,
        transcript: Transcript,
        *,
        file: str,
        already: bool = False,
        replaced: bool = False,
        problems: tuple[Any, ...] = (),
    ) -> Recording:
        times = [unit.start_s for unit in transcript.units if unit.start_s is not None]
        ends = [unit.end_s for unit in transcript.units if unit.end_s is not None]
        unknown = unknown_speakers(transcript, self.config.roster)
        return Recording(
            session=record.id,
            file=file,
            format=transcript.format,
            digest=transcript.digest,
            already=already,
            replaced=replaced,
            unit_count=len(transcript.units),
            duration_s=max(ends + times) - min(times) if times else None,
            speakers=transcript.speakers,
            unknown_speakers=tuple(
                SpeakerView(
                    label=speaker.label,
                    unit_count=speaker.unit_count,
                    longest=tuple(quote_units(speaker.longest)),
                )
                for speaker in unknown
            ),
            npcs=record.npcs,
            occurrences=tuple(
                view_occurrence(item, transcript) for item in self.book.occurrences(record.id)
            ),
            problems=(*transcript.problems, *problems),
            base_tick=record.base_tick,
        )


def view_occurrence(item: StoredOccurrence, transcript: Transcript) -> OccurrenceView:
    """Return *item* with its cited units."""
    return OccurrenceView(
        id=item.id,
        session=item.session,
        name=item.name,
        slug=item.slug,
        kind=item.kind.value,
        ranges=tuple((ref.start_unit_id, ref.end_unit_id) for ref in item.source_refs),
        quotes=quotes_of(item.source_refs, transcript),
        draft=item.draft,
        extractor=item.extractor,
    )


@dataclass(slots=True)
class _Work:
    """One recording on its way into the store."""

    recorder: Recorder
    transcript: Transcript
    data: bytes
    file: str
    extraction: Extraction
    existing: SessionRecord | None
    progress: ProgressCallback | None
    slugs: dict[str, str] = field(default_factory=dict)

    @property
    def book(self) -> Book:
        return self.recorder.book

    @property
    def session(self) -> str:
        return self.transcript.source_id

    @property
    def _extractor(self) -> str:
        """Who extracted, as ``rules/1``."""
        extractor = self.extraction.manifest["extractor"]
        return f"{extractor['name']}/{extractor['version']}"

    def store(self) -> SessionRecord:
        """Write everything in one transaction, and the files for people around it.

        The transcript's copy and the manifest are written before the commit, since they harm
        nobody when the commit fails; what counts is in the store.
        """
        old = {item.key: item for item in self.book.occurrences(self.session)}
        occurrences = self._occurrences()
        record = self._session_record()
        layout = self.recorder.layout
        suffix = Path(self.file).suffix or ".txt"
        write_whole(layout.transcripts / f"{self.session}{suffix}", self.data)
        manifest = {**self.extraction.manifest, "session": self.session}
        options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
        write_whole(
            layout.runs / f"{self.session}.manifest.json", orjson.dumps(manifest, option=options)
        )
        self._report("storing", 0)
        with self.book.batch():
            self._put_artifacts(record)
            self._put_npcs()
            self._put_occurrences(occurrences, old)
            self._put_events(occurrences, old)
        self._report("storing", 1)
        return record

    def _report(self, stage: str, done: int) -> None:
        if self.progress is not None:
            self.progress(stage, done, 1)

    def _session_record(self) -> SessionRecord:
        return SessionRecord(
            id=self.session,
            ordinal=self.existing.ordinal if self.existing else self._ordinal(),
            file=self.file,
            format=self.transcript.format,
            digest=self.transcript.digest,
            unit_count=len(self.transcript.units),
            extractor=self._extractor,
            npcs=tuple(npc["name"] for npc in self.extraction.registry.payload["npcs"]),
        )

    def _ordinal(self) -> int:
        """Return the session's place: campaign.toml's order, others in order of recording."""
        listed = self.recorder.config.sessions
        if self.session in listed:
            return listed.index(self.session) + 1
        taken = [record.ordinal for record in self.book.sessions()]
        return max([len(listed), *taken]) + 1

    def _put_artifacts(self, record: SessionRecord) -> None:
        writer = self.book.writer(session=self.session)
        facts = {
            "session": record.id,
            "ordinal": record.ordinal,
            "format": record.format,
            "unit_count": record.unit_count,
            "extractor": record.extractor,
            "npcs": list(record.npcs),
        }
        self._upload(
            _ids.transcript_id(self.session),
            self.data,
            name=self.file,
            media_type=MEDIA_TYPES.get(self.transcript.format, "application/json"),
            metadata=writer.artifact(kind="imported", extensions={_records.TRANSCRIPT_KEY: facts}),
        )
        for entity_id, artifact in (
            (_ids.registry_id(self.session), self.extraction.registry),
            (_ids.interactions_id(self.session), self.extraction.interactions),
        ):
            made_by = {
                "extractor": record.extractor,
                "draft": self.extraction.manifest["draft"],
                "kind": artifact.kind.value,
                "schema_id": artifact.schema_id,
                "schema_name": artifact.schema_name,
                "schema_version": artifact.schema_version,
                **artifact.metadata,
            }
            self._upload(
                entity_id,
                artifact.encode(),
                name=f"{entity_id.replace(':', '-')}.json",
                media_type=artifact.media_type,
                metadata=writer.artifact(
                    kind="derived", extensions={_records.EXTRACTION_KEY: made_by}
                ),
            )

    def _upload(
        self, entity_id: str, data: bytes, *, name: str, media_type: str, metadata: Any
    ) -> None:
        found = self.book.find(ARTIFACT, entity_id)
        meta = self.book.meta
        if found is not None:
            meta = {**meta, "base_versions": [found.version]}
        self.book.store.upload(
            meta, data, media_type=media_type, name=name, metadata=metadata, id=entity_id
        )

    def _put_npcs(self) -> None:
        for name, slug in self.slugs.items():
            self.book.put_npc(slug, name)

    def _slug(self, name: str) -> str:
        """Return the slug of *name*: the one that it has, else a new one that is then kept."""
        if not self.slugs:
            self.slugs = {name: slug for slug, name in self.book.npc_names().items()}
        if name not in self.slugs:
            profiles = {
                slug: (profile.name, *profile.aliases)
                for slug, profile in self.recorder.pack.profiles.items()
            }
            taken = set(self.slugs.values())
            self.slugs[name] = slug_of(name, taken=taken, profiles=profiles)
        return self.slugs[name]

    def _occurrences(self) -> list[StoredOccurrence]:
        for npc in self.extraction.registry.payload["npcs"]:
            self._slug(npc["name"])
        return [
            self._occurrence(item) for item in self.extraction.interactions.payload["interactions"]
        ]

    def _occurrence(self, item: Mapping[str, Any]) -> StoredOccurrence:
        canonical = orjson.dumps(item, option=orjson.OPT_SORT_KEYS)
        return StoredOccurrence(
            id=_ids.occurrence_id(self.session, canonical),
            session=self.session,
            name=item["name"],
            slug=self._slug(item["name"]),
            kind=OccurrenceKind(item["kind"]),
            source_refs=tuple(SourceRef(**ref) for ref in item["source_refs"]),
            draft=self.extraction.manifest["draft"],
            extractor=self._extractor,
        )

    def _put_occurrences(
        self, occurrences: list[StoredOccurrence], old: Mapping[Any, StoredOccurrence]
    ) -> None:
        writer = self.book.writer(session=self.session)
        artifacts = (
            (_ids.transcript_id(self.session), "source"),
            (_ids.interactions_id(self.session), "source"),
        )
        for occurrence in occurrences:
            value = _records.occurrence_value(writer, occurrence, artifacts=artifacts)
            self.book.put(KNOWLEDGE, occurrence.id, value)
        kept = {occurrence.id for occurrence in occurrences}
        vanished = [item.id for item in old.values() if item.id not in kept]
        if self.existing is not None:
            drop_session_events(self.book, self.session)
        for entity_id in vanished:
            self.book.drop(KNOWLEDGE, entity_id)

    def _put_events(
        self, occurrences: list[StoredOccurrence], old: Mapping[Any, StoredOccurrence]
    ) -> None:
        """Put the session into the party's memory, and let the clock run on after it."""
        record = self.book.session(self.session)
        assert record is not None, "the transcript's record is written before its events"
        entering = EnteringSession(
            minds=self.recorder.minds,
            session=self.session,
            base_tick=record.base_tick,
            artifact_digest=self.extraction.interactions.digest,
        )
        mind = entering.enter(occurrences, old)
        now = self.book.now()
        now.tick = max(now.tick, mind.tick, record.base_tick + record.unit_count)
        self.book.put_now(now)
