"""TB3xx: a model provider cannot do it."""

from __future__ import annotations

from talebearer.errors._tree import ProviderError


class UnknownProvider(ProviderError):
    """An extractor that is not installed."""

    code = "TB301"
    title = "An unknown extractor"
    text = "campaign.toml or --extractor names an extractor that this installation does not have."
    fix = "Use one of those that the message lists; `rules` is always there."
