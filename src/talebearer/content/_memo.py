"""What was made of each file, for a tree that is checked again and again while one writes.

Files that an editor has open are taken from it and not from the disk. The others are read each
time, which takes a hundredth of parsing them, and count as unchanged when their bytes are the same:
no clock and no time of a file decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from talebearer.content import _rules, _structure, _tree, _yaml
from talebearer.content._cache import Cache, digest_of
from talebearer.content._findings import Draft, placed
from talebearer.content._keys import Former, Keys
from talebearer.content._rules import Document, Index
from talebearer.content._schemas import Checker
from talebearer.content._tree import ContentFile
from talebearer.content._yaml import FILE_SIZE_BYTES_MAX, Parsed
from talebearer.errors import Problem
from talebearer.errors import findings_content as codes

_RULES_KEPT = 3
"""How many answers of the rules a file keeps: a slip that is mended brings the one before back."""


class _Read(NamedTuple):
    """A file as it was read last."""

    data: bytes
    digest: str
    parsed: Parsed
    looks_around: bool
    """Whether its lines may name others."""


@dataclass(frozen=True, slots=True)
class _Ruled:
    """What the rules found in a file, with everything that had a say in it."""

    root: dict[str, Any]
    shared: tuple[Any, ...]
    keys: Keys | None
    drafts: list[Draft]
    named: tuple[frozenset[Any], ...]


class Memo:
    """The files of one tree as they were last, and what was found in each.

    Args:
        cache: What was parsed by earlier processes.
    """

    def __init__(self, cache: Cache | None = None) -> None:
        self.cache = cache or Cache(None)
        self._buffers: Mapping[Path, bytes] = {}
        self._fresh: dict[str, Parsed] = {}
        self._parsed: dict[str, _Read] = {}
        self._rules: dict[str, list[_Ruled]] = {}
        self._clashes: dict[str, tuple[dict[str, Any], Any, Keys, tuple[Draft, ...]]] = {}
        self._pools: dict[str, tuple[dict[str, Any], Keys | None, Former, bytes]] = {}
        self._documents: dict[str, Document] = {}
        self._keys: tuple[Keys, Keys] | None = None
        self._named: tuple[tuple[Any, ...], Keys] | None = None
        self._structure: dict[str, tuple[dict[str, Any], Checker, tuple[Draft, ...]]] = {}
        self._placed: dict[str, tuple[str | None, tuple[Draft, ...], tuple[Problem, ...]]] = {}

    def begin(self, buffers: Mapping[Path, bytes] | None = None) -> None:
        """Begin a round in which *buffers* stand in place of the files at their paths."""
        self._buffers = dict(buffers or {})
        self._fresh = {}

    def parsed(self, file: ContentFile) -> Parsed:
        """Return what is in *file*; while its bytes stay the same, the same object.

        Within one round, see :meth:`begin`, a file is read once.
        """
        if file.name in self._fresh:
            return self._fresh[file.name]
        parsed = self._fresh[file.name] = self._anew(file)
        return parsed

    def _anew(self, file: ContentFile) -> Parsed:
        data, fault = self._read(file)
        if fault is not None:
            self._parsed.pop(file.name, None)
            return Parsed(drafts=(fault,))
        known = self._parsed.get(file.name)
        if known is not None and known.data == data:
            return known.parsed
        digest = digest_of(data)
        value = self.cache.parsed(digest)
        if value is not None:
            parsed = Parsed(text=_yaml.text_of(data), value=value)
            self.cache.name(file, digest)
        else:
            parsed = _yaml.parse(data)
            self.cache.note(file, data, None if parsed.drafts else parsed.value)
        self._parsed[file.name] = _Read(data, digest, parsed, _looks_around(data))
        return parsed

    def digest(self, file: ContentFile) -> str:
        """Return the digest of the bytes that were read last of *file*; empty for none."""
        read = self._parsed.get(file.name)
        return "" if read is None else read.digest

    def _read(self, file: ContentFile) -> tuple[bytes, Draft | None]:
        buffer = self._buffers.get(file.path)
        if buffer is None:
            return _tree.read(file)
        if len(buffer) > FILE_SIZE_BYTES_MAX:
            message = f"the file has more than {FILE_SIZE_BYTES_MAX} bytes"
            return b"", Draft(code=codes.FILE_TOO_LARGE, message=message)
        return buffer, None

    def document(self, file: ContentFile, root: dict[str, Any]) -> Document:
        """Return *file* with the mapping in it; while it stays the same, the same object."""
        known = self._documents.get(file.name)
        if known is None or known.root is not root or known.file != file:
            known = self._documents[file.name] = Document(file=file, root=root)
        return known

    def keys(self, documents: list[Document]) -> Keys:
        """Return the keys of all lines; while no line is named otherwise, the same object."""
        names = _rules.names_of(documents)
        if self._named is None or self._named[0] != names:
            self._named = (names, _rules.keys_of(documents))
        return self._named[1]

    def structure(self, name: str, root: dict[str, Any], checker: Checker) -> tuple[Draft, ...]:
        """Return what *checker*'s schema refuses in *root*, the mapping of the file *name*."""
        known = self._structure.get(name)
        if known is not None and known[0] is root and known[1] is checker:
            return known[2]
        drafts = tuple(_structure.check(root, checker))
        self._structure[name] = (root, checker, drafts)
        return drafts

    def placed(
        self, drafts: Iterable[Draft], *, file: str, text: str | None, entries: int | None = None
    ) -> tuple[Problem, ...]:
        """Return *drafts* with their places; see :func:`talebearer.content._findings.placed`."""
        asked = tuple(drafts)
        known = self._placed.get(file)
        if known is not None and known[0] == text and known[1] == asked:
            return known[2]
        problems = tuple(placed(asked, file=file, text=text, entries=entries))
        self._placed[file] = (text, asked, problems)
        return problems

    def rules(self, document: Document, index: Index) -> list[Draft]:
        """Return what is wrong with *document* beyond its schema; *index* learns what it names."""
        name = document.file.name
        read = self._parsed.get(name)
        looks = read is None or read.looks_around
        shared, keys = index.shared, self._known(index.keys) if looks else None
        kept = self._rules.setdefault(name, [])
        for made in kept:
            if made.root is document.root and made.shared == shared and made.keys == keys:
                break
        else:
            own = index.apart()
            found = list(_rules.check(document, own))
            made = _Ruled(document.root, shared, keys, found, own.around.named)
            self._rules[name] = [made, *kept[: _RULES_KEPT - 1]]
        index.around.take(made.named)
        return made.drafts

    def clashes(self, document: Document, index: Index) -> tuple[Draft, ...] | None:
        """Return which lines of *document* were found to exclude themselves, if all is as it was."""
        kept = self._clashes.get(document.file.name)
        if kept is None or kept[0] is not document.root:
            return None
        return kept[3] if kept[1] == index.shared and kept[2] == self._known(index.keys) else None

    def keep_clashes(self, document: Document, index: Index, drafts: tuple[Draft, ...]) -> None:
        """Keep what :meth:`clashes` is to return from now on."""
        known = (document.root, index.shared, self._known(index.keys), drafts)
        self._clashes[document.file.name] = known

    def pool(
        self,
        document: Document,
        keys: Keys,
        former: Former,
        make: Callable[[Document, Keys, Former], dict[str, Any]],
    ) -> bytes:
        """Return the pool of *document* as JSON; *make* makes it where it has to be made."""
        name = document.file.name
        read = self._parsed.get(name)
        resolved_by = self._known(keys) if read is None or read.looks_around else None
        kept = self._pools.get(name)
        if kept is not None and kept[0] is document.root and kept[1:3] == (resolved_by, former):
            return kept[3]
        data = orjson.dumps(make(document, keys, former), option=orjson.OPT_SORT_KEYS)
        self._pools[name] = (document.root, resolved_by, former, data)
        return data

    def _known(self, keys: Keys) -> Keys:
        """Return *keys*, or those of before if they are equal: the same ones are told at a glance."""
        if self._keys is None or self._keys[0] is not keys:
            before = None if self._keys is None else self._keys[1]
            self._keys = (keys, before if before is not None and before == keys else keys)
        return self._keys[1]

    def keep_only(self, names: Iterable[str]) -> None:
        """Forget the files that are none of *names*."""
        wanted = set(names)
        kept: tuple[dict[str, Any], ...] = (
            self._parsed,
            self._structure,
            self._placed,
            self._rules,
            self._clashes,
            self._pools,
            self._documents,
        )
        for known in kept:
            for name in known.keys() - wanted:
                del known[name]


def _looks_around(data: bytes) -> bool:
    """Return whether lines in *data* may name others: by an answer, or by a former name.

    An escape could hide the word, so a file with one counts, too.
    """
    return b"reply_to" in data or b"aliases" in data or b"\\" in data
