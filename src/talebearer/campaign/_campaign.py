"""The front door: one campaign folder and everything that one does with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from talebearer._ids import random_uuid
from talebearer.campaign._config import (
    CampaignConfig,
    SceneDefaults,
    load_config,
)
from talebearer.campaign._converse import Conversation, begin
from talebearer.campaign._converse import think as _think
from talebearer.campaign._create import id_from, make_empty, must_be_new, unpack_template
from talebearer.campaign._doctor import Health, describe, examine
from talebearer.campaign._layout import CONFIG_NAME, Layout, file_faults, write_whole
from talebearer.campaign._names import Npc, everybody, find_npc
from talebearer.campaign._play import Game, LineOptions
from talebearer.campaign._recall import fact_views, npc_views, occurrence_views, recollect
from talebearer.campaign._record import ProgressCallback, Recorder
from talebearer.campaign._running import Runner, RunOptions, prepare
from talebearer.campaign._social import Social
from talebearer.campaign._speakers import list_speakers, seat_speakers
from talebearer.campaign._stage import Stage
from talebearer.campaign._timeline import timeline
from talebearer.campaign._veil import Veil, VeiledBook, VeiledMinds
from talebearer.campaign._why import Investigator
from talebearer.campaign.records import Book, Minds, SessionRecord, ids
from talebearer.campaign.records.ids import WORLD
from talebearer.campaign.review import (
    Ask,
    Decision,
    DecisionView,
    Desk,
    People,
    Review,
    list_review,
    people_after_review,
    read_decisions,
    stale_numbers,
    view_decisions,
)
from talebearer.campaign.roster import Seat
from talebearer.campaign.views import (
    EventView,
    Evidence,
    FactView,
    NpcView,
    OccurrenceView,
    Recollection,
    Recording,
    Reply,
    SeatsView,
    SourceSpeakers,
)
from talebearer.content import EMPTY_PACK, compile_cast, compile_content, slugs_now
from talebearer.content.sheets import texts_in
from talebearer.errors import (
    CampaignNotFound,
    InvalidContent,
    InvalidId,
    UnknownReference,
    UsageFault,
    did_you_mean,
)
from talebearer.extraction import Estimate
from talebearer.lines import Pack, Selector, load_pack
from talebearer.lines.texts import Texts
from talebearer.memory import (
    KnowledgeGraph,
    Mind,
    Picture,
    Renamer,
    fold,
    picture_of,
    render_text,
)
from talebearer.store import CAMPAIGN_POLICY, Store
from talebearer.transcripts import SIZE_BYTES_MAX, Transcript, load_files
from talebearer.vocabulary import MIND_ID, fullmatch

PARTY = ids.PARTY
T = TypeVar("T")


class Campaign:
    """An open campaign: record transcripts, recall NPCs, talk, think, and ask why.

    One process writes to a campaign at a time; others may open it read-only beside it. Use it as
    a context manager, or call :meth:`close`. It is not made for several threads at once.

    Attributes:
        folder: The campaign's folder.
        config: Its settings.
    """

    def __init__(self, layout: Layout, config: CampaignConfig, book: Book, *, seed: int) -> None:
        self.folder = layout.folder
        self.config = config
        self._layout = layout
        self._book = book
        book.names = self._slugs_now
        self._minds = Minds(book)
        self._selectors: dict[str, tuple[Mind, Mind, Selector]] = {}
        self._seed = seed
        self._pack: Pack | None = None
        self._names: Mapping[str, str] | None = None
        self._texts: Texts | None = None
        self._veil: Veil | None = None

    @classmethod
    def create(
        cls,
        folder: str | Path,
        *,
        name: str | None = None,
        campaign_id: str | None = None,
        template: str | None = None,
        now_ms: Callable[[], int] | None = None,
        id_salt: str | None = None,
    ) -> Self:
        """Make a campaign in *folder*, which is new or empty, and open it.

        Args:
            folder: Where.
            name: Title; the folder's name by default.
            campaign_id: Id; made of the title by default.
            template: A bundled campaign to start from, with its content and its sessions' files;
                ``drowned-bell`` is the one there is. *name* and *campaign_id* are then its own.
            now_ms: As in :meth:`open`.
            id_salt: As in :meth:`open`.

        Raises:
            UsageFault: *folder* holds something already, or there is no such template (TB111).
            InvalidId: *campaign_id* does not match its pattern (TB109).
            StoreUnavailable: The file system refuses (TB210).
        """
        layout = Layout(Path(folder))
        if template is not None and (name is not None or campaign_id is not None):
            raise UsageFault(
                "a bundled campaign has a name and an id of its own",
                hint="leave name and id out, and change campaign.toml afterwards",
            )
        with file_faults(layout.folder):
            must_be_new(layout)
            if template is not None:
                unpack_template(layout, template)
            else:
                title = name or layout.folder.resolve().name
                make_empty(layout, title=title, campaign_id=campaign_id or id_from(title))
        return cls.open(layout.folder, now_ms=now_ms, id_salt=id_salt)

    @classmethod
    def open(
        cls,
        folder: str | Path = ".",
        *,
        read_only: bool = False,
        now_ms: Callable[[], int] | None = None,
        id_salt: str | None = None,
        seed: int | None = None,
    ) -> Self:
        """Open the campaign in *folder*.

        Args:
            folder: The folder that holds campaign.toml.
            read_only: Only read; works beside a running writer.
            now_ms: The clock, Unix milliseconds; the system's by default.
            id_salt: Derive version ids from this text, so that they repeat; random by default.
            seed: The seed of all draws; campaign.toml's by default.

        Raises:
            CampaignNotFound: There is no campaign.toml (TB108).
            InvalidCampaign: campaign.toml has faults (TB107).
            StoreLocked: Another process writes to it (TB203).
        """
        layout = Layout(Path(folder))
        if not layout.config.is_file():
            raise CampaignNotFound(f"{layout.folder} has no {CONFIG_NAME}")
        config = load_config(layout.config)
        clock = now_ms or _system_clock
        salted = ids.SaltedIds(id_salt) if id_salt else None
        store = Store.open(
            layout.database,
            artifacts=layout.artifacts,
            now_ms=clock,
            new_id=salted or random_uuid,
            policy=CAMPAIGN_POLICY,
            engine=None,
            # A campaign that was never opened has no store to read yet.
            read_only=read_only and layout.database.exists(),
        )
        if salted is not None:
            salted.generation = int(store.status()["generation"])
        book = Book(store, config.id, clock)
        return cls(layout, config, book, seed=config.seed if seed is None else seed)

    @classmethod
    def over(
        cls,
        folder: str | Path,
        store: Store,
        *,
        now_ms: Callable[[], int] | None = None,
        seed: int | None = None,
    ) -> Self:
        """Return the campaign in *folder* over its *store* that somebody else has opened and closes.

        Raises:
            CampaignNotFound: There is no campaign.toml (TB108).
            InvalidCampaign: campaign.toml has faults (TB107).
        """
        layout = Layout(Path(folder))
        if not layout.config.is_file():
            raise CampaignNotFound(f"{layout.folder} has no {CONFIG_NAME}")
        config = load_config(layout.config)
        book = Book(store, config.id, now_ms or _system_clock)
        return cls(layout, config, book, seed=config.seed if seed is None else seed)

    def close(self) -> None:
        """Close the store."""
        self._book.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def pack(self) -> Pack:
        """The compiled content, made on first use; unchanged files are not read again.

        Raises:
            InvalidContent: The content has errors (TB106); all are listed.
        """
        if self._pack is None:
            compiled = compile_content(
                self.content_folder,
                cache=self._layout.runs / "cache",
                keeps=not self._book.read_only,
            )
            self._pack = load_pack(compiled.data)
        return self._pack

    @property
    def texts(self) -> Texts | None:
        """What lines say in the campaign's language; None where they are said as they are written.

        Which line is said does not depend on it. A text that is not translated, or was changed since,
        is said as it is written.

        Raises:
            UsageFault: There are no such translations (TB111).
            InvalidTranslations: They cannot be read (TB122).
        """
        language = self.config.language
        if language is not None and (self._texts is None or self._texts.language != language):
            self._texts = texts_in(
                self.content_folder,
                self.pack,
                language,
                cache=None if self._book.read_only else self._layout.runs / "cache",
            )
        return None if language is None else self._texts

    def say_in(self, language: str) -> None:
        """Say lines in *language* from now on, whatever campaign.toml says.

        Raises:
            UsageFault: It is no language, or there are no translations into it (TB111).
            InvalidTranslations: They cannot be read (TB122).
        """
        self.config, before = replace(self.config, language=language), self.config
        try:
            self.texts  # noqa: B018 - reason: what is wrong with them is said now, not with a line
        except BaseException:
            self.config = before
            raise

    @property
    def cast(self) -> Pack:
        """The content as far as names, places and facts need it: a fault in a pool is no matter.

        Raises:
            InvalidContent: A profile, enumeration or catalogue has errors (TB106).
        """
        if self._pack is not None:
            return self._pack
        try:
            return self.pack
        except InvalidContent:
            return load_pack(compile_cast(self.content_folder).data)

    @property
    def _shown(self) -> Pack:
        """The cast, or nobody: what is remembered can be shown whatever the content's state."""
        try:
            return self.cast
        except InvalidContent:
            return load_pack(EMPTY_PACK)

    def _slugs_now(self) -> Mapping[str, str]:
        """Return former slugs of characters and those that they have now; of the content's profiles."""
        if self._names is None:
            self._names = slugs_now(self.content_folder)
        return self._names

    @property
    def content_folder(self) -> Path:
        """The authored content."""
        return self.folder / self.config.content

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

    def review(self, *sessions: str) -> Review:
        """Return what was extracted, with its evidence, and what people decided on it.

        Args:
            sessions: The sessions to list; all by default.

        Raises:
            UnknownReference: A session is not recorded (TB113).
        """
        recorded = {record.id: record for record in self._book.sessions()}
        for session in sessions:
            if session not in recorded:
                hint = did_you_mean(session, recorded)
                raise UnknownReference(f"no session {session[:80]!r} is recorded", hint=hint)
        chosen = [record for record in recorded.values() if record.id in (sessions or recorded)]
        return list_review(self._book, read_decisions(self._book), sessions=chosen)

    def decide(self, *asks: Ask, by: str) -> tuple[DecisionView, ...]:
        """Decide on names and occurrences; memory follows. All that is asked is done, or nothing.

        What was extracted stays as it is. Decisions are kept apart from it, find what they are about
        again after the session is recorded anew, and can be withdrawn.

        Args:
            asks: What to decide.
            by: Who decides.

        Raises:
            UnknownName: No session has the name (TB105).
            UnknownReference: There is no such occurrence (TB113).
            UsageFault: A decision makes no sense; of several, all are listed (TB111).
        """
        self._must_write()
        made = self._desk().decide(asks, by=by)
        return self._decided(made)

    def undo(self, *numbers: int, by: str) -> tuple[DecisionView, ...]:
        """Withdraw decisions, all or none; what was decided before them holds again.

        A withdrawn decision stays in the journal, with who withdrew it and when.

        Raises:
            UnknownReference: There is no decision of that number (TB113).
            UsageFault: It is withdrawn already (TB111).
        """
        self._must_write()
        return self._decided(self._desk().undo(numbers, by=by))

    def import_decisions(self, path: str | Path) -> tuple[DecisionView, ...]:
        """Add the decisions of another copy's review.json; those that are here already are not.

        Raises:
            UsageFault: The file holds no decisions (TB111).
        """
        self._must_write()
        return self._decided(self._desk().take_over(Path(path)))

    def _decided(self, decisions: Sequence[Decision]) -> tuple[DecisionView, ...]:
        numbers = {one.number for one in decisions}
        everything = read_decisions(self._book)
        stale = stale_numbers(self._book, everything)
        return tuple(view for view in view_decisions(everything, stale) if view.number in numbers)

    def for_players(self) -> Campaign:
        """Return the campaign as players may see it, without what is for the game master only.

        It reads the same store, and is closed with this one.
        """
        people = self._people()
        npcs = self._everybody(people)
        veil = Veil(
            slugs=people.hidden,
            occurrences=frozenset(item.id for item in self._book.occurrences() if item.hidden),
            names=frozenset(
                name for slug in people.hidden for name in self._names_of(slug, people, npcs)
            ),
            others=frozenset(
                name
                for slug in {*npcs} - people.hidden
                for name in self._names_of(slug, people, npcs)
            ),
        )
        book = VeiledBook(self._book.store, self._book.campaign, self._book.now_ms, veil=veil)
        shown = Campaign(self._layout, self.config, book, seed=self._seed)
        shown._minds, shown._veil = VeiledMinds(book, veil=veil), veil
        return shown

    def _names_of(self, slug: str, people: People, npcs: Mapping[str, Npc]) -> tuple[str, ...]:
        names = {*people.names.get(slug, ()), *self._book.npc_names().get(slug, ())}
        npc = npcs.get(slug)
        if npc is not None and npc.profile is not None:
            names |= {npc.profile.name, *npc.profile.aliases}
        for name in tuple(names):
            names.update(self.config.glossary.get(name, ()))
        return tuple(sorted(names))

    def sessions(self) -> tuple[SessionRecord, ...]:
        """Return the recorded sessions in campaign order."""
        return self._book.sessions()

    def transcript(self, session: str) -> Transcript:
        """Return a recorded session's transcript, read from the stored bytes.

        Raises:
            UnknownReference: No such session is recorded (TB113).
        """
        return self._book.transcript(session)

    def npcs(self) -> tuple[NpcView, ...]:
        """Return everybody that a session names or the party knows, those with most to tell first."""
        people, mind = self._people(), self._minds.get(PARTY)
        return npc_views(self._book, self._everybody(people), mind, people)

    def occurrences(self) -> tuple[OccurrenceView, ...]:
        """Return all occurrences in campaign order, with the units that prove them."""
        return occurrence_views(self._book, self._people())

    def recall(self, name: str, *, mind: str = PARTY) -> Recollection:
        """Return what *mind* remembers of the NPC called *name*: slug, name or alias.

        Raises:
            UnknownName: Nobody has that name (TB105); the hint names the nearest.
        """
        people = self._people()
        npc = find_npc(name, self._everybody(people))
        known = recollect(self._book, npc, self._mind(mind), self._shown, people)
        return replace(known, facts=self._unveiled(known.facts, lambda fact: fact.description))

    def graph(self, *, mind: str = PARTY) -> KnowledgeGraph:
        """Return what a mind knows, to be asked: the core queries and more.

        Args:
            mind: ``party``, ``pc:{slug}`` or ``npc:{slug}``.

        Raises:
            InvalidId: *mind* is no mind id (TB109).
        """
        return self._mind(mind).graph

    def _mind(self, mind: str) -> Mind:
        if not fullmatch(MIND_ID, mind):
            raise InvalidId(f"{mind!r} is no mind", hint="party, pc:{slug} or npc:{slug}")
        return self._minds.get(mind)

    def minds(self) -> tuple[str, ...]:
        """Return the ids of all minds that have something to remember."""
        return self._minds.ids()

    def mind_text(self, *, mind: str = PARTY) -> str:
        """Return what a mind knows as lines of text: people, conversations, facts."""
        return render_text(self._mind(mind))

    def picture(self) -> Picture:
        """Return who knows what of whom, and how sure, over all minds."""
        people = (mind for mind in self._minds.ids() if mind != WORLD)
        return picture_of(self._minds.get(mind) for mind in people)

    def replay(self, *, mind: str = PARTY) -> bool:
        """Return whether a mind equals the fold of its log, byte for byte."""
        known = self._mind(mind)
        log = [event for event, _ in self._minds.log(mind)]
        return fold(mind, log, numbers=known.numbers).dumps() == known.dumps()

    def facts(self, *, mind: str = PARTY) -> tuple[FactView, ...]:
        """Return the facts that a mind knows, conversations apart."""
        facts = fact_views(self._mind(mind).graph, self._shown)
        return self._unveiled(facts, lambda fact: f"{fact.id} {fact.description}")

    def talk(
        self,
        name: str,
        *,
        mind: str = PARTY,
        scene: SceneDefaults | None = None,
        more: LineOptions | None = None,
    ) -> Conversation:
        """Begin a conversation with an NPC, or take up the one that is in progress with it.

        Raises:
            UnknownName: Nobody has that name (TB105).
            IllegalTransition: A conversation with somebody else is in progress (TB101).
        """
        npc = self._npc(name)
        mind = self._mind(mind).mind_id
        options = scene or SceneDefaults()
        return begin(self._stage(), npc, mind=mind, options=options, more=more or LineOptions())

    def think(
        self,
        character: str,
        trigger: str,
        *,
        location: str | None = None,
        tick: int | None = None,
        mind: str = PARTY,
        more: LineOptions | None = None,
    ) -> Reply:
        """Return what a player character thinks on *trigger*, and keep that it was thought.

        Args:
            character: A player character of the content's characters.
            trigger: One of the content's triggers.
            location: Where; the place of the last conversation by default.
            tick: When; one tick from now by default.
            mind: Whose memory the gates read.
            more: Strategy, event fields, what is being spoken.
        """
        mind = self._mind(mind).mind_id
        return _think(
            self._stage(),
            character,
            trigger,
            mind=mind,
            location=location,
            tick=tick,
            more=more or LineOptions(),
        )

    @property
    def game(self) -> Game:
        """Single lines and single events, for a game that keeps its own place."""
        return Game(self._stage, self._npc, self._mind)

    def why(self, reference: str, *, mind: str = PARTY) -> Evidence:
        """Return the chain of evidence behind a fact, interaction, ``POOL:LINE`` or occurrence.

        For players a line that was not said yet, and whatever is kept from them, is unknown.

        Raises:
            UnknownReference: Nothing has that id (TB113).
        """
        mind = self._mind(mind).mind_id
        if self._slugs_now():
            reference = Renamer(self._slugs_now()).value(reference)
        investigator = Investigator(
            self._book, self._minds, self._shown, heard_only=self._veil is not None
        )
        if self._veil is None:
            return investigator.why(reference, mind=mind)
        try:
            pruned = self._veil.pruned(investigator.why(reference, mind=mind))
        except UnknownReference:
            # Its hint lists what is near, which may be what is hidden.
            pruned = None
        if pruned is None:
            raise UnknownReference(
                f"nothing is called {str(reference)[:200]!r}", hint="see `talebearer recall NAME`"
            )
        return pruned

    def timeline(self, *, mind: str = PARTY) -> tuple[EventView, ...]:
        """Return everything that happened to a mind, recorded and live, in order."""
        mind = self._mind(mind).mind_id
        events = timeline(self._minds, self._shown, mind)
        return self._unveiled(events, lambda event: event.text)

    def doctor(self) -> Health:
        """Check the campaign and return versions, counts and faults; content errors are faults."""
        faults: tuple[str, ...] = ()
        try:
            content = describe(self.pack)
        except InvalidContent as error:
            content, faults = "has errors", (f"{error.code}: {error.message}",)
        return examine(self._book, self._minds, content=content, faults=faults)

    def write_file(self, path: str | Path, text: str) -> None:
        """Put a text beside the campaign, whole or not at all.

        Raises:
            StoreFull: The disk is full (TB206).
            StoreUnavailable: The file system refuses (TB210).
        """
        write_whole(Path(path), text.encode())

    def _must_write(self) -> None:
        if self._book.read_only:
            raise UsageFault("the campaign is open for reading only", hint="open it for writing")

    def _people(self) -> People:
        return people_after_review(self._book.npc_names(), read_decisions(self._book))

    def _everybody(self, people: People) -> dict[str, Npc]:
        met, known = dict(people.names), self._minds.get(PARTY).graph
        for slug, names in self._book.npc_names().items():
            # A name that was rejected or merged away stays where somebody was talked to under it.
            if slug not in met and known.entity(f"npc:{slug}") is not None:
                met[slug] = names
        npcs = everybody(met, self._shown)
        hidden = self._veil.slugs if self._veil is not None else ()
        return {slug: npc for slug, npc in npcs.items() if slug not in hidden}

    def _unveiled(self, views: tuple[T, ...], text_of: Callable[[T], str]) -> tuple[T, ...]:
        if self._veil is None:
            return views
        return tuple(view for view in views if not self._veil.mentions(text_of(view)))

    def _desk(self) -> Desk:
        return Desk(
            book=self._book,
            minds=self._minds,
            layout=self._layout,
            roster=self.config.roster,
            profiles={
                slug: (profile.name, *profile.aliases)
                for slug, profile in self._shown.profiles.items()
            },
        )

    def _npc(self, name: str) -> Npc:
        return find_npc(name, self._everybody(self._people()))

    def _stage(self) -> Stage:
        return Stage(
            self._book,
            self._minds,
            self.config,
            self.pack,
            self._seed,
            Investigator(self._book, self._minds, self.pack),
            Social(self._minds, self.pack, self.config, self._seed),
            self._selectors,
            self.texts,
        )


def _system_clock() -> int:
    return int(datetime.now(UTC).timestamp() * 1000)
