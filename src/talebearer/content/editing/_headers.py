"""The first row of each file that tells editors its schema."""

from __future__ import annotations

from pathlib import Path

from talebearer.content import _tree, _yaml
from talebearer.content.editing._scaffold import schema_header
from talebearer.content.editing._write import Change

_MARK = "# yaml-language-server:"
_BOM = "\ufeff"


def schema_headers(root: Path) -> tuple[Change, ...]:
    """Return what it takes that every file below *root* names its schema in its first row.

    A header that leads elsewhere is corrected, a missing one is put in; every other byte stays.
    Files that are not UTF-8 are left. Nothing is written.
    """
    tree = _tree.walk(root)
    changes = []
    for file in (*tree.files, *tree.plans):
        data, fault = _tree.read(file)
        text = None if fault else _yaml.text_of(data)
        if text is None:
            continue
        place = "/".join(file.name.split("/")[1:])  # as the folder is reached, also through a link
        after = _headed(text, schema_header(place, file.kind))
        if after != text:
            mark = _BOM if data.startswith(_BOM.encode()) else ""
            whole = (mark + after).encode()
            changes.append(Change(name=file.name, path=file.path, before=data, after=whole))
    return tuple(changes)


def _headed(text: str, header: str) -> str:
    rows = text.split("\n", 20)
    for at, row in enumerate(rows[:20]):
        if row.startswith(_MARK):
            rows[at] = header + ("\r" if row.endswith("\r") else "")
            return "\n".join(rows)
        if row.strip() and not row.startswith("#"):
            break
    return header + ("\r\n" if "\r\n" in text else "\n") + text
