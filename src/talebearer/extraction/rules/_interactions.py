"""The interaction lane by rules: from uses of names to occurrences of six kinds.

Each unit that names or voices somebody is a sign of one kind. Signs of one kind that stand near
each other are one occurrence; a change of kind begins another; a fight is one occurrence from its
start to its end, however long the talk between the blows.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from talebearer.extraction._session import Glossary
from talebearer.extraction.rules import _cues as cues
from talebearer.extraction.rules._fights import (
    Shown,
    acts,
    against_known,
    evidence,
    sides,
    takes_part,
)
from talebearer.extraction.rules._phases import aside_units, recap_units
from talebearer.extraction.rules._reading import ReadUnit
from talebearer.extraction.rules._speech import Speech, find_speech
from talebearer.extraction.rules._spellings import spellings_for, words_of
from talebearer.extraction.rules._turns import Turn, find_turns
from talebearer.extraction.rules._uses import Use, by_name, uses_in
from talebearer.vocabulary import OccurrenceKind as Kind

JOIN_GAP_UNITS = 20
ABSORB_UNITS = 5
RANGE_GAP_UNITS = 2
FIGHT_JOIN_UNITS = 120
FIGHT_SCENE_UNITS = 30
REMAINS_UNITS = 20
TRUST = 1.0
PARTY_CHARS_MIN = 3
FIGHT_LEAD_UNITS = 12
NOBODY = re.compile(r"(?!)")
REMOTE_UNITS = 12

RANK = {kind: rank for rank, kind in enumerate(
    (Kind.MENTIONED, Kind.OTHER, Kind.NONCOMBAT_PRESENCE, Kind.DIALOGUE)
)}  # fmt: skip
"""Precedence where one unit, or one passage, shows more than one kind."""


class Passage(NamedTuple):
    """One kind of one person over some units.

    Attributes:
        kind: What they show.
        ids: Unit ids, ascending.
    """

    kind: Kind
    ids: list[int]


class Stage(NamedTuple):
    """What is known of a session before looking at one person.

    Attributes:
        apart: Units that tell what happened before, or leave the story.
        fights: Unit id -> number of its fight.
        remote: Units in which somebody is seen from afar.
        speech: Who speaks where.
        shown: Name -> number of a fight -> what it shows about the person's side.
        turns: Name -> number of a fight -> units of the person's turns.
        acted: Name -> numbers of the fights in which a turn of the person shows a blow.
    """

    apart: frozenset[int]
    fights: Mapping[int, int]
    remote: frozenset[int]
    speech: Speech
    shown: Mapping[str, Mapping[int, Sequence[Shown]]]
    turns: Mapping[str, Mapping[int, Sequence[int]]]
    acted: Mapping[str, Collection[int]]


def find_occurrences(
    units: Sequence[ReadUnit],
    names: Iterable[str],
    *,
    at_table: Iterable[str],
    glossary: Glossary,
    source_id: str,
) -> list[dict[str, Any]]:
    """Return candidate interactions of *names*, in the contract's shape, in no special order.

    Args:
        units: The session.
        names: The registry's names only.
        at_table: Names of the people who sit there; never looked up.
        glossary: Other spellings, for look-up.
        source_id: What the ranges cite.

    Source: the roadmap, "Interaction Vocabulary" and "Occurrence Boundaries And Ordering".
    """
    spellings = spellings_for(names, glossary, units=units, excluded=at_table)
    uses = {unit.unit_id: uses_in(unit, spellings) for unit in units}
    stage = _stage(units, uses, party=_finder(at_table))
    return [
        {"name": name, "kind": passage.kind.value, "source_refs": cite(passage.ids, source_id)}
        for name, own in sorted(by_name(uses).items())
        for passage in passages(name, own, stage)
    ]


def _stage(
    units: Sequence[ReadUnit], uses: Mapping[int, Sequence[Use]], *, party: re.Pattern[str]
) -> Stage:
    apart = recap_units(units) | aside_units(units)
    fights = cues.fight_units(units)
    turns: dict[str, dict[int, list[Turn]]] = {}
    for turn in find_turns(units, uses, fights=fights):
        turns.setdefault(turn.name, {}).setdefault(fights[turn.unit_id], []).append(turn)
    return Stage(
        apart=apart,
        fights=fights,
        remote=cues.remote_units(units, reach=REMOTE_UNITS),
        speech=find_speech(units, uses, apart=apart),
        shown=_shown(uses, turns, fights, party),
        turns={
            name: {number: [one.unit_id for one in its] for number, its in own.items()}
            for name, own in turns.items()
        },
        acted={
            name: {number for number, its in own.items() if any(acts(it, party) for it in its)}
            for name, own in turns.items()
        },
    )


def _shown(
    uses: Mapping[int, Sequence[Use]],
    turns: Mapping[str, Mapping[int, Sequence[Turn]]],
    fights: Mapping[int, int],
    party: re.Pattern[str],
) -> dict[str, dict[int, list[Shown]]]:
    """Return what each fight shows about the side of each person in it."""
    lead = _leads(fights)
    by_fight: dict[int, dict[str, list[Use]]] = {}
    for unit_id, unit_uses in uses.items():
        for use in unit_uses:
            number = fights.get(unit_id, lead.get(unit_id) if use.told else None)
            if number is not None:
                by_fight.setdefault(number, {}).setdefault(use.name, []).append(use)
    shown: dict[str, dict[int, list[Shown]]] = {}
    for number, its_uses in sorted(by_fight.items()):
        alone = {
            name: evidence(own, turns.get(name, {}).get(number, ()), party)
            for name, own in its_uses.items()
        }
        its_turns = [turn for own in turns.values() for turn in own.get(number, ())]
        more = against_known(its_uses, its_turns, alone)
        for name, own_shown in alone.items():
            both = sorted([*own_shown, *more[name]], key=lambda one: one.unit_id)
            shown.setdefault(name, {})[number] = both
    return shown


def _leads(fights: Mapping[int, int]) -> dict[int, int]:
    """Return the units that lead to each fight, with its number."""
    lead: dict[int, int] = {}
    for unit_id in sorted(fights):
        if unit_id - 1 not in fights:
            lead.update(dict.fromkeys(range(unit_id - FIGHT_LEAD_UNITS, unit_id), fights[unit_id]))
    return {at: number for at, number in lead.items() if at not in fights}


def _finder(names: Iterable[str]) -> re.Pattern[str]:
    """Return what finds one of *names*, or a word of them, in lower-case text."""
    words = {word.lower() for name in names for word in words_of(name)}
    kept = sorted(word for word in words if len(word) >= PARTY_CHARS_MIN)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, kept))})\b") if kept else NOBODY


def cite(ids: Iterable[int], source_id: str) -> list[dict[str, Any]]:
    """Return the ranges that cover *ids*; units closer than two apart share one."""
    ranges: list[dict[str, Any]] = []
    for unit_id in sorted(set(ids)):
        if ranges and unit_id - ranges[-1]["end_unit_id"] <= RANGE_GAP_UNITS:
            ranges[-1]["end_unit_id"] = unit_id
        else:
            ranges.append(
                {"source_id": source_id, "start_unit_id": unit_id, "end_unit_id": unit_id}
            )
    return ranges


def passages(name: str, own: Sequence[Use], stage: Stage) -> list[Passage]:
    """Return the occurrences of the person *name*, whose uses are *own*."""
    signs = _signs(name, own, stage)
    fights = _fights(name, own, signs, stage)
    rest = sorted((at, kind) for at, kind in signs.items() if _outside(at, fights, kind))
    said_by_players = frozenset(use.unit_id for use in own if not use.told or use.quoted)
    return [*fights, *_absorb(_join(rest), said_by_players)]


def _signs(name: str, own: Sequence[Use], stage: Stage) -> dict[int, Kind]:
    signs: dict[int, Kind] = {}
    lifeless_at = -REMAINS_UNITS
    for use in own:
        kind = sign_of(use, stage)
        if is_lifeless(use) and use.unit_id not in stage.apart:
            lifeless_at = use.unit_id
        elif kind is not None and use.unit_id - lifeless_at < REMAINS_UNITS and not use.quoted:
            kind = Kind.OTHER
        if kind is not None and RANK[kind] >= RANK[signs.get(use.unit_id, Kind.MENTIONED)]:
            signs[use.unit_id] = kind
    spoken = stage.speech.get(name, {})
    if any(spoken.values()):
        signs.update(dict.fromkeys(spoken, Kind.DIALOGUE))
    return signs


def is_lifeless(use: Use) -> bool:
    """Whether *use* is of somebody's body rather than of somebody."""
    return cues.REMAINS.search(use.before[-20:] + " " + use.after[:25]) is not None


