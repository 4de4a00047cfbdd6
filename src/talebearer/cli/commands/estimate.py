"""``talebearer estimate``: what asking a model about a transcript would take."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from talebearer.cli._models import (
    ExternalOption,
    ModelOption,
    PipelineOption,
    ProviderOption,
    dollars,
    run_options,
)
from talebearer.cli._options import CampaignOption, JsonOption, TracksOption, open_campaign
from talebearer.cli._output import print_json, print_table, say

if TYPE_CHECKING:
    from talebearer.extraction import Estimate

NAME = "estimate"
EXAMPLE = "Example: talebearer estimate session-01.json --provider openai:gpt-5-mini"
MEBIBYTE = 1024 * 1024


def run(
    transcripts: Annotated[
        list[Path],
        typer.Argument(
            metavar="TRANSCRIPT...",
            help="The file; a Craig folder; or a session's tracks, or its parts in their order.",
        ),
    ],
    format_name: Annotated[
        str | None,
        typer.Option("--format", metavar="F", help="The transcript's format; else by content."),
    ] = None,
    tracks: TracksOption = None,
    provider: ProviderOption = None,
    model: ModelOption = None,
    pipeline: PipelineOption = None,
    external: ExternalOption = None,
    max_size: Annotated[
        int, typer.Option("--max-size", metavar="MB", min=1, max=4096, help="Largest file, in MiB.")
    ] = 64,
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """Tell how many chunks, tokens and dollars a model would take; nobody is asked."""
    options = run_options(provider=provider, model=model, pipeline=pipeline, externals=external)
    with open_campaign(campaign, read_only=True) as opened:
        estimate = opened.estimate(
            *transcripts,
            format=format_name,
            tracks=tracks,
            options=options,
            size_bytes_max=max_size * MEBIBYTE,
        )
    if as_json:
        print_json(estimate.as_json())
    else:
        show(estimate)


def show(estimate: Estimate) -> None:
    """Print an estimate for people."""
    if not estimate.lanes:
        say("No model would be asked, so that it costs nothing.")
        return
    whole = estimate.as_json()
    columns = ("lane", "chunks", "tokens in", "tokens out", "at most", "cost", "at most")
    print_table(
        columns,
        [
            (
                str(row.get("lane", "both" if len(whole["lanes"]) == 2 else "all")),
                *(
                    f"{row[name]:,}"
                    for name in ("requests", "input_tokens", "output_tokens", "output_tokens_max")
                ),
                *(_cost(row[name]) for name in ("cost_usd", "cost_usd_max")),
            )
            for row in (*whole["lanes"], whole)
        ],
    )
    say(f"{estimate.provider}:{estimate.model}, prices of {estimate.prices_as_of}.")
    say(
        "Tokens are estimated from the text. A model that thinks before it writes uses several times the "
        "usual output; chunks that are split or asked again come on top. --max-cost of `record` is a hard "
        "limit."
    )
    if estimate.cost_usd is None:
        say("The price of this model is not known: set [provider.prices] in campaign.toml.")


def _cost(amount: float | None) -> str:
    return "?" if amount is None else dollars(amount)
