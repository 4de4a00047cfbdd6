"""Which lines there are, under which keys and former names; and what a reference to one means.

A key is ``pool/path#id``. Pools, facts and characters have former names, too: a fact's are worked into the
gates that ask for it, a pool's into the former keys of its lines, so that playing a pack costs nothing more.

Source: the line-pool spec section 5.3; rule LP-L1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from talebearer.content._findings import Draft, ValuePath
from talebearer.content._structure import shown, suggestion
from talebearer.content._tree import POOL_KINDS, FileKind
from talebearer.errors import findings_content as codes
from talebearer.errors import meant

if TYPE_CHECKING:  # these modules look up keys here
    from talebearer.content._rules import Document, Index

_LISTED_MAX = 4
LineAt = tuple[str, int, Mapping[str, Any]]
"""Pool path, 0-based index in the pool, the line."""


def key_of(pool: str, reference: str) -> str:
    """Return the key that *reference*, ``id`` or ``pool/path#id``, has when written in *pool*."""
    return reference if "#" in reference else f"{pool}#{reference}"


class Keys:
    """The keys of all lines of a tree, and their former ones."""

    def __init__(
        self, lines: Iterable[LineAt], homes: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        """Take in *lines*, and *homes*: a pool's path to those that it had before."""
        self._homes = homes or {}
        self._pools_of: dict[str, list[str]] = {}
        self._alias: dict[str, str] = {}
        self._own: set[str] = set()
        for pool, _, line in lines:
            line_id = line.get("id")
            if not isinstance(line_id, str):
                continue
            key = f"{pool}#{line_id}"
            self._own.add(key)
            pools = self._pools_of.setdefault(line_id, [])
            if not pools or pools[-1] != pool:
                pools.append(pool)
            for former in self.former(pool, line):
                self._alias.setdefault(former, key)

    def former(self, pool: str, line: Mapping[str, Any]) -> Iterator[str]:
        """Yield every key that *line* of *pool* had before, each once.

        A pool's former path is one of all its lines, under the ids that they have and had.
        """
        homes = self._homes.get(pool, ())
        if not homes and "aliases" not in line:
            return
        names = [str(line.get("id")), *_aliases(line)]
        found = [key_of(pool, name) for name in names[1:]]
        found += [key_of(home, name) for home in homes for name in names]
        yield from dict.fromkeys(key for key in found if key != f"{pool}#{names[0]}")

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Keys):
            return NotImplemented
        return (
            self._own == other._own
            and self._alias == other._alias
            and self._pools_of == other._pools_of
        )

    __hash__ = None  # type: ignore[assignment]  # reason: what is equal by what it holds has none

    def resolve(self, reference: str, pool: str) -> tuple[str | None, str]:
        """Return the key that *reference* in *pool* means, or None and a hint.

        An id alone means the line of its own pool, else the only line of that id anywhere. A pool
        may be named by the end of its path. A former name leads to the line that claims it.
        """
        path, _, line_id = reference.rpartition("#")
        exact = key_of(pool, reference)
        for key in (exact, self._alias.get(exact)):
            if key in self._own:
                return key, ""
        pools = self._pools_of.get(line_id, ())
        fitting = [one for one in pools if not path or one.endswith(f"/{path}")]
        if len(fitting) == 1:
            return f"{fitting[0]}#{line_id}", ""
        if pools:
            listed = [f"{one}#{line_id}" for one in (fitting or pools)[:_LISTED_MAX]]
            return None, meant(listed)
        return None, suggestion(line_id, sorted(self._pools_of))

    def pools_of(self, line_id: str) -> tuple[str, ...]:
        """Return the pools that have a line *line_id*."""
        return tuple(self._pools_of.get(line_id, ()))

    @cached_property
    def shared(self) -> frozenset[str]:
        """The ids that lines of several pools have."""
        return frozenset(line_id for line_id, pools in self._pools_of.items() if len(pools) > 1)

    def check_aliases(self, pool: str, line: Mapping[str, Any], path: ValuePath) -> Iterator[Draft]:
        """Yield the aliases of *line* that are another line's."""
        key = f"{pool}#{line.get('id')}"
        for at, alias in _numbered(line):
            former = key_of(pool, alias)
            place = (*path, "aliases", at)
            if former in self._own:
                whose = "its own id" if former == key else "the id of another line"
                yield _taken(alias, whose, place)
            elif self._alias.get(former) != key:
                yield _taken(alias, f"an alias of {self._alias.get(former)}, too", place)


