"""The translations of a content tree: ``translations/{language}.po`` beside what is translated.

Source: rule LP-L8-translations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from talebearer.content import _tree, _yaml
from talebearer.content._lint import Progress, check_tree
from talebearer.content._tree import POOL_KINDS
from talebearer.content.editing import Change, diff_of, write_changes
from talebearer.content.sheets import _po
from talebearer.content.sheets._export import must_have_keys, names_of
from talebearer.content.sheets._po import FOLDER, Merged, Text
from talebearer.content.sheets._rows import Filter
from talebearer.errors import InvalidTranslations, Problem, Severity, UsageFault

if TYPE_CHECKING:
    from polib import POFile

_ALL = Filter()
_LISTED_MAX = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Translated:
    """What one language has.

    Attributes:
        language: Its code.
        path: The file.
        translated: Contexts of texts whose translation holds.
        stale: Contexts of texts that changed since they were translated.
        missing: Contexts of texts without a translation.
        obsolete: Contexts of translations whose text is gone.
        problems: Translations that are too long, or hold what no text may.
        diff: What changes in the file, if it does.
        is_written: Whether it was written.
    """

    language: str
    path: Path
    translated: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    obsolete: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    diff: str = ""
    is_written: bool = False

    @property
    def is_done(self) -> bool:
        """Whether every text has a translation that holds, and none is refused."""
        return not (self.stale or self.missing or self.problems)

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON object; lists are cut at a thousand, counts are whole."""
        kinds = ("translated", "stale", "missing", "obsolete")
        listed = {kind: list(getattr(self, kind)[:_LISTED_MAX]) for kind in kinds[1:]}
        return {
            "language": self.language,
            "file": self.path.as_posix(),
            "counts": {kind: len(getattr(self, kind)) for kind in kinds},
            **listed,
            "problems": [problem.as_json() for problem in self.problems],
            "written": self.is_written,
        }


def export_translations(
    root: Path,
    language: str,
    *,
    target: Path | None = None,
    only: Filter = _ALL,
    progress: Progress | None = None,
) -> Translated:
    """Write the texts of the content folder *root* for translators into *language*.

    Translations that *target* and the content's own file have are kept: of a changed text marked
    ``fuzzy``, of a text that is gone as obsolete entries. A line keeps its translation under a new id
    that has the old one among its aliases. The same content and translations give the same bytes.

    Args:
        root: The content folder.
        language: Such as ``de`` or ``pt_BR``.
        target: The file; by default ``translations/{language}.po`` of the content.
        only: Which pools, for a file of their own; the content's own file has all.
        progress: As in :func:`~talebearer.content.lint`.

    Raises:
        InvalidContent: A pool cannot be read, or a line has no id of its own (TB106).
        InvalidTranslations: A PO file that is there cannot be read (TB122).
        UsageFault: No such language, a part of the pools for the content's own file, a link that leads
            out of the content, or the library is missing (TB111).
        OSError: The file system refuses.

    Source: rule LP-L8-translations.
    """
    _po.must_be_language(language)
    own = _home(root, language)
    path = target or own
    if only != _ALL and path.resolve() == own.resolve():
        message = f"{own} holds all texts, not those of some pools"
        raise UsageFault(message, hint="write a file of its own with --to FILE")
    files = [_read(one) for one in dict.fromkeys((path, own)) if one.is_file()]
    merged = _po.merge(_texts(root, only, progress), files, language, path.name)
    return _kept(path, language, merged, dry_run=False)