def sign_of(use: Use, stage: Stage) -> Kind | None:
    """Return what *use* shows by itself, speech and fights aside; None if nothing."""
    if use.unit_id in stage.apart or use.quoted:
        return Kind.MENTIONED
    around = use.before[-60:] + " " + use.after[:80]
    if is_lifeless(use) or (cues.HANDLED.search(use.before) and not use.owned):
        return Kind.OTHER
    if use.owned:
        return None
    here = cues.PRESENT.search(use.after[:60]) or cues.POINTED_AT.search(use.before)
    if use.told and here and not cues.ABSENT.search(around):
        return Kind.OTHER if use.unit_id in stage.remote else Kind.NONCOMBAT_PRESENCE
    return Kind.MENTIONED


def _fights(
    name: str, own: Sequence[Use], signs: Mapping[int, Kind], stage: Stage
) -> list[Passage]:
    """Return one passage for each fight, and each side, that the person takes part in."""
    spoken = stage.speech.get(name, {})
    first_talk = min((at for at, direct in spoken.items() if direct), default=None)
    taking_part = {stage.fights.get(use.unit_id) for use in own if _takes_part(use, stage)}
    found: list[Passage] = []
    for number in sorted(stage.shown.get(name, {})):
        turns = stage.turns.get(name, {}).get(number, ())
        if number not in taking_part and number not in stage.acted.get(name, ()):
            continue
        ids = sorted({at for at in signs if stage.fights.get(at) == number} | set(turns))
        ids = _led_to(ids, own, stage)
        trust = TRUST if first_talk is not None and first_talk < ids[0] else -TRUST
        if found:
            trust = 2 * TRUST if found[-1].kind is Kind.COMBAT_ALLY else -2 * TRUST
        stretches = sides(stage.shown[name][number], trust=trust)
        for place, stretch in enumerate(stretches):
            low = ids[0] if place == 0 else stretch.first
            high = ids[-1] if place == len(stretches) - 1 else stretch.last
            within = [at for at in ids if low <= at <= high]
            if within:
                _add_fight(found, Passage(stretch.kind, within))
    return found


