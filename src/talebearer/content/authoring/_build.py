"""A pack on disk: written whole, with its digest beside it, and only if nothing bars it.

Source: the line-pool spec section 5.4 (ids stay), rule LP-L1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from talebearer._whole import StagedFiles
from talebearer.content._findings import Draft, placed
from talebearer.content._lint import Progress
from talebearer.content._make import compile_content, refuse
from talebearer.content._structure import shown
from talebearer.content._yaml import FILE_SIZE_BYTES_MAX, text_of
from talebearer.errors import Problem, Severity
from talebearer.errors import findings_content as codes

_PACK_BYTES_MAX = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A pack that was put in its place.

    Attributes:
        path: Where it is.
        data: Its bytes.
        digest: ``sha256:`` and 64 hex digits over *data*.
        pools: How many pools it has.
        lines: How many lines.
        is_written: Whether the file changed; false when the same bytes were there.
        problems: Warnings and notes.
    """

    path: Path
    data: bytes
    digest: str
    pools: int
    lines: int
    is_written: bool
    problems: tuple[Problem, ...]


def build(
    root: Path,
    output: Path,
    *,
    strict: bool = False,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> Built:
    """Compile the content folder *root* into the file *output*.

    The digest is kept beside it in ``OUTPUT.sha256``, as ``sha256sum --check`` reads it. A line
    that had another id in the pack that is replaced is a warning: what was kept under the old id
    would be lost.

    Args:
        root: The content folder.
        output: The pack; its folder is made if it is missing.
        strict: Let warnings bar the pack, too.
        cache: As in :func:`lint`.
        progress: As in :func:`lint`.

    Raises:
        InvalidContent: A finding bars the pack, and nothing is written (TB106).
        OSError: The file cannot be written.
    """
    compiled = compile_content(root, cache=cache, progress=progress)
    before = _bytes_at(output)
    is_same = before == compiled.data
    renamed = () if is_same or before is None else tuple(_renamed(root, before, compiled.pack))
    problems = (*compiled.problems, *renamed)
    if strict:
        refuse(problems, Severity.WARNING)
    digest_path = output.with_name(f"{output.name}.sha256")
    digest = f"{compiled.digest.removeprefix('sha256:')}  {output.name}\n".encode()
    with StagedFiles() as files:
        if not is_same:
            files.put(output, compiled.data)
        if _bytes_at(digest_path) != digest:
            files.put(digest_path, digest)
        files.commit()
    return Built(
        path=output,
        data=compiled.data,
        digest=compiled.digest,
        pools=compiled.pools,
        lines=compiled.lines,
        is_written=not is_same,
        problems=problems,
    )


def _bytes_at(path: Path) -> bytes | None:
    try:
        with path.open("rb") as stream:
            return stream.read(_PACK_BYTES_MAX)
    except OSError:
        return None


def _renamed(root: Path, before: bytes, pack: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the lines whose text had another id in the pack *before*."""
    old = _pools(before)
    for pool in pack["pools"]:
        was = old.get(pool["path"])
        if was is None:
            continue
        ids = {line["id"] for line in pool["lines"]}
        kept = {alias for line in pool["lines"] for alias in line.get("aliases", ())}
        lost = {
            text: line_id
            for line_id, text in was.items()
            if line_id not in ids and f"{pool['path']}#{line_id}" not in kept
        }
        drafts = [
            Draft(
                code=codes.RENAMED_LINE,
                message=f"line {shown(line['id'])} was {shown(lost[line['text']])} before",
                hint=f"aliases: [{lost[line['text']]}]",
                severity=Severity.WARNING,
                path=("lines", at, "id"),
            )
            for at, line in enumerate(pool["lines"])
            if line["id"] not in was and line["text"] in lost
        ]
        if drafts:
            yield from _placed(root, pool["path"], drafts)


def _pools(data: bytes) -> dict[str, dict[str, str]]:
    """Return the texts of the pack *data* by pool and id; nothing, if it is no pack."""
    try:
        pools = orjson.loads(data)["pools"]
        return {
            pool["path"]: {line["id"]: line["text"] for line in pool["lines"]} for pool in pools
        }
    except (ValueError, TypeError, KeyError):
        return {}


def _placed(root: Path, key: str, drafts: list[Draft]) -> Iterator[Problem]:
    path = root / f"{key}.yaml"
    data = _bytes_at(path) or b""
    text = text_of(data) if len(data) <= FILE_SIZE_BYTES_MAX else None
    for problem in placed(drafts, file=f"{root.resolve().name}/{key}.yaml", text=text):
        yield problem if text else replace(problem, where=replace(problem.where, line=None))
