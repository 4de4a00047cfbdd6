"""Another name for a fact, a line, a character, a location or a role, everywhere that it stands.

Names in saves and packs of old are kept: a line has its former id as an alias, a pool its former
path, a fact and a character their former names under ``formerly``; all of these count as the new one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from talebearer.content import _tree
from talebearer.content._findings import ValuePath
from talebearer.content._keys import Keys, homes_of
from talebearer.content._lint import Progress
from talebearer.content._rules import GENERAL, Document, lines_of
from talebearer.content._tree import POOL_KINDS, ContentFile, FileKind
from talebearer.content.editing._beyond import in_scene, in_settings, saved_scenes
from talebearer.content.editing._edits import Edits
from talebearer.content.editing._references import Reference, references
from talebearer.content.editing._tree import barring
from talebearer.content.editing._write import Change
from talebearer.content.plans import names_line
from talebearer.errors import EditRefused, UnknownReference, UsageFault, did_you_mean
from talebearer.vocabulary import DIALOGUE_ID, FACT_ID, MONOLOGUE_ID, SLUG, fullmatch

RENAMED_KINDS = ("fact", "line", "npc", "location", "role")
"""What :func:`rename` renames."""

_FORMS = {
    "fact": (FACT_ID, "category.topic, such as places.lighthouse_dark"),
    "line": (f"{DIALOGUE_ID}|{MONOLOGUE_ID}", "such as odo-renn_d_001 or pc-detective_m_d_001"),
}
_SLUG_FORM = (SLUG, "lower-case letters, digits and hyphens, beginning with a letter")


@dataclass(frozen=True, slots=True, kw_only=True)
class Renaming:
    """What a new name comes to, not written yet.

    Attributes:
        kind: One of :data:`RENAMED_KINDS`.
        old: The name now.
        new: The name to be.
        changes: What becomes of each file, by name; a file that moves is deleted at the one place and
            made at the other.
        count: How many words are changed, besides the places of files.
        moves: Files that move: from and to, from the content folder's parent.
        notes: What stays as it is and should be looked at.
    """

    kind: str
    old: str
    new: str
    changes: tuple[Change, ...]
    count: int
    moves: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


def rename(
    root: Path,
    kind: str,
    old: str,
    new: str,
    *,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> Renaming:
    """Return what it takes to call *old* *new* everywhere below the content folder *root*.

    Every file keeps all bytes but the changed words; former names are noted where saves need them.
    Nothing is written: :func:`write_changes` does that, all or nothing. The edits of one file alone
    are had from its change: ``before`` is what the file holds, ``after`` what it would hold.

    Args:
        root: The content folder.
        kind: One of :data:`RENAMED_KINDS`.
        old: The name: a fact id, a slug, or a line as ``id`` or ``pool#id``.
        new: The name to be; of a line its id, which stays in its pool.
        cache: A folder that remembers what was parsed; it is only read.
        progress: Called with (stage, files done, files in all).

    Raises:
        UnknownReference: Nothing, or more than one line, has the name *old* (TB113).
        UsageFault: *new* has not the form of a name, or is taken (TB111).
        EditRefused: A file has faults or is laid out so that it cannot be edited, all of those named; or
            a link would lead the new files out of the folder (TB121).
        InvalidContent: The content would have errors that it has not now; all are in
            ``data["problems"]`` (TB106).

    Source: rules LP-L1, IM-M10; the line-pool spec section 5.4.
    """
    if kind not in RENAMED_KINDS:
        raise UsageFault(f"{kind!r} cannot be renamed", hint=f"one of: {', '.join(RENAMED_KINDS)}")
    pattern, form = _FORMS.get(kind, _SLUG_FORM)
    if not fullmatch(pattern, new):
        article = "an" if kind == "npc" else "a"
        raise UsageFault(f"{new!r} is no name of {article} {kind}", hint=form)
    tell = progress or (lambda _stage, _done, _total: None)
    work = _Work(root, tell)
    notes = list(_KINDS[kind](work, old, new))
    changes = work.changes(tell)
    barring(root, changes, what=f"{kind} {new}", plans=True, cache=cache, progress=progress)
    changes, told = in_settings(work.root, changes, kind, old, new)
    notes += told
    return Renaming(
        kind=kind,
        old=old,
        new=new,
        changes=changes,
        count=work.count,
        moves=tuple(sorted(work.moves())),
        notes=tuple(notes),
    )


@dataclass(slots=True)
class _File:
    """One file: what is in it, its edits, and where it goes."""

    file: ContentFile
    data: bytes
    edits: Edits
    key: str

    @property
    def document(self) -> Document:
        return Document(file=self.file, root=self.edits.value)

    @property
    def refs(self) -> Iterator[Reference]:
        if self.file.path.suffix == ".json":
            return in_scene(self.edits.value)
        return references(self.edits.value, self.file.kind)


class _Work:
    """The files of a tree while a name changes in them."""

    def __init__(self, root: Path, tell: Progress) -> None:
        tree = _tree.walk(root)
        self.root = tree.root or root
        self.files: list[_File] = []
        self.count = 0
        faults = []
        files = (*tree.files, *tree.plans, *saved_scenes(self.root))
        for done, file in enumerate(files):
            tell("reading", done, len(files))
            data, fault = _tree.read(file)
            try:
                if fault is not None:
                    raise EditRefused(fault.message)
                self.files.append(_File(file, data, Edits(data, name=file.name), file.key))
            except EditRefused:
                faults.append(file.name)
        if faults:
            listed = ", ".join(faults)
            is_content = not any(name.endswith(".json") for name in faults)
            raise EditRefused(
                f"files with faults may hold the name: {listed}",
                hint="run talebearer lint first" if is_content else "correct or remove them first",
            )

    def of(self, *kinds: FileKind) -> list[_File]:
        """Return the files of *kinds*."""
        return [one for one in self.files if one.file.kind in kinds]

    def replace(self, one: _File, ref: Reference, word: str) -> None:
        """Put *word* where *ref* stands."""
        self.count += 1
        if ref.is_key:
            one.edits.rename(ref.path, ref.prefix + word)
        else:
            one.edits.replace(ref.path, ref.prefix + word)

    def replace_all(self, kind: str, old: str, new: str) -> None:
        """Put *new* wherever *old* is named as a *kind*."""
        for one in self.files:
            for ref in one.refs:
                if ref.kind == kind and ref.name == old:
                    self.replace(one, ref, new)

    def former(
        self, one: _File, path: ValuePath, old: str, *, new: str, after: Sequence[str]
    ) -> None:
        """Note at *path* of *one* that it was called *old*; *new* is no former name any more.

        The first name of a pool or character stays in front, also when it is the new one: draws go
        by it.
        """
        names = one.edits.get((*path, "formerly"))
        if isinstance(names, list):
            first = 0 if path == () else None
            kept = [n for at, n in enumerate(names) if at == first or n not in (old, new)]
            last = [] if kept[:1] == [old] else [old]
            one.edits.replace((*path, "formerly"), [*kept, *last])
        else:
            one.edits.add(path, "formerly", [old], after=after)

    def move(self, one: _File, key: str) -> None:
        """Give *one* another place, which for a pool is another path.

        Raises:
            UsageFault: A file is there (TB111).
        """
        if os.path.lexists(self.root / f"{key}.yaml"):
            raise UsageFault(f"{key}.yaml is there already", hint="nothing was written")
        one.key = key
        if one.file.kind in POOL_KINDS:
            after = (
                ("location", "role")
                if one.file.kind is FileKind.DIALOGUE
                else ("character", "location")
            )
            self.former(one, (), one.file.key, new=key, after=after)

    def follow_pools(self) -> None:
        """Let references with a pool's path follow the pools that moved."""
        moved = {one.file.key: one.key for one in self.of(*POOL_KINDS) if one.key != one.file.key}
        places = [one.key for one in self.of(*POOL_KINDS)]
        keys = self.keys()
        for one in self.files:
            for ref in one.refs:
                path, mark, line_id = ref.name.rpartition("#")
                if ref.kind != "line" or not mark:
                    continue
                known = keys.resolve(ref.name, one.file.key)[0]
                pool = "" if known is None else known.rpartition("#")[0]
                if pool in moved and (pool == path or pool.endswith(f"/{path}")):
                    short = _end(moved[pool], path.count("/") + 1, places)
                    self.replace(one, ref, f"{short}#{line_id}")

    def keys(self) -> Keys:
        """Return the lines of the tree as they are now."""
        documents = [one.document for one in self.files]
        return Keys(lines_of(documents), homes_of(documents))

    def moves(self) -> Iterator[tuple[str, str]]:
        """Yield the files that move."""
        for one in self.files:
            if one.key != one.file.key:
                yield one.file.name, f"{self.root.name}/{one.key}.yaml"

    def changes(self, tell: Progress) -> tuple[Change, ...]:
        """Return what becomes of every file, by name.

        Raises:
            EditRefused: Files are laid out so that they cannot be edited; all are named (TB121).
        """
        found: list[Change] = []
        refused: list[EditRefused] = []
        for done, one in enumerate(self.files):
            tell("changing", done, len(self.files))
            try:
                found += self._changed(one)
            except EditRefused as fault:
                refused.append(fault)
        if refused:
            raise EditRefused("; ".join(fault.message for fault in refused), hint=refused[0].hint)
        return tuple(sorted(found, key=lambda change: change.name))

    def _changed(self, one: _File) -> Iterator[Change]:
        data = one.edits.data() if len(one.edits) else one.data
        if one.key != one.file.key:
            name = f"{self.root.name}/{one.key}.yaml"
            path = self.root / f"{one.key}.yaml"
            yield Change(name=one.file.name, path=one.file.path, before=one.data, after=None)
            yield Change(name=name, path=path, before=None, after=data)
        elif data != one.data:
            yield Change(name=one.file.name, path=one.file.path, before=one.data, after=data)