def _taken(alias: str, whose: str, path: ValuePath) -> Draft:
    return Draft(code=codes.ALIAS_TAKEN, message=f"alias {shown(alias)} is {whose}", path=path)


def _aliases(line: Mapping[str, Any]) -> Iterator[str]:
    yield from (alias for _, alias in _numbered(line))


def _numbered(line: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    aliases = line.get("aliases")
    for at, alias in enumerate(aliases if isinstance(aliases, list) else ()):
        if isinstance(alias, str) and alias.strip():
            yield at, alias


Former = Mapping[str, Sequence[str]]
"""A name to those that it had before."""

_Named = tuple["Document", str, str, ValuePath]
"""A file, a name that something in it has, a former one, and where the former one stands."""


def homes_of(documents: Iterable[Document]) -> dict[str, tuple[str, ...]]:
    """Return the former paths of every pool that has some."""
    found = {
        d.file.key: _words(d.root.get("formerly")) for d in documents if d.file.kind in POOL_KINDS
    }
    return {pool: paths for pool, paths in found.items() if paths}


def facts_of(documents: Iterable[Document]) -> dict[str, tuple[str, ...]]:
    """Return the former ids of every fact that has some."""
    found: dict[str, list[str]] = {}
    for _, name, former, _ in _facts(documents):
        found.setdefault(name, []).append(former)
    return {name: tuple(dict.fromkeys(formers)) for name, formers in found.items()}


def check_former(documents: list[Document], _: Index) -> Iterator[tuple[Document, Draft]]:
    """Yield former names that something else has, or claims, too."""
    pools = [d for d in documents if d.file.kind in POOL_KINDS]
    profiles = [d for d in documents if d.file.kind is FileKind.PROFILE]
    facts = [
        fact["id"]
        for d in documents
        if d.file.kind is FileKind.FACTS
        for fact in _entries(d)
        if isinstance(fact.get("id"), str)
    ]
    yield from _clashes("pool", _heads(pools, "key"), {d.file.key for d in pools})
    yield from _clashes("character", _heads(profiles, "stem"), {d.file.stem for d in profiles})
    yield from _clashes("fact", _facts(documents), set(facts))


def _clashes(
    what: str, named: Iterable[_Named], taken: set[str]
) -> Iterator[tuple[Document, Draft]]:
    owners: dict[str, str] = {}
    for document, name, former, path in named:
        owner = owners.setdefault(former, name)
        if former == name and path == ("formerly", 0) and len(document.root["formerly"]) > 1:
            continue  # it was called so first, then otherwise, and so again
        if former in taken:
            whose = "its own name" if former == name else f"the name of another {what}"
        elif owner != name:
            whose = f"a former one of {owner}, too"
        else:
            continue
        message = f"former name {shown(former)} is {whose}"
        yield document, Draft(code=codes.ALIAS_TAKEN, message=message, path=path)


def _heads(documents: Iterable[Document], which: str) -> Iterator[_Named]:
    for document in documents:
        words = document.root.get("formerly")
        for at, former in enumerate(words if isinstance(words, list) else ()):
            if isinstance(former, str):
                yield document, getattr(document.file, which), former, ("formerly", at)


def _facts(documents: Iterable[Document]) -> Iterator[_Named]:
    for document in documents:
        if document.file.kind is not FileKind.FACTS:
            continue
        for n, fact in enumerate(_entries(document)):
            words = fact.get("formerly")
            for at, former in enumerate(words if isinstance(words, list) else ()):
                if isinstance(former, str) and isinstance(fact.get("id"), str):
                    yield document, fact["id"], former, ("facts", n, "formerly", at)


def _entries(document: Document) -> Iterator[Mapping[str, Any]]:
    facts = document.root.get("facts")
    yield from (
        one if isinstance(one, dict) else {} for one in (facts if isinstance(facts, list) else ())
    )


def _words(value: Any) -> tuple[str, ...]:
    words = value if isinstance(value, list) else ()
    return tuple(dict.fromkeys(word for word in words if isinstance(word, str)))