def _led_to(ids: list[int], own: Sequence[Use], stage: Stage) -> list[int]:
    """Return *ids* with what the game master tells of the person just before the fight."""
    told = {use.unit_id for use in own if use.told and not use.quoted and not use.owned}
    lead = range(ids[0] - FIGHT_LEAD_UNITS, ids[0])
    before = [at for at in lead if at in told and at not in stage.apart and at not in stage.fights]
    return [*before, *ids]


def _takes_part(use: Use, stage: Stage) -> bool:
    if use.quoted or use.owned or use.unit_id in stage.apart or use.unit_id not in stage.fights:
        return False
    return takes_part(use)


def _add_fight(found: list[Passage], passage: Passage) -> None:
    """Add *passage*, to the one before if the same side fights on."""
    last = found[-1] if found else None
    if last and last.kind is passage.kind and passage.ids[0] - last.ids[-1] <= FIGHT_JOIN_UNITS:
        last.ids.extend(at for at in passage.ids if at > last.ids[-1])
    else:
        found.append(passage)


def _outside(at: int, fights: Sequence[Passage], kind: Kind) -> bool:
    """Whether a sign at *at* is none of the scene of a fight."""
    reach = FIGHT_SCENE_UNITS if RANK[kind] < RANK[Kind.DIALOGUE] else 0
    return all(at < one.ids[0] - reach or at > one.ids[-1] + reach for one in fights)


def _join(signs: Sequence[tuple[int, Kind]]) -> list[Passage]:
    """Join near signs of one kind; a weaker sign just after a stronger one is part of it."""
    joined: list[Passage] = []
    for at, kind in signs:
        if joined:
            last, gap = joined[-1], at - joined[-1].ids[-1]
            if kind is last.kind and gap <= JOIN_GAP_UNITS:
                last.ids.append(at)
                continue
            if RANK[kind] < RANK[last.kind] and gap <= ABSORB_UNITS:
                continue
        joined.append(Passage(kind, [at]))
    return joined


def _absorb(joined: Sequence[Passage], said_by_players: frozenset[int]) -> list[Passage]:
    """Join what only a weaker passage parted, and add silent beats to the speech they lead to.

    What players say of somebody before the person appears stays a passage of its own.
    """
    kept: list[Passage] = []
    for place, passage in enumerate(joined):
        following = joined[place + 1] if place + 1 < len(joined) else None
        if following is not None and RANK[following.kind] > RANK[passage.kind]:
            if _parts(kept, following):
                continue
            near = following.ids[0] - passage.ids[-1] <= ABSORB_UNITS
            if near and said_by_players.isdisjoint(passage.ids):
                following.ids[:0] = passage.ids
                continue
        if kept and kept[-1].kind is passage.kind and _near(kept[-1], passage):
            kept[-1].ids.extend(passage.ids)
        else:
            kept.append(passage)
    return kept


def _parts(kept: Sequence[Passage], following: Passage) -> bool:
    return bool(kept) and kept[-1].kind is following.kind and _near(kept[-1], following)


def _near(first: Passage, second: Passage) -> bool:
    return second.ids[0] - first.ids[-1] <= JOIN_GAP_UNITS