def _unknown(kind: str, old: str, known: Mapping[str, Any] | Sequence[str]) -> UnknownReference:
    return UnknownReference(f"no {kind} is called {old!r}", hint=did_you_mean(old, known))


def _taken(kind: str, new: str) -> UsageFault:
    return UsageFault(f"the {kind} {new!r} is there already", hint="choose another name")


def _fact(work: _Work, old: str, new: str) -> Iterator[str]:
    places: dict[str, tuple[_File, int]] = {}
    for one in work.of(FileKind.FACTS):
        for at, fact in enumerate(one.edits.get(("facts",)) or ()):
            if isinstance(fact, dict) and isinstance(fact.get("id"), str):
                places.setdefault(fact["id"], (one, at))
    if old not in places:
        raise _unknown("fact", old, places)
    if new in places:
        raise _taken("fact", new)
    one, at = places[old]
    category = new.partition(".")[0]
    if category != old.partition(".")[0]:
        raise UsageFault(
            f"{new} is of another category than {old}",
            hint="a fact stays in its catalogue; move the entry by hand first, with formerly: [...]",
        )
    work.count += 1
    one.edits.replace(("facts", at, "id"), new)
    work.former(one, ("facts", at), old, new=new, after=("id",))
    work.replace_all("fact", old, new)
    yield from ()


