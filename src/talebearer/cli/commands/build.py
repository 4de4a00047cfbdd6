"""``talebearer build``: from a content tree to a pack."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from talebearer.cli._content import (
    DEFAULT_CONTENT,
    ContentArgument,
    NoCacheOption,
    cache_of,
    must_be_content,
)
from talebearer.cli._options import JsonOption
from talebearer.cli._output import plural, print_json, print_plain, progress

if TYPE_CHECKING:
    from talebearer.content.sheets import Said

NAME = "build"
EXAMPLE = (
    "Example: talebearer build content -o game/lines.pack.json\n\n"
    "Example: talebearer build content -o game/lines.json --language de --language fr"
)


def run(
    content: ContentArgument = DEFAULT_CONTENT,
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="PACK", help="The pack; its digest is kept in PACK.sha256."
        ),
    ] = Path("pack.json"),
    language: Annotated[
        list[str] | None,
        typer.Option(
            "--language",
            metavar="CODE",
            help="Also the texts in a language, beside the pack; repeatable.",
        ),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings fail too.")] = False,
    no_cache: NoCacheOption = False,
    as_json: JsonOption = False,
) -> None:
    """Check a content tree and compile it to one pack; errors bar it, and nothing is written."""
    from talebearer.content import build
    from talebearer.errors import Severity, UsageFault

    must_be_content(content)
    languages = tuple(dict.fromkeys(language or ()))
    _must_be_there(content, languages)
    if output.is_dir():
        raise UsageFault(f"{output} is a folder", hint="name the file of the pack")
    with progress("build", quiet=as_json) as advance:
        built = build(
            content,
            output,
            strict=strict,
            cache=cache_of(content, no_cache=no_cache),
            progress=advance,
        )
    said = _write_texts(content, output, built.data, languages)
    if as_json:
        texts = [{"file": str(path), **one.as_json()} for path, one in said]
        print_json(
            ({"texts": texts} if texts else {})
            | {
                "pack": str(output),
                "digest": built.digest,
                "bytes": len(built.data),
                "pools": built.pools,
                "lines": built.lines,
                "written": built.is_written,
                "problems": built.problems,
            }
        )
        return
    for problem in built.problems:
        if problem.severity is not Severity.NOTE:
            print_plain(str(problem), "yellow")
    what = "written" if built.is_written else "unchanged"
    counts = f"{plural(built.lines, 'line')} in {plural(built.pools, 'pool')}"
    print_plain(f"{output} {what}: {counts}, {len(built.data):,} bytes, {built.digest}")
    for path, one in said:
        open_texts = f"{one.stale} stale and {one.missing} missing"
        print_plain(f"{path}: {plural(one.translated, 'text')}; {open_texts} are said as written")


def _must_be_there(content: Path, languages: Sequence[str]) -> None:
    """Refuse languages without translations, before anything is written."""
    from talebearer.content.sheets import translations_file

    for language in languages:
        translations_file(content, language)


def _write_texts(
    content: Path, output: Path, pack: bytes, languages: Sequence[str]
) -> list[tuple[Path, Said]]:
    """Write the texts of *languages* beside the pack at *output*, all or none, and return them."""
    if not languages:
        return []
    from talebearer.content.editing import Change, write_changes
    from talebearer.content.sheets import said_in
    from talebearer.lines import load_pack

    loaded = load_pack(pack)
    made = [
        (output.with_name(f"{output.stem}.{language}.json"), said_in(content, loaded, language))
        for language in languages
    ]
    write_changes(
        [
            Change(
                path=path,
                name=str(path),
                before=path.read_bytes() if path.is_file() else None,
                after=one.data,
            )
            for path, one in made
        ]
    )
    return made
