"""One playthrough, step by step: to be read, and as a case that ``talebearer test`` plays again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from talebearer.content import LineIndex
from talebearer.lines import Pack, Pick
from talebearer.memory import Event
from talebearer.rehearsal.simulation._dice import seed_of
from talebearer.rehearsal.simulation._playthrough import WORLD, Request
from talebearer.rehearsal.simulation._run import Simulation
from talebearer.vocabulary import EventKind


@dataclass(slots=True, kw_only=True)
class Step:
    """One request for a line, and what happened since the one before.

    Attributes:
        turn: Which request, from 1.
        before: What happened before it, mind and event; not what a line did.
        request: What was asked for.
        pool: The pool of the line that came; None for silence.
        line: Its id.
        text: What was said or thought.
        effects: What the line did, mind and event.
    """

    turn: int
    before: tuple[tuple[str, Event], ...]
    request: Request
    pool: str | None = None
    line: str | None = None
    text: str | None = None
    effects: list[tuple[str, Event]] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Return the step as a JSON object."""
        return {
            "turn": self.turn,
            "tick": self.request.tick,
            "before": [_event(mind, event) for mind, event in self.before],
            "request": request_json(self.request),
            "pool": self.pool,
            "line": self.line,
            "text": self.text,
            "effects": [_event(mind, event) for mind, event in self.effects],
        }


def _event(mind: str, event: Event) -> dict[str, Any]:
    data = event.as_json()
    return {"mind": mind, "tick": data["tick"], "kind": data["kind"], "data": data["data"]}


