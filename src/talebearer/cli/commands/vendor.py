"""``talebearer vendor``: a copy for games that cannot install packages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from talebearer.cli._options import JsonOption
from talebearer.cli._output import plural, print_json, print_plain, say

NAME = "vendor"
EXAMPLE = "Example: talebearer vendor game/python-packages"


def run(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder that will hold talebearer/.")
    ],
    as_json: JsonOption = False,
) -> None:
    """Copy the packages that need only Python's standard library: what a game ships."""
    from talebearer import __version__
    from talebearer.content import vendor

    files = vendor(folder)
    if as_json:
        names = [str(path.relative_to(folder)) for path in files]
        print_json({"folder": str(folder), "version": __version__, "files": names})
        return
    print_plain(f"{folder / 'talebearer'} written: {plural(len(files), 'file')}, {__version__}")
    say("Put the folder on the game's path, then: from talebearer.lines import load_pack")
