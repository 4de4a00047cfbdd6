"""A first funnel must not wait for what it does without."""

from __future__ import annotations

import subprocess
import sys


def test_asking_needs_neither_the_store_nor_extraction() -> None:
    """A page shows its first funnel with what it has imported for that, and nothing else."""
    code = (
        "import sys; from talebearer.rehearsal import Rehearsal; "
        "print(*{name.split('.')[1] for name in sys.modules if name.startswith('talebearer.')})"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"lines", "content"} <= set(told.stdout.split())
    assert not {"store", "extraction", "transcripts"} & set(told.stdout.split())
