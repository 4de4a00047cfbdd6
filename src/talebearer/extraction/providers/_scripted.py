"""A provider that a test writes: a function from request to reply."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from talebearer.errors import ProviderFailed
from talebearer.extraction.providers._protocol import ModelReply, ModelRequest


class ScriptedProvider:
    """Answers by *answer*, in whatever thread it is asked; no network, no waiting of its own.

    Args:
        answer: Returns the reply, or its text alone; what it raises is raised.
        model: The model's name in the identity.
    """

    def __init__(
        self, answer: Callable[[ModelRequest], ModelReply | str], *, model: str = "script"
    ) -> None:
        self._answer = answer
        self._model = model
        self._closed = False

    @property
    def identity(self) -> Mapping[str, Any]:
        """Provider ``scripted`` and the model's name."""
        return {"provider": "scripted", "model": self._model}

    def ask(self, request: ModelRequest) -> ModelReply:
        """Return what the script answers.

        Raises:
            ProviderFailed: It is closed (TB305).
        """
        if self._closed:
            raise ProviderFailed("the provider is closed")
        reply = self._answer(request)
        return ModelReply(text=reply) if isinstance(reply, str) else reply

    def close(self) -> None:
        """Answer no more."""
        self._closed = True
