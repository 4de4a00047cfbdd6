"""``talebearer talk``: a conversation in the terminal, or from standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from talebearer.cli._lines import (
    EventOption,
    SaidInOption,
    SpeakingOption,
    StrategyOption,
    line_options,
)
from talebearer.cli._options import CampaignOption, JsonOption, MindOption, open_campaign
from talebearer.cli._output import indented, print_evidence, print_json, say
from talebearer.errors import TalebearerError, UsageFault, did_you_mean, visible

if TYPE_CHECKING:
    from talebearer.campaign import Conversation, Outcome, Reply

NAME = "talk"
EXAMPLE = "Example: printf 'cargo\\n/leave\\n' | talebearer talk 'Maelis Brandt'"
COMMANDS = ("/mood", "/at", "/wait", "/confront", "/bye", "/leave", "/why", "/help")
HELP = """text = topics, comma-separated (empty: any)   /mood M   /at LOCATION   /wait TICKS
/confront   /why   /bye (say goodbye)   /leave (walk out)"""
BAD_INPUT = 2
WAIT_DIGITS_MAX = 13


def run(
    npc: Annotated[str, typer.Argument(metavar="NPC", help="Name, alias or slug.")],
    strategy: StrategyOption = None,
    event: EventOption = None,
    speaking: SpeakingOption = None,
    language: SaidInOption = None,
    mind: MindOption = "party",
    campaign: CampaignOption = Path(),
    as_json: JsonOption = False,
) -> None:
    """Talk to an NPC, one command a line.

    Text names topics, comma-separated (an empty line: any). /mood M, /at LOCATION and /wait TICKS
    set the scene; /confront escalates; /why explains the last line; /bye ends the conversation,
    /leave walks out of it. The end of input means /bye.
    """
    with open_campaign(campaign) as opened:
        if language is not None:
            opened.say_in(language)
        more = line_options(strategy, event, speaking)
        session = _Session(opened.talk(npc, mind=mind, more=more), as_json=as_json)
        session.open()
        for number, line in enumerate(_lines(prompt=not as_json), start=1):
            if session.turn(line.strip(), number):
                break
        else:
            session.turn("/bye", 0)
    if session.bad_lines and not sys.stdin.isatty():
        raise typer.Exit(BAD_INPUT)


def _lines(*, prompt: bool) -> Iterator[str]:
    ask = prompt and sys.stdin.isatty()
    while True:
        if ask:
            sys.stdout.write("> ")
            sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            return
        yield line


class _Session:
    """Turns lines into turns of one conversation and shows what comes of them."""

    def __init__(self, conversation: Conversation, *, as_json: bool) -> None:
        self.conversation = conversation
        self.as_json = as_json
        self.bad_lines = 0

    def open(self) -> None:
        talk = self.conversation
        if self.as_json:
            print_json({"turn": "start", "interaction": talk.interaction, "npc": talk.slug})
            return
        say(f"{talk.name}, at {talk.location}. {talk.history()}", style="bold")
        if sys.stdin.isatty():
            say(HELP, style="dim")

    def turn(self, line: str, number: int) -> bool:
        """Play one line; return whether the conversation is over."""
        try:
            return self._play(line)
        except TalebearerError as error:
            if error.exit_code != BAD_INPUT:
                raise
            self.bad_lines += 1
            if self.as_json:
                print_json({"turn": "error", "line": number, "error": error.as_json()})
            else:
                text = f"line {number}: {error}\nhint: {error.hint or error.fix}"
                print(visible(text), file=sys.stderr)
            return False

    def _play(self, line: str) -> bool:
        word, _, rest = line.partition(" ")
        talk, rest = self.conversation, rest.strip()
        if not word.startswith("/"):
            topics = tuple(topic.strip() for topic in line.split(",") if topic.strip())
            self._show(talk.say(*topics))
        elif word == "/mood":
            talk.mood(*(mood.strip() for mood in rest.split(",") if mood.strip()))
            self._scene()
        elif word == "/at":
            talk.at(rest)
            self._scene()
        elif word == "/wait":
            self._wait(rest)
            self._scene()
        elif word == "/confront":
            self._change(talk.confront())
        elif word == "/why":
            self._why()
        elif word == "/help":
            self._help()
        elif rest and word in COMMANDS:
            raise UsageFault(f"{word} takes nothing after it, not {rest!r}", hint=f"write {word}")
        elif word == "/bye":
            self._change(talk.complete())
            return True
        elif word == "/leave":
            self._change(talk.walk_away())
            return True
        else:
            raise UsageFault(f"unknown command {word}", hint=did_you_mean(word, COMMANDS))
        return False

    def _scene(self) -> None:
        """Say where things stand after a command that sets the scene."""
        talk = self.conversation
        if self.as_json:
            scene = {"location": talk.location, "moods": talk.moods, "tick": talk.tick}
            print_json({"turn": "scene", "scene": scene})
        else:
            mood = f", {', '.join(talk.moods)}" if talk.moods else ""
            say(f"({talk.location}{mood}, tick {talk.tick})", style="dim")

    def _help(self) -> None:
        if self.as_json:
            print_json({"turn": "help", "commands": list(COMMANDS)})
        else:
            say(HELP)

    def _wait(self, text: str) -> None:
        if not text.isascii() or not text.isdigit() or len(text) > WAIT_DIGITS_MAX:
            raise UsageFault(f"/wait {text!r}", hint="a number of ticks, such as /wait 600")
        self.conversation.wait(int(text))

    def _show(self, reply: Reply) -> None:
        if self.as_json:
            print_json({"turn": "line", "reply": reply})
        elif reply.text is None:
            mute = not reply.funnel or reply.funnel[0][1] == 0
            why = "no pool has lines for them here" if mute else "/why says what stopped each line"
            say(f"{self.conversation.name} has nothing to say to that ({why}).", style="dim")
        else:
            indented(f"{self.conversation.name}: {reply.text}", 0)
            for fact in reply.learned:
                text = fact.description or fact.id
                indented(f"(you learn, {fact.confidence}: {text})", 2, "dim")

    def _change(self, outcome: Outcome) -> None:
        if self.as_json:
            print_json({"turn": "state", "outcome": outcome})
        else:
            say(f"({outcome.interaction} is now {outcome.state})", style="dim")
            for step in outcome.consequences:
                if step.changed or step.step == "threshold":
                    indented(f"{step.step}: {step.text}", 2, "dim")

    def _why(self) -> None:
        evidence = self.conversation.why()
        if self.as_json:
            print_json({"turn": "why", "evidence": evidence})
        else:
            print_evidence(evidence)
