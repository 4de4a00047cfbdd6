"""The providers that need no network keep the contract of all providers."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from talebearer.extraction import Cassette, Provider, RecordingProvider, ScriptedProvider
from talebearer.testing import PROVIDER_REQUEST as REQUEST
from talebearer.testing import ProviderContract


@pytest.mark.spec("NI-prov-contract")
class TestScripted(ProviderContract):
    @contextmanager
    def open_provider(self) -> Iterator[Provider]:
        provider = ScriptedProvider(lambda request: '{"npcs":["Orla Finch"]}')
        yield provider
        provider.close()


@pytest.mark.spec("NI-prov-contract")
class TestRecording(ProviderContract):
    @contextmanager
    def open_provider(self) -> Iterator[Provider]:
        with tempfile.TemporaryDirectory() as folder:
            inner = ScriptedProvider(lambda request: '{"npcs":["Orla Finch"]}')
            yield RecordingProvider(inner, Path(folder) / "tape.jsonl")


@pytest.mark.spec("NI-prov-contract")
class TestCassette(ProviderContract):
    @contextmanager
    def open_provider(self) -> Iterator[Provider]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "tape.jsonl"
            inner = ScriptedProvider(lambda request: '{"npcs":["Orla Finch"]}')
            RecordingProvider(inner, path).ask(REQUEST)
            yield Cassette(path)
