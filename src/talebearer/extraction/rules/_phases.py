"""What a stretch of a session is: a recap, an aside of the people at the table, or play.

A recap tells what happened before and ends with the first exchange in character; an aside is
about the show, the stream or the shop. In both, whoever is named is only spoken of.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from itertools import accumulate

from talebearer.extraction.rules._reading import ReadUnit

RECAP = re.compile(
    r"\b(?:we (?:last )?left off|you (?:last )?left off|when (?:last )?we left|when we last|"
    r"last we (?:left|saw|met|joined)|to recap|(?:quick|brief|little) recap|recap of|"
    r"story so far|catch (?:you|everyone|everybody|us) up|bring(?:ing)? (?:you|everyone|us) up to|"
    r"back ?story (?:of|so far)|"
    r"remind us what|what happened (?:last|in the last))\b"
)
"""What only introduces a recap."""
RECAP_OPENING = re.compile(
    r"(?:^|[.!?,:;—-] |\b(?:so|and|now|okay|alright) )"
    r"(?:last (?:time|week|session|episode|game|month)|previously[, ]+(?:on|in|you|we|our|the))\b"
)
"""What introduces a recap before play, and often only a memory in it."""
RECAP_ENDS = re.compile(
    r"\b(?:picks? (?:it |things |back )?up|picking (?:it |things |back )?up|"
    r"what would you like to do|what do you (?:want to )?do|what are you (?:all |guys )?doing|"
    r"where we (?:left off|begin|start)|caught up)\b"
)
RECAP_UNITS_MAX = 16
RECAP_CHARS_MIN = 40
PLAY_REACH_UNITS = 120
PLAY_UNITS_MIN = 3
ANSWER_UNITS = 2

SAYS = re.compile(
    r"\b(?:says|asks|replies|answers|whispers|mutters|murmurs|shouts|yells|calls|responds|"
    r"exclaims|growls|barks|snaps|greets|goes,|nods|grins|smiles|looks (?:up|at|to|over))"
)
PLAY_TOLD = re.compile(
    r"\b(?:what do you do|you (?:all |guys |both |now )?(?:can )?(?:see|hear|notice|smell|spot)|"
    r"as you (?:approach|enter|walk|step|come|look|open|turn|make)|in front of you|"
    r"make an? (?:\w+ ){1,2}(?:check|save|saving throw)|roll (?:for|a|an|me|your|perception|"
    r"insight|stealth|initiative)|(?:now|today|this morning)[, ]+(?:you|as you))\b"
)
PLAY_PLAYED = re.compile(
    r"^(?:\W*(?:and|so|okay|well|then|no|yes|yeah),? )*"
    r"(?:i|we)(?:'m going to|'ll|'d like to| want to| will| would like to| try to)? "
    r"(?:say|ask|tell|whisper|walk|go|step|look|roll|cast|attack|shoot|take|grab|pull|put|open|"
    r"follow|turn|run|move|sit|stand|nod|wave|hand|give|show|knock|sneak|hide|search|check)\b"
)

ASIDE = re.compile(
    r"\b(?:giveaways?|winners?|winning|sponsors?|sponsored|merch|merchandise|t-?shirts?|shirts?|"
    r"hoodies?|posters?|pre-?orders?|kickstarter|patreon|twitch|youtube|streams?|streaming|"
    r"livestream|chat(?: ?room)?|episodes?|subscribe|subscribers?|subs|website|web page|links?|"
    r"hashtag|twitter|tweets?|facebook|instagram|tumblr|reddit|discord|conventions?|panels?|"
    r"tickets?|charity|donat(?:e|ed|ions?)|announcements?|follow us|tune in|promo|discount|"
    r"podcasts?|fan ?art|cosplay|the internet|online|video games?|app|seasons?|"
    r"welcome (?:back|to)|tonight's (?:show|episode|game)|next week|on sale|our (?:break|show)|"
    r"the show|thank you (?:guys |all |so much )?for (?:watching|joining|coming)|"
    r"happy birthday|store|shop(?:\.|/)\w+|dot com|\.com)\b"
)
ASIDE_REACH_UNITS = 6
ASIDE_WEIGHT_MIN = 5
ASIDE_WEIGHT_MAX = 3
ASIDE_GAP_UNITS = 24
CUE_CHARS_MAX = 2_000


def recap_units(units: Sequence[ReadUnit]) -> frozenset[int]:
    """Return the ids of the units in which the game master tells what happened before."""
    marked: set[int] = set()
    left = 0
    played: deque[int] = deque(maxlen=PLAY_UNITS_MIN)
    for at, unit in enumerate(units):
        on = len(played) == PLAY_UNITS_MIN and at - played[0] <= PLAY_REACH_UNITS
        cue = _recap_cue(unit, before_play=not on)
        if cue and not _is_answered(units, at):
            left = RECAP_UNITS_MAX
        elif is_play(units, at):
            left = 0
            played.append(at)
        if left:
            left -= 1
            marked.add(unit.unit_id)
            if unit.told and RECAP_ENDS.search(unit.narration):
                left = 0
    return frozenset(marked)


def _recap_cue(unit: ReadUnit, *, before_play: bool) -> bool:
    if not unit.told or len(unit.text) < RECAP_CHARS_MIN:
        return False
    opening = before_play and RECAP_OPENING.search(unit.narration) is not None
    return opening or RECAP.search(unit.narration) is not None


def is_play(units: Sequence[ReadUnit], at: int) -> bool:
    """Whether the unit at index *at* is an exchange in character, or narrates the present."""
    unit = units[at]
    if not unit.told:
        return bool(unit.quotes) or PLAY_PLAYED.search(unit.low) is not None
    if unit.quotes and (SAYS.search(unit.narration) or _is_answered(units, at)):
        return True
    return PLAY_TOLD.search(unit.narration) is not None


def _is_answered(units: Sequence[ReadUnit], at: int) -> bool:
    """Whether a player answers a voice of the unit at index *at* in character."""
    if not units[at].quotes:
        return False
    following = units[at + 1 : at + 1 + ANSWER_UNITS]
    return any(unit.quotes and not unit.told for unit in following)


def aside_units(units: Sequence[ReadUnit]) -> frozenset[int]:
    """Return the ids of the units in which the table talks about the show rather than the story.

    A unit is in an aside if the units around it speak enough of it, and is not play itself.
    What lies between two such units is, too, and what leads to the first from the session's head.
    """
    weights = [
        min(ASIDE_WEIGHT_MAX, len(ASIDE.findall(unit.low[:CUE_CHARS_MAX]))) for unit in units
    ]
    sums = [0, *accumulate(weights)]
    marked: set[int] = set()
    last = -1
    for at, unit in enumerate(units):
        if is_play(units, at) and not weights[at]:
            last = at
            continue
        low, high = max(0, at - ASIDE_REACH_UNITS), min(len(units), at + ASIDE_REACH_UNITS + 1)
        if sums[high] - sums[low] < ASIDE_WEIGHT_MIN:
            continue
        if at - last <= ASIDE_GAP_UNITS:
            marked.update(one.unit_id for one in units[last + 1 : at])
        marked.add(unit.unit_id)
        last = at
    return frozenset(marked)
