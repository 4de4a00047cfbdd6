"""Who takes part in a fight, and on which side, until the side changes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from talebearer.extraction.rules import _cues as cues
from talebearer.extraction.rules._turns import Turn, is_turn_call
from talebearer.extraction.rules._uses import Use
from talebearer.vocabulary import OccurrenceKind

HELP_WEIGHT = 2.0
ATTACK_WEIGHT = 2.0
HURT_WEIGHT = 0.5
YOUR_BLOW_WEIGHT = 1.0
BLOW_WEIGHT = 1.0
CHEER_WEIGHT = 1.0
CONTROL_WEIGHT = 3.0
KNOWN_SIDE_WEIGHT_MIN = 2.0
CHANGE_WEIGHT_MIN = 3.0
TARGET_CHARS_MAX = 110

CONTROLLED = re.compile(
    r"\b(?:dominat\w+|under (?:your|our|my) (?:control|command|sway)|summon(?:s|ed)? by you|"
    r"(?:does|do) (?:as|what) you (?:say|command|ask)|(?:obeys?|follows?) (?:you|your)|"
    r"on (?:our|your) side now|switch(?:es|ed)? sides)\b"
)
FREED = re.compile(
    r"\b(?:turns? on (?:you|us)|betray(?:s|ed|al)?|breaks? (?:free|the (?:charm|control|spell))|"
    r"no longer (?:under|charmed|dominated|friendly))\b"
)
ACTS = re.compile(rf"^[^.?!]{{0,40}}?\b(?:{cues.BLOW_TOLD})\b")
BLOW_BETWEEN = re.compile(rf"\b(?:{cues.BLOW_TOLD}|casts?|damage)\b")
HURT_BEFORE = re.compile(
    r"\b(?:damage (?:to|against|on)|saving throw (?:from|for|by)|(?:points?|\d+) to|push|pushes)"
    r"\s+(?:the )?$"
)


class Shown(NamedTuple):
    """What one unit shows about somebody's side.

    Attributes:
        unit_id: The unit.
        weight: Above zero for the party's side, below against it.
    """

    unit_id: int
    weight: float


class Stretch(NamedTuple):
    """A part of a fight in which somebody keeps one side.

    Attributes:
        kind: The side.
        first: Unit id from which it holds.
        last: Unit id up to which it holds.
    """

    kind: OccurrenceKind
    first: int
    last: int


def takes_part(use: Use) -> bool:
    """Whether *use*, in a fight, shows the person in it rather than in talk or a turn order."""
    if is_turn_call(use):
        return False
    if use.told:
        return not cues.ABSENT.search(use.before[-60:] + " " + use.after[:80])
    return struck_by_player(use)


def struck_by_player(use: Use) -> bool:
    """Whether a player says to strike the person."""
    if cues.TALKS_TO_LATE.search(use.before[-30:]):
        return False
    return bool(cues.BLOWS.search(use.before[-40:]) or cues.SHOT_AT.search(use.before))


def evidence(uses: Iterable[Use], turns: Iterable[Turn], party: re.Pattern[str]) -> list[Shown]:
    """Return what *uses* and *turns*, all of one person and fight, show, in order."""
    shown = [Shown(use.unit_id, weight_of(use, party)) for use in uses]
    shown += [Shown(turn.unit_id, turn_weight(turn, party)) for turn in turns]
    return sorted(shown, key=lambda one: one.unit_id)


def against_known(
    uses: Mapping[str, Sequence[Use]],
    turns: Iterable[Turn],
    shown: Mapping[str, Sequence[Shown]],
) -> dict[str, list[Shown]]:
    """Return what blows between people add, where the side of one of the two is known.

    Args:
        uses: Of one fight, by name.
        turns: Of the same fight.
        shown: What is known of each name without it.
    """
    known = {name: sum(one.weight for one in own) for name, own in shown.items()}
    sure = {name: total for name, total in known.items() if abs(total) >= KNOWN_SIDE_WEIGHT_MIN}
    added: dict[str, list[Shown]] = {name: [] for name in uses}
    for unit_id, attacker, target in sorted({*_blows(uses), *_turn_blows(turns)}):
        for one, other in ((attacker, target), (target, attacker)):
            if other in sure and one in added:
                weight = ATTACK_WEIGHT if sure[other] < 0 else -ATTACK_WEIGHT
                added[one].append(Shown(unit_id, weight))
    return added


def _turn_blows(turns: Iterable[Turn]) -> list[tuple[int, str, str]]:
    return [
        (turn.unit_id, turn.name, target)
        for turn in turns
        for target in turn.targets
        if cues.BLOWS.search(turn.text) or cues.ATTEMPTS.search(turn.text)
    ]


def _blows(uses: Mapping[str, Sequence[Use]]) -> list[tuple[int, str, str]]:
    """Return who strikes at whom: two names in one told sentence with a blow between them."""
    told = sorted(
        (use.unit_id, use.start, use.name, use)
        for own in uses.values()
        for use in own
        if use.told and not use.quoted
    )
    pairs = []
    for (unit_id, start, name, use), (next_id, next_start, other, _) in pairwise(told):
        near = unit_id == next_id and next_start - start <= TARGET_CHARS_MAX
        between = use.after[: max(0, next_start - start)]
        whole = near and name != other and not use.owned and ". " not in between
        if whole and BLOW_BETWEEN.search(between):
            pairs.append((unit_id, name, other))
    return pairs


def sides(shown: Sequence[Shown], *, trust: float) -> list[Stretch]:
    """Return the sides that somebody takes in a fight, one after the other.

    Help for the party and blows at its enemies speak for it; blows at the party, and the
    party's blows, against it. A side changes where what is shown before and what is shown after
    weigh clearly for different ones.

    Args:
        shown: In the order of the transcript; at least one.
        trust: What is known from before the fight; it decides where little is shown.

    Source: the roadmap, "Occurrence Boundaries And Ordering" (alignment changes split a record).
    """
    weights = [one.weight for one in shown]
    first, last = shown[0].unit_id, shown[-1].unit_id
    cut = _change(shown)
    if cut is None:
        return [Stretch(_side(sum(weights) + trust), first, last)]
    return [
        Stretch(_side(sum(weights[:cut])), first, shown[cut - 1].unit_id),
        Stretch(_side(sum(weights[cut:])), shown[cut].unit_id, last),
    ]


def _side(weight: float) -> OccurrenceKind:
    return OccurrenceKind.COMBAT_ALLY if weight > 0 else OccurrenceKind.COMBAT_OPPONENT


def _change(shown: Sequence[Shown]) -> int | None:
    """Return the index from which the side is another, or None."""
    sums = list(accumulate(one.weight for one in shown))
    best: tuple[float, int] | None = None
    for cut in range(1, len(shown)):
        if shown[cut].unit_id == shown[cut - 1].unit_id:
            continue
        before, after = sums[cut - 1], sums[-1] - sums[cut - 1]
        clear = min(abs(before), abs(after)) >= CHANGE_WEIGHT_MIN and before * after < 0
        if clear and (best is None or abs(before - after) > best[0]):
            best = (abs(before - after), cut)
    return best[1] if best is not None else None


def weight_of(use: Use, party: re.Pattern[str]) -> float:
    """Return how much *use* speaks for the party's side; below zero, against it."""
    if is_turn_call(use) or use.quoted:
        return 0.0
    around = use.before[-80:] + " " + use.after[:80]
    weight = 0.0
    helps = cues.ON_OUR_SIDE.search(around) or cues.HEALS.search(around)
    if helps and not use.owned:
        weight += HELP_WEIGHT
    if CONTROLLED.search(around):
        weight += CONTROL_WEIGHT
    if FREED.search(around):
        weight -= CONTROL_WEIGHT
    if helps and use.told:
        return weight
    return weight + (_told_weight(use, party) if use.told else _played_weight(use))


