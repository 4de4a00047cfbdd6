"""What talking, thinking and single lines share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from talebearer.campaign._config import CampaignConfig
from talebearer.campaign._keeping import KeepsClock, KeepsMinds
from talebearer.campaign._social import Social
from talebearer.campaign._why import Investigator
from talebearer.campaign.records import Now
from talebearer.campaign.records.ids import WORLD
from talebearer.campaign.views import to_json
from talebearer.errors import UnknownName, UsageFault, did_you_mean
from talebearer.lines import Pack, Pick, Selector
from talebearer.lines.texts import Texts
from talebearer.memory import Mind

GENERAL = "general"
WAIT_TICKS_MAX = 10**12


@dataclass(slots=True)
class Stage:
    """What talking and thinking share: the book, the pack, the seed and the running clock.

    Without a store there is nobody who could say what a line rests on. Without texts of a language lines
    are said as they are written.
    """

    book: KeepsClock
    minds: KeepsMinds
    config: CampaignConfig
    pack: Pack
    seed: int
    investigator: Investigator | None
    social: Social
    selectors: dict[str, tuple[Mind, Mind, Selector]]
    texts: Texts | None = None

    def selector(self, mind: Mind) -> Selector:
        """Return the selector that follows *mind*."""
        world = self.minds.get(WORLD)
        kept = self.selectors.get(mind.mind_id)
        if kept is None or kept[0] is not mind or kept[1] is not world:
            made = Selector(self.pack, mind, seed=self.seed, world=world)
            kept = self.selectors[mind.mind_id] = (mind, world, made)
        return kept[2]

    def said(self, pick: Pick) -> str:
        """Return what is said of *pick*, in the campaign's language where it is translated."""
        return pick.text if self.texts is None else self.texts.said(pick)

    def next_tick(self, mind: str) -> Now:
        """Return the clock one tick on, and never before what the mind knows."""
        now = self.book.now()
        place = self.pack.places_now.get(now.location or "", now.location)
        return Now(tick=max(now.tick, self.minds.get(mind).tick) + 1, location=place)

    def checked(self, kind: str, values: tuple[str, ...]) -> tuple[str, ...]:
        """Return *values* if all are in the enumeration *kind* (``topics``, ``moods``...).

        Raises:
            UsageFault: One is not (TB111); the hint names the nearest.
        """
        allowed: tuple[str, ...] = getattr(self.pack.enums, kind)
        for value in values:
            if value not in allowed:
                hint = did_you_mean(str(value), allowed)
                raise UsageFault(f"{value!r} is not one of the {kind}", hint=hint)
        return values

    def place(self, location: str) -> str:
        """Return *location* if the content knows it.

        Raises:
            UnknownName: No pool and no profile of the content is there (TB105).
        """
        places = known_places(self.pack)
        if location not in places:
            hint = did_you_mean(str(location), places)
            raise UnknownName(f"there is no place {location!r}", hint=hint)
        return location

    def keep(self, mind: str, pick: Pick | None, now: Now, scene: Mapping[str, Any]) -> None:
        """Store a pick's effects, with what it rested on."""
        if pick is None:
            self.book.put_now(now)
            return
        because = {"scene": to_json(scene), "verdict": pick.verdict.as_json()}
        # What all minds share comes after what is the mind's own.
        effects = sorted(pick.effects, key=lambda one: one.mind != mind)
        with self.minds.turn(now):
            for one in effects:
                self.minds.append(one.mind, (one.kind, one.data), now=now, pick=because)


def known_places(pack: Pack) -> set[str]:
    """Return every place that a pool or a profile names."""
    places = {pool.location for pool in pack.dialogue_pools}
    places |= {pool.location for pool in pack.monologue_pools if not pool.general}
    places |= {profile.location for profile in pack.profiles.values() if profile.location}
    return places
