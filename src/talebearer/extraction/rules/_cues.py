"""What a unit shows, in general English: recap, fight, speech, address, presence, blows.

Every pattern is linear: no nested repeats, bounded gaps.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from talebearer.extraction.rules._reading import ReadUnit

FIGHT = re.compile(
    r"\b(?:initiative|damage|points? of healing|roll it|that hits|hits|misses|to hit\b|"
    r"does (?:that|a \d+|it) hit|saving throws?|make a (?:\w+ )?save|opposed roll|"
    r"attacks? of opportunity|opportunity attack|(?:your|my|his|her|its|\w+'s|\w+s') turn|bonus action|"
    r"(?:my|your|full|use the|of) movement|as (?:my|your) action|in melee|spell attack|reaction|"
    r"hit points|armou?r class|multi-?attack|legendary (?:action|resistance)|attack rolls?|"
    r"natural (?:20|twenty|one|1)|top of the round|up next|sneak attack|"
    r"how do you want to do this)\b"
)
FIGHT_STRONG = re.compile(
    r"\b(?:initiative|damage|that hits|to hit|turn|hit points|multi-?attack|attack rolls?)\b"
)
FIGHT_REACH_UNITS = 10
FIGHT_WEIGHT_MIN = 6
FIGHT_GAP_UNITS = 40
FIGHT_TAIL_UNITS = 2
FIGHT_STARTS = re.compile(r"\broll(?:ing)? (?:\w+ )?initiative\b|\binitiative rolls?\b")
FIGHT_ENDS = re.compile(
    r"\b(?:out of|end of|end) (?:initiative|combat)\b|\b(?:combat|fight|battle) (?:is|'s) over\b"
)

SAID = re.compile(
    r"\b(?:says?|said|asks?|replies|answers|whispers?|mutters?|murmurs|shouts?|yells?|calls out|"
    r"responds|goes,|speaks?|tells?|explains|adds|exclaims|growls|barks|snaps|greets|introduces|"
    r"agrees|offers|begins|continues|laughs|chuckles|thanks)\b"
)
OWN_VOICE = re.compile(r"(?:^|[^\w'])(?:i|i'm|i'll|i've|i'd|my|me|we|we're|our|us|mine)(?![\w'])")
TABLE_VOICE = re.compile(
    r"\b(?:roll|rolls|check|initiative|damage|perception|insight|dc|saving|modifier|advantage|"
    r"action|turn|dice|d20|i'll say|i'd say|i'll allow|let me|i need you|i'm going to need|"
    r"give me|rules|minis?|map|guys)\b"
)
TALKS_TO = re.compile(
    r"\b(?:i|we|i'm|i'll|i'd|and|to)\b.{0,30}\b(?:ask|tell|say|talk|speak|turn|whisper|walk|go|"
    r"approach|look|hug|thank|hand|show|give|greet|nod|wave|shout|yell|introduce|offer|pay)\b"
)
ATTEMPTS = re.compile(r"\b(?:shots?|attacks?|strikes?|swings?|cast|casts|spell|blade|bolt)\b")
TALKS_TO_LATE = re.compile(r"\b(?:ask|tell|say|talk|speak|turn|whisper|look|shout|yell|nod)\b")
SECOND_PERSON = re.compile(r"\b(?:you|your|you're|you've|you'll|yours)\b")

BLOW = (
    r"(?:attacks?|attacking|hits?|shoots?|stabs?|strikes?|slash(?:es)?|swings?|smites?|lunges?|"
    r"fires?|charges?|bites?|claws?|punch(?:es)?|kicks?|stuns?|grapples?|kills?|hex(?:es)?|"
    r"casts?|throws?|blasts?|breathes|slams?|rushes|leaps?|drives|cuts?|fights?|engages?)"
)
BLOWS = re.compile(rf"\b{BLOW}\b")
BLOW_TOLD = (
    r"attacks|attacking|hits|shoots|stabs|strikes|slashes|swings|smites|lunges|fires|charges|bites|"
    r"claws|punches|kicks|stuns|grapples|kills|casts|throws|blasts|breathes|slams|rushes|leaps|cuts|"
    r"fights|engages|(?:to|gonna|will|and) (?:attack|hit|shoot|stab|strike|slash|swing|lunge|fire|"
    r"charge|bite|claw|punch|kick|cast|throw|blast|breathe|slam|rush|leap|cut|fight|"
    r"reach|release|unleash)|lash(?:es)? out|unleash(?:es)?|"
    r"(?:takes?|makes?|taking|making) (?:\w+ ){0,2}(?:shots?|attacks?|strikes?|swings?)"
)
PARTY_SUFFERS = re.compile(
    r"\b(?:you (?:both )?(?:take|suffer)|damage to (?:you|each|both|all)|does (?:that|it|a \w+) hit|"
    r"to hit you|what(?:'s| is) your (?:ac|armor|armour)|hits? your (?:ac|armor)|"
    r"you(?:'re| are) (?:grappled|restrained|knocked|pulled|pinned|stunned|frightened)|"
    r"(?:i need|need) (?:you|all of you|everyone)\b)"
)
YOUR_BLOW = re.compile(
    rf"\byou(?:r)? (?:[\w']+ ){{0,6}}{BLOW}\b[^.]{{0,30}}$"
    r"|\byour (?:[\w'-]+ ){0,2}(?:arrows?|blades?|bolts?|axe|sword|dagger|hammer|spell|fist|shot)\b"
)
CHEER = re.compile(r"\b(?:get (?:him|her|them|it|'em)|go,? |come on|yes,? |nice|good job|thanks?)")
SUFFERS = re.compile(
    r"\b(?:takes? (?:\w+ ){0,3}damage|takes? (?:the )?(?:full|half|\d+)|saves?|fails|falls|drops|"
    r"dies|dead|bleeding|bloodied|wounded|staggers|reels|collapses|dodges|looks? (?:hurt|rough)|"
    r"hurt|stunned|paralyzed|prone|grappled|unconscious|resist)\b"
)
SHOT_AT = re.compile(r"\b(?:at|on|against|hit|hits|into|onto)\s+(?:the\s+)?$")
AIMED_AT = re.compile(r"\b(?:at|on|for|against|to|hit|hits|into|onto|behind)\s+(?:the\s+)?$")
NEWCOMER = re.compile(
    r"\b(?:man|woman|person|boy|girl|voice|figure|someone|somebody|elf|dwarf|gnome|halfling|human|"
    r"orc|goblin|creature|guard|lady|gentleman|fellow|individual|child|soldier|one)\b"
)
AT_PARTY = re.compile(r"\b(?:at|on|against|towards?|into|hits?|strikes?|attacks?|bites?) you\b")
ON_OUR_SIDE = re.compile(
    r"\b(?:with you|beside you|at your side|by your side|help(?:s|ing)? you|protect(?:s|ing)?|"
    r"defend(?:s|ing)?|our side|your side|joins? (?:you|the fight|in)|covers? you|alongside|"
    r"on your (?:left|right|flank)|back to back|behind you|your all(?:y|ies)|friendly|guards? you|"
    r"shields? you|fights? for you|between you and)\b"
)
HEALS = re.compile(r"\b(?:heals?|healing|cure|cures|revive|revives|stabilize|stabilise|potion)\b")

PRESENT = re.compile(
    r"\b(?:is (?:here|there|standing|sitting|still|now|already|waiting|asleep|lying|leaning)|"
    r"stands?|sits?|waits?|walks?|steps?|enters?|arrives?|comes?|follows?|leads?|nods?|looks?|"
    r"glances?|turns?|smiles?|grins?|watch(?:es)?|leans?|appears?|emerges?|approaches|waves?|"
    r"leaves|rushes|kneels?|bows?|stares?|shrugs?|sighs?|listens?|points?|hands?|takes|goes|runs|"
    r"pulls|holds|lies|sleeps|steadies|moves|reaches|lifts|picks|puts|gives|grabs|opens|closes|"
    r"slides|shakes|keeps|polishes|carries|hovers|lands|rises|shifts|holds)\b"
)
POINTED_AT = re.compile(
    r"\b(?:that is|that's|there is|there's|this is|is)\s+$"
    r"|\byou (?:\w+ ){0,4}(?:see|find|notice|spot)\b[^.?!]{0,60}$"
)
REPORTED = re.compile(r"^ (?:had|has|already) (?:\w+ )?(?:said|told|mentioned|asked)\b")
ASKS_NAME = re.compile(
    r"\b(?:name|who(?:'re| are| is) (?:you|this|that|he|she)|(?:call|calls) you)\b"
)
HANDLED = re.compile(
    r"\b(?:drag(?:s|ged|ging)?|loot(?:s|ed|ing)?|bur(?:y|ies|ied|ying)|cremat(?:e|es|ed|ing)|"
    r"embalm(?:s|ed|ing)?|rummag(?:e|es|ed|ing) through|dissect(?:s|ed|ing)?)\s+(?:the )?$"
)
"""What is done with somebody's body, or with somebody who cannot resist."""
REMOTE = re.compile(
    r"\b(?:(?:your|the) vision (?:mov|shift|fad|clear|rush|zoom|pull|end)\w*|"
    r"scry(?:ing)?|scried|clairvoyance|in (?:the|your) vision|crystal ball)\b"
)
REMAINS = re.compile(
    r"\b(?:corpse|dead body|lifeless|remains of|body of)\b"
    r"|(?:'s|s'|(?<!\w)') (?:dead |lifeless )?(?:body|remains|corpse|skull|ashes)\b"
)
ABSENT = re.compile(
    r"\b(?:you (?:remember|recall|know|knew|heard|think|believe)|had been|used to|would have|"
    r"long ago|years ago|had (?:said|told|mentioned|asked)|"
    r"if you|when you (?:first|last)|once said|told you|is not here|isn't here|"
    r"nowhere to be|is gone|was gone|no sign of)\b"
)


