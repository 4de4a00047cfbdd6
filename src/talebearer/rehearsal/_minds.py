"""The minds of setups, made once for each past and kept while only the scene changes."""

from __future__ import annotations

from collections import OrderedDict

from talebearer.campaign.plans import MadeUpMinds, Ungivable
from talebearer.lines import Selector
from talebearer.memory import DecayPolicy, decay_due
from talebearer.rehearsal._content import Loaded
from talebearer.rehearsal._read import fault, refused
from talebearer.rehearsal._setup import Setup

KEPT = 8
"""How many pasts are kept with their minds."""


class SetupMinds:
    """Makes minds and selectors for the setups of one state of the content."""

    def __init__(self, loaded: Loaded) -> None:
        self._loaded = loaded
        self._kept: OrderedDict[bytes, tuple[MadeUpMinds, Selector]] = OrderedDict()

    def check(self, setup: Setup) -> None:
        """Refuse *setup* if it does not fit the content.

        Raises:
            UsageFault: It does not; ``data["problems"]`` has everything (TB111).
        """
        problems = self._loaded.reader.problems(setup)
        if problems:
            raise refused(list(problems))

    def minds(self, setup: Setup, *, decay: DecayPolicy | None = None) -> MadeUpMinds:
        """Return new minds that know what *setup* gives them.

        Args:
            setup: What they are given.
            decay: How fast memory fades, from tick 0 on as in a campaign that has run since then.

        Raises:
            UsageFault: What is given cannot have happened (TB111).
        """
        loaded = self._loaded
        minds = MadeUpMinds(loaded.pack, loaded.lines, setup.mind)
        start = None if decay is None else decay_due(minds.get(setup.mind), decay, tick=0)
        if start is not None:
            minds.apply(start, 0)
        try:
            minds.give(setup.given, tick=0)
        except Ungivable as stopped:
            kind, at = stopped.path
            told = fault(f"$.given.{kind}[{at}]", stopped.error.message, stopped.error.hint)
            raise refused([told]) from None
        return minds

    def selector(self, setup: Setup) -> Selector:
        """Return a selector on minds that know what *setup* gives them; nobody may change these."""
        key = setup.past
        kept = self._kept.get(key)
        if kept is None:
            minds = self.minds(setup)
            kept = self._kept[key] = (minds, minds.selector(setup.seed))
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        kept[1].reseed(setup.seed)
        return kept[1]
