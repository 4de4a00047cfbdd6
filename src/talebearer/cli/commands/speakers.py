"""``talebearer speakers``: who speaks under which label, and campaign.toml told so."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from talebearer.cli._options import CampaignOption, JsonOption, open_campaign
from talebearer.cli._output import indented, plural, print_json, quote_line, say
from talebearer.errors import UsageFault

if TYPE_CHECKING:
    from talebearer.campaign import Campaign, Seat, SeatsView, SourceSpeakers, SpeakerView

NAME = "speakers"
EXAMPLE = (
    "Example: talebearer speakers session-01 --gm SPEAKER_00=Rosa --player SPEAKER_01=Ana "
    "--character Ana='Nora Fell'"
)
ROLES = {"g": "game_master", "p": "player", "v": "guest"}


def run(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SOURCE]...",
            help="Session ids, or transcript files; else all recorded sessions.",
        ),
    ] = None,
    player: Annotated[
        list[str] | None,
        typer.Option("--player", metavar="LABEL[=NAME]", help="The label is a player's."),
    ] = None,
    gm: Annotated[
        list[str] | None,
        typer.Option("--gm", metavar="LABEL[=NAME]", help="The label is a game master's."),
    ] = None,
    guest: Annotated[
        list[str] | None,
        typer.Option("--guest", metavar="LABEL[=NAME]", help="The label is a guest's."),
    ] = None,
    character: Annotated[
        list[str] | None,
        typer.Option("--character", metavar="NAME=CHARACTER", help="Whom that person plays."),
    ] = None,
    interactive: Annotated[
        bool, typer.Option("--interactive", "-i", help="Ask for each unknown label.")
    ] = False,
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """Show the speaker labels that the roster lacks, and write who they are into campaign.toml.

    Comments and order of campaign.toml stay. Sessions that are recorded already take the new roster
    when they are recorded again with --replace.
    """
    names = tuple(sources or ())
    seats = _given(
        {"game_master": gm or (), "player": player or (), "guest": guest or ()}, character or ()
    )
    if interactive and as_json:
        raise UsageFault("--interactive asks a person", hint="leave --json or --interactive out")
    with open_campaign(campaign, read_only=not (seats or interactive)) as opened:
        if interactive:
            seats = (*seats, *_asked(opened, names))
        written = opened.seat(*seats, sources=names) if seats else None
        found = opened.speakers(*names)
    if as_json:
        print_json({"sources": found, "written": written})
        return
    if written is not None:
        _show_written(written)
    if not interactive:
        _show(found)


def _given(options: Mapping[str, Sequence[str]], characters: Sequence[str]) -> tuple[Seat, ...]:
    from talebearer.campaign import Seat
    from talebearer.extraction import SpeakerRole

    played: dict[str, list[str]] = {}
    for text in characters:
        person, _, one = text.partition("=")
        if not person.strip() or not one.strip():
            raise UsageFault(f"--character {text!r}", hint="write --character NAME=CHARACTER")
        played.setdefault(person.strip(), []).append(one.strip())
    seats = []
    for role, texts in options.items():
        for text in texts:
            # A label may have an equals sign of its own; a name has none.
            label, _, name = text.rpartition("=") if "=" in text else (text, "", "")
            seat = Seat(label=label.strip(), role=SpeakerRole(role), name=name.strip())
            own = tuple(played.pop(seat.person, ()))
            seats.append(Seat(label=seat.label, role=seat.role, name=seat.name, characters=own))
    if played:
        raise UsageFault(
            f"--character names {', '.join(sorted(played))}, whom no option seats",
            hint="give the same NAME with --player or --guest",
        )
    return tuple(seats)


def _asked(opened: Campaign, names: Sequence[str]) -> Iterator[Seat]:
    """Ask who each unknown label is, until all are done, ``q`` or the end of input."""
    from talebearer.campaign import Seat
    from talebearer.extraction import SpeakerRole

    seen: set[str] = set()
    for source in opened.speakers(*names):
        for speaker in source.unknown:
            if speaker.label in seen or not speaker.label:
                continue
            seen.add(speaker.label)
            _show_speaker(speaker, source.source)
            answer = _choice("Who is it? [g]ame master, [p]layer, [v]isitor, [s]kip, [q]uit: ")
            if answer == "q":
                return
            if answer == "s":
                continue
            name = _line(f"Name [{speaker.label}]: ") or speaker.label
            played = "" if answer == "g" else _line("Plays (names, comma between; none): ")
            yield Seat(
                label=speaker.label,
                role=SpeakerRole(ROLES[answer]),
                name=name,
                characters=tuple(
                    part.strip() for part in (played or "").split(",") if part.strip()
                ),
            )
    if not seen:
        say("Every speaker has a seat.")


def _choice(prompt: str) -> str:
    while True:
        line = _line(prompt)
        if line is None:
            return "q"
        if line[:1].lower() in {*ROLES, "s", "q"}:
            return line[:1].lower()


def _line(prompt: str) -> str | None:
    """Return what the person enters, trimmed; ``None`` at the end of input."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    line = sys.stdin.readline()
    if not sys.stdin.isatty():
        sys.stdout.write("\n")
    return line.strip() if line else None


def _show(found: Sequence[SourceSpeakers]) -> None:
    if not found:
        say("Nothing is recorded yet; name a transcript file: talebearer speakers FILE")
        return
    for source in found:
        say(f"{source.source}: {_counts(source)}", style="bold")
        for speaker in source.unknown:
            _show_speaker(speaker)
    if any(speaker.label for source in found for speaker in source.unknown):
        indented(
            "Say who they are: talebearer speakers --player LABEL=NAME --gm LABEL --guest LABEL, or "
            "--interactive.",
            2,
            "yellow",
        )


def _counts(source: SourceSpeakers) -> str:
    """Return how many labels there are and are unknown; units without any are no label."""
    unknown = sum(1 for one in source.unknown if one.label)
    nobody = sum(one.unit_count for one in source.unknown if not one.label)
    more = f", {plural(nobody, 'unit')} of nobody named" if nobody else ""
    labels = plural(len(source.speakers), "label")
    return f"{labels}, {plural(unknown, 'unknown speaker')}{more}"


def _show_speaker(speaker: SpeakerView, source: str = "") -> None:
    name = repr(speaker.label) if speaker.label else "nobody named"
    where = f" in {source}" if source else ""
    say(f"  {name}{where}, {plural(speaker.unit_count, 'unit')}:", style="yellow")
    for quote in speaker.longest:
        indented(quote_line(quote, chars_max=160), 6, "italic")


def _show_written(written: SeatsView) -> None:
    for seat in written.seats:
        plays = f", plays {', '.join(seat.characters)}" if seat.characters else ""
        already = " (was there already)" if seat.already else ""
        role = seat.role.replace("_", " ")
        indented(f"{seat.label} is {seat.person}, {role}{plays}{already}", 2)
    if written.changed:
        say(f"written: {written.file}; record sessions again with --replace to use it")
    else:
        say(f"{written.file} has all of it already")
