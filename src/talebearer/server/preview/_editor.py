"""Links that open a file in an editor: off unless the person at the keyboard names one.

The page itself shows the file at the line, which works everywhere and tells nothing of the machine.
A link to an editor holds the file's full path, so it exists only where it was asked for, and it is
a link: the browser asks before it starts a program, this process never starts one.
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

from talebearer.errors import UsageFault, meant, nearest

EDITORS = {
    "cursor": "cursor://file{path}:{line}:{column}",
    "idea": "idea://open?file={path}&line={line}&column={column}",
    "sublime": "subl://open?url=file://{path}&line={line}&column={column}",
    "textmate": "txmt://open?url=file://{path}&line={line}&column={column}",
    "vscode": "vscode://file{path}:{line}:{column}",
    "vscodium": "vscodium://file{path}:{line}:{column}",
    "zed": "zed://file{path}:{line}:{column}",
}
TEMPLATE_CHARS_MAX = 200
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]{1,31}:")
_NOT_EDITORS = {
    *("about", "blob", "data", "file", "filesystem", "ftp", "http", "https"),
    *("javascript", "mailto", "vbscript", "view-source", "ws", "wss"),
}
_PARTS = re.compile(r"\{(\w*)\}")


def editor_template(text: str) -> str:
    """Return the template of the editor's links that *text* names or is.

    Args:
        text: One of :data:`EDITORS`, or an address with ``{path}`` and perhaps ``{line}`` and
            ``{column}`` in it, of a scheme that belongs to a program on this machine.

    Raises:
        UsageFault: It is neither (TB111).
    """
    if text in EDITORS:
        return EDITORS[text]
    hint = f"one of {', '.join(EDITORS)}, or such as 'myeditor://open?file={{path}}&line={{line}}'"
    hint = meant(nearest(text, EDITORS)) or hint
    scheme = _SCHEME.match(text)
    unknown = set(_PARTS.findall(text)) - {"path", "line", "column"}
    is_one_line = text.isprintable() and len(text) <= TEMPLATE_CHARS_MAX
    if scheme is None or "{path}" not in text or unknown or not is_one_line:
        raise UsageFault(f"{text[:TEMPLATE_CHARS_MAX]!r} is no editor", hint=hint)
    if scheme[0][:-1] in _NOT_EDITORS:
        message = (
            f"{scheme[0]} is no editor's; such a link could leave this machine or run a script"
        )
        raise UsageFault(message, hint=hint)
    return text


def editor_link(template: str, path: Path, line: int, column: int) -> str:
    """Return the link that opens *path* at *line* and *column*, both from 1."""
    full = path.as_posix()
    full = full if full.startswith("/") else f"/{full}"
    parts = {"path": quote(full, safe="/:"), "line": str(line), "column": str(column)}
    return _PARTS.sub(lambda found: parts[found[1]], template)