def remote_units(units: Sequence[ReadUnit], *, reach: int) -> frozenset[int]:
    """Return the units at most *reach* after somebody is looked at from afar."""
    marked: set[int] = set()
    for unit in units:
        if REMOTE.search(unit.low):
            marked.update(range(unit.unit_id, unit.unit_id + reach + 1))
    return frozenset(marked)


def fight_units(units: Sequence[ReadUnit]) -> dict[int, int]:
    """Return the units of fights, each with the number of its fight, from 0.

    A unit is in a fight if the units around it speak enough of turns, rolls and damage. What
    comes before the call for initiative, or after its end is declared, is not.
    """
    weights = [_fight_weight(unit) for unit in units]
    sums = [0]
    for weight in weights:
        sums.append(sums[-1] + weight)
    numbered: dict[int, int] = {}
    number, last, declared = 0, -FIGHT_GAP_UNITS, False
    for at, unit in enumerate(units):
        low, high = max(0, at - FIGHT_REACH_UNITS), min(len(units), at + FIGHT_REACH_UNITS + 1)
        if unit.told and FIGHT_STARTS.search(unit.low):
            number, declared = number + 1, True
        elif not (
            sums[high] - sums[low] >= _weight_asked(high - low)
            or (declared and weights[at] and at - last <= 2 * FIGHT_REACH_UNITS)
        ):
            continue
        elif at - last > FIGHT_GAP_UNITS:
            number, declared = number + 1, False
        numbered[unit.unit_id] = number
        last = at
    return _trimmed(units, numbered, weights)


