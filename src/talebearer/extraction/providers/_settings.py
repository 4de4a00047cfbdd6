"""The ``[provider]`` table of a campaign, or the same from options; checked as a whole."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import urlsplit

from talebearer.errors import InvalidProvider, nearest
from talebearer.extraction.providers._prices import Price, known_price

VALUE_CHARS_SHOWN_MAX = 60
PRICE_MEMBERS = ("input", "output", "cached_input")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSettings:
    """How to reach a model and how to ask it.

    Attributes:
        provider: One of ``PROVIDERS``, or a plug-in's key.
        model: The model's name as the provider knows it; for a cassette, its path.
        base_url: Address of an OpenAI-compatible or Ollama server.
        key_env: The environment variable that holds the key, when it is not the usual one.
        temperature: Given to the model if set; some models refuse it.
        max_output_tokens: Most tokens of a reply; 256 to 65,536.
        chunk_tokens: Most estimated transcript tokens of a request; 200 to 200,000.
        context_units: Units shown before a chunk that may not be cited; 0 to 100.
        workers: Requests at the same time; 1 to 64.
        attempts: How often a request is sent while the provider is busy; 1 to 10.
        timeout_s: Seconds until a request counts as not answered.
        prices: Dollars per million tokens; None: the table's.
    """

    provider: str = "rules"
    model: str = ""
    base_url: str | None = None
    key_env: str | None = None
    temperature: float | None = None
    max_output_tokens: int = 4096
    chunk_tokens: int = 8000
    context_units: int = 10
    workers: int = 4
    attempts: int = 5
    timeout_s: float = 180.0
    prices: Price | None = None

    @property
    def price(self) -> Price | None:
        """The given price, else the table's, else None."""
        return self.prices or known_price(self.provider, self.model)


BOUNDS: dict[str, tuple[int, int]] = {
    "max_output_tokens": (256, 65_536),
    "chunk_tokens": (200, 200_000),
    "context_units": (0, 100),
    "workers": (1, 64),
    "attempts": (1, 10),
    "timeout_s": (1, 3600),
    "temperature": (0, 2),
}
TEXTS = ("provider", "model", "base_url", "key_env")
MEMBERS = tuple(field.name for field in fields(ProviderSettings))


def provider_settings(
    table: Mapping[str, Any], *, provider: str | None = None, model: str | None = None
) -> ProviderSettings:
    """Return the settings of *table*, with *provider* and *model* put over it.

    Another provider than the table's takes over none of its address, key and price.

    Args:
        table: As it stands in ``[provider]``.
        provider: Instead of the table's; ``anthropic:claude-haiku-4-5`` gives both at once.
        model: Instead of the table's.

    Raises:
        InvalidProvider: A member is unknown or wrong (TB303).
    """
    settings = _checked(table)
    if provider is not None and ":" in provider and model is None:
        provider, _, model = provider.partition(":")
    if provider is not None and provider != settings.provider:
        own = {"model": "", "base_url": None, "key_env": None, "prices": None}
        settings = replace(settings, provider=provider, **own)  # type: ignore[arg-type]  # by name
    if model is not None and model != settings.model:
        settings = replace(settings, model=model, prices=None)
    return settings


def _checked(table: Mapping[str, Any]) -> ProviderSettings:
    values: dict[str, Any] = {}
    for name, value in table.items():
        if name not in MEMBERS:
            close = nearest(str(name), MEMBERS)
            hint = f"did you mean {close[0]}?" if close else "allowed: " + ", ".join(MEMBERS)
            raise InvalidProvider(f"[provider] has no {str(name)[:60]!r}", hint=hint)
        values[name] = _price(value) if name == "prices" else _plain(name, value)
    return ProviderSettings(**values)


def _plain(name: str, value: Any) -> Any:
    if name in TEXTS:
        if not isinstance(value, str):
            raise _wrong(name, value, "a text")
        return _address(value) if name == "base_url" else value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(name, value, "a number")
    least, most = BOUNDS[name]
    whole = name not in ("temperature", "timeout_s")
    if not least <= value <= most or (whole and not isinstance(value, int)):
        raise _wrong(name, value, f"{'a whole number' if whole else 'a number'}, {least} to {most}")
    return value


def _address(value: str) -> str:
    """Return *value* if it is an address without secrets in it; it is never printed otherwise."""
    try:
        parts = urlsplit(value)
        good = parts.scheme in ("http", "https") and bool(parts.hostname)
        secret = bool(parts.username or parts.password or parts.query or parts.fragment)
    except ValueError:
        good, secret = False, False
    if not good or secret:
        raise InvalidProvider(
            "base_url is no plain address",
            hint="http://host:port/path, without user, password or query; keys come from the environment",
        )
    return value


def _price(value: Any) -> Price:
    if not isinstance(value, Mapping) or not {"input", "output"} <= set(value):
        raise _wrong("prices", value, "a table with input and output, dollars per million tokens")
    for name, number in value.items():
        good = isinstance(number, int | float) and not isinstance(number, bool)
        if name not in PRICE_MEMBERS or not good or not math.isfinite(number) or number < 0:
            raise _wrong(f"prices.{str(name)[:60]}", number, "a price per million tokens")
    return Price(**{name: float(value[name]) for name in PRICE_MEMBERS if name in value})


def _wrong(name: str, value: Any, wanted: str) -> InvalidProvider:
    shown = "a table or list" if isinstance(value, dict | list) else repr(value)
    return InvalidProvider(
        f"[provider] {name} is {shown[:VALUE_CHARS_SHOWN_MAX]}", hint=f"it must be {wanted}"
    )
