from pathlib import Path

import pytest

from talebearer.store import Store
from talebearer.testing import counting_ids, stepping_clock


@pytest.fixture
def open_store(tmp_path: Path):
    """Open the store of this test's folder; closed at the end of the test if still open."""
    opened = []
    new_id, now_ms = counting_ids(), stepping_clock()

    def open_it(**options):
        options = {
            "artifacts": tmp_path / "artifacts",
            "now_ms": now_ms,
            "new_id": new_id,
        } | options
        store = Store.open(tmp_path / "talebearer.db", **options)
        opened.append(store)
        return store

    yield open_it
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store):
    return open_store()
