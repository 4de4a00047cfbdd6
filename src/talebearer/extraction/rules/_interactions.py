"""The interaction lane by rules: from uses of names to occurrences of six kinds.

Each unit that names or voices somebody is a sign of one kind. Signs of one kind that stand near
each other are one occurrence; a change of kind begins another; a fight is one occurrence from its
start to its end, however long the talk between the blows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from talebearer.extraction._session import Glossary
from talebearer.extraction.rules import _cues as cues
from talebearer.extraction.rules._fights import side_of, takes_part
from talebearer.extraction.rules._reading import ReadUnit
from talebearer.extraction.rules._speech import Speech, find_speech
from talebearer.extraction.rules._spellings import spellings_for
from talebearer.extraction.rules._uses import Use, by_name, uses_in
from talebearer.vocabulary import OccurrenceKind as Kind

JOIN_GAP_UNITS = 20
ABSORB_UNITS = 5
RANGE_GAP_UNITS = 2
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
        recap: Units that tell what happened before.
        fights: Unit id -> number of its fight.
        remote: Units in which somebody is seen from afar.
        speech: Who speaks where.
    """

    recap: frozenset[int]
    fights: Mapping[int, int]
    remote: frozenset[int]
    speech: Speech


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
    recap = cues.recap_units(units)
    stage = Stage(
        recap=recap,
        fights=cues.fight_units(units),
        remote=cues.remote_units(units, reach=REMOTE_UNITS),
        speech=find_speech(units, uses, recap=recap),
    )
    return [
        {"name": name, "kind": passage.kind.value, "source_refs": cite(passage.ids, source_id)}
        for name, own in sorted(by_name(uses).items())
        for passage in passages(name, own, stage)
    ]


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
    fought = {at for passage in fights for at in passage.ids}
    rest = sorted((at, kind) for at, kind in signs.items() if at not in fought)
    said_by_players = frozenset(use.unit_id for use in own if not use.told or use.quoted)
    return [*fights, *_absorb(_join(rest), said_by_players)]


def _signs(name: str, own: Sequence[Use], stage: Stage) -> dict[int, Kind]:
    signs: dict[int, Kind] = {}
    for use in own:
        kind = sign_of(use, stage)
        if kind is not None and RANK[kind] >= RANK[signs.get(use.unit_id, Kind.MENTIONED)]:
            signs[use.unit_id] = kind
    spoken = stage.speech.get(name, {})
    if any(spoken.values()):
        signs.update(dict.fromkeys(spoken, Kind.DIALOGUE))
    return signs


def sign_of(use: Use, stage: Stage) -> Kind | None:
    """Return what *use* shows by itself, speech and fights aside; None if nothing."""
    if use.unit_id in stage.recap or use.quoted:
        return Kind.MENTIONED
    around = use.before[-60:] + " " + use.after[:80]
    if cues.REMAINS.search(use.before[-20:] + " " + use.after[:25]):
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
    """Return one passage for each fight that the person takes part in."""
    uses: dict[int, list[Use]] = {}
    for use in own:
        talk = use.quoted or use.owned or use.unit_id in stage.recap
        if use.unit_id in stage.fights and not talk:
            uses.setdefault(stage.fights[use.unit_id], []).append(use)
    units: dict[int, list[int]] = {}
    for at in sorted(signs):
        if at in stage.fights:
            units.setdefault(stage.fights[at], []).append(at)
    spoken = stage.speech.get(name, {})
    first_talk = min((at for at, direct in spoken.items() if direct), default=None)
    found = []
    for number, its_uses in uses.items():
        if any(takes_part(use) for use in its_uses):
            talked = first_talk is not None and first_talk < units[number][0]
            found.append(Passage(side_of(its_uses, talked=talked), units[number]))
    return found


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
