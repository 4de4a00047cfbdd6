"""What asking a model about a session would take, before anything is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from talebearer.extraction._artifacts import names_of
from talebearer.extraction._roster import Roster
from talebearer.extraction._run import NO_GLOSSARY, extract_npcs
from talebearer.extraction._session import Glossary, Session
from talebearer.extraction.asking import make_prompt, plan_chunks, tokens_of
from talebearer.extraction.providers import PRICES_AS_OF, Price, ProviderSettings, Usage
from talebearer.transcripts import Transcript
from talebearer.vocabulary import ArtifactKind

OUTPUT_TOKENS_TYPICAL = 1100
"""About what a reply for a full chunk has; a model that thinks first writes a multiple of it."""
CHUNK_TOKENS_TYPICAL = 8000

LANES = (
    ("npcs", ArtifactKind.NPC_LIST),
    ("interactions", ArtifactKind.NPC_INTERACTION_LIST),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneEstimate:
    """What one lane would take.

    Attributes:
        lane: Its name.
        requests: One a chunk; re-asks and splits come on top.
        input_tokens: Of all prompts.
        output_tokens: Of all replies, at the usual length.
        output_tokens_max: Of all replies, if each is as long as it may be.
    """

    lane: str
    requests: int
    input_tokens: int
    output_tokens: int
    output_tokens_max: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a run would take.

    Attributes:
        provider: Whom it would ask.
        model: Which model.
        lanes: In order; empty when no model is asked.
        cost_usd: At the usual length of replies; None when the price is not known.
        cost_usd_max: If every reply is as long as it may be.
        prices_as_of: The day of the price table.
    """

    provider: str
    model: str
    lanes: tuple[LaneEstimate, ...]
    cost_usd: float | None
    cost_usd_max: float | None
    prices_as_of: str = PRICES_AS_OF

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON object, with the sums over the lanes."""
        names = ("requests", "input_tokens", "output_tokens", "output_tokens_max")
        lanes = [
            {"lane": one.lane, **{name: getattr(one, name) for name in names}} for one in self.lanes
        ]
        return {
            "provider": self.provider,
            "model": self.model,
            "lanes": lanes,
            **{name: sum(lane[name] for lane in lanes) for name in names},
            "cost_usd": self.cost_usd,
            "cost_usd_max": self.cost_usd_max,
            "prices_as_of": self.prices_as_of,
        }


def estimate(
    transcript: Transcript,
    roster: Roster,
    *,
    settings: ProviderSettings,
    glossary: Glossary = NO_GLOSSARY,
    names: Sequence[str] | None = None,
) -> Estimate:
    """Return what both lanes over *transcript* would take; nothing is asked.

    Args:
        transcript: What would be read.
        roster: Part of the prompts.
        settings: Which model, and how large its chunks are.
        glossary: Part of the prompts.
        names: The registry's names; by default those that the rules find, as a stand-in.
    """
    if settings.provider == "rules":
        return Estimate(provider="rules", model="", lanes=(), cost_usd=0.0, cost_usd_max=0.0)
    if names is None:
        names = names_of(extract_npcs(transcript, roster, glossary=glossary))
    session = Session(transcript=transcript, roster=roster, glossary=glossary)
    lanes = tuple(
        _lane(name, kind, session, settings, None if kind is ArtifactKind.NPC_LIST else names)
        for name, kind in LANES
    )
    price = settings.price
    return Estimate(
        provider=settings.provider,
        model=settings.model,
        lanes=lanes,
        cost_usd=_cost(price, lanes, "output_tokens"),
        cost_usd_max=_cost(price, lanes, "output_tokens_max"),
    )


def _lane(
    name: str,
    kind: ArtifactKind,
    session: Session,
    settings: ProviderSettings,
    names: Sequence[str] | None,
) -> LaneEstimate:
    prompt = make_prompt(kind, session, names)
    chunks = plan_chunks(
        session.transcript,
        chunk_tokens=settings.chunk_tokens,
        context_units=settings.context_units,
    )
    # What a chunk's own text has by bytes is what the run compares the provider's count with.
    texts = sum(tokens_of(chunk.text) + 5 * len(chunk.units) for chunk in chunks)
    share = min(1.0, settings.chunk_tokens / CHUNK_TOKENS_TYPICAL)
    typical = min(settings.max_output_tokens, round(OUTPUT_TOKENS_TYPICAL * share))
    return LaneEstimate(
        lane=name,
        requests=len(chunks),
        input_tokens=len(chunks) * tokens_of(prompt.prefix) + texts,
        output_tokens=len(chunks) * typical,
        output_tokens_max=len(chunks) * settings.max_output_tokens,
    )


def _cost(price: Price | None, lanes: Sequence[LaneEstimate], output: str) -> float | None:
    if price is None:
        return None
    usage = Usage(
        input_tokens=sum(lane.input_tokens for lane in lanes),
        output_tokens=sum(getattr(lane, output) for lane in lanes),
    )
    return round(price.of(usage), 6)
