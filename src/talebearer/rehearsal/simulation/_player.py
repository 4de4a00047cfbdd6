"""How somebody plays: what a simulated player does next, for how long, and what the game adds.

Every chance, weight and span is a member of a small YAML file; what it leaves out has its default here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from talebearer.content import AuthoredFile, read_authored
from talebearer.errors import InvalidPlayer, Problem, did_you_mean
from talebearer.errors import findings_content as codes
from talebearer.lines import Pack
from talebearer.rehearsal.simulation._setting import places_of, speakers_of

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Does:
    """Weights of what the player does next.

    Attributes:
        talk: Talks to somebody who is there.
        move: Goes somewhere else.
        look: Something happens that is thought about.
        wait: Lets time pass.
    """

    talk: int = 6
    move: int = 3
    look: int = 3
    wait: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """How the player talks; chances are 0 to 1.

    Attributes:
        lines: Lines that one conversation asks for, least and most.
        topics: That a topic comes up with a line.
        moods: That the speaker is in a mood during a conversation.
        situations: That there is more going on during a visit than talk.
        access: That a conversation is let into another access tier than the relationship gives.
        trust: The same of trust tiers.
        speaking: That something is being spoken already.
        confront: That a conversation becomes a confrontation.
        walk_out: That the player walks out.
        patience: Silences in a row after which the player ends a conversation.
    """

    lines: Span = (3, 8)
    topics: float = 0.7
    moods: float = 0.5
    situations: float = 0.5
    access: float = 0.1
    trust: float = 0.1
    speaking: float = 0.05
    confront: float = 0.15
    walk_out: float = 0.15
    patience: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """What the game itself does before each thing that the player does; chances, 0 to 1.

    Attributes:
        facts: That a fact of the catalogue becomes known.
        relationships: That the terms with somebody there change.
        attributes: That somebody is seen to be as a gate asks.
        state: That a counter, a value or a timer that gates read is written.
        gossip: That somebody there tells a story that gates ask for.
        fields: That a field of an event is given.
    """

    facts: float = 0.05
    relationships: float = 0.03
    attributes: float = 0.02
    state: float = 0.02
    gossip: float = 0.02
    fields: float = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticks:
    """How many ticks pass, least and most.

    Attributes:
        line: Between two lines of a conversation.
        move: On the way to another place.
        look: Before something happens that is thought about.
        wait: While the player waits.
    """

    line: Span = (20, 80)
    move: Span = (300, 3000)
    look: Span = (20, 200)
    wait: Span = (600, 6000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """Somebody who plays.

    Attributes:
        mind: Whose memory it is.
        characters: Whose thoughts are thought, one of them in each playthrough; empty for all.
        npcs: Who is talked to; empty for everybody who has lines.
        places: Where the player goes; empty for every place with lines.
        does: What the player does next.
        talk: How the player talks.
        game: What the game adds.
        ticks: How much time passes.
    """

    mind: str = "party"
    characters: tuple[str, ...] = ()
    npcs: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    does: Does = field(default_factory=Does)
    talk: Talk = field(default_factory=Talk)
    game: Game = field(default_factory=Game)
    ticks: Ticks = field(default_factory=Ticks)


_GROUPS = {"does": Does, "talk": Talk, "game": Game, "ticks": Ticks}


def load_player(path: Path, pack: Pack) -> Player:
    """Return the player of the YAML file *path*.

    Args:
        path: The file; its members stand in docs/reference/fields.md.
        pack: The content that is played.

    Raises:
        InvalidPlayer: Something is wrong with it (TB125); every problem is in
            ``data["problems"]``.
    """
    found = read_authored(path, "player", pack)
    problems = list(found.problems) or list(_faults(found, pack))
    if problems:
        count = len(problems)
        raise InvalidPlayer(
            f"{path.name} has {count} problem{'s' if count > 1 else ''}",
            data={"problems": [problem.as_json() for problem in problems]},
        )
    root = found.root
    given: dict[str, Any] = {name: _grouped(root[name], name) for name in _GROUPS if name in root}
    given |= {name: tuple(root[name]) for name in ("characters", "npcs", "places") if name in root}
    if "mind" in root:
        given["mind"] = root["mind"]
    return Player(**given)


def _grouped(members: Mapping[str, Any], name: str) -> Any:
    values = {key: tuple(one) if isinstance(one, list) else one for key, one in members.items()}
    return _GROUPS[name](**values)


def _faults(found: AuthoredFile, pack: Pack) -> Iterator[Problem]:
    """Yield what no schema can see: names, spans the wrong way round, nothing to do."""
    root = found.root
    known = {"npcs": speakers_of(pack), "places": places_of(pack)}
    words = {"npcs": codes.UNKNOWN_ENTITY, "places": codes.UNKNOWN_LOCATION}
    for key, names in known.items():
        for at, name in enumerate(root.get(key, ())):
            if name not in names:
                message = f"no pool is {'of' if key == 'npcs' else 'at'} {name!r}"
                yield found.problem(words[key], (key, at), message, did_you_mean(name, names))
    for group, one in (("talk", Talk), ("ticks", Ticks)):
        for member in fields(one):
            span = root.get(group, {}).get(member.name)
            if isinstance(span, list) and span[0] > span[1]:
                message = f"{member.name} has {span[0]} for the least and {span[1]} for the most"
                path = (group, member.name)
                yield found.problem(codes.OUT_OF_RANGE, path, message, "the least first")
    does = {"talk": 6, "move": 3, "look": 3, "wait": 1} | dict(root.get("does", {}))
    if not any(does.values()):
        hint = "give at least one of them a weight above 0"
        yield found.problem(codes.OUT_OF_RANGE, ("does",), "the player does nothing", hint)
    if root.get("talk", {}).get("lines", [3, 8])[1] == 0:
        message, hint = "no line is ever asked for", "[1, 1] or more"
        yield found.problem(codes.OUT_OF_RANGE, ("talk", "lines"), message, hint)
