"""What a provider takes and gives."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol


class FinishReason(StrEnum):
    """Why the model stopped.

    ``length`` is a reply that was cut off, ``refusal`` one that the model or a filter declined.
    """

    STOP = "stop"
    LENGTH = "length"
    REFUSAL = "refusal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The tokens of one request, as the provider counts them.

    Attributes:
        input_tokens: Of the prompt, those from a cache included; None when it does not say.
        output_tokens: Of the reply, hidden thinking included; None when it does not say.
        cached_tokens: How many of the prompt's came from the provider's cache.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One question to a model.

    Attributes:
        prefix: Instructions, references and names: the same bytes for every request of a lane.
        body: What differs: units of the transcript, and errors when a reply was rejected.
        schema_name: What the response schema is called.
        schema: JSON Schema of the reply, in the subset that all providers know.
        max_output_tokens: Most tokens of the reply.
    """

    prefix: str
    body: str
    schema_name: str
    schema: Mapping[str, Any]
    max_output_tokens: int

    @property
    def digest(self) -> str:
        """``sha256:`` and 64 hex digits over everything that the model is given."""
        parts = [self.prefix, self.body, self.schema_name, self.schema, self.max_output_tokens]
        text = json.dumps(parts, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """One answer of a model.

    Attributes:
        text: What it wrote; trusted in no way.
        finish: Why it stopped.
        usage: What it cost.
    """

    text: str
    finish: FinishReason = FinishReason.STOP
    usage: Usage = Usage()


class Provider(Protocol):
    """Asks one model. It must be safe to call from several threads at once.

    A key never appears in what it returns or raises, nor in ``identity``.
    """

    @property
    def identity(self) -> Mapping[str, Any]:
        """JSON-ready: at least ``provider`` and ``model``, and every setting that changes replies.

        It enters checkpoints and manifests.
        """

    def ask(self, request: ModelRequest) -> ModelReply:
        """Return the model's reply to *request*; ask once, without waiting or repeating.

        Raises:
            ProviderBusy: Not now; it may go through later (TB304).
            ProviderFailed: It never will (TB305).
        """

    def close(self) -> None:
        """Give everything back, and end requests that still run; may be called twice."""
