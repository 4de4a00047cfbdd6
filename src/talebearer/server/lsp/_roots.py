"""Where the content is in what an editor has open."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types
from pygls.uris import from_fs_path, to_fs_path

from talebearer.errors import TalebearerError

_CONTENT = "content"
_SIGNS = ("global", "campaigns", "dialogue", "monologue")
_DEPTH_MAX = 64


def path_of(uri: str) -> Path | None:
    """Return the path that *uri* names; None if it is no file's, or none that this system has."""
    try:
        found = to_fs_path(uri)
    except ValueError:
        return None
    if not found or "\0" in found:
        return None
    path = Path(found)
    return path if path.is_absolute() and ".." not in path.parts else None


def uri_of(path: Path) -> str:
    """Return the URI of *path*."""
    return from_fs_path(str(path)) or ""


def content_root(folder: Path) -> Path | None:
    """Return the content folder of the workspace folder *folder*, spelled as it is; None without one.

    That is a campaign's, as its campaign.toml has it; ``content`` below it; or the folder itself.
    What a link leads out of the workspace folder to is none.
    """
    try:
        inside = folder.resolve()
        for root in (folder / _configured(folder), folder / _CONTENT, folder):
            if root.resolve().is_relative_to(inside) and _looks_like_content(root):
                return root
    except (OSError, RuntimeError):  # older Pythons raise RuntimeError on circles of links
        pass
    return None


def root_around(path: Path) -> Path | None:
    """Return the content folder that the file *path* is in, when the editor has no folder open."""
    for folder in list(path.parents)[:_DEPTH_MAX]:
        if (folder / "global").is_dir():
            return folder
    return None


def _looks_like_content(folder: Path) -> bool:
    return any((folder / name).is_dir() for name in _SIGNS)


def _configured(folder: Path) -> str:
    settings = folder / "campaign.toml"
    if not settings.is_file():
        return _CONTENT
    from talebearer.campaign import load_config  # loaded where there is a campaign, as it is large

    try:
        return load_config(settings).content
    except TalebearerError:
        return _CONTENT


def folders_of(params: types.InitializeParams) -> list[Path]:
    """Return the folders that the editor opened, by the newest of the ways to say so."""
    if params.workspace_folders:
        uris = [folder.uri for folder in params.workspace_folders]
    elif params.root_uri:
        uris = [params.root_uri]
    else:
        uris = [uri_of(Path(params.root_path))] if params.root_path else []
    return [path for uri in uris if (path := path_of(uri)) is not None]
