"""What is said where a library of an extra is not installed."""

from __future__ import annotations

from talebearer.errors._input import UsageFault


def extra_missing(what: str, extra: str, *, library: str | None = None) -> UsageFault:
    """Return the error of somebody who needs an extra of this package that is not installed.

    Args:
        what: What needs it, to begin a sentence.
        extra: The extra.
        library: Which of its libraries was looked for, if that is known.
    """
    lacking = "" if library is None else f" ({library} is missing)"
    return UsageFault(
        f"{what} needs the extra {extra!r}, which is not installed{lacking}",
        hint=f"pip install 'talebearer[{extra}]'",
    )
