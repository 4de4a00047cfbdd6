"""What models cost: a small dated table that settings override; nothing is fetched."""

from __future__ import annotations

from dataclasses import dataclass

from talebearer.extraction.providers._protocol import Usage

PRICES_AS_OF = "2026-11-30"
"""The day of the table. Vendors change prices: what counts is their invoice."""

TOKENS_PER_PRICE = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars per million tokens.

    Attributes:
        input: Of the prompt.
        output: Of the reply, hidden thinking included.
        cached_input: Of prompt tokens from the provider's cache; None: as *input*.
    """

    input: float
    output: float
    cached_input: float | None = None

    def of(self, usage: Usage) -> float:
        """Return what *usage* costs in dollars; tokens that were not counted cost nothing."""
        prompt = usage.input_tokens or 0
        cached = min(usage.cached_tokens, prompt)
        cached_price = self.input if self.cached_input is None else self.cached_input
        total = (prompt - cached) * self.input + cached * cached_price
        return (total + (usage.output_tokens or 0) * self.output) / TOKENS_PER_PRICE


FREE = Price(input=0.0, output=0.0)

TABLE = {
    "anthropic:claude-haiku-4-5": Price(input=1.0, output=5.0, cached_input=0.1),
    "anthropic:claude-sonnet-5": Price(input=2.0, output=10.0, cached_input=0.2),
    "gemini:gemini-3.1-flash-lite": Price(input=0.25, output=1.5),
    "gemini:gemini-3.5-flash-lite": Price(input=0.3, output=2.5),
    "gemini:gemini-3.8-flash": Price(input=0.75, output=3.75),
    "openai:gpt-4.1-nano": Price(input=0.1, output=0.4),
    "openai:gpt-4o-mini": Price(input=0.15, output=0.6),
    "openai:gpt-5-mini": Price(input=0.25, output=2.0),
    "openai:gpt-5-nano": Price(input=0.05, output=0.4),
    "openai:gpt-5.4-mini": Price(input=0.75, output=4.5),
    "openai:gpt-5.4-nano": Price(input=0.2, output=1.25),
}


def known_price(provider: str, model: str) -> Price | None:
    """Return the table's price of *model*, or None; models on the own machine cost nothing."""
    if provider in ("ollama", "rules"):
        return FREE
    return TABLE.get(f"{provider}:{model}")
