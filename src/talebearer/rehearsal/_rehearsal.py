"""The front of everything that is tried: one content folder, one state of it at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from talebearer._garbage import undisturbed
from talebearer.content import LiveContent
from talebearer.errors import InvalidContent, Problem, Severity
from talebearer.lines import Enums, Pack, Pick
from talebearer.rehearsal._ask import ROWS_MAX, Answer, Filter, ask, picked
from talebearer.rehearsal._campaign import rules_of
from talebearer.rehearsal._cases import AddedCase, PlanCases
from talebearer.rehearsal._content import Loaded, PoolView
from talebearer.rehearsal._lens import Lens, lens
from talebearer.rehearsal._minds import SetupMinds
from talebearer.rehearsal._read import address
from talebearer.rehearsal._roll import Rolls, roll
from talebearer.rehearsal._saved import SavedScenes
from talebearer.rehearsal._search import Search
from talebearer.rehearsal._setup import Setup
from talebearer.rehearsal._start import first_setup
from talebearer.rehearsal._talk import Move, Played

if TYPE_CHECKING:
    from talebearer.campaign import CampaignConfig

_EVERYTHING = Filter()


class Rehearsal:
    """A content folder, tried out by the engine that games ask. Nothing of it is kept in a store.

    It is for one thread; a caller with several takes turns.

    Args:
        content: The content folder.
        cache: A folder in which to remember what was made, as ``talebearer lint`` does.
        config: Circles of gossip and rates of fading for conversations; by default those of the
            campaign that the content belongs to, as its file says when one begins.

    Raises:
        InvalidContent: The content has errors, so there is nothing to try (TB106);
            ``data["problems"]`` has all findings.
    """

    def __init__(
        self, content: Path, *, cache: Path | None = None, config: CampaignConfig | None = None
    ) -> None:
        self._live = LiveContent(content, cache=cache)
        self._config = config
        self._loaded = self._first()
        self._minds = SetupMinds(self._loaded)
        self._search = Search()
        self.saved = SavedScenes(self.root)

    # --- the content -----------------------------------------------------------------------------

    @property
    def root(self) -> Path:
        """The content folder, with links resolved."""
        return self._live.root

    @property
    def loaded(self) -> Loaded:
        """The state that is tried now: pack, findings, places of lines."""
        return self._loaded

    @property
    def pack(self) -> Pack:
        """The pack that is tried now."""
        return self._loaded.pack

    @property
    def words(self) -> Enums:
        """The enumerations of the content."""
        return self._loaded.pack.enums

    @property
    def is_current(self) -> bool:
        """Whether the pack is made of the files as they are; else they have errors, and it is older."""
        return self._loaded.is_current

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Every finding about the files as they are now."""
        return self._loaded.problems

    @property
    def pools(self) -> tuple[PoolView, ...]:
        """All pools, dialogue first, by path."""
        return self._loaded.pools

    def reload(self) -> bool:
        """Take in what was saved since, and return whether anything changed.

        With an error in the files the last good pack stays, and :attr:`is_current` says so; the
        findings are those of the files as they are.
        """
        with undisturbed():
            state = self._live.read()
        before = self._loaded
        if state is before.state:
            return False
        current = state.pack is not None
        pack = state.pack or before.pack
        # What came of the cache is the same once it is read.
        same = current and pack.digest == before.pack.digest and not before.state.digest
        same = same and state.problems == before.problems
        number = before.number + (not same)
        self._loaded = Loaded(state, pack, is_current=current, number=number)
        self._minds = SetupMinds(self._loaded)
        return not same

    def prepare(self) -> None:
        """Read what the cache spared the start, so that the first save is taken in quickly.

        For a caller with time, such as after the first page; nothing looks otherwise afterwards.
        """
        self.reload()

    def _first(self) -> Loaded:
        with undisturbed():
            state = self._live.first()
        if state.pack is None:
            errors = [one for one in state.problems if one.severity is Severity.ERROR]
            more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
            raise InvalidContent(
                f"{errors[0].where}: {errors[0].message}{more}",
                hint=errors[0].hint,
                data={"problems": [one.as_json() for one in state.problems]},
            )
        return Loaded(state, state.pack, is_current=True, number=1)

    # --- setups ----------------------------------------------------------------------------------

    def first_setup(self, pool: str | None = None, *, speaker: str | None = None) -> Setup:
        """Return a setup in which something of a pool is likely to come, to begin from.

        Args:
            pool: The pool path; the first pool by default.
            speaker: Who speaks from it; its own speaker by default.

        Raises:
            UnknownReference: There is no such pool (TB113).
            UsageFault: The content has no pool at all (TB111).
        """
        return first_setup(self.pack, pool, speaker=speaker)

    def read_json(self, value: object) -> Setup:
        """Return the setup that a JSON object says.

        Raises:
            UsageFault: Something in it is wrong; ``data["problems"]`` has everything (TB111).
        """
        return self._loaded.reader.json(value)

    def read_address(self, query: str, *, beside: Iterable[str] = ()) -> Setup:
        """Return the setup that a query string says; names *beside* it are passed over.

        Raises:
            UsageFault: As for :meth:`read_json`.
        """
        return self._loaded.reader.address(query, beside=beside)

    def address(self, setup: Setup) -> str:
        """Return *setup* as a query string, without a question mark."""
        return address(setup)

    def check(self, setup: Setup) -> tuple[Problem, ...]:
        """Return what is wrong with *setup* for the content as it is tried now."""
        return self._loaded.reader.problems(setup)

    def load(self, name: str) -> Setup:
        """Return the scene that was saved as *name*.

        Raises:
            UnknownName: There is none (TB105).
            UsageFault: It does not fit the content any more, or is damaged (TB111).
        """
        return self.saved.load(name, self._loaded.reader)

    def save(self, name: str, setup: Setup) -> Path:
        """Save *setup* as *name*, and return the file.

        Raises:
            UsageFault: *name* is no name, or *setup* is wrong (TB111).
            StoreUnavailable: The file cannot be written (TB210).
        """
        self._checked(setup)
        return self.saved.save(name, setup)

    # --- plans -----------------------------------------------------------------------------------

    def plans(self) -> tuple[str, ...]:
        """Return the plan files of the content, as paths from its root."""
        return self._cases.files()

    def case(self, setup: Setup, name: str) -> str:
        """Return *setup* as the text of a plan case that expects what the engine draws now.

        Raises:
            UsageFault: *setup* or *name* is wrong (TB111).
        """
        self._checked(setup)
        return self._cases.text(setup, name, self._selected(setup))

    def add_case(self, setup: Setup, name: str, *, file: str | None = None) -> AddedCase:
        """Write *setup* as a case into a plan that ``talebearer test`` plays.

        Args:
            setup: What is tried.
            name: The case's name, not yet in that file.
            file: The plan from the root of the content, ``*.plan.yaml``; beside the pool by default.
                What is in it stays as it is, comments too.

        Raises:
            UsageFault: The name is taken, *file* is not below the content or no plan that a case
                can be added to, or *setup* is wrong (TB111).
            StoreUnavailable: The file cannot be written (TB210).
        """
        self._checked(setup)
        return self._cases.add(setup, name, self._selected(setup), file=file)

    @property
    def _cases(self) -> PlanCases:
        return PlanCases(self.root, self._loaded)

    # --- questions -------------------------------------------------------------------------------

    def ask(
        self,
        setup: Setup,
        *,
        first_row: int = 0,
        rows: int = ROWS_MAX,
        shown: Filter = _EVERYTHING,
    ) -> Answer:
        """Return what becomes of every line in *setup*: the funnel, and a window of the lines.

        Args:
            setup: What is asked.
            first_row: The first row of the window, from 0.
            rows: How many rows it has at most, up to 200.
            shown: Which lines are listed, in which order.

        Raises:
            UsageFault: *setup*, the window or the filter is wrong (TB111).
        """
        self._checked(setup)
        selector = self._minds.selector(setup)
        return ask(
            self._loaded,
            selector,
            setup,
            shown=shown,
            first_row=first_row,
            rows=rows,
            search=self._search,
        )

    def roll(
        self, setup: Setup, draws: int = 100, *, remember: bool = True, wait: int = 1
    ) -> Rolls:
        """Draw many times, and return what came beside the exact odds.

        Args:
            setup: What is asked.
            draws: How often, up to 10,000.
            remember: Whether what comes is heard before the next draw, as in play; otherwise each
                draw is the first one over again with another seed.
            wait: The ticks between two draws that are remembered.

        Raises:
            UsageFault: *setup* or a number is wrong (TB111).
        """
        self._checked(setup)
        return roll(self._minds.minds(setup), setup, draws, remember=remember, wait=wait)

    def play(self, setup: Setup, moves: Sequence[Move] = ()) -> Played:
        """Begin a conversation in *setup*, and do *moves*, if any were done before.

        Raises:
            UsageFault: *setup* or a move is wrong (TB111).
            IllegalTransition: Another conversation is in progress, or a move is not allowed (TB101).
            InvalidCampaign: The settings of the campaign have faults (TB107).
        """
        self._checked(setup)
        config = self._config or rules_of(self.root)
        minds = self._minds.minds(setup, decay=config.decay)
        played = Played(setup, self.pack, minds, config)
        for move in moves:
            played.do(move)
        return played

    def lens(self, setup: Setup, *, pool: str, line_id: str, trigger: str | None = None) -> Lens:
        """Return how each player character reads one line in *setup*.

        Raises:
            UnknownReference: There is no such line (TB113).
            UsageFault: *setup* or *trigger* is wrong (TB111).
        """
        self._checked(setup)
        minds = self._minds.minds(setup)
        return lens(self._loaded, minds, setup, pool=pool, line_id=line_id, trigger=trigger)

    def _checked(self, setup: Setup) -> None:
        self._minds.check(setup)

    def _selected(self, setup: Setup) -> Pick | None:
        return picked(self._minds.selector(setup), setup)