def _weight_asked(window_units: int) -> float:
    """Return the weight that makes a fight of so many units; less at either end of a session."""
    share = window_units / (2 * FIGHT_REACH_UNITS + 1)
    return max(FIGHT_WEIGHT_MIN / 2, FIGHT_WEIGHT_MIN * share)


def _trimmed(
    units: Sequence[ReadUnit], numbered: dict[int, int], weights: Sequence[int]
) -> dict[int, int]:
    """Cut each fight at its declared start and end, and soon after its last blow; fill its gaps."""
    spans: dict[int, list[int]] = {}
    for unit_id, number in numbered.items():
        spans.setdefault(number, []).append(unit_id)
    kept: dict[int, int] = {}
    for number, ids in spans.items():
        first, last = ids[0], ids[-1]
        called_next = last < len(units) and FIGHT_STARTS.search(units[last].low) is not None
        if called_next and len(ids) <= FIGHT_REACH_UNITS:
            # Only the units before the call for initiative; the fight has its own number.
            continue
        told = [unit for unit in units[first - 1 : last] if unit.told]
        ends = [unit.unit_id for unit in told if FIGHT_ENDS.search(unit.low)]
        struck = max((at for at in ids if weights[at - 1]), default=last)
        last = min(ends) if ends else min(last, struck + FIGHT_TAIL_UNITS)
        kept.update(dict.fromkeys(range(first, last + 1), number))
    return kept


def _fight_weight(unit: ReadUnit) -> int:
    found = len(FIGHT.findall(unit.low[:2_000]))
    if unit.told and FIGHT_STARTS.search(unit.low[:2_000]):
        return FIGHT_WEIGHT_MIN
    return min(2, found) + (1 if found and FIGHT_STRONG.search(unit.low[:2_000]) else 0)


def voiced(unit: ReadUnit) -> bool:
    """Whether a game master speaks in somebody's voice in it, with quotation marks."""
    return unit.told and any(end - start >= 2 for start, end in unit.quotes)


def voiced_bare(unit: ReadUnit) -> bool:
    """Whether a game master seems to speak in somebody's voice without quotation marks."""
    if not unit.told or unit.quotes or len(unit.low) > 1_000:
        return False
    return OWN_VOICE.search(unit.low) is not None and TABLE_VOICE.search(unit.low) is None
