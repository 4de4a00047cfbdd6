"""A loaded pack and its indexes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from talebearer.errors import UnknownReference, meant, nearest
from talebearer.lines._declared import Declared, Profile
from talebearer.lines._pools import DialoguePool, MonologuePool, Pool
from talebearer.lines._types import GENERAL, DialogueLine, LineKey, MonologueLine
from talebearer.lines.gates import Known, ReadKey
from talebearer.memory import KnowledgeGraph

P = TypeVar("P", DialoguePool, MonologuePool)


@dataclass(frozen=True, slots=True, kw_only=True)
class Enums:
    """The words that a campaign's pools use, each tuple in file order.

    Attributes:
        access: Access tiers.
        trust: Trust tiers, from least to most.
        situations: Situations.
        topics: Topics.
        moods: Moods.
        triggers: Monologue triggers.
    """

    access: tuple[str, ...]
    trust: tuple[str, ...]
    situations: tuple[str, ...]
    topics: tuple[str, ...]
    moods: tuple[str, ...]
    triggers: tuple[str, ...]


class Place(NamedTuple):
    """Which line a mind heard, and from whom, under the names that both have now.

    Attributes:
        path: The pool path.
        position: The line's place in the pool.
        character: Who said it; empty for a thought, and where an older save does not say.
    """

    path: str
    position: int
    character: str


class Pack:
    """Compiled content, ready to be asked for lines. It never changes.

    Attributes:
        digest: ``sha256:`` and 64 hex digits over the pack's bytes.
        enums: The campaign's words.
        characters: Player character to its letter in monologue ids.
        facts: Fact id to description.
        profiles: Slug to profile.
        declared: Timers, counters, values, speaking classes and event fields.
        readers: What gates read to the paths of the pools whose gates do.
        blanks: What selectors remember of minds that know nothing; it changes no answer.
        scenes: What selectors remember of scenes whose words are known; it changes no answer.
        key_parts: What selectors remember of the keys of draws; it changes no answer.
        dialogue_pools: Sorted by path.
        monologue_pools: Sorted by path.

    Source: the line-pool spec sections 9.1 and 9.3; all maps iterate in sorted order.
    """

    def __init__(
        self,
        *,
        digest: str,
        enums: Enums,
        characters: Mapping[str, str],
        facts: Mapping[str, str],
        profiles: Mapping[str, Profile],
        pools: Iterable[DialoguePool | MonologuePool],
        declared: Declared,
        aliases: Mapping[LineKey, Iterable[LineKey]],
    ) -> None:
        self.digest = digest
        self.enums = enums
        self.characters = dict(sorted(characters.items()))
        self.facts = dict(sorted(facts.items()))
        self.profiles = dict(sorted(profiles.items()))
        self.declared = declared
        ordered = sorted(pools, key=_path)
        self.dialogue_pools = tuple(pool for pool in ordered if isinstance(pool, DialoguePool))
        self.monologue_pools = tuple(pool for pool in ordered if isinstance(pool, MonologuePool))
        # Pool path and speaker to what a mind that knows nothing is answered; selectors fill it.
        self.blanks: dict[tuple[str, str], tuple[bytes, int]] = {}
        # Words of scenes that were checked: those of one pack are checked alike.
        self.scenes: set[tuple[Any, ...]] = set()
        # Who draws, from which pools and for what, to the middle of a draw's key.
        self.key_parts: dict[str, dict[tuple[tuple[str, ...], str], str]] = {}
        self._by_path = {pool.path: pool for pool in ordered}
        readers: dict[ReadKey, list[str]] = {}
        for pool in ordered:
            for name in pool.rules.reads:
                readers.setdefault(name, []).append(pool.path)
        self.readers = readers
        self._former = {
            former: key for key in sorted(aliases) for former in reversed(list(aliases[key]))
        }
        self._names = self._former_names()
        self._slugs = {
            former: slug
            for slug, profile in sorted(self.profiles.items(), reverse=True)
            for former in profile.formerly
            if former not in self.profiles
        }
        self._first_slugs = {
            slug: profile.formerly[0] for slug, profile in self.profiles.items() if profile.formerly
        }
        said = sorted(self.dialogue_pools, key=_first_path)
        thought = sorted(self.monologue_pools, key=_first_path)
        self._by_stem = _grouped((pool.location, pool.stem, pool) for pool in said)
        owners = {*profiles, *(f"pc-{character}" for character in characters)}
        self._by_role = _grouped(
            (pool.location, pool.role, pool) for pool in said if pool.stem not in owners
        )
        self._by_character = _grouped((pool.character, pool.location, pool) for pool in thought)

    def _former_names(self) -> dict[LineKey, tuple[LineKey, ...]]:
        """Return each renamed line's former keys, those left out that a line has now."""
        names: dict[LineKey, list[LineKey]] = {}
        for former, key in self._former.items():
            pool = self._by_path.get(former[0])
            if pool is None or pool.position_of(former[1]) is None:
                names.setdefault(key, []).append(former)
        return {key: tuple(sorted(found)) for key, found in names.items()}

    def __repr__(self) -> str:
        return f"<Pack {self.digest} {self.size} lines>"

    @property
    def slugs_now(self) -> Mapping[str, str]:
        """Former slugs of characters to the slugs that they have now."""
        return MappingProxyType(self._slugs)

    @cached_property
    def places_now(self) -> Mapping[str, str]:
        """Former names of places to the names that they have now, as pools that moved tell them."""
        there = {pool.location for pool in self.dialogue_pools}
        there |= {pool.location for pool in self.monologue_pools}
        found: dict[str, str] = {}
        for pool in self.dialogue_pools:
            for path, _ in pool.aliases.get(0, ()):
                former = path.rpartition("/")[0].rpartition("/")[2]
                if former not in there and path.rpartition("/")[0] != pool.path.rpartition("/")[0]:
                    found.setdefault(former, pool.location)
        return MappingProxyType(found)

    @property
    def size(self) -> int:
        """How many lines there are."""
        return sum(pool.size for pool in self._by_path.values())

    def pool(self, path: str) -> DialoguePool | MonologuePool:
        """Return the pool at *path*.

        Raises:
            UnknownReference: There is none (TB113); the hint names similar ones.
        """
        found = self._by_path.get(path)
        if found is None:
            hint = meant(nearest(path, self._by_path))
            raise UnknownReference(f"no pool {path!r}", hint=hint)
        return found

    def known(self, graph: KnowledgeGraph | None, *, world: KnowledgeGraph | None = None) -> Known:
        """Return what gates are asked against when a mind's graph is *graph*."""
        return Known(
            graph=graph,
            profiles=self.profiles,
            facts=self.facts,
            world=world,
            declared=self.declared,
            former=self._names,
        )

    def find(self, pool: str, line_id: str) -> tuple[DialoguePool | MonologuePool, int] | None:
        """Return pool and position of a line by its key or one that it had before, or None.

        A key that a line has now is never taken for a former one of another line.

        Source: rule LP-L1.
        """
        found = self._by_path.get(pool)
        position = None if found is None else found.position_of(line_id)
        if found is not None and position is not None:
            return found, position
        key = self._former.get((pool, line_id))
        if key is None:
            return None
        found = self._by_path[key[0]]
        position = found.position_of(key[1])
        assert position is not None, "an alias is a line's"
        return found, position

    def place_of(self, key: tuple[str, str, str]) -> Place | None:
        """Return which line a mind means by *key*: character, pool path and line id, each once or now.

        Source: rule LP-L1; IM-M10.
        """
        character, path, line_id = key
        pool = self._by_path.get(path)
        position = None if pool is None else pool.positions.get(line_id)
        if position is None:
            found = self.find(path, line_id)
            if found is None:
                return None
            path, position = found[0].path, found[1]
        return Place(path, position, self._slugs.get(character, character))

    def slug_now(self, slug: str) -> str:
        """Return the slug that the character has now who is or was called *slug*."""
        return self._slugs.get(slug, slug)

    def first_slug(self, slug: str) -> str:
        """Return the slug that the character *slug* had first, by which draws know it."""
        return self._first_slugs.get(slug, slug)

    def first_mind(self, mind: str) -> str:
        """Return the id that a mind had first, by which draws know it."""
        slug = mind.removeprefix("npc:")
        return mind if slug == mind else f"npc:{self.first_slug(slug)}"

    def first_path(self, path: str) -> str:
        """Return the path that a pool had first, by which draws know it.

        So another place changes nothing of what is drawn. Source: rule LP-L5.
        """
        found = self._by_path.get(path)
        return path if found is None else found.first_path

    def heard_text(self, pool: str, line_id: str, variant: str | None = None) -> str | None:
        """Return what was heard of a line, by its key or a former one; None when it is gone.

        Args:
            pool: The pool path.
            line_id: The line's id.
            variant: As ``line_fired`` names the text, of a line with several.
        """
        found = self.find(pool, line_id)
        return None if found is None else found[0].heard_text(found[1], variant)

    def line(self, pool: str, line_id: str) -> DialogueLine | MonologueLine:
        """Return the line with the composite key (*pool* path, *line_id*).

        Raises:
            UnknownReference: There is none (TB113); the hint names similar ones.

        Source: the line-pool spec section 5.3.
        """
        home = self._by_path.get(pool)
        position = None if home is None else home.position_of(line_id)
        if home is None or position is None:
            raise UnknownReference(
                f"no line {line_id!r} in the pool {pool!r}", hint=self._near(pool, line_id)
            )
        line: DialogueLine | MonologueLine = home.line_at(position)
        return line

    def _near(self, pool: str, line_id: str) -> str:
        home = self._by_path.get(pool)
        close = nearest(pool, self._by_path) if home is None else nearest(line_id, home.ids)
        return meant(close)

    def pools_for(self, slug: str, location: str) -> tuple[DialoguePool, ...]:
        """Return the pools that the character *slug* speaks from at *location*, by first path.

        These are its own file there and, if its profile gives a role, the files there for that
        role that are nobody's own. A file is somebody's own when its stem is a profile's slug, or
        ``pc-`` and a player character.

        Source: rule LP-L9.
        """
        own = self._by_stem.get((location, slug), ())
        profile = self.profiles.get(slug)
        if profile is None or profile.role is None:
            return own
        shared = self._by_role.get((location, profile.role), ())
        return tuple(sorted((*own, *shared), key=_first_path)) if own and shared else own or shared

    def monologue_pools_for(self, character: str, location: str) -> tuple[MonologuePool, ...]:
        """Return the pools of *character* for *location*, and its general ones, by first path.

        Source: rule LP-L12; the line-pool spec section 4.4.
        """
        here = self._by_character.get((character, location), ())
        if location == GENERAL:
            return here
        general = self._by_character.get((character, GENERAL), ())
        return (
            tuple(sorted((*here, *general), key=_first_path))
            if here and general
            else here or general
        )


def _path(pool: Pool[Any]) -> str:
    return pool.path


def _first_path(pool: Pool[Any]) -> tuple[str, str]:
    return pool.first_path, pool.path


def _grouped(entries: Iterable[tuple[str, str, P]]) -> dict[tuple[str, str], tuple[P, ...]]:
    groups: dict[tuple[str, str], list[P]] = {}
    for first, second, pool in entries:
        groups.setdefault((first, second), []).append(pool)
    return {key: tuple(pools) for key, pools in groups.items()}
