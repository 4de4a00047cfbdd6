"""What every model provider must do, however it reaches its model."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager

import pytest

from talebearer.errors import ProviderError
from talebearer.extraction import FinishReason, ModelReply, ModelRequest, Provider

PROVIDER_REQUEST = ModelRequest(
    prefix="List the named people.\n",
    body="Transcript, units 1 to 2:\n[1] GM: Orla Finch waves.\n[2] Nia: Hello, Orla.\n",
    schema_name="npcs_response_v1",
    schema={
        "type": "object",
        "properties": {"npcs": {"type": "array", "items": {"type": "string"}}},
        "required": ["npcs"],
        "additionalProperties": False,
    },
    max_output_tokens=512,
)
"""What the contract asks; a provider under test must be able to answer it."""


class ProviderContract:
    """Subclass it as ``Test...`` and give :meth:`open_provider`.

    Source: rule NI-prov-contract.
    """

    def open_provider(self) -> AbstractContextManager[Provider]:
        """Return a provider that can answer ``PROVIDER_REQUEST``, closed at the end."""
        raise NotImplementedError

    def test_an_answer_is_text_with_a_reason_and_counts(self) -> None:
        """Text, one of the three finish reasons, and counts that are not negative."""
        with self.open_provider() as provider:
            reply = provider.ask(PROVIDER_REQUEST)
        assert isinstance(reply, ModelReply)
        assert isinstance(reply.text, str)
        assert reply.finish in set(FinishReason)
        usage = reply.usage
        assert all(
            count is None or count >= 0 for count in (usage.input_tokens, usage.output_tokens)
        )
        assert 0 <= usage.cached_tokens <= (usage.input_tokens or usage.cached_tokens)

    def test_the_identity_is_json_with_provider_and_model_and_stays(self) -> None:
        """Checkpoints and manifests rest on it."""
        with self.open_provider() as provider:
            before = json.dumps(dict(provider.identity), sort_keys=True)
            provider.ask(PROVIDER_REQUEST)
            assert json.dumps(dict(provider.identity), sort_keys=True) == before
            assert {"provider", "model"} <= set(provider.identity)

    def test_several_threads_may_ask_at_once(self) -> None:
        """One object serves all workers."""
        with self.open_provider() as provider, ThreadPoolExecutor(4) as pool:
            replies = list(pool.map(provider.ask, [PROVIDER_REQUEST] * 8))
        assert len(replies) == 8

    def test_closing_twice_is_fine(self) -> None:
        """The caller and a context manager may both close."""
        with self.open_provider() as provider:
            provider.ask(PROVIDER_REQUEST)
            provider.close()
            provider.close()

    def test_what_it_raises_is_an_error_of_ours(self) -> None:
        """After closing it answers, or raises a ProviderError; nothing else comes out."""
        with self.open_provider() as provider:
            provider.close()
            try:
                provider.ask(PROVIDER_REQUEST)
            except ProviderError as error:
                assert error.code.startswith("TB3")  # noqa: PT017  # answering is allowed, too
            except Exception as error:
                pytest.fail(f"{type(error).__name__} came out of the provider")