def _line(work: _Work, old: str, new: str) -> Iterator[str]:
    keys = work.keys()
    pools = {one.file.key: one for one in work.of(*POOL_KINDS)}
    key, hint = keys.resolve(old, "")
    if key is None:
        raise UnknownReference(f"no line, or several, are called {old!r}", hint=hint)
    pool, _, line_id = key.rpartition("#")
    one = pools[pool]
    lines = {
        line["id"]: (at, line) for at, line in one.document.lines if isinstance(line.get("id"), str)
    }
    if new in lines:
        raise _taken("line", new)
    at, line = lines[line_id]
    work.count += 1
    one.edits.replace(("lines", at, "id"), new)
    aliases = line.get("aliases")
    if isinstance(aliases, list):
        kept = [alias for alias in aliases if alias not in (line_id, new)]
        one.edits.replace(("lines", at, "aliases"), [*kept, line_id])
    else:
        one.edits.add(("lines", at), "aliases", [line_id], after=("id",))
    others = len(keys.pools_of(line_id)) > 1
    for file in work.files:
        for ref in file.refs:
            if ref.kind == "line":
                yield from _follow_line(work, file, ref, (pool, line_id, new), keys, others=others)


def _follow_line(
    work: _Work,
    file: _File,
    ref: Reference,
    line: tuple[str, str, str],
    keys: Keys,
    *,
    others: bool,
) -> Iterator[str]:
    """Let *ref* follow the line, if it means it; yield a note where it may mean others, too."""
    pool, line_id, new = line
    path, mark, name = ref.name.rpartition("#")
    if name != line_id:
        return
    if file.file.kind is FileKind.PLAN:
        if not names_line(ref.name, (pool, line_id)):
            return
        if others and not mark:
            yield f"{file.file.name} names {ref.name}, which other pools have, too; it is left"
            return
        if not mark and keys.pools_of(new):
            path, mark = pool, "#"  # the bare id would mean others, too
    elif keys.resolve(ref.name, file.file.key)[0] != f"{pool}#{line_id}":
        return
    elif not mark and file.file.key != pool and keys.pools_of(new):
        path, mark = pool, "#"  # the bare id would mean another line
    work.replace(file, ref, f"{path}{mark}{new}")


