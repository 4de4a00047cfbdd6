"""``talebearer demo``: the main job on the bundled campaign, from transcript to line."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from talebearer.cli._options import (
    NOW_VARIABLE,
    SEED_VARIABLE,
    JsonOption,
    clock,
    id_salt,
    open_campaign,
)
from talebearer.cli._output import (
    console,
    indented,
    print_evidence,
    print_json,
    print_occurrence,
    program,
    progress,
    say,
    short_reference,
)
from talebearer.cli.commands import recall, record, report

if TYPE_CHECKING:
    from talebearer.campaign import Campaign, EventView, Evidence, Recording

NAME = "demo"
EXAMPLE = "Example: talebearer demo /tmp/drowned-bell"
BUNDLED = "drowned-bell"
SESSIONS = ("session-01.json", "session-02.vtt")
DEMO_SEED = "4"
DEMO_NOW = "2026-01-01T20:00:00+00:00"
NPC = "Maelis Brandt"
ENDINGS = ("interaction_completed", "interaction_walked_away", "interaction_conflict_abandoned")
BEFORE: tuple[tuple[str, ...], ...] = (("cargo",), ("personal",))
AFTER: tuple[tuple[str, ...], ...] = (("trust",), ("cargo", "trust"), ("personal",))


def run(
    folder: Annotated[
        Path, typer.Argument(metavar="[DIR]", help="Where the campaign is put.")
    ] = Path("talebearer-demo"),
    as_json: JsonOption = False,
) -> None:
    """Play the bundled campaign "The Drowned Bell": record, recall, talk, walk out, ask why."""
    os.environ.setdefault(NOW_VARIABLE, DEMO_NOW)
    os.environ.setdefault(SEED_VARIABLE, DEMO_SEED)
    fresh = unpack(folder)
    with open_campaign(folder) as campaign:
        show = not as_json
        if show:
            say(f"The Drowned Bell, in {folder}" + ("" if fresh else " (was already there)"))
        recordings = [_record(campaign, folder, name, show=show) for name in SESSIONS]
        played = play(campaign)
        live = demo_events(campaign)
        chosen = evidence_line(campaign, live)
        page = report.write(campaign)
        if show:
            _show_memory(campaign, live, played=played)
            _show_end(folder, page, chosen)
            return
        print_json(
            {
                "folder": str(folder),
                "fresh": fresh,
                "recordings": recordings,
                "npcs": campaign.npcs(),
                "recall": campaign.recall(NPC),
                "conversation": live,
                "why": chosen,
                "report": str(page),
            }
        )


def unpack(folder: Path) -> bool:
    """Copy the bundled campaign to *folder* unless a campaign is there; return whether it did.

    Raises:
        UsageFault: *folder* holds something else (TB111).
    """
    from talebearer.campaign import Campaign, load_config
    from talebearer.errors import UsageFault

    if (folder / "campaign.toml").is_file():
        found = load_config(folder / "campaign.toml")
        if found.id != BUNDLED:
            raise UsageFault(f"{folder} is the campaign {found.id!r}", hint="name a new folder")
        return False
    Campaign.create(folder, template=BUNDLED, now_ms=clock(), id_salt=id_salt()).close()
    return True


def _record(campaign: Campaign, folder: Path, name: str, *, show: bool) -> Recording:
    with progress("recording", quiet=not show) as advance:
        recording = campaign.record(folder / "sessions" / name, progress=advance)
    if show:
        _chapter(f"Recorded: {recording.session}")
        _show_recording(recording)
    return recording


def play(campaign: Campaign) -> bool:
    """Play the demo's conversations unless they are in memory; return whether it did."""
    if any(event.stream == "live" for event in campaign.timeline()):
        return False
    first = campaign.talk(NPC)
    for topics in BEFORE:
        first.say(*topics)
    first.walk_away()
    campaign.think("detective", "post_conversation")
    second = campaign.talk(NPC)
    for topics in AFTER:
        second.say(*topics)
    second.complete()
    return True


def demo_events(campaign: Campaign) -> list[EventView]:
    """Return the live events of the demo's own two conversations, not what was played later."""
    live = [event for event in campaign.timeline() if event.stream == "live"]
    ends = [n for n, event in enumerate(live, start=1) if event.kind in ENDINGS]
    return live[: ends[1]] if len(ends) > 1 else live


def evidence_line(campaign: Campaign, live: list[EventView]) -> Evidence | None:
    """Return the chain of the last line whose gates rest on a recorded session."""
    for event in reversed(live):
        if event.kind == "line_fired" and event.reference:
            chain = campaign.why(event.reference)
            if _reaches_unit(chain):
                return chain
    return None


def _reaches_unit(chain: Evidence) -> bool:
    return chain.kind == "unit" or any(_reaches_unit(child) for child in chain.children)


def _chapter(title: str) -> None:
    from rich.rule import Rule

    out = console()
    out.print()
    out.print(Rule(title, align="left", style="dim"))


def _show_recording(recording: Recording) -> None:
    say(record.headline(recording), style="bold")
    if recording.already:
        say("  already there: nothing was changed", style="yellow")
    else:
        record.show_unknown_speakers(recording)
    indented(f"NPCs found: {', '.join(recording.npcs)}", 2, "bold")
    for occurrence in recording.occurrences:
        print_occurrence(occurrence, quotes_max=1 if occurrence.kind == "mentioned" else 2)


def _show_memory(campaign: Campaign, live: list[EventView], *, played: bool) -> None:
    _chapter(f"What the party remembers of {NPC}")
    recall.show(campaign.recall(NPC))
    _chapter(f"A conversation with {NPC}, before and after you walk out on her")
    if not played:
        say("  (played before; this is what memory holds)", style="yellow")
    names = {npc.slug: npc.name for npc in campaign.npcs()}
    for event in live:
        _show_event(event, names)


def _show_end(folder: Path, page: Path, chosen: Evidence | None) -> None:
    reference = ""
    if chosen is not None and chosen.id is not None:
        _chapter("Why that line?")
        print_evidence(chosen)
        reference = short_reference(chosen.id)
    _chapter("Where to look")
    # Written as they are: a command that is broken over two lines cannot be copied.
    print(f"  report:   {page}")
    command, where = program(), shlex.quote(str(folder))
    print(f"  ask more: {command} why {reference} --campaign {where}")
    print(f"  talk on:  {command} talk {NPC.split()[0]} --campaign {where}")


_EVENT_WORDS: dict[str, str] = {
    "interaction_started": "— you sit down with {name}",
    "interaction_walked_away": "— you walk out on {name}, in the middle of it",
    "interaction_completed": "— you part properly from {name}",
}


def _show_event(event: EventView, names: Mapping[str, str]) -> None:
    who = event.speaker or event.target or ""
    name = names.get(who, who)
    words = _EVENT_WORDS.get(event.kind)
    if words is not None:
        say(f"  {words.format(name=name)}  [{event.reference or event.tick}]", style="dim")
    elif event.kind == "line_fired":
        think = "" if event.target else " (thinks)"
        indented(f"{name}{think}: {event.text}", 2)
        say(f"      {short_reference(event.reference or '')}", style="dim")
    elif event.kind == "fact_learned":
        indented(f"you learn: {event.text}", 6, "green")
