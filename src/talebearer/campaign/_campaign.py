"""The front door: one campaign folder and everything that one does with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from talebearer._ids import random_uuid
from talebearer.campaign._config import load_config
from talebearer.campaign._create import id_from, make_empty, must_be_new, unpack_template
from talebearer.campaign._layout import CONFIG_NAME, Layout, file_faults
from talebearer.campaign._names import Npc
from talebearer.campaign._veil import Veil, VeiledBook, VeiledMinds
from talebearer.campaign.front._playing import PlayPart
from talebearer.campaign.front._recording import RecordingPart
from talebearer.campaign.front._remembering import MemoryPart
from talebearer.campaign.front._reviewing import ReviewPart
from talebearer.campaign.records import Book, ids
from talebearer.campaign.review import People
from talebearer.errors import CampaignNotFound, UsageFault
from talebearer.store import CAMPAIGN_POLICY, Store


class Campaign(RecordingPart, ReviewPart, MemoryPart, PlayPart):
    """An open campaign: record transcripts, recall NPCs, talk, think, and ask why.

    One process writes to a campaign at a time; others may open it read-only beside it. Use it as
    a context manager, or call :meth:`close`. It is not made for several threads at once.

    Attributes:
        folder: The campaign's folder.
        config: Its settings.
    """

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


def _system_clock() -> int:
    return int(datetime.now(UTC).timestamp() * 1000)
