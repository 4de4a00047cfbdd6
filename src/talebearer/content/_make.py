"""From a content folder to findings and a pack, in one go, with what is known from before."""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from talebearer._garbage import undisturbed
from talebearer.content import _tree, _yaml
from talebearer.content._cache import Cache, Made
from talebearer.content._compile import canonical, pack_of
from talebearer.content._lint import Progress, check_tree
from talebearer.content._tree import FileKind
from talebearer.errors import InvalidContent, Problem, Severity


class Compiled:
    """A pack, and what was noted while it was made.

    Attributes:
        data: Its bytes: UTF-8, keys sorted, no spaces, one final LF.
        digest: ``sha256:`` and 64 hex digits over *data*.
        problems: Warnings and notes; errors raise.
        pools: How many pools the pack has.
        lines: How many lines.
        pack: The pack as a JSON object, read from *data* on first use.
    """

    def __init__(self, made: Made) -> None:
        assert made.pack is not None, "there is no error, so there is a pack"
        data = made.pack
        self.data = data
        self.problems = made.problems
        self.pools, self.lines = made.counts
        self.digest = f"sha256:{hashlib.sha256(data).hexdigest()}"

    @cached_property
    def pack(self) -> dict[str, Any]:
        """The pack as a JSON object."""
        value: dict[str, Any] = orjson.loads(self.data)
        return value


def lint(
    root: Path, *, cache: Path | None = None, progress: Progress | None = None
) -> tuple[Problem, ...]:
    """Return everything that is wrong with the content folder *root*, in one run.

    Nothing is raised for what is in the files: each fault is a finding, at its line and column
    where it has one. File names are given from the parent of *root*. Errors bar a pack; warnings
    and notes do not.

    Args:
        root: The content folder.
        cache: A folder in which to remember what was made, so that unchanged files are not read
            again; nothing is remembered by default.
        progress: Called with (stage, files done, files in all).

    Source: the line-pool spec sections 3-8; rules LP-L6, LP-L7, LP-L8, LP-L12 and IM-M11.
    """
    return _made(root, Cache(cache), progress, wants_pack=cache is not None).problems


def compile_content(
    root: Path,
    *,
    cache: Path | None = None,
    keeps: bool = True,
    progress: Progress | None = None,
) -> Compiled:
    """Return the pack of the content folder *root*.

    The bytes depend on nothing but the content: not on the order of files on disk, the folder's
    own place, the process or the cache. Lines keep the order of their file; pools are sorted by
    path.

    Args:
        root: The content folder.
        cache: As in :func:`lint`.
        keeps: Whether what is made now is remembered there, too.
        progress: As in :func:`lint`.

    Raises:
        InvalidContent: A finding is an error (TB106); all findings are in ``data["problems"]``.

    Source: the line-pool spec sections 3, 4 and 7; rules LP-L1, LP-L8.
    """
    made = _made(root, Cache(cache, is_read_only=not keeps), progress, wants_pack=True)
    refuse(made.problems)
    return Compiled(made)


def compile_cast(root: Path) -> Compiled:
    """Return a pack without pools: the profiles, facts and enumerations of the folder *root*.

    That is what names and places need; faults in pools do not matter to it.

    Raises:
        InvalidContent: A finding in a file of ``global/`` is an error (TB106).
    """
    checked = check_tree(_tree.walk(root))
    shared = f"{root.resolve().name}/global/"
    problems = tuple(p for p in checked.problems if (p.where.file or "").startswith(shared))
    refuse(problems)
    return Compiled(Made(problems=problems, pack=canonical(pack_of(checked, pools=False))))


def slugs_now(root: Path) -> dict[str, str]:
    """Return former slugs of characters and those that they have now, of the folder *root*.

    It is what a pack's :attr:`~talebearer.lines.Pack.slugs_now` says, read from the profiles alone: a
    profile that cannot be read says nothing, and faults elsewhere are no matter.
    """
    profiles = [one for one in _tree.walk(root).files if one.kind is FileKind.PROFILE]
    slugs = {one.stem for one in profiles}
    found: dict[str, str] = {}
    for file in profiles:
        data, fault = _tree.read(file)
        if fault is not None or b"formerly" not in data:
            continue
        value = _yaml.parse(data).value
        former = value.get("formerly") if isinstance(value, dict) else None
        for old in former if isinstance(former, list) else ():
            if isinstance(old, str) and old not in slugs:
                found.setdefault(old, file.stem)
    return dict(sorted(found.items()))


def _made(root: Path, cache: Cache, progress: Progress | None, *, wants_pack: bool) -> Made:
    """Return what *root* comes to, from *cache* if nothing has changed since."""
    tree = _tree.walk(root)
    cache.open(root)
    cache.look(tree)
    known = cache.recall(tree)
    if known is not None:
        return known
    with undisturbed():
        made = _anew(tree, cache, progress, wants_pack=wants_pack)
    cache.keep(root, tree, made)
    return made


def _anew(tree: _tree.Tree, cache: Cache, progress: Progress | None, *, wants_pack: bool) -> Made:
    checked = check_tree(tree, cache, progress)
    is_fine = not any(problem.severity is Severity.ERROR for problem in checked.problems)
    pack = pack_of(checked) if is_fine and wants_pack else None
    return Made(
        problems=checked.problems,
        pack=None if pack is None else canonical(pack),
        counts=(0, 0) if pack is None else _counts(pack),
    )


def _counts(pack: dict[str, Any]) -> tuple[int, int]:
    return len(pack["pools"]), sum(len(pool["lines"]) for pool in pack["pools"])


def refuse(problems: tuple[Problem, ...], least: Severity = Severity.ERROR) -> None:
    """Refuse content with findings of severity *least*, which is an error or a warning, or above.

    Raises:
        InvalidContent: There is one (TB106).
    """
    barring = (Severity.ERROR, least)
    errors = [problem for problem in problems if problem.severity in barring]
    if errors:
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        raise InvalidContent(
            f"{errors[0].where}: {errors[0].message}{more}",
            hint=errors[0].hint,
            data={"problems": [problem.as_json() for problem in problems]},
        )
