"""Front doors that open on first use: a package's public names without the time to import them all.

A command that asks for one name of a package pays for the module of that name, not for every module
that the package has.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def opened_on_use(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of *package*, for names that it imports for type checkers only.

    Args:
        package: Its ``__name__``.
        homes: Its module, from the package, to the names that come from there, between spaces.
    """
    home_of = {name: home for home, names in homes.items() for name in names.split()}

    def get(name: str) -> Any:
        home = home_of.get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(f"{package}.{home}"), name)
        setattr(sys.modules[package], name, found)
        return found

    return get
