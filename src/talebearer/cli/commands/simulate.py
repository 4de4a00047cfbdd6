"""``talebearer simulate``: playthroughs by the thousand, and what is heard in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from talebearer.cli._content import (
    DEFAULT_CONTENT,
    FINDINGS,
    ContentArgument,
    NoCacheOption,
    cache_of,
    must_be_content,
)
from talebearer.cli._options import JsonOption
from talebearer.cli._options import seed as fixed_seed
from talebearer.cli._output import print_json, print_plain, progress, say
from talebearer.cli.tables.simulation import print_simulation
from talebearer.errors import UsageFault

if TYPE_CHECKING:
    from talebearer.rehearsal.simulation import LineResult, Simulation, SimulationResult

NAME = "simulate"
EXAMPLE = (
    "Example: talebearer simulate content --playthroughs 1000 --html report.html\n\n"
    "Example: talebearer simulate content --playthrough 17 --trace\n\n"
    "Example for CI: talebearer simulate content --baseline unreached.txt --fail-on-unreached"
)
INTERRUPTED = 130
OPEN = "undecided"
Progress = Callable[[str, int, int], None]


PlaythroughsOption = Annotated[
    int, typer.Option("--playthroughs", metavar="N", help="How many playthroughs.")
]
TurnsOption = Annotated[
    int, typer.Option("--turns", metavar="N", help="Lines that each one asks for.")
]
SeedOption = Annotated[
    int | None,
    typer.Option("--seed", metavar="S", help="The seed; else the campaign's, else 0."),
]
PlayerOption = Annotated[
    Path | None, typer.Option("--player", metavar="FILE", help="How somebody plays, in YAML.")
]
WindowOption = Annotated[
    int, typer.Option("--window", metavar="K", help="Lines back that a line counts as heard again.")
]
WorkersOption = Annotated[
    int, typer.Option("--workers", metavar="N", help="Processes; the result is the same.")
]
LineOption = Annotated[
    list[str] | None, typer.Option("--line", metavar="ID", help="Report these lines; repeatable.")
]
UndecidedOption = Annotated[
    bool,
    typer.Option("--undecided", help="Report the lines that `coverage` leaves to be played."),
]
PlaythroughOption = Annotated[
    int | None,
    typer.Option("--playthrough", metavar="N", help="Only this one, for --trace or --plan."),
]
TraceOption = Annotated[bool, typer.Option("--trace", help="Print it step by step.")]
PlanOption = Annotated[
    Path | None, typer.Option("--plan", metavar="FILE", help="Write it as a plan.")
]
HtmlOption = Annotated[
    Path | None, typer.Option("--html", metavar="FILE", help="Write the results as a page.")
]
FailOption = Annotated[
    bool, typer.Option("--fail-on-unreached", help="Exit 1 when a line is never heard.")
]
BaselineOption = Annotated[
    Path | None, typer.Option("--baseline", metavar="FILE", help="Lines that need not be heard.")
]
WriteOption = Annotated[
    bool, typer.Option("--write-baseline", help="Write what is never heard into that file.")
]


def run(
    content: ContentArgument = DEFAULT_CONTENT,
    playthroughs: PlaythroughsOption = 200,
    turns: TurnsOption = 200,
    seed: SeedOption = None,
    player: PlayerOption = None,
    window: WindowOption = 10,
    workers: WorkersOption = 1,
    line: LineOption = None,
    undecided: UndecidedOption = False,
    playthrough: PlaythroughOption = None,
    trace: TraceOption = False,
    plan: PlanOption = None,
    html: HtmlOption = None,
    fail_on_unreached: FailOption = False,
    baseline: BaselineOption = None,
    write_baseline: WriteOption = False,
    no_cache: NoCacheOption = False,
    as_json: JsonOption = False,
) -> None:
    """Play a content tree from beginning to end, many times, and tell what was heard.

    A made-up player walks about, talks, thinks and walks out; the engine that games ask answers. The
    campaign.toml beside the content gives scene, gossip and fading. Ctrl-C ends with what there is.
    """
    must_be_content(content)
    _check(playthrough, trace=trace, plan=plan, baseline=baseline, write_baseline=write_baseline)
    with progress("simulate", quiet=as_json) as advance:
        data, simulation = _prepared(
            content,
            cache_of(content, no_cache=no_cache),
            player,
            advance,
            seed=seed,
            playthroughs=playthroughs,
            turns=turns,
            window=window,
        )
        if playthrough is not None:
            _one(data, simulation, playthrough, trace=trace, plan=plan, as_json=as_json)
            return
        from talebearer.rehearsal.simulation import simulate

        result = simulate(data, simulation, workers=workers, progress=advance)
    fates = _fates(result) if undecided or result.never else {}
    asked = [*(line or ()), *(one for one, fate in fates.items() if undecided and fate == OPEN)]
    wanted = result.find(asked) if line or undecided else None
    _write(result, html)
    missing = _missing(result, wanted, baseline, write_baseline=write_baseline)
    if as_json:
        unreached = [one.reference for one in missing]
        why = {one: fates[one] for one in unreached}
        print_json(result.as_json(wanted) | {"unreached": unreached, "fates": why})
    else:
        print_simulation(result, wanted, missing, fates, has_baseline=baseline is not None)
        for file in (html, baseline if write_baseline else None):
            if file is not None:
                say(f"written: {file}", style="dim")
    if result.interrupted:
        raise typer.Exit(INTERRUPTED)
    if fail_on_unreached and missing:
        raise typer.Exit(FINDINGS)


def _check(
    playthrough: int | None,
    *,
    trace: bool,
    plan: Path | None,
    baseline: Path | None,
    write_baseline: bool,
) -> None:
    """Refuse options that do not go together."""
    if (playthrough is None) != (not trace and plan is None):
        raise UsageFault(
            "--playthrough goes with --trace or --plan", hint="--playthrough 17 --trace"
        )
    if playthrough is not None and not 1 <= playthrough < 2**63:
        raise UsageFault(f"playthrough is {playthrough}", hint="1 or more")
    if write_baseline and baseline is None:
        raise UsageFault("--write-baseline needs a file", hint="--baseline FILE --write-baseline")


def _prepared(
    content: Path,
    cache: Path | None,
    player: Path | None,
    advance: Progress | None,
    *,
    seed: int | None,
    **sizes: Any,
) -> tuple[bytes, Simulation]:
    """Return the pack and what is to be played."""
    from talebearer.campaign import load_config
    from talebearer.content import compile_content
    from talebearer.lines import load_pack
    from talebearer.rehearsal.simulation import Simulation, load_player

    data = compile_content(content, cache=cache, progress=advance).data
    home = content.resolve().parent / "campaign.toml"
    given: dict[str, Any] = {"seed": 0}
    if home.is_file():
        config = load_config(home)
        given = {"config": config, "seed": config.seed}
    own = fixed_seed() if seed is None else seed
    if own is not None:
        if not -(2**63) <= own < 2**63:
            raise UsageFault(f"seed is {own}", hint="a whole number of 64 bits")
        given["seed"] = own
    if player is not None:
        given["player"] = load_player(player, load_pack(data))
    return data, Simulation(**given, **sizes)


def _one(
    data: bytes,
    simulation: Simulation,
    number: int,
    *,
    trace: bool,
    plan: Path | None,
    as_json: bool,
) -> None:
    """Print or write one playthrough."""
    from talebearer.campaign import write_whole
    from talebearer.lines import load_pack
    from talebearer.rehearsal.simulation import plan_text, told
    from talebearer.rehearsal.simulation import trace as traced

    pack = load_pack(data)
    if plan is not None:
        write_whole(plan, plan_text(pack, simulation, number).encode())
    steps = traced(pack, simulation, number) if trace or as_json else ()
    if as_json:
        value = {"playthrough": number, "seed": simulation.seed}
        print_json(value | {"steps": [step.as_json() for step in steps]})
        return
    for step in steps:
        for text in told(step):
            print_plain(text)
    if plan is not None:
        say(f"written: {plan}; play it with `talebearer test` from a content folder", style="dim")


def _write(result: SimulationResult, html: Path | None) -> None:
    from talebearer.campaign import write_whole
    from talebearer.server import render_simulation

    if html is not None:
        write_whole(html, render_simulation(result).encode())


def _missing(
    result: SimulationResult,
    wanted: Sequence[LineResult] | None,
    baseline: Path | None,
    *,
    write_baseline: bool,
) -> list[LineResult]:
    """Return what was never heard, of what was asked for and is not known of old."""
    from talebearer.campaign import write_whole
    from talebearer.rehearsal.simulation import accepted_text, not_accepted, read_accepted

    never = result.never if wanted is None else [line for line in wanted if not line.heard]
    if baseline is None:
        return list(never)
    if write_baseline:
        write_whole(baseline, accepted_text(never).encode())
    return not_accepted(never, read_accepted(baseline))


def _fates(result: SimulationResult) -> dict[str, str]:
    """Return for every line what is decided of it without playing."""
    from talebearer.content.coverage import reach

    return {f"{pool}#{line}": fate.value for (pool, line), fate in reach(result.pack).fates.items()}
