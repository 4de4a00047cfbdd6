"""``talebearer lines translations``: what each language has, lacks and has out of date."""

from __future__ import annotations

from typing import Annotated

import typer

from talebearer.cli._content import DEFAULT_CONTENT, FINDINGS, ContentArgument, must_be_content
from talebearer.cli._options import JsonOption
from talebearer.cli._output import print_json, print_plain, progress, say
from talebearer.cli.commands.lines._shared import (
    EXITS_FINDINGS,
    SHOWN_MAX,
    LanguageOption,
    say_counts,
    say_problems,
)

__all__ = ["EXAMPLE", "EXITS", "NAME", "run"]

NAME = "translations"
EXITS = EXITS_FINDINGS
EXAMPLE = "Example: talebearer lines translations content --language de --check"


def run(
    content: ContentArgument = DEFAULT_CONTENT,
    language: LanguageOption = "",
    check: Annotated[
        bool, typer.Option("--check", help="Exit 1 if a text is missing, stale or refused.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Report translations that are stale, missing or obsolete, by language; nothing is written."""
    from talebearer.content.sheets import translations

    must_be_content(content)
    with progress("translations", quiet=as_json) as told:
        found = translations(content, language=language, progress=told)
    if as_json:
        print_json({"languages": [one.as_json() for one in found]})
    elif not found:
        say("no translations: begin one with talebearer lines export --language CODE", style="dim")
    else:
        for one in found:
            say_problems(one.problems)
            for kind in ("stale", "missing"):
                listed = getattr(one, kind)
                for context in listed[:SHOWN_MAX]:
                    print_plain(f"{one.path.name}: {kind}: {context}")
                if len(listed) > SHOWN_MAX:
                    print_plain(f"{one.path.name}: … and {len(listed) - SHOWN_MAX} more {kind}")
        say_counts(found)
    if check and not all(one.is_done for one in found):
        raise typer.Exit(FINDINGS)
