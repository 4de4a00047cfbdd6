"""Who takes part in a fight, and on which side."""

from __future__ import annotations

from collections.abc import Sequence

from talebearer.extraction.rules import _cues as cues
from talebearer.extraction.rules._uses import Use
from talebearer.vocabulary import OccurrenceKind

HELP_WEIGHT = 2
ATTACK_WEIGHT = 2
HURT_WEIGHT = 1
BLOW_WEIGHT = 1


def takes_part(use: Use) -> bool:
    """Whether *use*, in a fight, shows the person in it rather than in somebody's talk."""
    if use.told:
        return not cues.ABSENT.search(use.before[-60:] + " " + use.after[:80])
    return bool(cues.BLOWS.search(use.before[-40:]) or cues.AIMED_AT.search(use.before))


def side_of(uses: Sequence[Use], *, talked: bool) -> OccurrenceKind:
    """Return the side of the person of *uses*, all of one fight.

    Help for the party and blows at others speak for it; blows at the party, and the party's
    blows, against it. Who *talked* with the party before has a little trust in advance.
    """
    score = 1 if talked else -1
    for use in uses:
        around = use.before[-80:] + " " + use.after[:80]
        if cues.ON_OUR_SIDE.search(around) or cues.HEALS.search(around):
            score += HELP_WEIGHT
        if cues.AT_PARTY.search(use.after[:100]):
            score -= ATTACK_WEIGHT
        if not use.told and takes_part(use):
            score -= ATTACK_WEIGHT
        if use.told and cues.SUFFERS.search(use.after[:60]):
            score -= HURT_WEIGHT
        if use.told and cues.BLOWS.search(use.after[:30]):
            score += 0 if cues.SECOND_PERSON.search(use.after[:100]) else BLOW_WEIGHT
    if score > 0:
        return OccurrenceKind.COMBAT_ALLY
    return OccurrenceKind.COMBAT_OPPONENT
