"""Programs that must print the same bytes under every hash seed."""

from __future__ import annotations

import os
import subprocess
import sys


def printed_under_every_seed(program: str) -> bytes:
    """Return what *program* prints, which is the same under several hash seeds."""
    outputs = set()
    for seed in ("0", "1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, check=True
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1
    return outputs.pop()
