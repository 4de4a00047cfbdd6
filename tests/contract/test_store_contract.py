"""The store contract on the embedded store and on the plain model."""

from contextlib import contextmanager

from talebearer.store import CAMPAIGN_POLICY, Store
from talebearer.testing import ModelStore, StoreContract, counting_ids, stepping_clock


class TestModelStore(StoreContract):
    @contextmanager
    def open_store(self, folder):
        yield ModelStore(new_id=counting_ids())


class TestSqliteStore(StoreContract):
    @contextmanager
    def open_store(self, folder):
        with Store.open(
            folder / "talebearer.db",
            artifacts=folder / "artifacts",
            now_ms=stepping_clock(),
            new_id=counting_ids(),
            policy=CAMPAIGN_POLICY,
        ) as store:
            yield store
