"""Review in the terminal: lists with quotes and times, and going through what is open."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from talebearer.campaign import Ask, DecisionAction
from talebearer.cli._output import indented, plural, quote_line, say
from talebearer.errors import InputError, visible

if TYPE_CHECKING:
    from talebearer.campaign import (
        Campaign,
        DecisionView,
        NameReview,
        OccurrenceReview,
        Quote,
        Review,
    )

QUOTES_SHOWN_MAX = 4
HEX_SHOWN = 8
NAME_PROMPT = "[a]ccept [r]eject re[n]ame [m]erge [h]ide [s]kip [u]ndo [q]uit: "
OCCURRENCE_PROMPT = "[a]ccept [r]eject [k]ind [n]ame ran[g]es [h]ide [s]kip [u]ndo [q]uit: "
PLAIN = {
    "a": DecisionAction.ACCEPT,
    "r": DecisionAction.REJECT,
    "h": DecisionAction.HIDE,
}


def show_decisions(decisions: Iterable[DecisionView]) -> None:
    """Print decisions, one a paragraph."""
    for one in decisions:
        marks = [
            word
            for word, there in (
                ("stale: it matches nothing any more", one.stale),
                ("superseded", not one.in_force and one.withdrawn_at is None),
            )
            if there
        ]
        mark = f"  [{'; '.join(marks)}]" if marks else ""
        style = "yellow" if one.stale else "" if one.in_force else "dim"
        indented(f"{one.number}. {one.text}{mark}", 2, style)


def show_review(review: Review, *, only_open: bool) -> None:
    """Print names and occurrences with their evidence, and what was decided."""
    names = [one for one in review.names if one.state == "open" or not only_open]
    occurrences = [one for one in review.occurrences if one.state == "open" or not only_open]
    say(
        f"{plural(len(review.names), 'name')}, {review.open_names} open; "
        f"{plural(len(review.occurrences), 'occurrence')}, {review.open_occurrences} open; "
        f"{plural(len(review.decisions), 'decision')}",
        style="bold",
    )
    for name in names:
        show_name(name)
    for occurrence in occurrences:
        show_occurrence(occurrence)
    held = [one for one in review.decisions if one.in_force]
    if held and not only_open:
        say("decisions:", style="bold")
        show_decisions(held)
    if review.stale:
        numbers = ", ".join(str(number) for number in review.stale)
        say(f"These match nothing any more: {numbers}", style="yellow")


def show_name(name: NameReview) -> None:
    """Print one name with the units that the registry cites."""
    became = "" if name.shown == name.name or name.shown is None else f" as {name.shown}"
    hidden = ", for the game master only" if name.hidden else ""
    where = ", ".join(name.sessions)
    count = plural(name.occurrence_count, "occurrence")
    indented(f"{name.name}: {name.state}{became}{hidden}; {where}, {count}", 2, "bold")
    for one in name.quotes:
        indented(f"{one.session} {quote_line(one.quote, chars_max=160)}", 6, "italic")


def show_occurrence(one: OccurrenceReview) -> None:
    """Print one occurrence with the units that it cites."""
    now = ""
    if one.now is not None and (one.now_name, one.now_kind, one.now_ranges) != (
        one.name,
        one.kind,
        one.ranges,
    ):
        now = f", now {one.now_kind} of {one.now_name} {_spans(one.now_ranges)}"
    hidden = ", for the game master only" if one.hidden else ""
    where = f"{one.session} {_spans(one.ranges)}"
    short = one.id.rpartition(":")[2][:HEX_SHOWN]
    indented(f"@{short} {one.kind} of {one.name}, {where}: {one.state}{now}{hidden}", 2, "bold")
    for quote in _ends(one.quotes):
        indented("…" if quote is None else quote_line(quote, chars_max=220), 6, "italic")


def _spans(ranges: Sequence[tuple[int, int]]) -> str:
    return ", ".join(f"{first}" if first == last else f"{first}–{last}" for first, last in ranges)


def _ends(quotes: Sequence[Quote]) -> list[Quote | None]:
    if len(quotes) <= QUOTES_SHOWN_MAX:
        return list(quotes)
    return [*quotes[: QUOTES_SHOWN_MAX - 1], None, quotes[-1]]


# --- asking ------------------------------------------------------------------------------------


def go_through(campaign: Campaign, *, by: str) -> None:
    """Show each open name, then each open occurrence, and carry out what the person answers."""
    talk = _Talk(campaign, by)
    if talk.through() and not talk.made:
        say("Nothing is open.")
    say(f"{plural(len(talk.made), 'decision')} made by {by}.")


class _Talk:
    """One person going through a campaign."""

    def __init__(self, campaign: Campaign, by: str) -> None:
        self.campaign = campaign
        self.by = by
        self.made: list[int] = []
        self._seen: set[str] = set()

    def through(self) -> bool:
        """Go through what is open; return whether the end was reached."""
        while True:
            review = self.campaign.review()
            name = next((one for one in review.names if self._is_open(one.name, one)), None)
            if name is not None:
                if not self._ask_name(name):
                    return False
                continue
            item = next((one for one in review.occurrences if self._is_open(one.id, one)), None)
            if item is None:
                return True
            if not self._ask_occurrence(item):
                return False

    def _is_open(self, key: str, one: NameReview | OccurrenceReview) -> bool:
        return one.state == "open" and key not in self._seen

    def _ask_name(self, name: NameReview) -> bool:
        show_name(name)
        subject = (
            f"name:{name.name}"  # a name that looks like an occurrence's id is one all the same
        )
        while True:
            answer = _line(NAME_PROMPT)
            letter = answer[:1].lower() if answer is not None else "q"
            if letter == "q":
                return False
            if letter == "s":
                self._seen.add(name.name)
                return True
            if letter == "u":
                self._undo()
            elif letter in PLAIN:
                if self._decide(Ask(action=PLAIN[letter], subject=subject)) and letter != "h":
                    return True
            elif letter in {"n", "m"}:
                action = DecisionAction.RENAME if letter == "n" else DecisionAction.MERGE
                other = _line("New name: " if letter == "n" else "Whom is it another name of? ")
                if self._decide(Ask(action=action, subject=subject, name=other or "")):
                    return True

    def _ask_occurrence(self, item: OccurrenceReview) -> bool:
        show_occurrence(item)
        while True:
            answer = _line(OCCURRENCE_PROMPT)
            letter = answer[:1].lower() if answer is not None else "q"
            if letter == "q":
                return False
            if letter == "s":
                self._seen.add(item.id)
                return True
            if letter == "u":
                self._undo()
            elif letter in PLAIN:
                if self._decide(Ask(action=PLAIN[letter], subject=item.id)) and letter != "h":
                    return True
            elif letter in {"k", "n", "g"} and self._decide(_edit(letter, item)):
                return True

    def _decide(self, ask: Ask | None) -> bool:
        """Carry out one answer; what makes no sense is said, and asked again."""
        if ask is None:
            say("  units as 12 or 12-14, comma between", style="yellow")
            return False
        try:
            done = self.campaign.decide(ask, by=self.by)
        except InputError as error:
            print(visible(f"{error}\nhint: {error.hint or error.fix}"), file=sys.stderr)
            return False
        self.made += [one.number for one in done]
        show_decisions(done)
        return True

    def _undo(self) -> None:
        if not self.made:
            say("  nothing was decided yet", style="yellow")
            return
        show_decisions(self.campaign.undo(self.made.pop(), by=self.by))


def _edit(letter: str, item: OccurrenceReview) -> Ask | None:
    action = DecisionAction.EDIT
    if letter == "k":
        return Ask(action=action, subject=item.id, kind=_line("Kind: ") or "")
    if letter == "n":
        return Ask(action=action, subject=item.id, name=_line("Name: ") or "")
    parts = [part.strip() for part in (_line("Units: ") or "").split(",")]
    ends = [part.replace("–", "-").partition("-") for part in parts]
    try:
        ranges = [(int(first), int(last or first)) for first, _, last in ends]
    except ValueError:
        return None
    return Ask(action=action, subject=item.id, ranges=ranges)


def _line(prompt: str) -> str | None:
    """Return what the person enters, trimmed; ``None`` at the end of input."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    line = sys.stdin.readline()
    if not sys.stdin.isatty():
        sys.stdout.write("\n")
    return line.strip() if line else None
