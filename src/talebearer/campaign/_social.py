"""What conversations do to the minds of others: the other side, consequences, gossip, fading.

The rules are memory's; here is when they are asked. A character has a mind when the content has a
profile for it. Everything that follows from one event is kept with it, or nothing is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial

from talebearer.campaign._config import CampaignConfig
from talebearer.campaign._keeping import KeepsMinds
from talebearer.campaign.records import Draft, Now
from talebearer.lines import Pack
from talebearer.memory import (
    Applied,
    Consequences,
    Event,
    EventDraft,
    Mind,
    Tolerance,
    consequences,
    decay_due,
    mirrored_data,
    spread_gossip,
    tolerance_of,
)
from talebearer.vocabulary import EventKind

ENDINGS = (
    EventKind.INTERACTION_COMPLETED,
    EventKind.INTERACTION_WALKED_AWAY,
    EventKind.INTERACTION_CONFLICT_ABANDONED,
)


class Social:
    """The society of one campaign: who has a mind, who meets whom, who puts up with what.

    Args:
        minds: The minds.
        pack: The content; its profiles say who has a mind, where, and how patient.
        config: Circles of gossip and rates of fading.
        seed: The seed that tolerances are drawn from.
    """

    def __init__(self, minds: KeepsMinds, pack: Pack, config: CampaignConfig, seed: int) -> None:
        self.minds = minds
        self.pack = pack
        self.config = config
        self.seed = seed
        self._tolerances: dict[str, Tolerance] = {}
        self._meetings: list[tuple[str, ...]] | None = None
        self._company: dict[str, tuple[list[tuple[str, ...]], list[str]]] = {}

    def happen(
        self, mind: str, draft: Draft, *, now: Now
    ) -> tuple[Event, Applied, Consequences | None]:
        """Let one interaction event of *mind* happen, with all that follows from it.

        Returns:
            The event, what it changed, and the consequences (for an end).

        Raises:
            IllegalTransition: The interaction does not allow it, or the character is busy with
                somebody else; nothing has changed (TB101).
        """
        kind, data = draft
        result: Consequences | None = None
        with self.minds.turn(now):
            whom = data.get("participants") or (data["target"],)
            for other in whom:
                if self._takes_part(other, kind, mind):
                    others = [one for one in whom if one != other] if len(whom) > 1 else ()
                    seen = (mind, *others)
                    theirs = mirrored_data(kind, data, seen)
                    self.minds.append(other, (kind, theirs), now=now)
            event, applied = self.minds.append(mind, draft, now=now)
            if kind in ENDINGS:
                result = self._consequences(mind, event, now)
                self._gossip(data["target"], now)
        return event, applied, result

    def tolerance(self, slug: str) -> Tolerance:
        """Return how patient a character is in this playthrough."""
        found = self._tolerances.get(slug)
        if found is None:
            profile = self.pack.profiles.get(slug)
            # Another name makes nobody more patient: it is drawn by the first one.
            first = self.pack.first_slug(slug)
            found = tolerance_of(first, profile.tolerance if profile else {}, seed=self.seed)
            self._tolerances[slug] = found = found if first == slug else replace(found, slug=slug)
        return found

    def fade(self, mind: str, now: Now) -> None:
        """Let *mind* forget what is due by now, if the campaign sets rates."""
        if self.config.decay is None:
            return
        draft = decay_due(self.minds.get(mind), self.config.decay, tick=now.tick)
        if draft is not None:
            with self.minds.turn(now):
                self._append(draft, now)

    def _takes_part(self, other: str, kind: EventKind, mind: str) -> bool:
        """Whether the other side has a mind, and is in the conversation that the event is about."""
        if not self._has_mind(other):
            return False
        if kind is EventKind.INTERACTION_STARTED:
            return True
        # A conversation that began before the character had a mind is none of its memories.
        active = self.minds.get(other).graph.active_interaction()
        return active is not None and active.target_entity == mind

    def _has_mind(self, mind: str) -> bool:
        return mind.removeprefix("npc:") in self.pack.profiles

    def _append(self, draft: EventDraft, now: Now) -> None:
        self.minds.append(draft.mind, (draft.kind, draft.data), now=now)

    def _consequences(self, mind: str, event: Event, now: Now) -> Consequences:
        target = str(event.data["target"])
        other = self.minds.get(target) if self._has_mind(target) else None
        result = consequences(
            self.minds.get(mind),
            partial(self.tolerance, target.removeprefix("npc:")),
            event,
            stress=other.stress if other else 0,
        )
        for draft in result.drafts:
            if draft.mind == mind or self._has_mind(draft.mind):
                self._append(draft, now)
        return result

    def _gossip(self, target: str, now: Now) -> None:
        """Let those meet who are together with *target*: its place's, and its circles'."""
        meetings, present = self._company_of(target)
        if not meetings:
            return
        minds: Mapping[str, Mind] = {mind: self.minds.get(mind) for mind in present}
        for draft in spread_gossip(minds, meetings, tick=now.tick):
            self._append(draft, now)

    def _company_of(self, target: str) -> tuple[list[tuple[str, ...]], list[str]]:
        """Return the meetings that *target* is in, and everybody in them."""
        found = self._company.get(target)
        if found is None:
            if self._meetings is None:
                self._meetings = self.meetings()
            meetings = [group for group in self._meetings if target in group]
            present = sorted({mind for group in meetings for mind in group})
            found = self._company[target] = (meetings, present)
        return found

    def meetings(self) -> list[tuple[str, ...]]:
        """Return who meets: the profiled of one place, and each circle of campaign.toml."""
        places: dict[str, list[str]] = {}
        for slug, profile in self.pack.profiles.items():
            if profile.location is not None:
                places.setdefault(profile.location, []).append(slug)
        now = self.pack.slugs_now
        circles = ([now.get(slug, slug) for slug in circle] for circle in self.config.circles)
        groups: Iterable[Iterable[str]] = [*places.values(), *circles]
        named = [
            tuple(f"npc:{slug}" for slug in sorted(set(group)) if slug in self.pack.profiles)
            for group in groups
        ]
        return [group for group in named if len(group) > 1]
