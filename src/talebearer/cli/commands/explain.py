"""``talebearer explain``: why each line would be said or not, and how likely it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from talebearer.cli._given import given_options
from talebearer.cli._lines import (
    EventOption,
    SpeakingOption,
    StrategyOption,
    line_options,
    scene_options,
)
from talebearer.cli._options import CampaignOption, JsonOption, MindOption, open_campaign
from talebearer.cli._output import indented, plural, print_json, say
from talebearer.cli._rehearse import explain_content, made_up_scene
from talebearer.errors import UsageFault

if TYPE_CHECKING:
    from talebearer.campaign import LineAnswer
    from talebearer.lines import Verdict

NAME = "explain"
EXAMPLE = (
    "Example: talebearer explain 'Maelis Brandt' --topic cargo\n\n"
    "Example: talebearer explain --character detective --trigger enter_location --location the-gilded-eel\n\n"
    "Example: talebearer explain odo-renn --content content --access public --roll 100\n\n"
    "Example: talebearer explain odo-renn --content content --happened odo-renn:walked_away"
)
ListOption = list[str] | None

NpcArgument = Annotated[
    str | None, typer.Argument(metavar="[NPC]", help="Who speaks: name, alias or slug.")
]
CharacterOption = Annotated[
    str | None, typer.Option("--character", metavar="C", help="Who thinks, in place of NPC.")
]
TriggerOption = Annotated[
    str | None, typer.Option("--trigger", metavar="T", help="What happened, for a thought.")
]
LocationOption = Annotated[str | None, typer.Option("--location", metavar="SLUG", help="Where.")]
FormerLocationOption = Annotated[str | None, typer.Option("--at", hidden=True)]
"""What ``--location`` was called here; scripts may still say it."""

AccessOption = Annotated[
    str | None, typer.Option("--access", metavar="TIER", help="The listener's access tier.")
]
TrustOption = Annotated[
    str | None, typer.Option("--trust", metavar="TIER", help="The listener's trust tier.")
]
SituationOption = Annotated[
    ListOption, typer.Option("--situation", metavar="S", help="What is going on; repeatable.")
]
TopicOption = Annotated[
    ListOption, typer.Option("--topic", metavar="T", help="What is asked about; repeatable.")
]
MoodOption = Annotated[
    ListOption, typer.Option("--mood", metavar="M", help="How the speaker feels; repeatable.")
]
LineOption = Annotated[str | None, typer.Option("--line", metavar="ID", help="Only this line.")]
FindOption = Annotated[
    str | None,
    typer.Option(
        "--find", metavar="WORDS", help="With --content: only lines with this in text, id or tags."
    ),
]
TickOption = Annotated[
    int | None, typer.Option("--tick", metavar="N", help="When; else one tick from now.")
]
ContentOption = Annotated[
    Path | None,
    typer.Option("--content", metavar="DIR", help="Try a content folder, with no campaign."),
]
SceneOption = Annotated[
    str | None,
    typer.Option(
        "--scene", metavar="S", help="With --content: a saved scene, or a previewer's address."
    ),
]
KnowsOption = Annotated[
    ListOption,
    typer.Option(
        "--knows",
        metavar="FACT[:HOW][@TICK]",
        help="With --content: a fact that the mind knows; repeatable.",
    ),
]
HappenedOption = Annotated[
    ListOption,
    typer.Option(
        "--happened",
        metavar="NPC:WHAT[@TICK]",
        help="With --content: how a conversation with somebody ended, or how they stand; repeatable.",
    ),
]
SeedOption = Annotated[
    int | None, typer.Option("--seed", metavar="N", help="With --content: the draw's seed.")
]
RollOption = Annotated[
    int, typer.Option("--roll", metavar="N", min=0, help="With --content: draw N times, too.")
]
RowsOption = Annotated[
    int, typer.Option("--rows", metavar="N", min=0, max=200, help="With --content: lines shown.")
]


def run(
    npc: NpcArgument = None,
    character: CharacterOption = None,
    trigger: TriggerOption = None,
    location: LocationOption = None,
    at: FormerLocationOption = None,
    access: AccessOption = None,
    trust: TrustOption = None,
    situation: SituationOption = None,
    topic: TopicOption = None,
    mood: MoodOption = None,
    line: LineOption = None,
    find: FindOption = None,
    tick: TickOption = None,
    strategy: StrategyOption = None,
    event: EventOption = None,
    speaking: SpeakingOption = None,
    mind: MindOption = "party",
    campaign: CampaignOption = Path(),
    content: ContentOption = None,
    scene: SceneOption = None,
    knows: KnowsOption = None,
    happened: HappenedOption = None,
    seed: SeedOption = None,
    roll: RollOption = 0,
    rows: RowsOption = 50,
    as_json: JsonOption = False,
) -> None:
    """Show for every line the first stage that drops it and what was found there.

    For the lines that are left it shows score, weight and chance. Nothing is changed. With --content
    the lines are those of a folder, and the scene is made up.
    """
    more = line_options(strategy, event, speaking)
    location = at if location is None else location
    if content is not None:
        words: dict[str, object] = {
            "speaker": npc,
            "character": character,
            "trigger": trigger,
            "location": location,
        }
        words |= {"access": access, "trust": trust, "tick": tick, "seed": seed, "mind": mind}
        words |= {"situations": situation, "topics": topic, "moods": mood}
        words["given"] = given_options(knows, happened)
        made_up = made_up_scene(words, more)
        shown: dict[str, Any] = {"line": line, "find": find, "rolls": roll, "rows": rows}
        explain_content(content, address=scene, words=made_up, as_json=as_json, **shown)
        return
    if any((scene, seed is not None, find, knows, happened, roll)):
        names = "--scene, --seed, --find, --knows, --happened and --roll"
        raise UsageFault(f"{names} are of a made-up scene", hint="name --content, too")
    _check_who(npc, character, trigger)
    with open_campaign(campaign, read_only=True) as opened:
        given: dict[str, Any] = {"mind": mind, "more": more, "tick": tick, "pick": False}
        if npc is not None:
            asked = scene_options(
                location=location,
                access=access,
                trust=trust,
                situations=situation,
                topics=topic,
                moods=mood,
            )
            answer = opened.game.line(npc, scene=asked, explain=True, **given)
        else:
            assert character is not None, "it was checked"
            assert trigger is not None, "it was checked"
            answer = opened.game.thought(
                character, trigger, location=location, explain=True, **given
            )
    if as_json:
        print_json(answer.as_json())
    else:
        _show(answer, line)


def _check_who(npc: str | None, character: str | None, trigger: str | None) -> None:
    if (npc is None) == (character is None) or (character is None) != (trigger is None):
        raise UsageFault(
            "explain needs somebody who speaks or thinks",
            hint="an NPC, or --character and --trigger",
        )


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
