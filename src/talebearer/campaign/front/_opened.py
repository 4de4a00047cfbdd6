"""An open campaign: what it holds, how it is closed, and what the parts of its front door share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from talebearer.campaign._config import CampaignConfig
from talebearer.campaign._layout import Layout, write_whole
from talebearer.campaign._names import Npc, everybody, find_npc
from talebearer.campaign._veil import Veil
from talebearer.campaign.records import Book, Minds, ids
from talebearer.campaign.review import People, people_after_review, read_decisions
from talebearer.content import EMPTY_PACK, compile_cast, compile_content, slugs_now
from talebearer.content.sheets import texts_in
from talebearer.errors import InvalidContent, InvalidId, UsageFault
from talebearer.lines import Pack, Selector, load_pack
from talebearer.lines.texts import Texts
from talebearer.memory import Mind
from talebearer.vocabulary import MIND_ID, fullmatch

PARTY = ids.PARTY
T = TypeVar("T")


class Opened:
    """A campaign that is open: its folder, settings, store, content and minds.

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

    def _npc(self, name: str) -> Npc:
        return find_npc(name, self._everybody(self._people()))

    def _mind(self, mind: str) -> Mind:
        if not fullmatch(MIND_ID, mind):
            raise InvalidId(f"{mind!r} is no mind", hint="party, pc:{slug} or npc:{slug}")
        return self._minds.get(mind)

    def _unveiled(self, views: tuple[T, ...], text_of: Callable[[T], str]) -> tuple[T, ...]:
        if self._veil is None:
            return views
        return tuple(view for view in views if not self._veil.mentions(text_of(view)))
