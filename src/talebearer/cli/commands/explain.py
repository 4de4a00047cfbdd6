"""``talebearer explain``: why each line would be said or not, and how likely it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from talebearer.cli._lines import (
    EventOption,
    SpeakingOption,
    StrategyOption,
    line_options,
    scene_options,
)
from talebearer.cli._options import CampaignOption, JsonOption, MindOption, open_campaign
from talebearer.cli._output import indented, plural, print_json, say
from talebearer.errors import UsageFault

if TYPE_CHECKING:
    from talebearer.campaign import LineAnswer
    from talebearer.lines import Verdict

NAME = "explain"
EXAMPLE = (
    "Example: talebearer explain 'Maelis Brandt' --topic cargo\n\n"
    "Example: talebearer explain --character detective --trigger enter_location --at the-gilded-eel"
)
ListOption = list[str] | None


def run(
    npc: Annotated[
        str | None, typer.Argument(metavar="[NPC]", help="Who speaks: name, alias or slug.")
    ] = None,
    character: Annotated[
        str | None, typer.Option("--character", metavar="C", help="Who thinks, in place of NPC.")
    ] = None,
    trigger: Annotated[
        str | None, typer.Option("--trigger", metavar="T", help="What happened, for a thought.")
    ] = None,
    at: Annotated[str | None, typer.Option("--at", metavar="PLACE", help="Where.")] = None,
    access: Annotated[
        str | None, typer.Option("--access", metavar="TIER", help="The listener's access tier.")
    ] = None,
    trust: Annotated[
        str | None, typer.Option("--trust", metavar="TIER", help="The listener's trust tier.")
    ] = None,
    situation: Annotated[
        ListOption, typer.Option("--situation", metavar="S", help="What is going on; repeatable.")
    ] = None,
    topic: Annotated[
        ListOption, typer.Option("--topic", metavar="T", help="What is asked about; repeatable.")
    ] = None,
    mood: Annotated[
        ListOption, typer.Option("--mood", metavar="M", help="How the speaker feels; repeatable.")
    ] = None,
    line: Annotated[
        str | None, typer.Option("--line", metavar="ID", help="Only this line.")
    ] = None,
    tick: Annotated[
        int | None, typer.Option("--tick", metavar="N", help="When; else one tick from now.")
    ] = None,
    strategy: StrategyOption = None,
    event: EventOption = None,
    speaking: SpeakingOption = None,
    mind: MindOption = "party",
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """Show for every line the first stage that drops it and what was found there.

    For the lines that are left it shows score, weight and chance. Nothing is changed.
    """
    if (npc is None) == (character is None) or (character is None) != (trigger is None):
        raise UsageFault(
            "explain needs somebody who speaks or thinks",
            hint="an NPC, or --character and --trigger",
        )
    more = line_options(strategy, event, speaking)
    with open_campaign(campaign, read_only=True) as opened:
        if npc is not None:
            scene = scene_options(
                at=at, access=access, trust=trust, situations=situation, topics=topic, moods=mood
            )
            answer = opened.game.line(
                npc, mind=mind, scene=scene, more=more, tick=tick, explain=True, pick=False
            )
        else:
            assert character is not None, "checked above"
            assert trigger is not None, "checked above"
            answer = opened.game.thought(
                character,
                trigger,
                mind=mind,
                location=at,
                more=more,
                tick=tick,
                explain=True,
                pick=False,
            )
    if as_json:
        print_json(answer.as_json())
    else:
        _show(answer, line)


def _show(answer: LineAnswer, line: str | None) -> None:
    explanation = answer.explanation
    assert explanation is not None, "it was asked for"
    shown = [one for one in explanation.verdicts if line is None or one.line_id == line]
    if line is not None and not shown:
        raise UsageFault(f"no line {line!r} is asked here", hint="leave --line out to see all")
    scene = {name: value for name, value in answer.scene.items() if value}
    words = (f"{name} {_words(value)}" for name, value in scene.items())
    say(f"tick {answer.tick}: {'; '.join(words)}", style="dim")
    for verdict in shown:
        _verdict(verdict)
    steps = [f"{stage} {left}" for stage, left in explanation.funnel]
    say(f"{plural(len(explanation.eligible), 'line')} in the draw ({', '.join(steps)})", "dim")


def _verdict(verdict: Verdict) -> None:
    chance = verdict.probability
    if chance is None:
        indented(f"- {verdict.line_id} “{verdict.text}”", 0)
        indented(f"stopped at {verdict.dropped_by}: {verdict.detail}", 4, "dim")
    else:
        score = "" if verdict.score is None else f"score {verdict.score}, "
        indented(f"+ {verdict.line_id} “{verdict.text}”", 0)
        indented(f"{score}weight {verdict.weight}, chance {float(chance):.1%}", 4, "dim")
    for gate in verdict.gates:
        met = "met" if gate.met else "not met"
        indented(f"{gate.text}: {met}, {gate.found}", 6, "dim")


def _words(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
