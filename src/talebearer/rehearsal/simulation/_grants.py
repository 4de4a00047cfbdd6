"""What the game adds by itself: facts, terms, states, stories, and the fields of events.

Each is an event that a game may apply, thrown for before each thing that the player does. What is written
is what some gate of the content asks about, so that what a game alone can say is said now and then.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from talebearer.campaign import Now
from talebearer.lines import FieldType, Scope
from talebearer.rehearsal.simulation._dice import Dice
from talebearer.rehearsal.simulation._minds import RehearsedMinds
from talebearer.rehearsal.simulation._player import Player
from talebearer.rehearsal.simulation._setting import Place, Scalar, Setting, Speaker
from talebearer.vocabulary import (
    Confidence,
    EventKind,
    InteractionState,
    RelationshipState,
    SourceKind,
)

WORLD = "world"
_SEEN = {"kind": SourceKind.DIRECT_OBSERVATION.value}
_FOUND = {"kind": SourceKind.BACKGROUND.value}
_CONFIDENCES = tuple(one.value for one in Confidence)
_TERMS = tuple(one.value for one in RelationshipState if one is not RelationshipState.UNKNOWN)
_WRITTEN = {
    "counter": EventKind.COUNTER_ADDED,
    "value": EventKind.VALUE_SET,
    "timer": EventKind.TIMER_STAMPED,
}


class Grants:
    """What the game does in one playthrough.

    Args:
        setting: What gates ask for.
        player: How often.
        minds: Where it goes.
        dice: What decides.

    Attributes:
        remarks: The event fields that lines which are said may refer to, where such lines are written.
        speaks: How likely it is that somebody else is speaking.
    """

    def __init__(self, setting: Setting, player: Player, minds: RehearsedMinds, dice: Dice) -> None:
        self._setting = setting
        self._wanted = setting.wanted
        self._chances = player.game
        self.speaks = player.talk.speaking if setting.classes else 0.0
        self._mind = player.mind
        self._minds = minds
        self._dice = dice
        game = player.game
        odds = (
            game.facts if setting.facts else 0.0,
            game.relationships,
            game.attributes if setting.wanted.attributes else 0.0,
            game.state if setting.wanted.cells else 0.0,
            game.gossip if setting.wanted.gossip else 0.0,
        )
        acts = (Grants._learn, Grants._relate, Grants._see, Grants._write, Grants._tell)
        # Each act, how likely it is, and how likely it or one before it is.
        self._acts = tuple(
            (act, chance, 1 - prod(1 - one for one in odds[: at + 1]))
            for at, (act, chance) in enumerate(zip(acts, odds, strict=True))
        )
        self._any = self._acts[-1][2]
        fields = setting.pack.declared.fields_of(None)
        self.remarks = fields if setting.wanted.remarks else {}

    def give(self, place: Place, now: Now) -> None:
        """Let the game do what it does now and then."""
        thrown = self._dice.share()
        if thrown >= self._any:
            return  # mostly nothing happens, and one throw tells
        found = False
        for act, chance, until in self._acts:
            if self._dice.happens(chance) if found else thrown < until:
                found = True
                act(self, place, now)

    def _learn(self, place: Place, now: Now) -> None:  # noqa: ARG002 - all acts are called alike
        data = {"confidence": self._dice.one(_CONFIDENCES), "source": _FOUND}
        fact = self._dice.one(self._setting.facts)
        self._apply(EventKind.FACT_LEARNED, {"fact_id": fact, **data}, now)

    def _relate(self, place: Place, now: Now) -> None:
        if not place.speakers:
            return
        target = self._dice.one(place.speakers).reference
        met = {"target": target, "confidence": Confidence.DIRECT.value, "source": _SEEN}
        self._apply(EventKind.ENTITY_OBSERVED, met, now)
        data = {"target": target, "state": self._dice.one(_TERMS)}
        self._apply(EventKind.RELATIONSHIP_CHANGED, data, now)

    def event(self, declared: Mapping[str, FieldType]) -> dict[str, Scalar]:
        """Return the fields of something that happened, each there as often as the player has it."""
        given: dict[str, Scalar] = {}
        for name, kind in declared.items():
            values = [one for one in self._wanted.fields[name] if kind.fits(one)]
            if values and self._dice.happens(self._chances.fields):
                given[name] = self._dice.one(values)
        return given

    def remark(self) -> Mapping[str, Scalar]:
        """Return what a line that is said may refer to."""
        return self.event(self.remarks)

    def speaking(self, speaker: Speaker, place: Place) -> tuple[tuple[str, str], ...]:
        """Return what somebody else is saying already."""
        if not self._dice.happens(self.speaks):
            return ()
        others = [one.slug for one in place.speakers if one is not speaker] or [speaker.slug]
        return ((self._dice.one(self._setting.classes), self._dice.one(others)),)

    def _see(self, place: Place, now: Now) -> None:  # noqa: ARG002 - all acts are called alike
        entity, key, value = self._dice.one(self._wanted.attributes)
        data = {
            "target": entity,
            "confidence": Confidence.DIRECT.value,
            "source": _SEEN,
            "attributes": {key: value},
        }
        self._apply(EventKind.ENTITY_OBSERVED, data, now)

    def _write(self, place: Place, now: Now) -> None:
        what, name, scope, to = self._dice.one(self._wanted.cells)
        data: dict[str, Any] = {what: name}
        if what == "counter":
            data["by"] = to
        elif what == "value":
            data["to"] = to
        if scope is Scope.LINE or (scope.of_speaker and not place.speakers):
            return  # a line's own is the line's to write
        if scope.of_speaker:
            data["character"] = self._dice.one(place.speakers).slug
        mind = WORLD if scope.shared else self._mind
        self._minds.append(mind, (_WRITTEN[what], data), now=now)

    def _tell(self, place: Place, now: Now) -> None:
        if not place.speakers:
            return
        about, state, target = self._dice.one(self._wanted.gossip)
        teller = self._dice.one(place.speakers)
        if teller.reference in (about, target):
            return
        data: dict[str, Any] = {
            "about": about,
            "mind": teller.reference,
            "fact_id": f"interaction.{about.rpartition(':')[2]}_001",
            "teller": teller.reference,
            "confidence": Confidence.KNOWS_OF.value,
        }
        if state == InteractionState.CONFRONTATION:
            data["interaction_state"] = InteractionState.CONFLICT_ABANDONED.value
            data["confrontation"] = True
        elif state is not None and not InteractionState(state).in_progress:
            data["interaction_state"] = state
        if target is not None:
            data["target"] = target
        self._apply(EventKind.GOSSIP_HEARD, data, now)

    def _apply(self, kind: EventKind, data: Mapping[str, Any], now: Now) -> None:
        self._minds.append(self._mind, (kind, data), now=now)
