"""TB3xx: a model provider cannot do it."""

from __future__ import annotations

from typing import Any

from talebearer.errors._tree import ProviderError


class UnknownProvider(ProviderError):
    """An extractor that is not installed."""

    code = "TB301"
    title = "An unknown extractor"
    text = "campaign.toml or --extractor names an extractor that this installation does not have."
    fix = "Use one of those that the message lists; `rules` is always there."


class ProviderNotInstalled(ProviderError):
    """A provider whose packages are not installed."""

    code = "TB302"
    title = "A provider that is not installed"
    text = "Real models are reached through the optional `llm` packages, which are not installed."
    fix = "Run `pip install 'talebearer[llm]'`, or use the provider `rules`."


class InvalidProvider(ProviderError):
    """Provider settings that cannot be used, or a key that the environment lacks."""

    code = "TB303"
    title = "Provider settings that cannot be used"
    text = "A provider setting is of the wrong kind, or the environment lacks the provider's key."
    fix = "Correct the setting that the message names; keys come from the environment only."


class ProviderBusy(ProviderError):
    """A model that could not answer now, also after waiting.

    Attributes:
        retry_after_s: Seconds that the provider asks to wait, or None.
    """

    code = "TB304"
    title = "A model that cannot answer now"
    text = "The provider was overloaded, limited the rate or did not answer in time, even after waiting."
    fix = "Run the command again later; what was accepted is kept and not asked again."
    retryable = True

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        data: dict[str, Any] | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message, hint=hint, data=data)
        self.retry_after_s = retry_after_s


class ProviderFailed(ProviderError):
    """A model request that the provider will not carry out, now or later."""

    code = "TB305"
    title = "A request that the provider does not accept"
    text = (
        "The provider answered that key, model or request are wrong. Asking again would not help."
    )
    fix = "Check the model's name, the key in the environment and the address of the server."


class BadModelOutput(ProviderError):
    """A model whose reply was rejected twice for one part of the transcript."""

    code = "TB306"
    title = "A model reply that was rejected"
    text = (
        "The reply for a part of the transcript broke the response contract, and so did the one reply to "
        "the re-ask. Nothing of it is kept, and steps that need the result do not run."
    )
    fix = "Run the same command again: accepted parts are not asked again. Or use another model."


class InputTruncated(ProviderError):
    """A model that read far fewer tokens than were sent."""

    code = "TB307"
    title = "A prompt that the model did not read to its end"
    text = (
        "The provider counted far fewer prompt tokens than were sent: the server cut the prompt without "
        "saying so, mostly since its context is smaller than a chunk."
    )
    fix = "Give the server a larger context, or set a smaller chunk_tokens."


class CostLimitReached(ProviderError):
    """A run that would cost more than it may."""

    code = "TB308"
    title = "The cost limit is reached"
    text = "The next request could cost more than is left of --max-cost, so that it was not sent."
    fix = "Run again with a higher --max-cost; what was accepted is kept."


class PriceUnknown(ProviderError):
    """A cost limit for a model without a known price."""

    code = "TB309"
    title = "A model without a known price"
    text = "--max-cost needs the model's price, and neither the table nor the settings have one."
    fix = "Give input and output prices per million tokens under [provider.prices]."


class NoRecording(ProviderError):
    """A cassette that lacks the answer to a request."""

    code = "TB310"
    title = "A request that the cassette does not hold"
    text = "A cassette answers only the requests that were recorded, byte for byte; this is another one."
    fix = "Record the cassette again with the same transcript, prompts and settings."


class ComponentFailed(ProviderError):
    """A component of a plug-in that raised, or gave what its role does not give."""

    code = "TB311"
    title = "A component of a plug-in that fails"
    text = (
        "A pipeline names a component that another package brings, and it raised an error or returned "
        "something else than its role asks for. Nothing of its lane is kept."
    )
    fix = "Update or remove the package that brings it; --debug shows where it failed."
