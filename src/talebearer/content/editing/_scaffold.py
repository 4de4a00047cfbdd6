"""Files for somebody new and for a new place, such that lint takes them at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from talebearer.content import _lint, _tree
from talebearer.content._lint import Progress
from talebearer.content._rules import GENERAL
from talebearer.content._tree import SCHEMA_OF, FileKind
from talebearer.content.editing._plain import quoted, written
from talebearer.content.editing._tree import barring
from talebearer.content.editing._write import Change
from talebearer.errors import UsageFault
from talebearer.vocabulary import SLUG, fullmatch

_SLUG_HINT = "lower-case letters, digits and hyphens, beginning with a letter"


def schema_header(name: str, kind: FileKind) -> str:
    """Return the first row of the file *name*, a path from the content folder, for editors.

    An editor with a YAML plug-in then completes and checks the file by ``content/_schema``.
    """
    above = "../" * name.count("/")
    return f"# yaml-language-server: $schema={above}_schema/{SCHEMA_OF[kind]}.schema.json"


def new_npc(
    root: Path,
    slug: str,
    *,
    name: str,
    role: str,
    location: str,
    aliases: Sequence[str] = (),
    cache: Path | None = None,
    progress: Progress | None = None,
) -> tuple[Change, ...]:
    """Return the profile of the character *slug* and an empty pool at its *location*, not written yet.

    Args:
        root: The content folder.
        slug: The short name in files and ids.
        name: The name that people use.
        role: The role.
        location: Where the character is.
        aliases: Other names.
        cache: A folder that remembers what was parsed; it is only read.
        progress: Called with (stage, files done, files in all).

    Raises:
        UsageFault: Something is in the way, all of it named: a word that is no slug, a file that
            is there, a location that no folder or several are called (TB111).
        EditRefused: A link leads out of the folder (TB121).
        InvalidContent: The content would have errors that it has not now (TB106).
    """
    faults = [*_no_slugs(slug=slug, role=role, location=location)]
    faults += [] if name.strip() else ["the name is blank"]
    homes = [] if faults else [home for home in _places(root) if home.endswith(f"/{location}")]
    if not faults and len(homes) != 1:
        several = f"several folders are the location {location}: {', '.join(homes)}"
        none = (
            f"no location is called {location}: make it with "
            f"talebearer new location {location} --role {role}"
        )
        faults.append(several if homes else none)
    names = (f"global/npcs/{slug}.yaml", *(f"{home}/{slug}.yaml" for home in homes))
    _must_be_free(root, names, faults)
    profile = [
        f"name: {written(name, in_flow=False)}",
        *(
            [f"aliases: [{', '.join(written(a, in_flow=True) for a in aliases)}]"]
            if aliases
            else []
        ),
        f"role: {role}",
        f"location: {location}",
    ]
    pool = ["# Voice: ", f"location: {location}", f"role: {role}", "lines: []"]
    files = (
        (FileKind.PROFILE, names[0], [f"# {_one_row(name)}", *profile]),
        (FileKind.DIALOGUE, names[1], [f"# {_one_row(name)}, {role}", *pool]),
    )
    changes = _made(root, files)
    barring(root, changes, what=f"the character {slug}", cache=cache, progress=progress)
    return changes


def new_location(
    root: Path,
    slug: str,
    *,
    roles: Sequence[str],
    within: str | None = None,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> tuple[Change, ...]:
    """Return empty pools for the location *slug*: one a role, and one a player character's thoughts.

    Args:
        root: The content folder.
        slug: The location.
        roles: Who can be spoken with there, one file each.
        within: The folder, from the content folder, that holds ``dialogue/`` and ``monologue/``;
            None takes the only one that there is.
        cache: A folder that remembers what was parsed; it is only read.
        progress: Called with (stage, files done, files in all).

    Raises:
        UsageFault: Something is in the way, all of it named (TB111).
        EditRefused: A link leads out of the folder, or *within* is not UTF-8 (TB121).
        InvalidContent: The content would have errors that it has not now (TB106).
    """
    faults = [*_no_slugs(location=slug), *(f for role in roles for f in _no_slugs(role=role))]
    if slug == GENERAL:
        faults.append(f"{GENERAL!r} is what pools of no location are called")
    if not roles:
        faults.append("no role is given: a location is there once somebody can be spoken with")
    if any(home.endswith(f"/{slug}") for home in _places(root)):
        faults.append(f"the location {slug} is there already")
    district = _district(root, within, faults)
    base = f"{district}/" if district else ""
    said = {f"{base}dialogue/{slug}/{role}.yaml": role for role in roles}
    thought = {f"{base}monologue/{one}/{slug}.yaml": one for one in _characters(root)}
    _must_be_free(root, (*said, *thought), faults)
    files = [
        *(
            (
                FileKind.DIALOGUE,
                name,
                [f"# {role} at {slug}", f"location: {slug}", f"role: {role}", "lines: []"],
            )
            for name, role in said.items()
        ),
        *(
            (
                FileKind.MONOLOGUE,
                name,
                [f"# {one} at {slug}", f"character: {one}", f"location: {slug}", "lines: []"],
            )
            for name, one in thought.items()
        ),
    ]
    changes = _made(root, files)
    barring(root, changes, what=f"the location {slug}", cache=cache, progress=progress)
    return changes


def _no_slugs(**words: str) -> Iterator[str]:
    for what, word in words.items():
        if not fullmatch(SLUG, word):
            yield f"the {what} {quoted(word)} is no slug ({_SLUG_HINT})"


def _one_row(text: str) -> str:
    return " ".join(text.split())


def _places(root: Path) -> list[str]:
    """Return the folders of all locations, from the content folder."""
    files = _tree.walk(root).files
    found = (f.key.rpartition("/")[0] for f in files if f.kind is FileKind.DIALOGUE)
    return list(dict.fromkeys(found))


def _district(root: Path, within: str | None, faults: list[str]) -> str:
    """Return the folder that holds ``dialogue/`` and ``monologue/``, from the content folder."""
    found = dict.fromkeys(
        "/".join(file.key.split("/")[:-3])
        for file in _tree.walk(root).files
        if file.kind in (FileKind.DIALOGUE, FileKind.MONOLOGUE)
    )
    if within is None:
        if len(found) > 1:
            listed = ", ".join(one or "." for one in found)
            faults.append(f"there are several folders for it, name one with --in: {listed}")
        if not found:
            faults.append("there is no folder for it yet, name one, such as --in campaigns/NAME")
        return next(iter(found), "")
    folder = within.strip("/")
    inside = (root / folder).resolve().is_relative_to(root.resolve())
    if not inside or any(part.startswith((".", "_")) for part in folder.split("/") if part != "."):
        faults.append(f"{within} is no folder of content")
    return "" if folder == "." else folder


def _characters(root: Path) -> tuple[str, ...]:
    run = _lint._Run()
    files = _tree.enum_files(root.resolve())
    documents = [found for file in files if (found := run.load(file)) is not None]
    return _lint._enums_of(documents).values["characters"]


def _must_be_free(root: Path, names: Iterable[str], faults: list[str]) -> None:
    """Refuse names that are taken, with everything else that was found.

    Raises:
        UsageFault: There is a fault (TB111).
    """
    faults += [f"{name} is there already" for name in names if os.path.lexists(root / name)]
    if faults:
        raise UsageFault("; ".join(faults), hint="nothing was written")


def _made(root: Path, files: Iterable[tuple[FileKind, str, list[str]]]) -> tuple[Change, ...]:
    base = root.resolve()
    return tuple(
        Change(
            name=f"{base.name}/{name}",
            path=base / name,
            before=None,
            after="".join(
                f"{row.rstrip()}\n" for row in [schema_header(name, kind), *rows]
            ).encode(),
        )
        for kind, name, rows in files
    )
