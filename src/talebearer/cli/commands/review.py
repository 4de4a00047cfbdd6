"""``talebearer review``: accept, reject and correct what was extracted; memory follows."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from talebearer.cli._options import CampaignOption, JsonOption, open_campaign
from talebearer.cli._output import print_json, progress, say
from talebearer.errors import UsageFault

if TYPE_CHECKING:
    from talebearer.campaign import Ask, DecisionView

NAME = "review"
EXAMPLE = "Example: talebearer review rename 'Bera Quest' 'Berra Quist' --by Rosa"
BY_VARIABLES = ("TALEBEARER_BY", "USER", "LOGNAME")
RANGE = re.compile(r"([0-9]{1,9})(?:[-–]([0-9]{1,9}))?")

app = typer.Typer(
    help="Accept, reject and correct what was extracted; memory follows.",
    rich_markup_mode=None,
    invoke_without_command=True,
)
Subjects = Annotated[
    list[str],
    typer.Argument(
        metavar="SUBJECT...",
        help="A name, name:NAME if it begins with @, an occurrence's id, or @ and its digits.",
    ),
]
By = Annotated[
    str | None,
    typer.Option(
        "--by",
        metavar="NAME",
        help="Who decides; else $TALEBEARER_BY, else $USER.",
        show_default=False,
    ),
]
Note = Annotated[str, typer.Option("--note", metavar="TEXT", help="Why.", show_default=False)]
Sessions = Annotated[
    list[str] | None, typer.Argument(metavar="[SESSION]...", help="Else all sessions.")
]


@app.callback()
def ask(
    context: typer.Context,
    by: By = None,
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """Accept, reject and correct what was extracted; memory follows.

    Without a subcommand it goes through all that nobody has settled yet, names first, and asks.
    What was extracted stays as it is: decisions are kept apart, hold again when a session is recorded
    anew, and can be undone.
    """
    if context.invoked_subcommand is not None:
        return
    if as_json:
        raise UsageFault("asking is for people", hint="for programs: review list --json")
    from talebearer.cli._review_talk import go_through

    with open_campaign(campaign) as opened:
        go_through(opened, by=who(by))


@app.command("list", epilog="Example: talebearer review list session-01 --open")
def list_(
    sessions: Sessions = None,
    only_open: Annotated[bool, typer.Option("--open", help="Only what nobody settled.")] = False,
    stale: Annotated[
        bool, typer.Option("--stale", help="Only decisions that match nothing any more.")
    ] = False,
    decisions: Annotated[
        bool, typer.Option("--decisions", help="Only the decisions, withdrawn ones too.")
    ] = False,
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """List names and occurrences with their quotes and times, and what was decided on them."""
    from talebearer.cli._review_talk import show_decisions, show_review

    with open_campaign(campaign, read_only=True) as opened:
        review = opened.review(*(sessions or ()))
    if as_json:
        print_json(review)
    elif stale or decisions:
        found = [one for one in review.decisions if one.stale or not stale]
        show_decisions(found)
        if not found:
            say("No decision is stale." if stale else "Nothing is decided yet.")
    else:
        show_review(review, only_open=only_open)


@app.command("accept", epilog="Example: talebearer review accept 'Berra Quist' @3f2a91")
def accept(
    subjects: Subjects,
    by: By = None,
    note: Note = "",
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """Accept names or occurrences: they are right, and no drafts any more."""
    _decide("accept", subjects, by, note, campaign, as_json=as_json)


@app.command("reject", epilog="Example: talebearer review reject 'Old Mill' --note 'a place'")
def reject(
    subjects: Subjects,
    by: By = None,
    note: Note = "",
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """Reject names or occurrences: they are left out, a name with all its occurrences."""
    _decide("reject", subjects, by, note, campaign, as_json=as_json)


@app.command("hide", epilog="Example: talebearer review hide 'The Whisper'")
def hide(
    subjects: Subjects,
    by: By = None,
    note: Note = "",
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """Keep NPCs or occurrences for the game master: `--for players` leaves them out."""
    _decide("hide", subjects, by, note, campaign, as_json=as_json)


@app.command("show", epilog="Example: talebearer review show 'The Whisper'")
def show(
    subjects: Subjects,
    by: By = None,
    note: Note = "",
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """Let players see again what was hidden."""
    _decide("show", subjects, by, note, campaign, as_json=as_json)


Name = Annotated[str, typer.Argument(metavar="NAME", help="The name as it is now.")]


@app.command("rename", epilog=EXAMPLE)
def rename(
    name: Name,
    new_name: Annotated[str, typer.Argument(metavar="NEW", help="A name that nobody has.")],
    by: By = None,
    note: Note = "",
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """Give an NPC another name, in all sessions; the slug stays."""
    _decide("rename", [name], by, note, campaign, as_json=as_json, name=new_name)


@app.command("merge", epilog="Example: talebearer review merge Berra 'Berra Quist'")
def merge(
    name: Name,
    into: Annotated[str, typer.Argument(metavar="INTO", help="Whom it is another name of.")],
    by: By = None,
    note: Note = "",
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """Say that two names are one NPC, in all sessions."""
    _decide("merge", [name], by, note, campaign, as_json=as_json, name=into)


@app.command(
    "edit", epilog="Example: talebearer review edit @3f2a91 --kind mentioned --range 12-14"
)
def edit(
    occurrence: Annotated[
        str, typer.Argument(metavar="OCCURRENCE", help="Its id, or @ and its digits.")
    ],
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="KIND", help="One of the six kinds.")
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Whose occurrence it is.")
    ] = None,
    ranges: Annotated[
        list[str] | None,
        typer.Option("--range", metavar="A[-B]", help="Units that prove it; may be repeated."),
    ] = None,
    new: Annotated[bool, typer.Option("--new", help="The name may be a new one.")] = False,
    by: By = None,
    note: Note = "",
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """Correct the kind, the name or the units of an occurrence."""
    if kind is None and name is None and not ranges:
        raise UsageFault("nothing to edit", hint="give --kind, --name or --range")
    _decide(
        "edit",
        [occurrence],
        by,
        note,
        campaign,
        as_json=as_json,
        kind=kind,
        name=name,
        ranges=[_range(text) for text in ranges] if ranges else None,
        new=new,
    )


@app.command("undo", epilog="Example: talebearer review undo 3")
def undo(
    numbers: Annotated[
        list[int], typer.Argument(metavar="NUMBER...", min=1, help="Numbers of decisions.")
    ],
    by: By = None,
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """Withdraw decisions; what was decided before them holds again."""
    with open_campaign(campaign) as opened, progress("review", quiet=as_json):
        done = opened.undo(*numbers, by=who(by))
    _tell(done, as_json=as_json)


@app.command("import", epilog="Example: talebearer review import ../old-copy/review.json")
def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Another copy's review.json.")],
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """Add the decisions of another copy of the campaign that are not here yet."""
    with open_campaign(campaign) as opened, progress("review", quiet=as_json):
        done = opened.import_decisions(file)
    _tell(done, as_json=as_json)


def who(by: str | None) -> str:
    """Return who decides: as given, else from the environment."""
    found = by or next((os.environ[one] for one in BY_VARIABLES if os.environ.get(one)), "")
    if not found:
        raise UsageFault("who decides is not known", hint="say it: --by NAME, or TALEBEARER_BY")
    return found


def _range(text: str) -> tuple[int, int]:
    match = RANGE.fullmatch(text.strip())
    if match is None:
        raise UsageFault(f"--range {text[:60]!r}", hint="write one unit, 12, or two, 12-14")
    return int(match[1]), int(match[2] or match[1])


def _decide(
    action: str,
    subjects: list[str],
    by: str | None,
    note: str,
    campaign: Path,
    *,
    as_json: bool,
    kind: str | None = None,
    name: str | None = None,
    ranges: list[tuple[int, int]] | None = None,
    new: bool = False,
) -> None:
    from talebearer.campaign import Ask, DecisionAction

    asks: list[Ask] = [
        Ask(
            action=DecisionAction(action),
            subject=subject,
            name=name,
            kind=kind,
            ranges=ranges,
            new=new,
            note=note,
        )
        for subject in subjects
    ]
    with open_campaign(campaign) as opened, progress("review", quiet=as_json):
        done = opened.decide(*asks, by=who(by))
    _tell(done, as_json=as_json)


def _tell(done: tuple[DecisionView, ...], *, as_json: bool) -> None:
    from talebearer.cli._review_talk import show_decisions

    if as_json:
        print_json({"decisions": done})
        return
    show_decisions(done)
    if not done:
        say("Nothing new.")


SUBCOMMANDS = (
    *("list", "accept", "reject", "rename", "merge", "edit", "hide", "show"),
    *("undo", "import"),
)
