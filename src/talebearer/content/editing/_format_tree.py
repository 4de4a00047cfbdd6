"""The files of a content folder in their canonical form."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from talebearer._garbage import undisturbed
from talebearer.content import _tree, _yaml
from talebearer.content._findings import placed
from talebearer.content._tree import ContentFile, FileKind
from talebearer.content.editing._commented import NotPlain
from talebearer.content.editing._format import canonical_text
from talebearer.content.editing._formatted import Formatted
from talebearer.content.editing._write import Change
from talebearer.errors import Problem, Severity, UsageFault, Where
from talebearer.errors import findings_content as codes

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Formatting:
    """What formatting a folder comes to.

    Attributes:
        files: How many files were looked at.
        changes: The files that are not in their canonical form, in the order of their names.
        problems: Why files were left as they are; all are errors.
    """

    files: int
    changes: tuple[Change, ...]
    problems: tuple[Problem, ...]


def format_content(
    root: Path,
    *,
    only: Iterable[Path] = (),
    cache: Path | None = None,
    progress: Progress | None = None,
) -> Formatting:
    """Return what it takes to bring the files of the content folder *root* into canonical form.

    Nothing is written: that is what :func:`write_changes` does with the changes. A file that
    cannot be read, or that would not read back as the same data with the same comments, is left
    as it is and has a problem; the others are formatted all the same. Formatting twice changes
    nothing the second time.

    Args:
        root: The content folder.
        only: The files to look at, if not all; each is a content file below *root*.
        cache: A folder that remembers what was canonical, so that unchanged files are not read as
            YAML again; None reads all. It never changes the result.
        progress: Called with (stage, files done, files in all).

    Raises:
        UsageFault: A file of *only* is no content file below *root* (TB111).
    """
    wanted = tuple(only)
    files = _chosen(root, wanted)
    known = Formatted(cache)
    changes: list[Change] = []
    problems: list[Problem] = []
    for done, file in enumerate(files):
        if progress is not None:
            progress("formatting", done, len(files))
        change, found = _formatted(file, known)
        problems.extend(found)
        if change is not None:
            changes.append(change)
    if not wanted:  # a run over some files does not know of the others
        known.keep()
    return Formatting(files=len(files), changes=tuple(changes), problems=tuple(problems))


def _chosen(root: Path, only: tuple[Path, ...]) -> list[ContentFile]:
    """Return the files to look at, each real file once."""
    tree = _tree.walk(root)
    seen: dict[Path, ContentFile] = {}
    for file in sorted((*tree.files, *tree.plans), key=lambda file: file.name):
        seen.setdefault(file.path.resolve(), file)
    if not only:
        return list(seen.values())
    wanted = [path.resolve() for path in only]
    for path, real in zip(only, wanted, strict=True):
        if real not in seen:
            hint = "name YAML files that lint reads, or leave them out to format all"
            raise UsageFault(f"{path} is no content file below {root}", hint=hint)
    return [file for real, file in seen.items() if real in wanted]


def format_text(name: str, data: bytes) -> tuple[bytes, tuple[Problem, ...]]:
    """Return *data* in its canonical form, or as it is with the reasons.

    Args:
        name: The file's path from the content folder, such as ``global/npcs/odo-renn.yaml``; it
            says what kind of file it is.
        data: What is in it.

    Raises:
        UsageFault: No content file has that name (TB111).
    """
    kind = _tree.kind_of_path(PurePosixPath(name))
    if kind is None:
        raise UsageFault(f"{name} is no name of a content file", hint="its path from the folder")
    return _canonical(data, kind, name)


def _formatted(file: ContentFile, known: Formatted) -> tuple[Change | None, tuple[Problem, ...]]:
    data, fault = _tree.read(file)
    if fault is not None:
        return None, tuple(placed((fault,), file=file.name, text=None))
    if known.holds(data, file.kind):
        return None, ()
    after, problems = _canonical(data, file.kind, file.name)
    if not problems:
        known.note(after, file.kind)  # formatting it again would change nothing
    if after == data:
        return None, problems
    return Change(name=file.name, path=file.path, before=data, after=after), problems


def _canonical(data: bytes, kind: FileKind, name: str) -> tuple[bytes, tuple[Problem, ...]]:
    parsed = _yaml.parse(data)
    if parsed.drafts or parsed.value is None:
        return data, tuple(placed(parsed.drafts, file=name, text=parsed.text))
    try:
        with undisturbed():
            return canonical_text(data, parsed, kind), ()
    except NotPlain as left:
        problem = Problem(
            code=codes.NOT_FORMATTED,
            severity=Severity.ERROR,
            where=Where(file=name, line=left.mark[0], column=left.mark[1]),
            message=f"left as it is: {left.reason}",
        )
        return data, (problem,)
