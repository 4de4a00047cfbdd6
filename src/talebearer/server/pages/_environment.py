"""How templates of pages are read: all text is escaped, and a name that is not there is a fault."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from talebearer.errors import visible


def environment_of(package: str = "talebearer.server.pages") -> Environment:
    """Return a new environment for the templates of *package*; filters and globals are the caller's."""
    return Environment(
        loader=PackageLoader(package),
        autoescape=True,
        finalize=_finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _finalize(value: Any) -> Any:
    """Write out control and direction characters: they are as inert here as markup is."""
    return visible(value) if type(value) is str else value
