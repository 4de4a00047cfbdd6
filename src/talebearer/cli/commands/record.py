"""``talebearer record``: a transcript into the campaign's memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from talebearer.cli._options import CampaignOption, JsonOption, open_campaign
from talebearer.cli._output import (
    indented,
    plural,
    print_json,
    print_occurrence,
    progress,
    quote_line,
    say,
)
from talebearer.errors import findings_extraction

if TYPE_CHECKING:
    from talebearer.campaign import Recording

NAME = "record"
EXAMPLE = "Example: talebearer record session-01.json --session session-01"
PROBLEMS_SHOWN_MAX = 10
SPEAKERS_SHOWN_MAX = 20
MEBIBYTE = 1024 * 1024


def run(
    transcript: Annotated[
        Path, typer.Argument(metavar="TRANSCRIPT", help="The file, or a Craig folder.")
    ],
    session: Annotated[
        str | None,
        typer.Option("--session", metavar="ID", help="Session id; else the file's stem."),
    ] = None,
    format_name: Annotated[
        str | None,
        typer.Option("--format", metavar="F", help="The transcript's format; else by content."),
    ] = None,
    extractor: Annotated[
        str | None, typer.Option("--extractor", help="Extractor; else campaign.toml's.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Take the place of what the session holds.")
    ] = False,
    max_size: Annotated[
        int, typer.Option("--max-size", metavar="MB", min=1, max=4096, help="Largest file, in MiB.")
    ] = 64,
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """Read a transcript, find the NPCs and what passed, and keep it with the proof."""
    with (
        open_campaign(campaign) as opened,
        progress("recording", quiet=as_json) as report_progress,
    ):
        recording = opened.record(
            transcript,
            session=session,
            format=format_name,
            extractor=extractor,
            replace=replace,
            size_bytes_max=max_size * MEBIBYTE,
            progress=report_progress,
        )
    if as_json:
        print_json(recording)
    else:
        show(recording)


def show(recording: Recording, *, occurrences_max: int = 40) -> None:
    """Print a recording for people."""
    say(headline(recording), style="bold")
    if recording.already:
        say(
            "  It was recorded before; nothing was changed. After a change of roster, glossary or "
            "extractor, --replace extracts it again.",
            style="yellow",
        )
    # Unknown speakers are shown below, with what they said.
    unknown = findings_extraction.UNROSTERED_SPEAKER
    problems = [problem for problem in recording.problems if problem.code != unknown]
    for problem in problems[:PROBLEMS_SHOWN_MAX]:
        indented(str(problem), 2, "yellow")
    if len(problems) > PROBLEMS_SHOWN_MAX:
        more = len(problems) - PROBLEMS_SHOWN_MAX
        say(f"  … and {more} more; --json lists all", style="yellow")
    if not recording.already:
        show_unknown_speakers(recording)
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
        f"{recording.unit_count} units{length}, {recording.digest[:19]}…"
    )


def show_unknown_speakers(recording: Recording) -> None:
    """Print the labels that the roster lacks, what they said, and how to map them."""
    for speaker in recording.unknown_speakers[:SPEAKERS_SHOWN_MAX]:
        units = plural(speaker.unit_count, "unit")
        say(f"  unknown speaker {speaker.label!r}, {units}:", style="yellow")
        for quote in speaker.longest:
            indented(quote_line(quote, chars_max=160), 6, "italic")
    more = len(recording.unknown_speakers) - SPEAKERS_SHOWN_MAX
    if more > 0:
        say(f"  … and {plural(more, 'more label')}; --json lists all", style="yellow")
    if recording.unknown_speakers:
        indented(
            "They count as players that nobody knows. Say who they are with `talebearer speakers`, "
            "or in campaign.toml, and record with --replace.",
            2,
            "yellow",
        )
