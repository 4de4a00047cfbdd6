"""The public names and signatures; a change here is a change for users."""

from __future__ import annotations

import importlib
import inspect
import os
from pathlib import Path

SNAPSHOT = Path(__file__).with_name("public_api.txt")
PACKAGES = (
    "talebearer",
    "talebearer.campaign",
    "talebearer.client",
    "talebearer.content",
    "talebearer.content.editing",
    "talebearer.errors",
    "talebearer.extraction",
    "talebearer.lines",
    "talebearer.memory",
    "talebearer.rehearsal",
    "talebearer.server",
    "talebearer.server.daemon",
    "talebearer.store",
    "talebearer.store.upkeep",
    "talebearer.testing",
    "talebearer.transcripts",
    "talebearer.vocabulary",
)


def surface() -> str:
    """Return the public names, one a line, functions and methods with their parameters."""
    lines = []
    for name in PACKAGES:
        package = importlib.import_module(name)
        lines.append(name)
        for public in sorted(package.__all__):
            lines += _describe(public, getattr(package, public), {*package.__all__})
    return "\n".join(lines) + "\n"


def _describe(name: str, value: object, exported: set[str]) -> list[str]:
    if inspect.isclass(value):
        # What a class has of a base that is private is its own for whoever uses it.
        members = {
            member: function
            for base in reversed(value.__mro__)
            if base is value
            or (base.__module__.startswith("talebearer.") and base.__name__ not in exported)
            for member, function in vars(base).items()
        }
        methods = [
            f"    .{member}{_parameters(function)}"
            for member, function in sorted(members.items())
            if not member.startswith("_") and inspect.isfunction(function)
        ]
        return [f"  class {name}", *methods]
    if inspect.isfunction(value):
        return [f"  {name}{_parameters(value)}"]
    return [f"  {name}"]


def _parameters(function: object) -> str:
    parts = []
    keyword_only = False
    for parameter in inspect.signature(function).parameters.values():  # type: ignore[arg-type]
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not keyword_only:
            parts.append("*")
            keyword_only = True
        prefix = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(parameter.kind.name, "")
        keyword_only = keyword_only or prefix == "*"
        optional = "=" if parameter.default is not inspect.Parameter.empty else ""
        parts.append(f"{prefix}{parameter.name}{optional}")
    return f"({', '.join(parts)})"


def test_the_public_surface_is_as_recorded() -> None:
    """Run with TALEBEARER_UPDATE=1 to record a wanted change."""
    now = surface()
    if os.environ.get("TALEBEARER_UPDATE"):
        SNAPSHOT.write_text(now, encoding="utf-8")
    assert SNAPSHOT.read_text(encoding="utf-8") == now
