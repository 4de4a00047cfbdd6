"""The front door for transcripts: recording, estimating, and who sits at the table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from talebearer.campaign._record import ProgressCallback, Recorder
from talebearer.campaign._running import Runner, RunOptions, prepare
from talebearer.campaign._speakers import list_speakers, seat_speakers
from talebearer.campaign.front._opened import Opened
from talebearer.campaign.roster import Seat
from talebearer.campaign.views import Recording, SeatsView, SourceSpeakers
from talebearer.extraction import Estimate
from talebearer.transcripts import SIZE_BYTES_MAX, load_files


class RecordingPart(Opened):
    """What is done with transcripts."""

    def record(
        self,
        *paths: str | Path,
        session: str | None = None,
        format: str | None = None,
        tracks: bool | None = None,
        options: RunOptions | None = None,
        replace: bool = False,
        size_bytes_max: int = SIZE_BYTES_MAX,
        progress: ProgressCallback | None = None,
    ) -> Recording:
        """Read a transcript, extract what passed with whom, and keep all of it or nothing.

        Recording the same bytes again changes nothing and says so.

        Args:
            paths: The transcript file; a folder of Craig's; or all files of a session, its tracks or
                its parts in their order, which become one source.
            session: Session id; the first file's stem by default.
            format: One of :data:`talebearer.transcripts.FORMATS`; sniffed by default.
            tracks: Whether several files are tracks, see :func:`talebearer.transcripts.load_files`.
            options: Who extracts, by which pipeline, and what it may cost; by default what
                campaign.toml and pipelines.yaml say.
            replace: Put this transcript, or a new extraction of it, in the session's place.
            size_bytes_max: Larger files are refused before they are read.
            progress: Called with (stage, done, total).

        Raises:
            InvalidTranscript: The file is missing or no transcript (TB103).
            TranscriptTooLarge: The file is above *size_bytes_max* (TB104).
            AlreadyRecorded: The session holds another transcript, or another session these bytes
                (TB112).
            StoreFull: The disk is full; nothing was stored (TB206).
            ProviderError: The model cannot be asked, or gave no acceptable answer (TB3xx); nothing was
                stored, and what was accepted is used by the next run.
            InvalidCampaign: pipelines.yaml cannot be used (TB107).
        """
        self._must_write()
        return self._recorder().record(
            list(map(Path, paths)),
            session=session,
            format=format,
            tracks=tracks,
            runner=self._runner(options),
            replace=replace,
            size_bytes_max=size_bytes_max,
            progress=progress,
        )

    def estimate(
        self,
        *paths: str | Path,
        session: str | None = None,
        format: str | None = None,
        tracks: bool | None = None,
        options: RunOptions | None = None,
        size_bytes_max: int = SIZE_BYTES_MAX,
    ) -> Estimate:
        """Return what recording a transcript would take; nobody is asked and nothing is stored.

        Args:
            paths: As in :meth:`record`, and likewise the others.
            session: Session id.
            format: The transcript's format.
            tracks: Whether several files are tracks.
            options: Who would extract.
            size_bytes_max: Larger files are refused before they are read.

        Raises:
            InvalidTranscript: The file is missing or no transcript (TB103).
            UnknownProvider: There is no such provider (TB301).
            InvalidCampaign: pipelines.yaml cannot be used (TB107).
        """
        runner = self._runner(options)
        _, transcript = load_files(
            list(map(Path, paths)),
            source_id=session,
            format=format,
            tracks=tracks,
            size_bytes_max=size_bytes_max,
        )
        return runner.estimate(transcript, self.config.roster, self._recorder().glossary())

    def _recorder(self) -> Recorder:
        return Recorder(
            book=self._book,
            minds=self._minds,
            config=self.config,
            layout=self._layout,
            cast=self.cast,
        )

    def _runner(self, options: RunOptions | None) -> Runner:
        return prepare(
            options or RunOptions(),
            config=self.config,
            layout=self._layout,
            read_artifact=self._book.artifact,
        )

    def speakers(self, *sources: str) -> tuple[SourceSpeakers, ...]:
        """Return the speaker labels that nobody of the roster has, with their longest units.

        Args:
            sources: Session ids, or paths of transcripts that need not be recorded; all recorded
                sessions by default.

        Raises:
            UnknownReference: A source is neither a session nor a file (TB113).
        """
        return list_speakers(self._book, self.config.roster, sources)

    def seat(self, *seats: Seat, sources: Sequence[str] = ()) -> SeatsView:
        """Write into campaign.toml who speaks under which label; comments and order stay.

        What was recorded before keeps its extraction until it is recorded again with *replace*.

        Args:
            seats: Labels, and who they are.
            sources: The transcripts that must have the labels, as for :meth:`speakers`.

        Raises:
            UsageFault: A seat contradicts the roster, or no transcript has the label (TB111).
            StoreFull: The disk is full; campaign.toml is as it was (TB206).
        """
        self._must_write()
        self.config, view = seat_speakers(self._layout, self._book, seats, sources)
        return view
