"""Run a Python script and say at its end, on standard error, how much memory it had at most.

What the system tells of a process that has ended counts the memory of the process that started it,
too; this is its own.
"""

from __future__ import annotations

import atexit
import runpy
import sys
from pathlib import Path


def _tell() -> None:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (peak,) = (line for line in status.splitlines() if line.startswith("VmHWM"))
    sys.stderr.write(f"\npeak-kib {peak.split()[1]}\n")


sys.argv = sys.argv[1:]
atexit.register(_tell)
runpy.run_path(sys.argv[0], run_name="__main__")
