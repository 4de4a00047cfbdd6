"""Speakers: whose labels the roster lacks, with what they said longest, and their seats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from talebearer.campaign._config import CampaignConfig, load_config
from talebearer.campaign._layout import Layout, file_faults, write_whole
from talebearer.campaign._quotes import quote_units
from talebearer.campaign.records import Book
from talebearer.campaign.roster import Seat, check_seats, new_seats, with_seats
from talebearer.campaign.views import SeatsView, SeatView, SourceSpeakers, SpeakerView
from talebearer.errors import InvalidCampaign, UnknownReference, did_you_mean
from talebearer.extraction import JOINED_LABELS, Roster, unknown_speakers
from talebearer.transcripts import Transcript, load


def view_speakers(transcript: Transcript, roster: Roster) -> tuple[SpeakerView, ...]:
    """Return the labels of *transcript* that *roster* lacks, with their longest units."""
    return tuple(
        SpeakerView(
            label=speaker.label,
            unit_count=speaker.unit_count,
            longest=tuple(quote_units(speaker.longest)),
        )
        for speaker in unknown_speakers(transcript, roster)
    )


def sources_of(book: Book, names: Sequence[str]) -> Iterator[tuple[bool, Transcript]]:
    """Yield the transcripts that *names* mean, all recorded ones if there is no name.

    A name is a recorded session's id, else the path of a file that need not be recorded. With each
    transcript comes whether it is recorded.

    Raises:
        UnknownReference: It is neither (TB113).
        InvalidTranscript: The file is no transcript (TB103).
    """
    recorded = [record.id for record in book.sessions()]
    for name in dict.fromkeys(names) if names else recorded:
        if name in recorded:
            yield True, book.transcript(name)
            continue
        try:
            there = Path(name).exists()
        except (OSError, ValueError):  # ValueError: a NUL character in the path
            there = False
        if not there:
            raise UnknownReference(
                f"{name[:100]!r} is no recorded session and no file",
                hint=did_you_mean(name, recorded, otherwise="give a session id or a path"),
            )
        # The name under which it would be cited is no matter here.
        yield False, load(Path(name), source_id="transcript")[1]


def list_speakers(book: Book, roster: Roster, names: Sequence[str]) -> tuple[SourceSpeakers, ...]:
    """Return the speakers that nobody has claimed, transcript by transcript."""
    chosen = dict.fromkeys(names) if names else [record.id for record in book.sessions()]
    return tuple(
        SourceSpeakers(
            source=name,
            recorded=recorded,
            unit_count=len(transcript.units),
            speakers=transcript.speakers,
            unknown=view_speakers(transcript, roster),
        )
        for name, (recorded, transcript) in zip(chosen, sources_of(book, names), strict=True)
    )


def seat_speakers(
    layout: Layout, book: Book, seats: Sequence[Seat], names: Sequence[str]
) -> tuple[CampaignConfig, SeatsView]:
    """Write *seats* into campaign.toml and return the settings as they are now.

    Raises:
        UsageFault: They contradict the roster, or no transcript has the label (TB111).
        InvalidCampaign: campaign.toml has faults (TB107).
        StoreFull: The disk is full; the file is as it was (TB206).
    """
    # The settings may have been edited since the campaign was opened.
    config = load_config(layout.config)
    labels = {
        label.strip()
        for _, transcript in sources_of(book, names)
        for speaker in transcript.speakers
        for label in (speaker, *speaker.split(JOINED_LABELS))
    }
    check_seats(seats, config.roster, labels=labels)
    fresh = new_seats(seats, config.roster)
    if fresh:
        # A link is followed, so that the file that it leads to changes and the link stays.
        path = layout.config.resolve()
        with file_faults(path):
            text = path.read_bytes().decode("utf-8")
        write_whole(path, with_seats(text, fresh).encode("utf-8"))
        config = load_config(layout.config)
        _assert_seated(config.roster, fresh)
    views = [
        SeatView(
            label=seat.label,
            role=seat.role.value,
            person=seat.person,
            characters=seat.characters,
            already=seat not in fresh,
        )
        for seat in dict.fromkeys(seats)
    ]
    return config, SeatsView(file=str(layout.config), seats=tuple(views), changed=bool(fresh))


def _assert_seated(roster: Roster, seats: Sequence[Seat]) -> None:
    for seat in seats:
        if roster.role_of(seat.label) is not seat.role:
            raise InvalidCampaign(f"{seat.label!r} could not be written into campaign.toml")
