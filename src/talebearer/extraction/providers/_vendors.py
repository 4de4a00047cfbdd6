"""Real models through the direct requests of pydantic-ai; imported only when one is opened.

One thread of its own runs the event loop that all requests share, since the vendors' clients keep
connections bound to a loop. Repeating is ours alone: the clients are told not to.
"""

from __future__ import annotations

import asyncio
import importlib
import threading
from collections.abc import Coroutine, Mapping
from concurrent.futures import CancelledError
from typing import Any

from talebearer.errors import (
    InvalidProvider,
    ProviderBusy,
    ProviderError,
    ProviderFailed,
    ProviderNotInstalled,
)
from talebearer.extraction.providers._protocol import (
    FinishReason,
    ModelReply,
    ModelRequest,
    Usage,
)
from talebearer.extraction.providers._settings import ProviderSettings
from talebearer.extraction.providers._waiting import retry_after_s

KEY_VARIABLES = {
    "anthropic": ("ANTHROPIC_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "openai": ("OPENAI_API_KEY",),
    "openai-compatible": ("TALEBEARER_API_KEY",),
    "ollama": ("OLLAMA_API_KEY",),
}
KEY_OPTIONAL = ("openai-compatible", "ollama")
OLLAMA_URL = "http://127.0.0.1:11434/v1"
BUSY_STATUS = (408, 409, 425, 429)
CLOSE_WAIT_S = 5.0


class VendorProvider:
    """A hosted or local model.

    Args:
        settings: Which one.
        environ: Where its key is.

    Raises:
        InvalidProvider: The key or the address is missing (TB303).
        ProviderNotInstalled: The ``llm`` packages are missing (TB302).
    """

    def __init__(self, settings: ProviderSettings, *, environ: Mapping[str, str]) -> None:
        key = _key(settings, environ)
        self._settings = settings
        self._direct = _module("pydantic_ai.direct")
        self._errors = _module("pydantic_ai.exceptions")
        self._model = _model(settings, key)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="talebearer-model", daemon=True)
        self._closed = False
        self._thread.start()

    @property
    def identity(self) -> Mapping[str, Any]:
        """Provider, model, address and temperature; never a key."""
        settings = self._settings
        return {
            "provider": settings.provider,
            "model": settings.model,
            "base_url": settings.base_url,
            "temperature": settings.temperature,
        }

    def ask(self, request: ModelRequest) -> ModelReply:
        """Send one request; see :class:`Provider`."""
        if self._closed:
            raise ProviderFailed("the provider is closed")
        try:
            reply = self._wait(self._request(request))
        except ProviderError:
            raise
        except (TimeoutError, CancelledError, asyncio.CancelledError) as error:
            raise ProviderBusy(f"no answer within {self._settings.timeout_s:g} s") from error
        except Exception as error:
            # Each vendor's library raises what it likes, and all of it is a provider's fault here.
            # The cause is cut off: a vendor's message may hold the request's headers or prompt.
            raise self._fault(error) from None
        return _reply(reply)

    def close(self) -> None:
        """End running requests and the loop."""
        if self._closed:
            return
        self._closed = True
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CLOSE_WAIT_S)

    def _run(self) -> None:
        """Run the loop until it is stopped; then end what still waits for an answer."""
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    def _wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        limited = asyncio.wait_for(work, self._settings.timeout_s)
        return asyncio.run_coroutine_threadsafe(limited, self._loop).result()

    def _request(self, request: ModelRequest) -> Coroutine[Any, Any, Any]:
        messages = _module("pydantic_ai.messages")
        models = _module("pydantic_ai.models")
        output = _module("pydantic_ai.output")
        shape = output.OutputObjectDefinition(
            json_schema=dict(request.schema), name=request.schema_name, strict=True
        )
        options: dict[str, Any] = {
            "max_tokens": request.max_output_tokens,
            "timeout": self._settings.timeout_s,
            "max_retries": 0,
            "cache": {"messages": False},
        }
        if self._settings.temperature is not None:
            options["temperature"] = self._settings.temperature
        ask: Coroutine[Any, Any, Any] = self._direct.model_request(
            self._model,
            [
                messages.ModelRequest(
                    parts=[messages.UserPromptPart(content=request.body)],
                    instructions=request.prefix,
                )
            ],
            model_settings=options,
            model_request_parameters=models.ModelRequestParameters(
                output_mode="native", output_object=shape, allow_text_output=True
            ),
        )
        return ask

    def _fault(self, error: Exception) -> ProviderError:
        """Return our error for a vendor's; of its message only class and status are kept."""
        status = getattr(error, "status_code", None)
        who = f"{self._settings.provider}:{self._settings.model}"[:120]
        what = type(error).__name__
        if isinstance(status, int):
            if status in BUSY_STATUS or status >= 500:
                wait_s = retry_after_s(getattr(error, "headers", None) or {})
                return ProviderBusy(f"{who} answered {status}", retry_after_s=wait_s)
            return ProviderFailed(f"{who} answered {status} ({what})", data={"status": status})
        lost = getattr(self._errors, "ModelConnectionError", ())
        if isinstance(error, lost | OSError if lost else OSError):
            return ProviderBusy(f"{who} cannot be reached ({what})")
        return ProviderFailed(f"{who} failed ({what})")


