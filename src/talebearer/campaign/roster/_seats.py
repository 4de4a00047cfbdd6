"""Seats: a speaker label, and who at the table it is; what contradicts the roster is refused."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from talebearer.errors import Problem, Severity, UsageFault, did_you_mean
from talebearer.extraction import Player, Roster, SpeakerRole, fold_label

NAME_CHARS_MAX = 200
SEATS_MAX = 1_000
NAMED_ROLES = {
    SpeakerRole.PLAYER: "a player",
    SpeakerRole.GAME_MASTER: "a game master",
    SpeakerRole.GUEST: "a guest",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """One speaker label of a transcript and who it is.

    Attributes:
        label: The label, as the transcript writes it.
        role: Player, game master or guest.
        name: The person's name; the label itself by default.
        characters: Whom the person plays, besides those that the roster has already.
    """

    label: str
    role: SpeakerRole
    name: str = ""
    characters: tuple[str, ...] = ()

    @property
    def person(self) -> str:
        """The person's name."""
        return self.name or self.label


def check_seats(seats: Sequence[Seat], roster: Roster, *, labels: Collection[str]) -> None:
    """Refuse *seats* that contradict the roster or each other, or that no transcript has.

    Args:
        seats: What is to be written.
        roster: Who is at the table already.
        labels: All speaker labels of the transcripts in question.

    Raises:
        UsageFault: At least one is wrong; all of them are listed (TB111).
    """
    if len(seats) > SEATS_MAX:
        raise UsageFault(
            f"{len(seats)} speakers at once", hint=f"at most {SEATS_MAX}; map them in several runs"
        )
    faults = [
        *(fault for seat in seats for fault in _texts(seat)),
        *(fault for seat in seats for fault in _label(seat, roster, labels)),
        *(fault for seat in seats for fault in _person(seat, roster)),
        *_together(seats),
        *(fault for seat in seats for fault in _characters(seat, roster, seats)),
    ]
    if faults:
        problems = [
            Problem(code=UsageFault.code, severity=Severity.ERROR, message=text, hint=hint)
            for text, hint in dict.fromkeys(faults)
        ]
        raise UsageFault(
            "; ".join(problem.message for problem in problems),
            hint="; ".join(dict.fromkeys(problem.hint for problem in problems if problem.hint)),
            data={"problems": [problem.as_json() for problem in problems]},
        )


def new_seats(seats: Iterable[Seat], roster: Roster) -> tuple[Seat, ...]:
    """Return those of *seats* that the roster does not have yet, each once."""
    fresh: dict[Seat, None] = {}
    for seat in seats:
        known = roster.person_of(seat.label)
        played = known[1].characters if known else ()
        if known is None or not set(seat.characters) <= set(played):
            fresh[seat] = None
    return tuple(fresh)


_Fault = tuple[str, str]


def _texts(seat: Seat) -> Iterator[_Fault]:
    for what, text in (
        ("label", seat.label),
        ("name", seat.person),
        *(("character", character) for character in seat.characters),
    ):
        if not text.strip() or text != text.strip():
            yield (
                f"the {what} {text!r} is empty, or has blanks at an end",
                "write it as it is shown",
            )
        elif not text.isprintable() or len(text) > NAME_CHARS_MAX:
            yield (
                f"the {what} {text[:40]!r} has control characters or is too long",
                f"printable text of at most {NAME_CHARS_MAX} characters",
            )


def _label(seat: Seat, roster: Roster, labels: Collection[str]) -> Iterator[_Fault]:
    if fold_label(seat.label) not in {fold_label(label) for label in labels}:
        listed = sorted(label for label in labels if label)
        hint = did_you_mean(seat.label, listed, otherwise="list them: talebearer speakers")
        yield f"no transcript has the speaker {seat.label!r}", hint
    known = roster.person_of(seat.label)
    if known is None:
        return
    role, person = known
    if role is not seat.role or fold_label(person.name) != fold_label(seat.person):
        yield (
            f"{seat.label!r} is {NAMED_ROLES[role]} already, {person.name}",
            "to change who somebody is, edit campaign.toml",
        )


def _person(seat: Seat, roster: Roster) -> Iterator[_Fault]:
    known = roster.person_of(seat.person)
    if known is None or fold_label(seat.person) == fold_label(seat.label):
        return
    role, person = known
    if role is not seat.role:
        yield (
            f"{seat.person!r} is {NAMED_ROLES[role]} already, so cannot be "
            f"{NAMED_ROLES[seat.role]} too",
            "give the other seat a name of its own, such as 'Rosa as a player'",
        )
    elif fold_label(person.name) != fold_label(seat.person):
        yield f"{seat.person!r} is a label of {person.name}", f"write {seat.label}={person.name}"


def _together(seats: Sequence[Seat]) -> Iterator[_Fault]:
    """Find labels and people that two seats see differently."""
    by_label: dict[str, Seat] = {}
    by_person: dict[str, Seat] = {}
    for seat in seats:
        other = by_label.setdefault(fold_label(seat.label), seat)
        if (other.role, fold_label(other.person)) != (seat.role, fold_label(seat.person)):
            yield f"{seat.label!r} is given twice, as different people", "keep one of the two"
        other = by_person.setdefault(fold_label(seat.person), seat)
        if other.role is not seat.role:
            yield f"{seat.person!r} is given two roles", "one role a name"


def _characters(seat: Seat, roster: Roster, seats: Sequence[Seat]) -> Iterator[_Fault]:
    if seat.characters and seat.role is SpeakerRole.GAME_MASTER:
        yield (
            f"{seat.person!r} is a game master and plays no character",
            "a character of the game master is an NPC; leave it out",
        )
    for character in seat.characters:
        for player, played in _played(roster, seats):
            if fold_label(player) != fold_label(seat.person) and fold_label(character) in played:
                yield f"{character!r} is the character of {player}", "a character has one player"


def _played(roster: Roster, seats: Sequence[Seat]) -> Iterator[tuple[str, set[str]]]:
    people: tuple[Player, ...] = (*roster.players, *roster.guests)
    for person in people:
        yield person.name, {fold_label(character) for character in person.characters}
    for seat in seats:
        yield seat.person, {fold_label(character) for character in seat.characters}
