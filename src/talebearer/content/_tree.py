"""What lies below a content folder: which files are read, as what, and which are not and why.

Names are walked in code point order, so that nothing depends on the file system's own.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path, PurePosixPath

from talebearer.content._findings import Draft
from talebearer.content._yaml import FILE_SIZE_BYTES_MAX
from talebearer.errors import Severity, nearest
from talebearer.errors import findings_content as codes
from talebearer.vocabulary import DEFAULT_ENUMS, SLUG, fullmatch


class FileKind(StrEnum):
    """What a content file is, by where it lies."""

    DIALOGUE = "dialogue"
    MONOLOGUE = "monologue"
    ENUM = "enum"
    FACTS = "facts"
    PROFILE = "profile"
    STATE = "state"
    CONDITIONS = "conditions"
    COVERAGE = "coverage"
    PLAN = "plan"


SCHEMA_OF = {
    FileKind.DIALOGUE: "dialogue-pool",
    FileKind.MONOLOGUE: "monologue-pool",
    FileKind.ENUM: "enum",
    FileKind.FACTS: "fact-catalog",
    FileKind.PROFILE: "npc-profile",
    FileKind.STATE: "state",
    FileKind.CONDITIONS: "conditions",
    FileKind.COVERAGE: "coverage",
    FileKind.PLAN: "plan",
}
"""Kind of a file to the schema that it has to match."""

PLAN_SUFFIX = ".plan.yaml"
POOL_KINDS = (FileKind.DIALOGUE, FileKind.MONOLOGUE)
_GLOBAL = {
    ("global", "enums"): FileKind.ENUM,
    ("global", "knowledge"): FileKind.FACTS,
    ("global", "npcs"): FileKind.PROFILE,
}
_GLOBAL_FILES = {
    "state": FileKind.STATE,
    "conditions": FileKind.CONDITIONS,
    "coverage": FileKind.COVERAGE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentFile:
    """One file that is read.

    Attributes:
        kind: What it is.
        name: Path from the content folder's parent, for messages.
        key: Path from the content folder without ``.yaml``, NFC; a pool's path.
        path: Where it is.
    """

    kind: FileKind
    name: str
    key: str
    path: Path

    @property
    def stem(self) -> str:
        """The file's name without ``.yaml``."""
        return self.key.rpartition("/")[2]

    @property
    def folder(self) -> str:
        """The name of the folder that holds it."""
        return self.key.split("/")[-2]


@dataclass(slots=True, kw_only=True)
class Tree:
    """What was found: the files to read, and findings by file name.

    Attributes:
        files: The files, in the order of their keys.
        plans: The plans, which are no pools and no part of a pack, in the order of their keys.
        drafts: File name and finding.
        root: The folder, with links resolved; None if there is none.
    """

    files: list[ContentFile] = field(default_factory=list)
    plans: list[ContentFile] = field(default_factory=list)
    drafts: list[tuple[str, Draft]] = field(default_factory=list)
    root: Path | None = None


def walk(root: Path, unsaved: Iterable[Path] = ()) -> Tree:
    """Return what lies below *root*; of the paths *unsaved*, those that are not there count, too."""
    walker = _Walker(root)
    if not walker.root.is_dir():
        draft = Draft(code=codes.NO_CONTENT, message=f"{root} is no folder")
        walker.tree.drafts.append((walker.root.name or str(root), draft))
        return walker.tree
    walker.walk()
    walker.add(unsaved)
    walker.tree.root = walker.root
    walker.tree.files.sort(key=lambda file: (file.key, file.name))
    walker.tree.plans.sort(key=lambda file: file.key)
    _find_duplicates(walker.tree)
    return walker.tree


def _find_duplicates(tree: Tree) -> None:
    seen: dict[str, ContentFile] = {}
    for file in list(tree.files):
        other = seen.setdefault(file.key, file)
        if other is not file:
            message = f"its pool path is that of {other.name}, too"
            tree.drafts.append((file.name, Draft(code=codes.DUPLICATE_POOL, message=message)))
            tree.files.remove(file)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Folder:
    """A folder still to be walked: where it is, its name from the root, where it really is."""

    path: Path
    relative: PurePosixPath
    real: Path
    is_linked: bool = False