def _told_weight(use: Use, party: re.Pattern[str]) -> float:
    weight = 0.0
    if cues.YOUR_BLOW.search(use.before[-80:]):
        weight -= YOUR_BLOW_WEIGHT
    if use.owned:
        return weight
    after = use.after[:TARGET_CHARS_MAX]
    if cues.AT_PARTY.search(after):
        weight -= ATTACK_WEIGHT
    elif ACTS.search(after):
        at_us = cues.SECOND_PERSON.search(after) or party.search(after)
        weight += -BLOW_WEIGHT if at_us else BLOW_WEIGHT / 2
    if cues.SUFFERS.search(after[:60]) or HURT_BEFORE.search(use.before):
        weight -= HURT_WEIGHT
    return weight


def _played_weight(use: Use) -> float:
    if struck_by_player(use):
        return -ATTACK_WEIGHT
    if use.called or cues.CHEER.search(use.before[-20:] + use.after[:20]):
        return CHEER_WEIGHT / 2
    return 0.0


def acts(turn: Turn, party: re.Pattern[str]) -> bool:
    """Whether *turn* shows more than that it is somebody's turn."""
    return bool(turn.targets) or turn_weight(turn, party) != 0


def turn_weight(turn: Turn, party: re.Pattern[str]) -> float:
    """Return what is told in somebody's own turn: blows at the party, or no more than a move."""
    hits = len(cues.AT_PARTY.findall(turn.text)) + len(cues.PARTY_SUFFERS.findall(turn.text))
    if turn.targets and not cues.AT_PARTY.search(turn.text):
        return 0.0
    if not hits and cues.BLOWS.search(turn.text) and cues.SECOND_PERSON.search(turn.text):
        hits = 1
    if not hits and any(_aimed(turn.text, match.start()) for match in party.finditer(turn.text)):
        hits = 1
    return -min(2, hits) * ATTACK_WEIGHT


def _aimed(text: str, at: int) -> bool:
    return cues.AIMED_AT.search(text[max(0, at - 12) : at]) is not None
