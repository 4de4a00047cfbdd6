"""The public test kit: contracts that every implementation must keep, plain models, samples.

A store of your own is checked by a subclass::

    class TestMyStore(StoreContract):
        @contextmanager
        def open_store(self, folder):
            with MyStore(folder) as store:
                yield store

The contracts need pytest. Nothing outside tests imports this package.
"""

from talebearer.testing._model_store import ModelStore
from talebearer.testing._provider_contract import PROVIDER_REQUEST, ProviderContract
from talebearer.testing._samples import (
    SAMPLE_ABOUT,
    SAMPLE_NOW_MS,
    counting_ids,
    sample_artifact_metadata,
    sample_knowledge,
    sample_meta,
    sample_relation,
    sample_structured,
    stepping_clock,
)
from talebearer.testing._store_contract import StoreContract
from talebearer.testing.reference import ReferenceAnswer, ReferenceSelector

__all__ = [
    "PROVIDER_REQUEST",
    "SAMPLE_ABOUT",
    "SAMPLE_NOW_MS",
    "ModelStore",
    "ProviderContract",
    "ReferenceAnswer",
    "ReferenceSelector",
    "StoreContract",
    "counting_ids",
    "sample_artifact_metadata",
    "sample_knowledge",
    "sample_meta",
    "sample_relation",
    "sample_structured",
    "stepping_clock",
]
