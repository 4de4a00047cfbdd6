"""Where a playthrough takes place: who speaks where and of what, and what gates ask the game for.

Taken from the pack once, and shared by all playthroughs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from talebearer.campaign import SceneBase, SceneDefaults
from talebearer.errors import UsageFault
from talebearer.lines import (
    AllOf,
    AnyOf,
    AttributeGate,
    Comparison,
    CounterGate,
    DialoguePool,
    EventGate,
    FieldType,
    Gate,
    GossipGate,
    MonologuePool,
    Named,
    Not,
    Pack,
    Scope,
    TimerGate,
    ValueGate,
)

Scalar = str | int | float | bool
ELSEWHERE = "something else"
"""A text that no gate asks for, for fields whose gates ask for others."""

_OWN = "pc-"


@dataclass(frozen=True, slots=True)
class Speaker:
    """Somebody at one place.

    Attributes:
        slug: Who it is.
        place: Where.
        access: The access tiers that its lines there are for, and so on.
        trust: Trust tiers.
        situations: Situations, without those that are derived or come of arriving.
        topics: Topics.
        moods: Moods.
        asked: What a request for a line of it is counted under.
        reference: The speaker as minds name it.
    """

    slug: str
    place: str
    access: tuple[str, ...]
    trust: tuple[str, ...]
    situations: tuple[str, ...]
    topics: tuple[str, ...]
    moods: tuple[str, ...]
    asked: tuple[str, str, str]
    reference: str


@dataclass(frozen=True, slots=True)
class Place:
    """One place.

    Attributes:
        slug: Its slug.
        speakers: Who can be talked to there.
        aloud: Player character to its own lines there.
        situations: What may be going on there besides talk.
        triggers: Player character to the triggers that it has a thought for there.
    """

    slug: str
    speakers: tuple[Speaker, ...]
    aloud: dict[str, Speaker]
    situations: tuple[str, ...]
    triggers: dict[str, frozenset[str]]


@dataclass(slots=True)
class Wanted:
    """What gates ask for that only the game can say, in the order in which gates were met.

    Attributes:
        fields: Event field to values on both sides of what gates compare it with.
        attributes: Entity, key and value.
        cells: Kind of cell, its name, its scope and, for values and counters, what to write.
        gossip: Whom a story is about, its outcome, and whom it happened to.
        remarks: Whether something that is said asks about an event.
    """

    fields: dict[str, list[Scalar]] = field(default_factory=dict)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)
    cells: list[tuple[str, str, Scope, Scalar]] = field(default_factory=list)
    gossip: list[tuple[str, str | None, str | None]] = field(default_factory=list)
    remarks: bool = False


BaseKey = tuple[tuple[str, str, str], tuple[str, ...], tuple[str, ...], tuple[str, ...]]
"""What a speaker is counted under, and the access and trust tier and the mood that were drawn."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Everything that playthroughs of one pack share.

    Attributes:
        pack: The content.
        places: The places with lines, sorted.
        characters: Who may think.
        facts: The catalogue, without what only the engine writes.
        wanted: What only the game can say.
        classes: The speaking classes.
        bases: What playthroughs remember of scenes, by the campaign's; it changes no answer.
    """

    pack: Pack
    places: tuple[Place, ...]
    characters: tuple[str, ...]
    facts: tuple[str, ...]
    wanted: Wanted
    classes: tuple[str, ...]
    bases: dict[SceneDefaults, dict[BaseKey, SceneBase]] = field(
        default_factory=dict, compare=False, repr=False
    )


ARRIVAL, CONFRONTATION, SOCIAL = "arrival", "confrontation", "social"
_NOT_DRAWN = frozenset({ARRIVAL, CONFRONTATION, SOCIAL})


def places_of(pack: Pack) -> tuple[str, ...]:
    """Return the places that pools of *pack* are for.

    ``general`` is among them where there are thoughts for anywhere: it stands for all the places that a
    game has and no pool is for.
    """
    found = {pool.location for pool in pack.dialogue_pools}
    found |= {pool.location for pool in pack.monologue_pools}
    return tuple(sorted(found))


def speakers_of(pack: Pack) -> tuple[str, ...]:
    """Return who has lines of its own or of its role somewhere, without player characters."""
    own = {f"{_OWN}{character}" for character in pack.characters}
    return tuple(sorted({one for place in places_of(pack) for one in _there(pack, place)} - own))


def setting_of(
    pack: Pack,
    *,
    characters: Iterable[str] = (),
    npcs: Iterable[str] = (),
    places: Iterable[str] = (),
) -> Setting:
    """Return what playthroughs of *pack* share; what is empty means all.

    Raises:
        UsageFault: There is no line that a player could ever ask for (TB111).
    """
    wanted_npcs, wanted_places = frozenset(npcs), frozenset(places)
    thinkers = tuple(one for one in pack.characters if not characters or one in set(characters))
    made = tuple(
        place
        for slug in places_of(pack)
        if not wanted_places or slug in wanted_places
        for place in (_place(pack, slug, thinkers, wanted_npcs),)
        if place.speakers or any(place.triggers.values())
    )
    if not made:
        raise UsageFault(
            "there is no line that this player could ask for",
            hint="write a pool, or name other npcs, places or characters",
        )
    facts = tuple(one for one in pack.facts if not one.startswith(("interaction.", "gossip.")))
    return Setting(
        pack, made, thinkers, facts, wanted_of(pack), tuple(sorted(pack.declared.classes))
    )


def _there(pack: Pack, place: str) -> list[str]:
    stems = {pool.stem for pool in pack.dialogue_pools if pool.location == place}
    named = {slug for slug in pack.profiles if pack.pools_for(slug, place)}
    return sorted(stems | named)


def _place(pack: Pack, slug: str, characters: tuple[str, ...], npcs: frozenset[str]) -> Place:
    owners = {f"{_OWN}{character}": character for character in pack.characters}
    speakers, aloud = [], {}
    for one in _there(pack, slug):
        speaker = _speaker(pack, one, slug)
        if one in owners:
            aloud[owners[one]] = speaker
        elif not npcs or one in npcs:
            speakers.append(speaker)
    going_on = {word for speaker in speakers for word in speaker.situations}
    triggers = {
        character: frozenset(
            trigger
            for pool in pack.monologue_pools_for(character, slug)
            for trigger in pool.trigger_bits
        )
        for character in characters
    }
    order = pack.enums.situations
    situations = tuple(word for word in order if word in going_on)
    return Place(slug, tuple(speakers), aloud, situations, triggers)


def _speaker(pack: Pack, slug: str, place: str) -> Speaker:
    pools = pack.pools_for(slug, place)
    enums = pack.enums

    def used(order: tuple[str, ...], columns: Iterable[Iterable[str]]) -> tuple[str, ...]:
        found = {word for column in columns for word in column}
        return tuple(word for word in order if word in found)

    situations = used(enums.situations, (one for pool in pools for one in pool.situation))
    return Speaker(
        slug,
        place,
        used(enums.access, (one for pool in pools for one in pool.access)),
        used(enums.trust, (pool.trust for pool in pools)),
        tuple(word for word in situations if word not in _NOT_DRAWN),
        used(enums.topics, (one for pool in pools for one in pool.topic)),
        used(enums.moods, (one for pool in pools for one in pool.mood)),
        (slug, place, ""),
        f"npc:{slug}",
    )


# --- what gates ask for --------------------------------------------------------------------------


def wanted_of(pack: Pack) -> Wanted:
    """Return what the gates of *pack* ask for that only the game can say."""
    wanted = Wanted()
    seen: set[int] = set()
    pools: tuple[DialoguePool | MonologuePool, ...] = (*pack.dialogue_pools, *pack.monologue_pools)
    for pool in pools:
        for position in sorted(pool.when):
            asked = pool.when[position]
            if id(asked) not in seen:
                seen.add(id(asked))
                leaves = tuple(_leaves(asked.gates))
                for gate in leaves:
                    _want(gate, wanted)
                if isinstance(pool, DialoguePool):
                    wanted.remarks |= any(isinstance(gate, EventGate) for gate in leaves)
    for name, kind in sorted(
        {name: kind for own in pack.declared.fields.values() for name, kind in own.items()}.items()
    ):
        wanted.fields.setdefault(name, []).extend(_EXAMPLES[kind])
    wanted.fields = {name: _unlike(values) for name, values in sorted(wanted.fields.items())}
    wanted.attributes = _unlike(wanted.attributes)
    wanted.cells = _unlike(wanted.cells)
    wanted.gossip = _unlike(wanted.gossip)
    return wanted


_EXAMPLES: dict[FieldType, tuple[Scalar, ...]] = {
    FieldType.NUMBER: (0, 1),
    FieldType.TEXT: (ELSEWHERE,),
    FieldType.FLAG: (False, True),
}


def _leaves(gates: Iterable[Gate]) -> Iterator[Gate]:
    for gate in gates:
        if isinstance(gate, AllOf | AnyOf):
            yield from _leaves(gate.gates)
        elif isinstance(gate, Not | Named):
            yield from _leaves(() if gate.gate is None else (gate.gate,))
        else:
            yield gate


def _want(gate: Gate, wanted: Wanted) -> None:
    if isinstance(gate, EventGate):
        wanted.fields.setdefault(gate.field, []).extend(_around(gate.comparison))
    elif isinstance(gate, AttributeGate):
        values = (str(value) for value in _around(gate.comparison))
        wanted.attributes.extend((gate.entity, gate.key, value) for value in values)
    elif isinstance(gate, GossipGate):
        state = None if gate.state is None else gate.state.value
        wanted.gossip.append((gate.about, state, gate.target))
    elif isinstance(gate, CounterGate) and gate.scope is not None:
        wanted.cells.append(("counter", gate.counter, gate.scope, 1))
    elif isinstance(gate, ValueGate) and gate.scope is not None:
        values_ = _around(gate.comparison)
        wanted.cells.extend(("value", gate.name, gate.scope, value) for value in values_)
    elif isinstance(gate, TimerGate) and gate.scope is not None:
        wanted.cells.append(("timer", gate.timer, gate.scope, 0))


def _around(comparison: Comparison) -> Iterator[Scalar]:
    """Yield values on both sides of each bound."""
    for _, operand in comparison.terms:
        if isinstance(operand, bool):
            yield from (operand, not operand)
        elif isinstance(operand, str):
            yield operand
        else:
            yield from (operand, operand - 1, operand + 1)


def _unlike(values: list[Any]) -> list[Any]:
    """Return *values* without those that were there before; 1 and true are two."""
    seen: dict[tuple[str, Any], Any] = {}
    for value in values:
        seen.setdefault((type(value).__name__, value), value)
    return list(seen.values())
