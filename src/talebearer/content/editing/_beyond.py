"""Names outside of the content itself: in saved scenes, and in the settings of the campaign beside it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from talebearer.content._tree import ContentFile, FileKind
from talebearer.content.editing._references import Reference, references
from talebearer.content.editing._write import Change
from talebearer.errors import EditRefused

SCENES = "_scenes"
SETTINGS = "campaign.toml"
_FILE_BYTES_MAX = 1 << 20


def saved_scenes(root: Path) -> Iterator[ContentFile]:
    """Yield the scenes that were saved beside the content of *root*, in the order of their names."""
    folder = root / SCENES
    if folder.is_symlink() or not folder.is_dir():
        return
    for path in sorted(folder.glob("*.json")):
        is_file = path.is_file() and not path.is_symlink()
        if is_file and path.stat().st_size <= _FILE_BYTES_MAX:
            yield ContentFile(
                kind=FileKind.PLAN,
                name=f"{root.name}/{SCENES}/{path.name}",
                key=f"{SCENES}/{path.stem}",
                path=path,
            )


def in_scene(value: Any) -> Iterator[Reference]:
    """Yield every name in a saved scene: it has the members of a plan's case."""
    for ref in references({"cases": [value.get("scene")]}, FileKind.PLAN):
        yield replace(ref, path=("scene", *ref.path[2:]))


def in_settings(
    root: Path, changes: Sequence[Change], kind: str, old: str, new: str
) -> tuple[tuple[Change, ...], list[str]]:
    """Return *changes* with that of the campaign's settings, if they name *old*, and what to look at.

    Those are the circles of gossip, and the place of the scene. Everything else in the file stays.

    Raises:
        EditRefused: The file cannot be changed so (TB121).
    """
    path = root.parent / SETTINGS
    if kind not in ("npc", "location") or path.is_symlink() or not path.is_file():
        return tuple(changes), []
    before = path.read_bytes()
    try:
        after = _settings_after(before, root, kind, old, new)
    except ValueError:  # no UTF-8, or no TOML
        return tuple(changes), [f"{SETTINGS} cannot be read; it is not changed"]
    if after == before:
        return tuple(changes), []
    return (*changes, Change(path=path, name=SETTINGS, before=before, after=after)), []


def _settings_after(before: bytes, root: Path, kind: str, old: str, new: str) -> bytes:
    """Return the bytes of the settings with *new* where they have *old*."""
    text = before.decode("utf-8")
    value = tomllib.loads(text)
    content = value.get("content")
    place = content.get("path", "content") if isinstance(content, dict) else "content"
    if not isinstance(place, str) or (root.parent / place).resolve() != root.resolve():
        return before
    if not _named(value, kind, old):
        return before
    import tomlkit

    document: Any = tomlkit.parse(text)
    for holder, key in _named(document, kind, old):
        holder[key] = new
    for holder, key in _named(value, kind, old):
        holder[key] = new
    found = tomlkit.dumps(document)
    if tomllib.loads(found) != value:
        raise EditRefused(f"{SETTINGS} cannot be changed in place", hint=f"write {new} there first")
    return found.encode("utf-8")


def _named(value: Any, kind: str, old: str) -> list[tuple[Any, Any]]:
    """Return the lists and tables that hold *old*, each with the place in it."""
    found: list[tuple[Any, Any]] = []
    if kind == "location":
        scene = value.get("scene")
        if isinstance(scene, dict) and scene.get("location") == old:
            found.append((scene, "location"))
        return found
    gossip = value.get("gossip")
    circles = gossip.get("circles") if isinstance(gossip, dict) else None
    for circle in circles if isinstance(circles, list) else ():
        if isinstance(circle, list):
            found += [(circle, at) for at, name in enumerate(circle) if name == old]
    return found
