"""The lines that are known not to be reached, kept in a file of one reference a line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from talebearer.errors import UsageFault
from talebearer.rehearsal.simulation._result import LineResult

SIZE_BYTES_MAX = 16 * 1024 * 1024


def read_accepted(path: Path) -> frozenset[str]:
    """Return the references of the file *path*; blank lines and those behind ``# `` are skipped.

    Raises:
        UsageFault: The file cannot be read, is no UTF-8 or too large (TB111).
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(SIZE_BYTES_MAX + 1)
    except OSError as error:
        hint = "write it: --baseline FILE --write-baseline"
        raise UsageFault(f"{path} cannot be read: {error.strerror}", hint=hint) from error
    if len(data) > SIZE_BYTES_MAX:
        raise UsageFault(f"{path} has more than {SIZE_BYTES_MAX} bytes")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageFault(f"{path} is no UTF-8 at byte {error.start}") from error
    lines = (line.strip() for line in text.split("\n"))
    return frozenset(line for line in lines if line and not line.startswith("# "))


def accepted_text(lines: Iterable[LineResult]) -> str:
    """Return the file of *lines*."""
    head = "# Lines that simulated playthroughs do not reach, and that is known.\n"
    return head + "".join(f"{line.reference}\n" for line in lines)


def not_accepted(lines: Sequence[LineResult], accepted: frozenset[str]) -> list[LineResult]:
    """Return the *lines* that are not among *accepted*."""
    return [line for line in lines if line.reference not in accepted]