def _npc(work: _Work, old: str, new: str) -> Iterator[str]:
    profiles = {one.file.stem: one for one in work.of(FileKind.PROFILE)}
    pools = [one for one in work.of(FileKind.DIALOGUE) if one.file.stem == old]
    if old not in profiles:
        raise _unknown("npc", old, profiles)
    if new in profiles or any(one.file.stem == new for one in work.of(FileKind.DIALOGUE)):
        raise _taken("npc", new)
    profile = profiles[old]
    work.move(profile, _beside(profile.file.key, new))
    work.former(profile, (), old, new=new, after=("name", "aliases"))
    for one in pools:
        work.move(one, _beside(one.file.key, new))
    _move_plans(work, {one.file.key for one in pools}, lambda key: _beside(key, new))
    work.replace_all("npc", old, new)
    work.follow_pools()
    yield "ids of lines stay as they are, since saves know lines by them"


def _location(work: _Work, old: str, new: str) -> Iterator[str]:
    said = [one for one in work.of(FileKind.DIALOGUE) if one.file.folder == old]
    thought = [one for one in work.of(FileKind.MONOLOGUE) if one.file.stem == old]
    places = sorted({one.file.folder for one in work.of(FileKind.DIALOGUE)})
    if new == GENERAL:
        raise UsageFault(f"{new!r} is what pools of no location are called")
    if (not said and not thought) or old == GENERAL:
        raise _unknown("location", old, places)
    if new in places:
        raise _taken("location", new)
    folders = {one.file.key.rpartition("/")[0] for one in said}
    for one in said:
        work.move(one, _in_folder(one.file.key, new))
    for one in thought:
        work.move(one, _beside(one.file.key, new))
    for one in work.of(FileKind.PLAN):
        folder = one.file.key.rpartition("/")[0]
        if folder in folders:
            work.move(one, _in_folder(one.file.key, new))
    _move_plans(work, {one.file.key for one in thought}, lambda key: _beside(key, new))
    work.replace_all("location", old, new)
    work.follow_pools()
    for folder in sorted(folders):
        left = [p.name for p in sorted((work.root / folder).iterdir()) if p.suffix != ".yaml"]
        if left:
            yield f"{folder} holds other files, which stay: {', '.join(left)}"
    yield f"conversations that were had at {old} stay there"


def _role(work: _Work, old: str, new: str) -> Iterator[str]:
    people = {one.file.stem for one in work.of(FileKind.PROFILE)}
    roles = {
        one.document.text("role") or "" for one in work.of(FileKind.DIALOGUE, FileKind.PROFILE)
    }
    if old not in roles:
        raise _unknown("role", old, sorted(roles - {""}))
    if new in roles:
        raise _taken("role", new)
    pools = [
        one for one in work.of(FileKind.DIALOGUE) if one.file.stem == old and old not in people
    ]
    for one in pools:
        work.move(one, _beside(one.file.key, new))
    _move_plans(work, {one.file.key for one in pools}, lambda key: _beside(key, new))
    work.replace_all("role", old, new)
    if pools:
        work.replace_all("npc", old, new)  # somebody without a profile is called by the role
    work.follow_pools()
    yield from ()


def _move_plans(work: _Work, pools: set[str], moved: Callable[[str], str]) -> None:
    """Move the plans that stand beside *pools* and are called like them."""
    for one in work.of(FileKind.PLAN):
        base = one.file.key.removesuffix(".plan")
        if base in pools:
            work.move(one, f"{moved(base)}.plan")


def _end(pool: str, parts: int, pools: Sequence[str]) -> str:
    """Return as many parts of *pool* from its end as asked, or all if that would mean several."""
    short = "/".join(pool.split("/")[-parts:])
    return pool if sum(f"/{one}".endswith(f"/{short}") for one in pools) > 1 else short


def _beside(key: str, stem: str) -> str:
    return PurePosixPath(key).with_name(stem).as_posix()


def _in_folder(key: str, folder: str) -> str:
    path = PurePosixPath(key)
    return (path.parent.with_name(folder) / path.name).as_posix()


_KINDS: Mapping[str, Callable[[_Work, str, str], Iterator[str]]] = {
    "fact": _fact,
    "line": _line,
    "npc": _npc,
    "location": _location,
    "role": _role,
}
