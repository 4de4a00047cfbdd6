"""The ``[provider]`` table of a campaign, or the same from options; checked as a whole."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from talebearer.errors import InvalidProvider, nearest
from talebearer.extraction.providers._prices import Price, known_price

VALUE_CHARS_SHOWN_MAX = 60
TEXT_CHARS_MAX = 500
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
        tight_schema: Whether the response schema lists the names and bounds the units of each request.
            Servers that constrain replies by a grammar then cannot name or cite what would be
            rejected; hosted models often refuse such schemas.
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
    tight_schema: bool = False

    @property
    def price(self) -> Price | None:
        """The given price, else the table's, else None."""
        return self.prices or known_price(self.provider, self.model)

    def choosing(
        self,
        *,
        provider: str | None = None,
        model: str | None = None,
        workers: int | None = None,
    ) -> ProviderSettings:
        """Return the settings with what is given put over them.

        Another provider takes over none of this one's address, key and price.

        Args:
            provider: ``anthropic:claude-haiku-4-5`` gives the model with it.
            model: Another model of the provider.
            workers: Requests at the same time.

        Raises:
            InvalidProvider: A value is out of bounds (TB303).
        """
        settings = self
        if provider is not None and ":" in provider and model is None:
            provider, _, model = provider.partition(":")
        if provider is not None and provider != settings.provider:
            settings = replace(
                settings, provider=provider, model="", base_url=None, key_env=None, prices=None
            )
        if model is not None and model != settings.model:
            settings = replace(settings, model=model, prices=None)
        if workers is not None:
            settings = replace(settings, workers=_only("workers", workers))
        return settings


BOUNDS: dict[str, tuple[int, int]] = {
    "max_output_tokens": (256, 65_536),
    "chunk_tokens": (200, 200_000),
    "context_units": (0, 100),
    "workers": (1, 64),
    "attempts": (1, 10),
    "timeout_s": (1, 3600),
    "temperature": (0, 2),
}


class SettingFault(NamedTuple):
    """Why a member of the table cannot be used.

    Attributes:
        member: Its name.
        message: What is wrong with it.
        hint: What is allowed.
    """

    member: str
    message: str
    hint: str


TEXTS = ("provider", "model", "base_url", "key_env")
MEMBERS = tuple(field.name for field in fields(ProviderSettings))


def provider_settings(
    table: Mapping[str, Any], *, provider: str | None = None, model: str | None = None
) -> ProviderSettings:
    """Return the settings of *table*, with *provider* and *model* put over it.

    Args:
        table: As it stands in ``[provider]``.
        provider: As in :meth:`ProviderSettings.choosing`.
        model: Likewise.

    Raises:
        InvalidProvider: A member is unknown or wrong (TB303); all faults are in the message.
    """
    settings, faults = check_settings(table)
    if faults:
        raise InvalidProvider(
            "; ".join(f"[provider] {fault.message}" for fault in faults),
            hint="; ".join(dict.fromkeys(fault.hint for fault in faults)),
        )
    return settings.choosing(provider=provider, model=model)


def check_settings(table: Mapping[str, Any]) -> tuple[ProviderSettings, tuple[SettingFault, ...]]:
    """Return the settings that *table* holds and all its faults; a faulty member is left out."""
    values: dict[str, Any] = {}
    faults: list[SettingFault] = []
    for name, value in table.items():
        if name not in MEMBERS:
            shown = str(name)[:VALUE_CHARS_SHOWN_MAX]
            close = nearest(shown, MEMBERS)
            hint = f"did you mean {close[0]}?" if close else "allowed: " + ", ".join(MEMBERS)
            faults.append(SettingFault(shown, f"has no {shown!r}", hint))
            continue
        fault = _fault(name, value)
        if fault is not None:
            faults.append(fault)
        elif name == "prices":
            values[name] = Price(**{key: float(value[key]) for key in value})
        else:
            values[name] = value
    return ProviderSettings(**values), tuple(faults)


def _only(name: str, value: Any) -> Any:
    """Return *value* if it may stand as the member *name*."""
    fault = _fault(name, value)
    if fault is not None:
        raise InvalidProvider(fault.message, hint=fault.hint)
    return value


def _fault(name: str, value: Any) -> SettingFault | None:
    if name == "prices":
        return _price_fault(value)
    if name == "tight_schema":
        return None if isinstance(value, bool) else _wrong(name, value, "true or false")
    if name in TEXTS:
        if not isinstance(value, str) or len(value) > TEXT_CHARS_MAX or not value.isprintable():
            return _wrong(name, value, f"a text of at most {TEXT_CHARS_MAX} characters")
        return _address_fault(value) if name == "base_url" else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _wrong(name, value, "a number")
    least, most = BOUNDS[name]
    whole = name not in ("temperature", "timeout_s")
    if not least <= value <= most or (whole and not isinstance(value, int)):
        kind = "a whole number" if whole else "a number"
        return _wrong(name, value, f"{kind}, {least} to {most}")
    return None


def _address_fault(value: str) -> SettingFault | None:
    """Return why *value* is no address without secrets in it; it is never printed."""
    try:
        parts = urlsplit(value)
        good = parts.scheme in ("http", "https") and bool(parts.hostname)
        secret = bool(parts.username or parts.password or parts.query or parts.fragment)
    except ValueError:
        good, secret = False, False
    if good and not secret:
        return None
    hint = "http://host:port/path, without user, password or query; keys come from the environment"
    return SettingFault("base_url", "base_url is no plain address", hint)


def _price_fault(value: Any) -> SettingFault | None:
    if not isinstance(value, Mapping) or not {"input", "output"} <= set(value):
        wanted = "a table with input and output, dollars per million tokens"
        return _wrong("prices", value, wanted)
    for name, number in value.items():
        good = isinstance(number, int | float) and not isinstance(number, bool)
        if name not in PRICE_MEMBERS or not good or not math.isfinite(number) or number < 0:
            shown = str(name)[:VALUE_CHARS_SHOWN_MAX]
            return _wrong(f"prices.{shown}", number, "a price per million tokens")
    return None


def _wrong(name: str, value: Any, wanted: str) -> SettingFault:
    shown = "a table or list" if isinstance(value, dict | list) else repr(value)
    return SettingFault(name, f"{name} is {shown[:VALUE_CHARS_SHOWN_MAX]}", f"it must be {wanted}")