class _Steps:
    """Watches a playthrough."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._before: list[tuple[str, Event]] = []
        self._due = 0

    def happened(self, mind: str, event: Event) -> None:
        """Note an event: with the line that does it, or before the next request."""
        if self._due:
            self._due -= 1
            self.steps[-1].effects.append((mind, event))
        else:
            self._before.append((mind, event))

    def asked(self, request: Request, pick: Pick | None) -> None:
        """Note a request."""
        step = Step(turn=len(self.steps) + 1, before=tuple(self._before), request=request)
        self._before.clear()
        if pick is not None:
            step.pool, step.line, step.text = pick.pool, pick.line_id, pick.text
            self._due = len(pick.effects)
        self.steps.append(step)


def trace(pack: Pack, simulation: Simulation, number: int) -> tuple[Step, ...]:
    """Play playthrough *number* and return its steps.

    Args:
        pack: The content.
        simulation: As it was run; how many playthroughs it has does not matter.
        number: Which, from 1.
    """
    watcher = _Steps()
    simulation.playthrough(simulation.setting(pack), number, watcher).run()
    return tuple(watcher.steps)


def request_json(request: Request) -> dict[str, Any]:
    """Return *request* as a step of a plan has it, without tick and expectation."""
    scene = request.scene
    if scene is None:
        value: dict[str, Any] = {"character": request.who, "trigger": request.trigger}
        value["location"] = request.location
    else:
        value = {
            "speaker": request.who,
            "location": scene.location,
            "access": scene.access,
            "trust": scene.trust,
            "situations": list(scene.situations),
            "topics": list(scene.topics),
            "moods": list(scene.moods),
        }
    if request.event:
        value["event"] = dict(request.event)
    if request.speaking:
        value["speaking"] = [
            {"class": name, "character": character} for name, character in request.speaking
        ]
    return value


# --- as a plan -----------------------------------------------------------------------------------


def plan_text(pack: Pack, simulation: Simulation, number: int) -> str:
    """Return playthrough *number* as the text of a plan file with one case.

    Every step expects the line that came, and every event of the player's mind and of ``world`` that no
    line makes is given before it. What other minds remember does not decide any line.
    """
    lines = LineIndex(pack)
    minds = (simulation.player.mind, WORLD)
    case = [
        f"# Playthrough {number} of seed {simulation.seed}: written by talebearer simulate.",
        f"description: Playthrough {number} of seed {simulation.seed}, step by step.",
        "cases:",
        f"  - name: Playthrough {number} of seed {simulation.seed}",
    ]
    if simulation.player.mind != "party":
        case.append(f"    mind: {json.dumps(simulation.player.mind)}")
    case.append(f"    seed: {seed_of(simulation.seed, number)}")
    case.append("    steps:")
    for step in trace(pack, simulation, number):
        value = request_json(step.request) | {"tick": step.request.tick}
        events = list(_given(step, minds))
        if events:
            value["given"] = {"events": events}
        if step.line is None:
            value["nothing"] = True
        else:
            assert step.pool is not None, "a line has a pool"
            once = len(lines.find(step.line)) == 1
            value["says"] = step.line if once else f"{step.pool}#{step.line}"
            value["text"] = step.text
        # JSON is YAML, and a step a line is easy to read beside its neighbours.
        case.append(f"      - {json.dumps(value, ensure_ascii=False)}")
    return "\n".join(case) + "\n"


def _given(step: Step, minds: tuple[str, str]) -> Iterator[Mapping[str, Any]]:
    for mind, event in step.before:
        if mind in minds:
            data = event.as_json()
            one = {"kind": data["kind"], "data": data["data"], "tick": data["tick"]}
            yield one | ({"mind": WORLD} if mind == WORLD else {})


# --- to be read ----------------------------------------------------------------------------------

_TALKS = {
    EventKind.INTERACTION_STARTED: "begins to talk with {target}",
    EventKind.INTERACTION_COMPLETED: "ends the talk with {target} properly",
    EventKind.INTERACTION_WALKED_AWAY: "walks out on {target}",
    EventKind.INTERACTION_CONFRONTATION: "confronts {target}",
    EventKind.INTERACTION_CONFLICT_ABANDONED: "storms out of the quarrel with {target}",
    EventKind.ENTITY_OBSERVED: "sees {target}",
    EventKind.FACT_LEARNED: "learns {fact_id} ({confidence})",
    EventKind.RELATIONSHIP_CHANGED: "is {state} with {target} now",
    EventKind.STANDING_CHANGED: "standing with {target}: {delta:+d}",
    EventKind.STRESS_CHANGED: "stress {delta:+d}",
    EventKind.WALK_AWAYS_FORGIVEN: "is forgiven by {target}",
    EventKind.GOSSIP_HEARD: "hears of {about} from {teller}",
    EventKind.COUNTER_ADDED: "counter {counter} {by:+d}",
    EventKind.VALUE_SET: "value {value} is {to}",
    EventKind.TIMER_STAMPED: "timer {timer} is stamped",
}


def told(step: Step) -> list[str]:
    """Return *step* as lines of text: what happened, what was asked, what came, what that did."""
    texts = [f"  {_in_words(mind, event)}" for mind, event in step.before]
    request = step.request
    scene = request.scene
    if scene is None:
        asked = f"{request.who} at {request.location}, {request.trigger}"
    else:
        about = ", ".join((*scene.topics, *scene.moods))
        asked = f"{request.who} at {scene.location}, {scene.access}, {scene.trust}, "
        asked += "/".join(scene.situations) + (f", {about}" if about else "")
    if request.event:
        asked += "".join(f", {name} {value}" for name, value in request.event.items())
    texts.append(f"{step.turn}. tick {request.tick}: {asked}")
    texts.append("    nothing" if step.line is None else f"    {step.line} “{step.text}”")
    texts += [
        f"    -> {_in_words(mind, event)}"
        for mind, event in step.effects
        if event.kind is not EventKind.LINE_FIRED
    ]
    return texts


def _in_words(mind: str, event: Event) -> str:
    words = _TALKS.get(event.kind)
    if words is None:
        return f"{mind}: {event.kind.value}"
    return f"{mind}: {words.format_map(event.data)}"