def import_translations(
    root: Path,
    file: Path,
    *,
    language: str = "",
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Translated:
    """Bring what translators wrote in *file* into ``translations/{language}.po`` of the content.

    Its translations win over those that are there; where it has none, those stay. Translations of
    texts that have changed since it was exported are marked as stale.

    Args:
        root: The content folder.
        file: A PO file that export made and translators filled in.
        language: By default the one that its header names.
        dry_run: Nothing is written.
        progress: As in :func:`~talebearer.content.lint`.

    Raises:
        InvalidContent: A pool cannot be read, or a line has no id of its own (TB106).
        InvalidTranslations: A PO file cannot be read, or holds what no text may (TB122).
        UsageFault: No such file or language, a link out of the content, or the library is missing
            (TB111).
        OSError: The file system refuses; nothing was written.
    """
    if not file.is_file():
        raise UsageFault(f"there is no file {file}", hint="write one with talebearer lines export")
    given = _read(file)
    language = language or given.metadata.get("Language", "")
    _po.must_be_language(language)
    path = _home(root, language)
    files = [given, *([_read(path)] if path.is_file() else [])]
    merged = _po.merge(_texts(root, _ALL, progress), files, language, file.name)
    errors = [problem for problem in merged.problems if problem.severity is Severity.ERROR]
    if errors:
        raise _refusal(errors)
    return _kept(path, language, merged, dry_run=dry_run)


def translations(
    root: Path, *, language: str = "", progress: Progress | None = None
) -> tuple[Translated, ...]:
    """Return what each language of the content folder *root* has and lacks; nothing is written.

    Args:
        root: The content folder.
        language: Only this one.
        progress: As in :func:`~talebearer.content.lint`.

    Raises:
        InvalidContent: A pool cannot be read, or a line has no id of its own (TB106).
        InvalidTranslations: A PO file cannot be read (TB122).
        UsageFault: There is no translation into *language*, or a link leads out of the content
            (TB111).
    """
    folder = root / FOLDER
    paths = sorted(path for path in folder.glob("*.po") if path.is_file())
    if language:
        _po.must_be_language(language)
        paths = [path for path in paths if path.stem == language]
        if not paths:
            hint = f"begin one with talebearer lines export --language {language}"
            raise UsageFault(f"there is no {folder / language}.po", hint=hint)
    if not paths:
        return ()
    for path in paths:
        _must_lie_inside(root, path)
    files = [_read(path) for path in paths]
    texts = _texts(root, _ALL, progress)
    return tuple(
        _found(path, path.stem, _po.merge(texts, [file], path.stem, path.name))
        for path, file in zip(paths, files, strict=True)
    )


def _home(root: Path, language: str) -> Path:
    """Return the file of *language* in the content folder *root*, whether it is there or not."""
    path = root / FOLDER / f"{language}.po"
    _must_lie_inside(root, path)
    return path


def _must_lie_inside(root: Path, path: Path) -> None:
    """Refuse a link in content that somebody else wrote and that leads to files of the reader's own."""
    if not path.resolve().is_relative_to(root.resolve()):
        raise UsageFault(f"{path} leads out of the content folder", hint="remove the link")


def _texts(root: Path, only: Filter, progress: Progress | None) -> list[Text]:
    tree = _tree.walk(root)
    checked = check_tree(tree, progress=progress)
    must_have_keys(checked)
    pools = [file for file in tree.files if file.kind in POOL_KINDS]
    sources = {file.name: _yaml.text_of(_tree.read(file)[0]) or "" for file in pools}
    return list(_po.texts_of(checked, names_of(checked), sources, only))


def _read(path: Path) -> POFile:
    found = _po.read_po(path)
    if isinstance(found, Problem):
        raise _refusal([found])
    return found


def _refusal(problems: Sequence[Problem]) -> InvalidTranslations:
    first = problems[0]
    return InvalidTranslations(
        f"{first.where}: {first.message}",
        hint=first.hint,
        data={"problems": [problem.as_json() for problem in problems]},
    )


def _found(path: Path, language: str, merged: Merged) -> Translated:
    return Translated(
        language=language, path=path, translated=merged.translated, stale=merged.stale,
        missing=merged.missing, obsolete=merged.obsolete, problems=merged.problems,
    )  # fmt: skip


def _kept(path: Path, language: str, merged: Merged, *, dry_run: bool) -> Translated:
    before = path.read_bytes() if path.is_file() else None
    after = _po.dump_po(merged.file)
    found = _found(path, language, merged)
    if after == before:
        return found
    change = Change(path=path, name=path.name, before=before, after=after)
    if not dry_run:
        write_changes([change])
    return Translated(
        language=language, path=path, translated=found.translated, stale=found.stale,
        missing=found.missing, obsolete=found.obsolete, problems=found.problems,
        diff=diff_of(change), is_written=not dry_run,
    )  # fmt: skip
