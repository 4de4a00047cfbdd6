"""What the commands on content share: which folder it is, and where its cache lies."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from typing import Annotated

import typer

from talebearer.errors import UsageFault

ContentArgument = Annotated[
    Path,
    typer.Argument(metavar="[CONTENT]", help="The content folder.", show_default="content"),
]
NoCacheOption = Annotated[
    bool, typer.Option("--no-cache", help="Read every file, and remember nothing.")
]
DEFAULT_CONTENT = Path("content")
SETTINGS = "campaign.toml"
FINDINGS = 1


def must_be_content(content: Path) -> None:
    """Refuse what is no folder, and the folder of a campaign in place of its content.

    Raises:
        UsageFault: It is none, or a campaign's (TB111).
    """
    if not content.is_dir():
        raise UsageFault(f"{content} is not a folder", hint="name the folder that holds global/")
    if (content / SETTINGS).is_file() and not (content / "global").is_dir():
        inside = content / _configured(content / SETTINGS)
        if inside.resolve() != content.resolve():
            raise UsageFault(
                f"{content} is a campaign's folder, not its content", hint=f"name {inside}"
            )


def _configured(settings: Path) -> str:
    from talebearer.campaign import load_config
    from talebearer.errors import TalebearerError

    try:
        return load_config(settings).content
    except TalebearerError:
        return os.fspath(DEFAULT_CONTENT)


def cache_of(content: Path, *, no_cache: bool) -> Path | None:
    """Return the folder that remembers what was made of *content*.

    A campaign keeps it in ``runs/cache``; content of nobody's, and what this program brings
    along, in the user's cache folder.
    """
    if no_cache:
        return None
    home = content.resolve().parent
    is_ours = home.is_relative_to(Path(__file__).resolve().parents[1])
    if (home / SETTINGS).is_file() and not is_ours:
        return home / "runs" / "cache"
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111  # Path raises where nobody has a home
    name = sha256(os.fsencode(content.resolve())).hexdigest()[:16]
    return Path(base) / "talebearer" / "content" / name
