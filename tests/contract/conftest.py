import os
import tempfile
from pathlib import Path

import pytest


@pytest.fixture
def tmp_path(tmp_path: Path):
    """A folder in memory where there is one: these tests sync often, and not about the disk."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)
