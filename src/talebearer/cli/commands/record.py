"""``talebearer record``: a transcript into the campaign's memory."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from talebearer.cli._models import (
    ExternalOption,
    MaxCostOption,
    ModelOption,
    PipelineOption,
    ProviderOption,
    ResumeOption,
    WorkersOption,
    run_options,
    telling,
    unfinished_text,
    usage_text,
)
from talebearer.cli._options import CampaignOption, JsonOption, TracksOption, open_campaign
from talebearer.cli._output import (
    indented,
    plural,
    print_json,
    print_occurrence,
    print_plain,
    quote_line,
    say,
)
from talebearer.errors import findings_extraction, visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from talebearer.campaign import Recording

NAME = "record"
EXAMPLE = (
    "Example: talebearer record session-01.json --session session-01\n\n"
    "Example: talebearer record evening-1.vtt evening-2.vtt --session session-02\n\n"
    "Example: talebearer record session-01.json --provider anthropic:claude-haiku-4-5 --max-cost 0.50"
)
PROBLEMS_SHOWN_MAX = 10
SPEAKERS_SHOWN_MAX = 20
MEBIBYTE = 1024 * 1024
NO_LABELS = "only a transcript that names its speakers can tell who said it."


def run(
    context: typer.Context,
    transcripts: Annotated[
        list[Path],
        typer.Argument(
            metavar="TRANSCRIPT...",
            help="The file; a Craig folder; or a session's tracks, or its parts in their order.",
        ),
    ],
    session: Annotated[
        str | None,
        typer.Option("--session", metavar="ID", help="Session id; else the file's stem."),
    ] = None,
    format_name: Annotated[
        str | None,
        typer.Option("--format", metavar="F", help="The transcript's format; else by content."),
    ] = None,
    tracks: TracksOption = None,
    provider: ProviderOption = None,
    model: ModelOption = None,
    workers: WorkersOption = None,
    max_cost: MaxCostOption = None,
    resume: ResumeOption = True,
    pipeline: PipelineOption = None,
    external: ExternalOption = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Take the place of what the session holds.")
    ] = False,
    max_size: Annotated[
        int, typer.Option("--max-size", metavar="MB", min=1, max=4096, help="Largest file, in MiB.")
    ] = 64,
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """Read a transcript, find the NPCs and what passed, and keep it with the proof.

    The embedded rules need no network. With a model, `talebearer estimate` tells the cost before; what was
    accepted is kept when the run is stopped or killed. Keys come from the environment only.
    """
    spent: list[Mapping[str, Any]] = []
    try:
        with (
            open_campaign(campaign) as opened,
            telling("recording", quiet=as_json) as told,
        ):
            recording = opened.record(
                *transcripts,
                session=session,
                format=format_name,
                tracks=tracks,
                options=run_options(
                    provider=provider,
                    model=model,
                    pipeline=pipeline,
                    externals=external,
                    workers=workers,
                    max_cost=max_cost,
                    resume=resume,
                    told=told,
                    report=spent.append,
                ),
                replace=replace,
                size_bytes_max=max_size * MEBIBYTE,
                progress=told.stage,
            )
    except BaseException:
        # Also for Ctrl-C: what was used, and how to go on, is told whatever ended the run.
        if spent and not as_json:
            print(visible(unfinished_text(spent[-1])), file=sys.stderr)
        raise
    if as_json:
        print_json(recording)
    else:
        words, where = _given(context.params)
        show(recording, given=words, campaign=where)


def _given(options: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Return files and options that say what was recorded how, as they are written, and the
    option that says where."""
    words = [str(path) for path in options["transcripts"]]
    for member in ("session", "format_name", "provider", "model", "pipeline", "external"):
        value = options[member]
        values = [value] if isinstance(value, str) else value or []
        words += [word for one in values for word in (f"--{member.removesuffix('_name')}", one)]
    if options["tracks"] is not None:
        words.append("--tracks" if options["tracks"] else "--parts")
    campaign = str(options["campaign"])
    return words, [] if campaign == str(Path()) else ["--campaign", campaign]


def show(
    recording: Recording,
    *,
    given: Sequence[str] = (),
    campaign: Sequence[str] = (),
    occurrences_max: int = 40,
) -> None:
    """Print a recording for people.

    Args:
        recording: What was recorded.
        given: Files and options of the command line; without them only who is who is asked for.
        campaign: The option that names the campaign, if one did.
        occurrences_max: How many occurrences are printed.
    """
    say(headline(recording), style="bold")
    if recording.already:
        say(
            "  It was recorded before; nothing was changed. After a change of roster, glossary or "
            "provider, --replace extracts it again.",
            style="yellow",
        )
    if recording.usage is not None:
        indented(f"{recording.extractor}: {usage_text(recording.usage)}", 2, "dim")
    # Unknown speakers are shown below, with what they said.
    unknown = findings_extraction.UNROSTERED_SPEAKER
    problems = [problem for problem in recording.problems if problem.code != unknown]
    for problem in problems[:PROBLEMS_SHOWN_MAX]:
        indented(str(problem), 2, "yellow")
    if len(problems) > PROBLEMS_SHOWN_MAX:
        more = len(problems) - PROBLEMS_SHOWN_MAX
        say(f"  … and {more} more; --json lists all", style="yellow")
    if not recording.already:
        show_unknown_speakers(recording, given=given, campaign=campaign)
    indented(f"NPCs found: {', '.join(recording.npcs) or 'none'}", 2, "bold")
    for occurrence in recording.occurrences[:occurrences_max]:
        print_occurrence(occurrence)
    if len(recording.occurrences) > occurrences_max:
        more = len(recording.occurrences) - occurrences_max
        say(f"  … and {more} more; see `talebearer recall NAME` or `talebearer report`")


def headline(recording: Recording) -> str:
    """Return the recording's first line."""
    from talebearer.transcripts import format_time

    length = f", {format_time(recording.duration_s)} long" if recording.duration_s else ""
    return (
        f"{recording.session}: {recording.file}, {recording.format}, "
        f"{plural(recording.unit_count, 'unit')}{length}, {recording.digest[:19]}…"
    )


def show_unknown_speakers(
    recording: Recording, *, given: Sequence[str] = (), campaign: Sequence[str] = ()
) -> None:
    """Print the labels that the roster lacks, what they said, and the commands that seat them."""
    for speaker in recording.unknown_speakers[:SPEAKERS_SHOWN_MAX]:
        units = plural(speaker.unit_count, "unit")
        who = f"unknown speaker {speaker.label!r}" if speaker.label else "nobody named"
        say(f"  {who}, {units}:", style="yellow")
        for quote in speaker.longest:
            indented(quote_line(quote, chars_max=160), 6, "italic")
    more = len(recording.unknown_speakers) - SPEAKERS_SHOWN_MAX
    if more > 0:
        say(f"  … and {plural(more, 'more label')}; --json lists all", style="yellow")
    if any(speaker.label for speaker in recording.unknown_speakers):
        seat = ["speakers", recording.session, "--interactive", *campaign]
        again = ["record", *given, "--replace", *campaign]
        indented(
            "They count as players that nobody knows, and the characters that they play may stand "
            "among the NPCs. Say who is who, and record again with --replace:",
            2,
            "yellow",
        )
        for words in (seat, again) if given else (seat,):
            # In one piece, so that it can be copied.
            print_plain(f"    talebearer {shlex.join(words)}")
    elif recording.unknown_speakers:
        indented(f"They count as a player's words: {NO_LABELS}", 2, "yellow")
