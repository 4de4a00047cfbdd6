"""What asking a model about a session would take, before anything is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from talebearer.extraction._artifacts import Artifact, names_of
from talebearer.extraction._roster import Roster
from talebearer.extraction._run import (
    NO_EXTERNALS,
    NO_GLOSSARY,
    default_pipeline,
    extract_npcs,
)
from talebearer.extraction._session import Glossary, Session
from talebearer.extraction.asking import make_prompt, plan_chunks, tokens_of
from talebearer.extraction.pipeline import Lane, Pipeline
from talebearer.extraction.providers import PRICES_AS_OF, Price, ProviderSettings, Usage
from talebearer.transcripts import Transcript

OUTPUT_TOKENS_TYPICAL = 1100
"""About what a reply for a full chunk has; a model that thinks first writes a multiple of it."""
CHUNK_TOKENS_TYPICAL = 8000


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneEstimate:
    """What one lane would take.

    Attributes:
        lane: Its name.
        requests: One a chunk; re-asks and splits come on top.
        input_tokens: Of all prompts.
        output_tokens: Of all replies, at the usual length.
        output_tokens_max: Of all replies, if each is as long as it may be.
        cost_usd: At the usual length of replies; None when the price is not known.
        cost_usd_max: If every reply is as long as it may be.
    """

    lane: str
    requests: int
    input_tokens: int
    output_tokens: int
    output_tokens_max: int
    cost_usd: float | None
    cost_usd_max: float | None


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
        costs = ("cost_usd", "cost_usd_max")
        lanes = [
            {"lane": one.lane, **{name: getattr(one, name) for name in (*names, *costs)}}
            for one in self.lanes
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
    pipeline: Pipeline | None = None,
    externals: Mapping[str, Artifact] = NO_EXTERNALS,
) -> Estimate:
    """Return what a run over *transcript* would take; nothing is asked.

    Args:
        transcript: What would be read.
        roster: Part of the prompts.
        settings: Which model, and how large its chunks are.
        glossary: Part of the prompts.
        names: The names of a registry that the run makes; by default those that the rules find, as
            a stand-in.
        pipeline: What would run; by default the registry, then the interactions. Lanes of the
            rules and of plug-ins ask nobody, and are left out.
        externals: Artifacts for the pipeline's ``external:`` references.
    """
    if settings.provider == "rules":
        return Estimate(provider="rules", model="", lanes=(), cost_usd=0.0, cost_usd_max=0.0)
    if names is None:
        names = names_of(extract_npcs(transcript, roster, glossary=glossary))
    session = Session(transcript=transcript, roster=roster, glossary=glossary)
    chosen = pipeline if pipeline is not None else default_pipeline()
    asked = [lane for step in chosen.steps for lane in step.lanes if lane.extract.work is None]
    lanes = tuple(
        _lane(lane, session, settings, _names(lane, externals, stand_in=names)) for lane in asked
    )
    return Estimate(
        provider=settings.provider,
        model=settings.model,
        lanes=lanes,
        cost_usd=_sum(lane.cost_usd for lane in lanes),
        cost_usd_max=_sum(lane.cost_usd_max for lane in lanes),
    )


def _names(
    lane: Lane, externals: Mapping[str, Artifact], *, stand_in: Sequence[str]
) -> Sequence[str] | None:
    """Return the names that the lane's prompt will have; None for a lane without registry."""
    binding = lane.bindings.get("npcs")
    if binding is None:
        return None
    given = externals.get(binding.external or "")
    return stand_in if given is None else names_of(given)


def _lane(
    lane: Lane, session: Session, settings: ProviderSettings, names: Sequence[str] | None
) -> LaneEstimate:
    prompt = make_prompt(lane.kind, session, names)
    chunks = plan_chunks(
        session.transcript,
        chunk_tokens=settings.chunk_tokens,
        context_units=settings.context_units,
    )
    # What a chunk's own text has by bytes is what the run compares the provider's count with.
    texts = sum(tokens_of(chunk.text) + 5 * len(chunk.units) for chunk in chunks)
    share = min(1.0, settings.chunk_tokens / CHUNK_TOKENS_TYPICAL)
    typical = min(settings.max_output_tokens, round(OUTPUT_TOKENS_TYPICAL * share))
    input_tokens = len(chunks) * tokens_of(prompt.prefix) + texts
    output_tokens = len(chunks) * typical
    output_tokens_max = len(chunks) * settings.max_output_tokens
    return LaneEstimate(
        lane=lane.name,
        requests=len(chunks),
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        output_tokens_max=output_tokens_max,
        cost_usd=_cost(settings.price, input_tokens, output_tokens),
        cost_usd_max=_cost(settings.price, input_tokens, output_tokens_max),
    )


def _cost(price: Price | None, input_tokens: int, output_tokens: int) -> float | None:
    if price is None:
        return None
    usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
    return round(price.of(usage), 6)


def _sum(costs: Iterable[float | None]) -> float | None:
    known = list(costs)
    return None if None in known else round(sum(cost for cost in known if cost is not None), 6)