def _reply(reply: Any) -> ModelReply:
    text = "".join(part.content for part in reply.parts if part.part_kind == "text")
    finish = FinishReason.STOP
    if reply.finish_reason == "length":
        finish = FinishReason.LENGTH
    elif reply.finish_reason == "content_filter":
        finish = FinishReason.REFUSAL
    usage = reply.usage
    counted = bool(usage.input_tokens or usage.output_tokens)
    return ModelReply(
        text=text,
        finish=finish,
        usage=Usage(
            input_tokens=usage.input_tokens if counted else None,
            output_tokens=usage.output_tokens if counted else None,
            cached_tokens=usage.cache_read_tokens,
        ),
    )


def _key(settings: ProviderSettings, environ: Mapping[str, str]) -> str | None:
    names = (settings.key_env,) if settings.key_env else KEY_VARIABLES[settings.provider]
    for name in names:
        if environ.get(name):
            return environ[name]
    if settings.provider in KEY_OPTIONAL and not settings.key_env:
        return None
    raise InvalidProvider(
        f"the environment has no key for {settings.provider}", hint=f"set {' or '.join(names)}"
    )


def _model(settings: ProviderSettings, key: str | None) -> Any:
    """Return the vendor's model, without any retries of its own."""
    name = settings.model
    match settings.provider:
        case "anthropic":
            vendor = _module("pydantic_ai.providers.anthropic").AnthropicProvider(api_key=key)
            return _module("pydantic_ai.models.anthropic").AnthropicModel(name, provider=vendor)
        case "gemini":
            vendor = _module("pydantic_ai.providers.google").GoogleProvider(api_key=key)
            return _module("pydantic_ai.models.google").GoogleModel(name, provider=vendor)
        case "ollama":
            vendor = _module("pydantic_ai.providers.ollama").OllamaProvider(
                base_url=settings.base_url or OLLAMA_URL, api_key=key or "none"
            )
            return _module("pydantic_ai.models.openai").OpenAIChatModel(name, provider=vendor)
    if settings.provider == "openai-compatible" and settings.base_url is None:
        raise InvalidProvider(
            "the provider 'openai-compatible' needs an address", hint="give [provider] base_url"
        )
    vendor = _module("pydantic_ai.providers.openai").OpenAIProvider(
        base_url=settings.base_url, api_key=key or "none"
    )
    # A local server of any model: promise that it constrains replies, since validators check them.
    profile = {"supports_json_schema_output": True} if settings.base_url else None
    return _module("pydantic_ai.models.openai").OpenAIChatModel(
        name, provider=vendor, profile=profile
    )


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ProviderNotInstalled(f"{name} cannot be imported ({type(error).__name__})") from error
