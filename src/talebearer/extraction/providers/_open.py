"""From settings to a provider that is open."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from talebearer.errors import (
    InvalidProvider,
    ProviderFailed,
    TalebearerError,
    UnknownProvider,
    nearest,
)
from talebearer.extraction.providers._cassette import Cassette
from talebearer.extraction.providers._protocol import Provider
from talebearer.extraction.providers._settings import ProviderSettings

ENTRY_POINTS = "talebearer.providers"
"""Group of plug-ins: name = provider key, value = ``(settings, environ) -> Provider``."""

MODELS = ("anthropic", "gemini", "ollama", "openai", "openai-compatible")
PROVIDERS: tuple[str, ...] = ("rules", *MODELS, "cassette")
"""The built-in providers; ``rules`` is the embedded extractor, which asks nobody."""


def require_provider(settings: ProviderSettings) -> None:
    """Refuse settings that no provider can be opened with; nothing is imported or asked.

    Raises:
        UnknownProvider: There is no such provider (TB301).
        InvalidProvider: The model is missing (TB303).
    """
    if settings.provider not in PROVIDERS:
        _point(settings)
    elif settings.provider != "rules" and not settings.model:
        raise InvalidProvider(
            f"the provider {settings.provider!r} needs a model",
            hint="give --model or [provider] model",
        )


def open_provider(settings: ProviderSettings, *, environ: Mapping[str, str]) -> Provider | None:
    """Return the open provider of *settings*; None for ``rules``, which needs none.

    Args:
        settings: Which model, and where.
        environ: Where the key is; it is read here and given on to the vendor's client only.

    Raises:
        UnknownProvider: There is no such provider (TB301).
        InvalidProvider: A setting or the key is missing (TB303).
        ProviderNotInstalled: Its packages are not installed (TB302).
        ProviderFailed: A plug-in fails (TB305).
    """
    require_provider(settings)
    if settings.provider == "rules":
        return None
    if settings.provider == "cassette":
        return Cassette(Path(settings.model))
    if settings.provider in MODELS:
        # Imported here, since a run of the rules needs none of it.
        from talebearer.extraction.providers._vendors import VendorProvider

        return VendorProvider(settings, environ=environ)
    return _plugged_in(_point(settings), settings, environ)


def _plugged_in(
    point: EntryPoint, settings: ProviderSettings, environ: Mapping[str, str]
) -> Provider:
    try:
        provider: Provider = point.load()(settings, environ)
        identity = provider.identity
        named = all(isinstance(identity[member], str) for member in ("provider", "model"))
    except TalebearerError:
        raise
    except Exception as error:
        # A package of somebody else may fail in any way. The cause is cut off: its message may hold
        # what the plug-in read from the environment.
        raise ProviderFailed(
            f"the provider {point.name!r} cannot be opened ({type(error).__name__})",
            hint="update or remove the package that brings it",
        ) from None
    if not named:
        raise ProviderFailed(f"the provider {point.name!r} does not say who it is")
    return provider


def _point(settings: ProviderSettings) -> EntryPoint:
    found = sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name)
    for point in found:
        if point.name == settings.provider:
            return point
    names = [*PROVIDERS, *(point.name for point in found)]
    shown = settings.provider[:60]
    close = nearest(shown, names)
    suggestion = f"did you mean {close[0]}? " if close else ""
    raise UnknownProvider(
        f"there is no provider {shown!r}",
        hint=f"{suggestion}available: {', '.join(names)}",
        data={"available": names},
    )
