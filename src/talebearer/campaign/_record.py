"""Recording: a transcript becomes artifacts, occurrences, events and memory, in one transaction.

First everything is decided (:class:`RecordPlan`), then it is written: files for people are put
beside their places, the store commits, the files take their places. A fault before the commit
leaves all as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from talebearer.campaign._config import CampaignConfig
from talebearer.campaign._layout import Layout, StagedFiles, write_whole
from talebearer.campaign._quotes import quotes_of
from talebearer.campaign._running import Runner
from talebearer.campaign._speakers import view_speakers
from talebearer.campaign.records import (
    Book,
    Minds,
    SessionRecord,
    StoredOccurrence,
    ids,
    values,
)
from talebearer.campaign.review import (
    Derived,
    Extracted,
    derive,
    put_session,
    read_decisions,
    stale_problems,
)
from talebearer.campaign.views import OccurrenceView, Recording
from talebearer.errors import AlreadyRecorded, Problem, StoreCorrupt
from talebearer.extraction import Artifact, Extraction, Glossary
from talebearer.lines import Pack
from talebearer.store import moment
from talebearer.transcripts import Transcript, load_files, media_type

ProgressCallback = Callable[[str, int, int], None]

SUFFIXES = {"application/json": ".json", "text/vtt": ".vtt"}
INDENTED = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPlan:
    """Everything that one recording will write.

    Attributes:
        session: The session as the store will have it.
        data: The transcript's bytes.
        extraction: What was extracted from them.
        derived: What that is after review.
        replaces: Whether the session is recorded already.
    """

    session: SessionRecord
    data: bytes
    extraction: Extraction
    derived: Derived
    replaces: bool

    @property
    def extractor(self) -> str:
        """Who extracted, as ``rules/3``."""
        return extractor_name(self.extraction)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorder:
    """The recording use case of one open campaign."""

    book: Book
    minds: Minds
    config: CampaignConfig
    layout: Layout
    cast: Pack

    def record(
        self,
        paths: Sequence[Path],
        *,
        session: str | None,
        format: str | None,
        tracks: bool | None,
        runner: Runner,
        replace: bool,
        size_bytes_max: int,
        progress: ProgressCallback | None,
    ) -> Recording:
        """Record the transcript at *paths*; see :meth:`Campaign.record`."""
        data, transcript = load_files(
            paths,
            source_id=session,
            format=format,
            tracks=tracks,
            size_bytes_max=size_bytes_max,
        )
        # What is kept of several files is one document, the bundle.
        file = paths[0].name if len(paths) == 1 else f"{transcript.source_id}.json"
        existing = self.book.session(transcript.source_id)
        if existing is not None and not replace:
            if existing.digest == transcript.digest and self._intact(existing):
                self._heal(existing, data)
                return self._view(existing, transcript, file=file, already=True)
            if existing.digest != transcript.digest:
                raise AlreadyRecorded(
                    f"session {existing.id!r} holds {existing.file} ({existing.digest[:19]}…), "
                    f"not {file} ({transcript.digest[:19]}…)",
                    data={"session": existing.id, "digest": existing.digest},
                )
        self._refuse_twin(transcript)
        extraction = runner.run(
            transcript,
            self.config.roster,
            self.glossary(),
            at=moment(self.book.now_ms()),
            progress=progress,
        )
        plan = self._plan(transcript, data, file, extraction=extraction, existing=existing)
        self._carry_out(plan, progress)
        return self._view(
            plan.session,
            transcript,
            file=file,
            replaced=plan.replaces,
            extraction=extraction,
        )

    def _stale(self) -> tuple[Problem, ...]:
        """Return a warning for each decision that matches nothing any more."""
        decisions = read_decisions(self.book)
        return stale_problems(self.book, decisions) if decisions else ()

    def glossary(self) -> Glossary:
        """Return the spellings to look up: campaign.toml's glossary and the profiles' names."""
        merged: dict[str, list[str]] = {
            profile.name: list(profile.aliases) for profile in self.cast.profiles.values()
        }
        for name, spellings in self.config.glossary.items():
            merged.setdefault(name, []).extend(spellings)
        return {name: tuple(dict.fromkeys(merged[name])) for name in sorted(merged)}

    def _refuse_twin(self, transcript: Transcript) -> None:
        for other in self.book.sessions():
            if other.digest == transcript.digest and other.id != transcript.source_id:
                raise AlreadyRecorded(
                    f"the same bytes are recorded as session {other.id!r}",
                    hint=f"nothing needs to be done; they are in the campaign as {other.id}",
                    data={"session": other.id, "digest": other.digest},
                )

    # --- deciding ------------------------------------------------------------------------------

    def _plan(
        self,
        transcript: Transcript,
        data: bytes,
        file: str,
        *,
        extraction: Extraction,
        existing: SessionRecord | None,
    ) -> RecordPlan:
        record = SessionRecord(
            id=transcript.source_id,
            ordinal=existing.ordinal if existing else self._ordinal(transcript.source_id),
            file=file,
            format=transcript.format,
            digest=transcript.digest,
            unit_count=len(transcript.units),
        )
        extracted = Extracted(
            session=record,
            transcript=transcript,
            registry=extraction.registry,
            interactions=extraction.interactions,
            extractor=extractor_name(extraction),
            draft=extraction.manifest["draft"],
        )
        derived = derive(
            extracted,
            read_decisions(self.book),
            slugs=self.book.npc_names(),
            profiles=self._profiles(),
        )
        return RecordPlan(
            session=record,
            data=data,
            extraction=extraction,
            derived=derived,
            replaces=existing is not None,
        )

    def _ordinal(self, session: str) -> int:
        """Return the session's place: campaign.toml's, else the next; never one that is taken."""
        listed = self.config.sessions
        taken = {record.ordinal for record in self.book.sessions()}
        if session in listed and listed.index(session) + 1 not in taken:
            return listed.index(session) + 1
        return max([len(listed), *taken]) + 1

    def _profiles(self) -> dict[str, tuple[str, ...]]:
        return {
            slug: (profile.name, *profile.aliases) for slug, profile in self.cast.profiles.items()
        }

    # --- writing -------------------------------------------------------------------------------

    def _carry_out(self, plan: RecordPlan, progress: ProgressCallback | None) -> None:
        tell = progress or _silent
        tell("storing", 0, 1)
        with StagedFiles() as files:
            self._stage(files, plan)
            try:
                with self.book.batch():
                    self._put_artifacts(plan)
                    put_session(self.book, self.minds, plan.derived, anew=True)
            finally:
                # Whether it was stored or rolled back, what is in memory may be out of date.
                self.book.forget(plan.session.id)
                self.minds.forget()
            files.commit()
        tell("storing", 1, 1)

    def _copy_path(self, record: SessionRecord) -> Path:
        # A folder of tracks has no suffix; what is kept of it is one document.
        suffix = Path(record.file).suffix or SUFFIXES.get(media_type(record.format), ".txt")
        return self.layout.transcripts / f"{record.id}{suffix}"

    def _intact(self, record: SessionRecord) -> bool:
        """Whether the session's bytes can be read; if not, recording it again heals them."""
        try:
            for entity_id in ids.artifact_ids(record.id):
                self.book.store.download(self.book.meta, entity_id)
        except StoreCorrupt:
            return False
        return True

    def _heal(self, record: SessionRecord, data: bytes) -> None:
        """Put the transcript's copy back if it is gone; the store has its own bytes."""
        if not self._copy_path(record).exists():
            write_whole(self._copy_path(record), data)

    def _stage(self, files: StagedFiles, plan: RecordPlan) -> None:
        """Put the files for people beside their places."""
        session, target = plan.session.id, self._copy_path(plan.session)
        files.put(target, plan.data)
        for former in self.layout.transcripts.glob(f"{session}.*"):
            if former.stem == session and former != target:
                files.drop(former)
        manifest = {**plan.extraction.manifest, "session": session}
        files.put(
            self.layout.runs / f"{session}.manifest.json", orjson.dumps(manifest, option=INDENTED)
        )

    def _put_artifacts(self, plan: RecordPlan) -> None:
        record, extraction = plan.session, plan.extraction
        writer = self.book.writer(session=record.id)
        facts = {
            "session": record.id,
            "ordinal": record.ordinal,
            "format": record.format,
            "unit_count": record.unit_count,
        }
        self.book.upload(
            ids.transcript_id(record.id),
            plan.data,
            name=record.file,
            media_type=media_type(record.format),
            metadata=writer.artifact(kind="imported", extensions={values.TRANSCRIPT_KEY: facts}),
        )
        consumed: dict[str, str] = {"transcript": record.digest}
        for entity_id, artifact in (
            (ids.registry_id(record.id), extraction.registry),
            (ids.interactions_id(record.id), extraction.interactions),
        ):
            extensions = {values.EXTRACTION_KEY: _made_by(plan, artifact, consumed)}
            self.book.upload(
                entity_id,
                artifact.encode(),
                name=f"{entity_id.replace(':', '-')}.json",
                media_type=artifact.media_type,
                metadata=writer.artifact(kind="derived", extensions=extensions),
            )
            consumed = {**consumed, "registry": extraction.registry.digest}

    # --- showing -------------------------------------------------------------------------------

    def _view(
        self,
        record: SessionRecord,
        transcript: Transcript,
        *,
        file: str,
        already: bool = False,
        replaced: bool = False,
        extraction: Extraction | None = None,
    ) -> Recording:
        times = [unit.start_s for unit in transcript.units if unit.start_s is not None]
        ends = [unit.end_s for unit in transcript.units if unit.end_s is not None]
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
            unknown_speakers=view_speakers(transcript, self.config.roster),
            npcs=self.book.registry(record.id),
            occurrences=tuple(
                view_occurrence(item, transcript) for item in self.book.occurrences(record.id)
            ),
            problems=(
                *transcript.problems,
                *(extraction.problems if extraction else ()),
                *(self._stale() if extraction else ()),
            ),
            base_tick=record.base_tick,
            extractor=extractor_name(extraction) if extraction else None,
            complete=extraction.manifest["complete"] if extraction else None,
            usage=extraction.manifest["usage"] if extraction else None,
        )


def view_occurrence(
    item: StoredOccurrence, transcript: Transcript, *, hidden: bool = False
) -> OccurrenceView:
    """Return *item* with its cited units; *hidden* says that its NPC is."""
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
        decisions=item.decisions,
        game_master_only=hidden or item.hidden,
    )


def extractor_name(extraction: Extraction) -> str:
    """Return who extracted, as ``rules/3``."""
    extractor = extraction.manifest["extractor"]
    return f"{extractor['name']}/{extractor['version']}"


def _made_by(plan: RecordPlan, artifact: Artifact, consumed: Mapping[str, str]) -> dict[str, Any]:
    """Return where an artifact comes from: who made it, its contract, and what it consumed."""
    return {
        "extractor": plan.extractor,
        "draft": plan.extraction.manifest["draft"],
        "kind": artifact.kind.value,
        "schema_id": artifact.schema_id,
        "schema_name": artifact.schema_name,
        "schema_version": artifact.schema_version,
        "consumed": dict(consumed),
        **artifact.metadata,
    }


def _silent(stage: str, done: int, total: int) -> None:
    """Tell nobody."""
