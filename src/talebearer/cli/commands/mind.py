"""``talebearer mind``: what one mind knows, how it came to know it, and whether its log agrees."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from talebearer.cli._options import (
    Audience,
    CampaignOption,
    ForOption,
    JsonOption,
    open_campaign,
    shown_to,
)
from talebearer.cli._output import (
    indented,
    print_evidence,
    print_json,
    print_table,
    say,
    short_reference,
)

if TYPE_CHECKING:
    from talebearer.campaign import EventView

NAME = "mind"
EXAMPLE = "Example: talebearer mind show npc:maelis-brandt"
FINDINGS = 1

app = typer.Typer(
    help="What one mind knows: party, pc:{slug} or npc:{slug}.",
    rich_markup_mode=None,
    no_args_is_help=False,
)
Whose = Annotated[str, typer.Argument(metavar="[MIND]", help="Whose; else the party's.")]


@app.command("show", epilog=EXAMPLE)
def show(
    mind: Whose = "party",
    audience: ForOption = Audience.GAME_MASTER,
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """Show everything that a mind knows: people, conversations, facts."""
    with open_campaign(campaign, read_only=True) as opened:
        seen = shown_to(opened, audience)
        text, minds = seen.mind_text(mind=mind), seen.minds()
    if as_json:
        print_json({"mind": mind, "text": text, "minds": minds})
        return
    for line in text.splitlines():
        indented(line.lstrip(), len(line) - len(line.lstrip()))
    others = [other for other in minds if other != mind]
    if others:
        say(f"other minds: {', '.join(others)}", style="dim")


@app.command("facts", epilog="Example: talebearer mind facts party --json")
def facts(
    mind: Whose = "party",
    audience: ForOption = Audience.GAME_MASTER,
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """List the facts that a mind knows, and how it learned them."""
    with open_campaign(campaign, read_only=True) as opened:
        known = shown_to(opened, audience).facts(mind=mind)
    if as_json:
        print_json({"mind": mind, "facts": known})
        return
    if not known:
        say(f"{mind} knows no facts besides its conversations")
        return
    print_table(
        ("fact", "known", "state", "how", "tick"),
        [
            (
                f"{fact.id}\n{fact.description}" if fact.description else fact.id,
                fact.confidence,
                fact.state,
                fact.learned_via,
                str(fact.acquired_tick),
            )
            for fact in known
        ],
        wrap=("fact", "how"),
    )


@app.command("timeline", epilog="Example: talebearer mind timeline npc:wick")
def timeline(
    mind: Whose = "party",
    audience: ForOption = Audience.GAME_MASTER,
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """Tell what happened to a mind, in order, lines that were said included."""
    with open_campaign(campaign, read_only=True) as opened:
        events = shown_to(opened, audience).timeline(mind=mind)
    if as_json:
        print_json({"mind": mind, "events": events})
        return
    for event in events:
        indented(_in_words(event), 2)


def _in_words(event: EventView) -> str:
    who = f" {event.target}" if event.target else ""
    if event.kind == "line_fired":
        return f"{event.tick} {event.speaker}: {event.text}"
    reference = f" [{event.reference}]" if event.reference else ""
    return f"{event.tick} {event.text}{who}{reference}"


@app.command("events", epilog="Example: talebearer mind events party")
def events(
    mind: Whose = "party",
    audience: ForOption = Audience.GAME_MASTER,
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """List the log of a mind, one event a line."""
    with open_campaign(campaign, read_only=True) as opened:
        log = shown_to(opened, audience).timeline(mind=mind)
    if as_json:
        print_json({"mind": mind, "events": log})
        return
    print_table(
        ("tick", "stream", "kind", "whom", "reference"),
        [
            (
                str(event.tick),
                event.stream,
                event.kind,
                event.target or "",
                short_reference(event.reference)
                if event.kind == "line_fired" and event.reference
                else event.reference or "",
            )
            for event in log
        ],
        wrap=("reference",),
    )


@app.command("why", epilog="Example: talebearer mind why contraband.light_crates")
def why(
    fact: Annotated[str, typer.Argument(metavar="FACT", help="A fact or interaction id.")],
    mind: Annotated[str, typer.Option("--mind", metavar="MIND", help="Whose.")] = "party",
    audience: ForOption = Audience.GAME_MASTER,
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """Follow a fact of a mind back to what proves it."""
    with open_campaign(campaign, read_only=True) as opened:
        evidence = shown_to(opened, audience).why(fact, mind=mind)
    if as_json:
        print_json(evidence)
    else:
        print_evidence(evidence)


@app.command("replay", epilog="Example: talebearer mind replay party")
def replay(
    mind: Whose = "party", campaign: CampaignOption = Path(), as_json: JsonOption = False
) -> None:
    """Fold a mind's log again and compare, byte for byte; exit 1 if they differ."""
    with open_campaign(campaign, read_only=True) as opened:
        same = opened.replay(mind=mind)
        count = len(opened.timeline(mind=mind))
    if as_json:
        print_json({"mind": mind, "events": count, "same": same})
    else:
        say(f"{mind}: {count} events, " + ("the same" if same else "NOT the same"))
    if not same:
        raise typer.Exit(FINDINGS)


SUBCOMMANDS = ("show", "facts", "timeline", "events", "why", "replay")
