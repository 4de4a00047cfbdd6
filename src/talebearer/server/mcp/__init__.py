"""The store as tools of the Model Context Protocol, one scope of it, over standard input and output.

The tools themselves need no SDK; :func:`serve_stdio` does, and comes with the extra ``mcp``.
"""

from __future__ import annotations

from talebearer.errors import extra_missing
from talebearer.server.mcp._backends import Backend, DaemonBackend, EmbeddedBackend, Past
from talebearer.server.mcp._tools import TOOLS, Context, Outcome, Tool, call_tool

__all__ = [
    "TOOLS",
    "Backend",
    "Context",
    "DaemonBackend",
    "EmbeddedBackend",
    "Outcome",
    "Past",
    "Tool",
    "call_tool",
    "serve_stdio",
]


def serve_stdio(context: Context) -> None:
    """Serve the tools on standard input and output until the input ends.

    Raises:
        UsageFault: The extra ``mcp`` is not installed (TB111).
    """
    try:
        from talebearer.server.mcp import _stdio
    except ModuleNotFoundError as error:
        raise extra_missing("the tools for models", "mcp", library=error.name) from error
    _stdio.serve_stdio(context)
