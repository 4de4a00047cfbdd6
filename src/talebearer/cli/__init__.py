"""The command line: one file a command, wording and exit codes only.

Exit codes: 0 fine, 1 findings, 2 usage or bad input, 3 store, 4 provider, 70 our bug, 130 interrupted.
"""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line and exit with its code.

    ``--version`` alone is answered before anything is imported: scripts ask it often.
    """
    if sys.argv[1:] == ["--version"]:
        from talebearer._version import __version__

        print(f"talebearer {__version__}")
        return
    from talebearer.cli._main import run

    sys.exit(run(sys.argv[1:]))