class _Walker:
    """The walk: where it may go, and what it makes of each file."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.tree = Tree()
        self._pending: list[_Folder] = []

    def walk(self) -> None:
        """Take in all folders below the root."""
        start = _Folder(path=self.root, relative=PurePosixPath(), real=self.root)
        self._pending.append(start)
        while self._pending:
            folder = self._pending.pop()
            try:
                names = sorted(path.name for path in folder.path.iterdir())
            except OSError as error:
                self._unreadable(folder.relative, error.strerror or str(error))
                continue
            for name in names:
                if not name.startswith((".", "_")):
                    self._entry(folder, name)

    def add(self, unsaved: Iterable[Path]) -> None:
        """Take in files that are not there yet, as if they were, in folders below the root."""
        for path in sorted(unsaved):
            if os.path.lexists(path) or not path.is_relative_to(self.root):
                continue
            relative = PurePosixPath(path.relative_to(self.root).as_posix())
            is_hidden = any(part.startswith((".", "_")) for part in relative.parts)
            if is_hidden or not self._inside(path.parent.resolve()):
                continue
            if path.name.endswith(PLAN_SUFFIX):
                self._plan(path, relative)
            else:
                self._file(path, relative, is_inside=True, is_regular=True)

    def _entry(self, folder: _Folder, name: str) -> None:
        path, relative = folder.path / name, folder.relative / name
        try:
            is_link = path.is_symlink()
            mode = path.stat().st_mode
            real = path.resolve() if is_link else folder.real / name
        except (OSError, RuntimeError) as error:  # older Pythons raise RuntimeError on loops
            if relative.suffix == ".yaml":
                self._unreadable(relative, getattr(error, "strerror", None) or str(error))
            return
        if stat.S_ISDIR(mode):
            child = _Folder(
                path=path, relative=relative, real=real, is_linked=folder.is_linked or is_link
            )
            self._folder(folder, child, is_link=is_link)
        elif name.endswith(PLAN_SUFFIX):
            if stat.S_ISREG(mode) and not is_link:
                self._plan(path, relative)
        else:
            self._file(path, relative, is_inside=self._inside(real), is_regular=stat.S_ISREG(mode))

    def _plan(self, path: Path, relative: PurePosixPath) -> None:
        key = relative.as_posix().removesuffix(".yaml")
        name = self._name(relative)
        self.tree.plans.append(ContentFile(kind=FileKind.PLAN, name=name, key=key, path=path))

    def _folder(self, parent: _Folder, child: _Folder, *, is_link: bool) -> None:
        """Note *child* for the walk, unless a link may not lead there.

        A path goes through one link at most: links between neighbours would multiply otherwise.
        """
        is_circle = parent.real.is_relative_to(child.real)
        if is_link and (parent.is_linked or is_circle or not self._inside(child.real)):
            self._report(child.relative, codes.SYMLINK, "the link is not followed", self._hint)
            return
        self._check_folder_name(child.relative)
        self._pending.append(child)

    def _file(
        self, path: Path, relative: PurePosixPath, *, is_inside: bool, is_regular: bool
    ) -> None:
        kind = _kind(relative)
        if relative.suffix != ".yaml":
            if relative.suffix.lower() in (".yml", ".yaml") and (kind or _is_below_pools(relative)):
                self._unread(relative, f"rename it to {relative.stem}.yaml")
            return
        if kind is None:
            self._unknown(relative)
        elif not is_inside:
            self._report(relative, codes.SYMLINK, "the link is not followed", self._hint)
        elif not is_regular:
            self._unreadable(relative, "it is no regular file")
        elif self._is_named_well(kind, relative):
            key = unicodedata.normalize("NFC", relative.with_suffix("").as_posix())
            name = self._name(relative)
            self.tree.files.append(ContentFile(kind=kind, name=name, key=key, path=path))

    def _unknown(self, relative: PurePosixPath) -> None:
        if _is_below_pools(relative):
            message = "a pool lies in the folder of its location or character"
            hint = "dialogue/LOCATION/FILE.yaml or monologue/CHARACTER/FILE.yaml"
            self._report(relative, codes.MISPLACED_POOL, message, hint)
        elif relative.parts[:2] in _GLOBAL:
            self._unread(relative, f"move it up to {'/'.join(relative.parts[:2])}")
        elif relative.parts[:-1] == ("global",):
            close = nearest(relative.stem, _GLOBAL_FILES, count_max=1) or tuple(_GLOBAL_FILES)
            self._unread(relative, f"a file of global is one of: {', '.join(close)}")

    def _is_named_well(self, kind: FileKind, relative: PurePosixPath) -> bool:
        stem = relative.stem
        if kind is FileKind.ENUM and stem not in DEFAULT_ENUMS:
            close = nearest(stem, DEFAULT_ENUMS, count_max=1) or tuple(DEFAULT_ENUMS)
            self._unread(relative, f"an enumeration is one of: {', '.join(close)}")
            return False
        if kind in (*POOL_KINDS, FileKind.PROFILE) and not fullmatch(SLUG, stem):
            hint = "lower-case letters, digits and hyphens, beginning with a letter"
            message = f"file name {_printable(relative.name)!r} is no slug"
            self._report(relative, codes.BAD_FILE_NAME, message, hint)
            return False
        if not is_utf8(str(relative)):
            self._unreadable(relative, "its path is not UTF-8")
            return False
        return True

    def _check_folder_name(self, relative: PurePosixPath) -> None:
        """Warn of a folder whose name all but says that it holds pools."""
        name = relative.name.lower()
        if name in ("dialogue", "monologue") and name == relative.name:
            return
        if name.rstrip("s") in ("dialog", "dialogue", "monolog", "monologue"):
            right = "dialogue" if name.startswith("d") else "monologue"
            self._unread(relative, f"name the folder {right!r}")

    def _inside(self, real: Path) -> bool:
        return real.is_relative_to(self.root)

    @property
    def _hint(self) -> str:
        return f"links may lead to folders and files below {_printable(self.root.name)}"

    def _unread(self, relative: PurePosixPath, hint: str) -> None:
        message = f"{_printable(relative.name)!r} is not read"
        draft = Draft(code=codes.UNREAD_FILE, message=message, hint=hint, severity=Severity.WARNING)
        self.tree.drafts.append((self._name(relative), draft))

    def _unreadable(self, relative: PurePosixPath, reason: str) -> None:
        self._report(relative, codes.UNREADABLE_FILE, f"cannot be read: {reason}")

    def _report(self, relative: PurePosixPath, code: str, message: str, hint: str = "") -> None:
        draft = Draft(code=code, message=message, hint=hint)
        self.tree.drafts.append((self._name(relative), draft))

    def _name(self, relative: PurePosixPath) -> str:
        return _printable((PurePosixPath(self.root.name) / relative).as_posix())


def _kind(relative: PurePosixPath) -> FileKind | None:
    folders = relative.parts[:-1]
    if len(folders) >= 2 and folders[-2] in POOL_KINDS:
        return FileKind(folders[-2])
    if folders == ("global",):
        return _GLOBAL_FILES.get(relative.stem)
    return _GLOBAL.get((folders[0], folders[1])) if len(folders) == 2 else None


def kind_of_path(relative: PurePosixPath) -> FileKind | None:
    """Return what the file at *relative*, from the content folder, is read as; None for nothing."""
    if relative.suffix != ".yaml" or any(part.startswith((".", "_")) for part in relative.parts):
        return None
    if relative.name.endswith(PLAN_SUFFIX):
        return FileKind.PLAN
    return _kind(relative)


def _is_below_pools(relative: PurePosixPath) -> bool:
    return any(part in POOL_KINDS for part in relative.parts[:-1])


def _printable(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def is_utf8(path: str) -> bool:
    """Return whether the bytes of *path*, as the file system has it, are UTF-8."""
    return _printable(path) == path


def read(file: ContentFile) -> tuple[bytes, Draft | None]:
    """Return the bytes of *file*, or the reason why they cannot be had."""
    try:
        with file.path.open("rb") as stream:
            data = stream.read(FILE_SIZE_BYTES_MAX + 1)
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        return b"", Draft(code=codes.UNREADABLE_FILE, message=message)
    if len(data) > FILE_SIZE_BYTES_MAX:
        message = f"the file has more than {FILE_SIZE_BYTES_MAX} bytes"
        return b"", Draft(code=codes.FILE_TOO_LARGE, message=message)
    return data, None


def enum_files(root: Path) -> list[ContentFile]:
    """Return the enumeration files of the content folder *root* that are there."""
    keys = [f"global/enums/{stem}" for stem in DEFAULT_ENUMS]
    files = [
        ContentFile(kind=FileKind.ENUM, name=key, key=key, path=root / f"{key}.yaml")
        for key in keys
    ]
    return [file for file in files if file.path.is_file()]


def as_file(tree: Tree, path: Path) -> ContentFile | None:
    """Return how a new file at *path* would be read as part of *tree*; None if it would not be."""
    if tree.root is None or path.suffix != ".yaml" or path.name.endswith(PLAN_SUFFIX):
        return None
    place = path.parent.resolve() / path.name
    if not place.is_relative_to(tree.root):
        return None
    relative = PurePosixPath(place.relative_to(tree.root).as_posix())
    kind = _kind(relative)
    if kind is None or any(part.startswith((".", "_")) for part in relative.parts):
        return None
    key = unicodedata.normalize("NFC", relative.with_suffix("").as_posix())
    return ContentFile(kind=kind, name=f"{tree.root.name}/{relative}", key=key, path=path)
