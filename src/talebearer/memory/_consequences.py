"""What the end of a conversation does to the terms between a mind and a character.

Pure: the result says what is to change, by how much and why, as drafts for the logs. Once they are
in a log, a replay needs neither the profile nor the seed.

A walk-away, on small talk or on a confrontation, goes four steps (section 8.1):

1. *threshold*: the walk-aways of the mind's own side that are not forgiven, this one included, are
   compared with ``walk_away_threshold``.
2. *relationship*: each beyond it takes ``walk_away_penalty`` from the standing.
3. *stress*: each raises the character's stress, within or beyond the threshold, by ::

       base  = walk_away_stress_delta, twice that for an abandoned confrontation
       delta = base + base * min(stress, threshold) // threshold

   so that a character at or above its stress threshold takes it twice as hard; with a threshold of
   0 it always does.
4. *memory*: what an abandoned confrontation took is never given back by a character with
   ``permanent_confrontation_memory``, and never stops counting.

A completed conversation does two things:

* *drift*: it adds 20 thousandths to the standing. One that had been a confrontation adds nothing,
  and nothing drifts while the relationship is hostile: small talk does not end that.
* *forgiveness*: with the third completed conversation in a row since the last walk-away the
  character forgives. What can be given back is given back, and the walk-aways so far no longer count
  against the threshold. The marks of past confrontations stay.

Source: the interaction-memory spec section 8.1, 9.2; IM-M2, IM-M8.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from talebearer.errors import UsageFault
from talebearer.memory._events import Event, EventDraft
from talebearer.memory._facts import STANDING_MAX, InteractionMetadata
from talebearer.memory._fold import related_by
from talebearer.memory._mind import Mind
from talebearer.memory._setters import opened, setters
from talebearer.memory._state import Cause
from talebearer.memory._tolerance import Tolerance
from talebearer.vocabulary import EventKind, InteractionState, RelationshipState

FORGIVEN_AFTER_COUNT = 3
DRIFT_THOUSANDTHS = 20

# Looking a member up in its class costs more than comparing it.
_COMPLETED = EventKind.INTERACTION_COMPLETED
_WALKED_OUT = (EventKind.INTERACTION_WALKED_AWAY, EventKind.INTERACTION_CONFLICT_ABANDONED)
_STANDING_CHANGED = EventKind.STANDING_CHANGED
_STRESS_CHANGED = EventKind.STRESS_CHANGED
_ENDED_WELL = InteractionState.COMPLETED
_UNKNOWN = RelationshipState.UNKNOWN
_HOSTILE = RelationshipState.HOSTILE


@dataclass(frozen=True, slots=True, init=False)
class Step:
    """One step of the process.

    Attributes:
        name: ``threshold``, ``relationship``, ``stress``, ``memory``, ``drift``, ``forgiveness``.
        changed: Whether it changes anything.
        text: What was found and decided, in words.
        details: The numbers behind it.
    """

    name: str
    changed: bool
    text: str
    details: Mapping[str, int | bool | str]

    def __init__(
        self, *, name: str, changed: bool, text: str, details: Mapping[str, int | bool | str]
    ) -> None:
        _step_name(self, name)
        _step_changed(self, changed)
        _step_text(self, text)
        _step_details(self, details)

    def as_json(self) -> dict[str, Any]:
        """Return the step as a JSON object."""
        return {
            "name": self.name,
            "changed": self.changed,
            "text": self.text,
            "details": dict(self.details),
        }


_step_name, _step_changed, _step_text, _step_details = setters(Step)
_OpenStep = opened(Step)


def _step_of(name: str, changed: bool, text: str, details: Mapping[str, int | bool | str]) -> Step:
    """Return what the constructor does, in a third of the time."""
    made = _OpenStep()
    made.name = name
    made.changed = changed
    made.text = text
    made.details = details
    made.__class__ = Step
    step: Step = made
    return step


@dataclass(frozen=True, slots=True, init=False)
class Consequences:
    """What follows from the end of one conversation.

    Attributes:
        target: With whom it was.
        steps: Every step, those that change nothing too.
        drafts: The events to append: the standing to the mind's log, stress to the character's.
        standing: Before and after, in thousandths.
        relationship: Before and after.
        stress: The character's, before and after.
    """

    target: str
    steps: tuple[Step, ...]
    drafts: tuple[EventDraft, ...]
    standing: tuple[int, int]
    relationship: tuple[RelationshipState, RelationshipState]
    stress: tuple[int, int]

    def __init__(
        self,
        *,
        target: str,
        steps: tuple[Step, ...] = (),
        drafts: tuple[EventDraft, ...] = (),
        standing: tuple[int, int],
        relationship: tuple[RelationshipState, RelationshipState],
        stress: tuple[int, int],
    ) -> None:
        _set_target(self, target)
        _set_steps(self, steps)
        _set_drafts(self, drafts)
        _set_standing(self, standing)
        _set_relationship(self, relationship)
        _set_stress(self, stress)

    def as_json(self) -> dict[str, Any]:
        """Return everything as a JSON object."""
        return {
            "target": self.target,
            "steps": [step.as_json() for step in self.steps],
            "drafts": [draft.as_json() for draft in self.drafts],
            "standing": list(self.standing),
            "relationship": [state.value for state in self.relationship],
            "stress": list(self.stress),
        }


(
    _set_target,
    _set_steps,
    _set_drafts,
    _set_standing,
    _set_relationship,
    _set_stress,
) = setters(Consequences)
_OpenConsequences = opened(Consequences)


def consequences(
    mind: Mind, tolerance: Tolerance | Callable[[], Tolerance], event: Event, *, stress: int = 0
) -> Consequences:
    """Return what follows from *event*, which *mind* has just taken in.

    The character that the conversation was with takes offence; further participants do not. Asking
    twice about one event gives drafts that change nothing the second time.

    Args:
        mind: The mind whose side ended the conversation, with *event* applied, and nothing later.
        tolerance: The character's patience, or what gives it; most conversations that end well do
            not ask.
        event: The end of the conversation; every other event has no consequences.
        stress: The character's stress now, 0 to 32767: its own mind's ``stress``.

    Raises:
        UsageFault: The mind has not taken *event* in, or *tolerance* is somebody else's (TB111).
    """
    target = str(event.data.get("target", ""))
    if event.sequence >= mind.next_sequence(event.stream):
        raise UsageFault(
            f"{mind.mind_id} has not taken in {event.kind} {event.stream} {event.sequence}",
            hint="apply the event first",
        )
    work = _Work(mind, tolerance, event, target, stress)
    if event.kind in _WALKED_OUT or event.kind is _COMPLETED:
        if isinstance(tolerance, Tolerance):
            work.given(tolerance)
        work.run()
    return work.result()


class _Work:
    """The steps of one event, and what they have found so far."""

    def __init__(
        self,
        mind: Mind,
        tolerance: Tolerance | Callable[[], Tolerance],
        event: Event,
        target: str,
        stress: int,
    ) -> None:
        self.mind = mind
        self._tolerance = tolerance
        self.event = event
        self.target = target
        self.stress = stress
        self.stress_after = stress
        state = mind._state
        entity = state.entities.get(target)
        self.before = _UNKNOWN if entity is None else entity.relationship_state
        self.standing = self.standing_after = 0 if entity is None else entity.standing
        self._history = state.histories.get(target)
        self.steps: list[Step] = []
        self.drafts: list[EventDraft] = []

    @property
    def tolerance(self) -> Tolerance:
        """The character's patience, asked for when it first counts."""
        if not isinstance(self._tolerance, Tolerance):
            self._tolerance = self.given(self._tolerance())
        return self._tolerance

    def given(self, tolerance: Tolerance) -> Tolerance:
        """Return *tolerance*, which has to be the target's."""
        if self.target.rpartition(":")[2] != tolerance.slug:
            raise UsageFault(f"the tolerance of {tolerance.slug} is not the one of {self.target}")
        return tolerance

    def run(self) -> None:
        if self.event.kind is _COMPLETED:
            self._drift()
            self._forgive()
        elif self.event.data.get("by") == "other":
            text = f"{self.target} walked out itself, so it takes no offence"
            self._step("threshold", False, text, by="other")
        else:
            self._walk_away()

    def result(self) -> Consequences:
        after = self.before
        if self.standing_after != self.standing:
            after = related_by(self.standing_after, self.before)
        made = _OpenConsequences()
        made.target = self.target
        made.steps = tuple(self.steps)
        made.drafts = tuple(self.drafts)
        made.standing = (self.standing, self.standing_after)
        made.relationship = (self.before, after)
        made.stress = (self.stress, self.stress_after)
        made.__class__ = Consequences
        found: Consequences = made
        return found

    # --- walk-aways ----------------------------------------------------------------------------

    def _walk_away(self) -> None:
        walk = self.tolerance.walk_away
        abandoned = self.event.kind is EventKind.INTERACTION_CONFLICT_ABANDONED
        permanent = abandoned and walk.permanent_confrontation_memory
        count = self.mind.graph.walk_away_count_from(self.target)
        count -= min(self.mind.forgiven_walk_aways(self.target), count)
        beyond = count > walk.walk_away_threshold
        self._step(
            "threshold",
            False,
            f"walk-away {count} of {walk.walk_away_threshold} that {self.target} puts up with"
            + (": too many" if beyond else ""),
            count=count,
            threshold=walk.walk_away_threshold,
            beyond=beyond,
        )
        self._penalty(beyond, forgivable=not permanent)
        self._stress(abandoned)
        self._remember(abandoned, permanent=permanent, beyond=beyond)

    def _penalty(self, beyond: bool, *, forgivable: bool) -> None:
        penalty = self.tolerance.walk_away.walk_away_penalty
        if not beyond:
            self._step("relationship", False, "within what it puts up with: no penalty", penalty=0)
            return
        self._move_standing(
            "relationship",
            "walk_away",
            -penalty,
            f"one walk-away too many costs {penalty}",
            forgivable=forgivable,
        )

    def _stress(self, abandoned: bool) -> None:
        threshold = self.tolerance.strain.threshold
        base = self.tolerance.walk_away.walk_away_stress_delta * (2 if abandoned else 1)
        delta = stress_delta(base, stress=self.stress, threshold=threshold)
        self.stress_after = min(self.stress + delta, 2**15 - 1)
        strained = self.tolerance.strain.strained_at(self.stress_after)
        text = (
            f"stress {self.stress} of {threshold} makes {base} into {delta}: now {self.stress_after}"
            + (", more than it bears" if strained else "")
        )
        numbers = {
            "base": base,
            "delta": delta,
            "before": self.stress,
            "after": self.stress_after,
            "threshold": threshold,
            "strained": strained,
        }
        self._step("stress", delta > 0, text, **numbers)
        if delta > 0:
            self._draft(_STRESS_CHANGED, "walk_away", text, numbers, delta=delta)

    def _remember(self, abandoned: bool, *, permanent: bool, beyond: bool) -> None:
        if not abandoned:
            text = "no confrontation was abandoned"
        elif permanent:
            text = "an abandoned confrontation, which it never forgives"
        else:
            text = "an abandoned confrontation, which it may forgive"
        self._step("memory", permanent and beyond, text, abandoned=abandoned, permanent=permanent)

    # --- completed conversations ---------------------------------------------------------------

    def _drift(self) -> None:
        last = self._ended_now()
        if last is not None and last.confrontation:
            self._step("drift", False, "it had been a confrontation: nothing drifts", delta=0)
        elif self.before is _HOSTILE:
            self._step("drift", False, "hostile: a conversation does not mend that", delta=0)
        elif self.standing >= STANDING_MAX:
            self._step("drift", False, "they cannot be on better terms", delta=0)
        else:
            text = f"a conversation that ended well is worth {DRIFT_THOUSANDTHS}"
            self._move_standing("drift", "conversation", DRIFT_THOUSANDTHS, text)

    def _ended_now(self) -> InteractionMetadata | None:
        """Return the conversation that the event ended: the latest to end at its tick."""
        tick = self.event.tick
        for item in self._latest_first():
            if item.ended_tick == tick and item.interaction_state is _ENDED_WELL:
                return item
        return None

    def _forgive(self) -> None:
        plain = 0
        if self._history is not None and self._history.walked:
            permanent = self.tolerance.walk_away.permanent_confrontation_memory
            plain = sum(
                item.walked_away and not (permanent and item.confrontation)
                for item in self._latest_first()
            )
        bond = self.mind._state.bonds.get(self.target)
        open_count = plain if bond is None else plain - min(bond.forgiven, plain)
        grudge = 0 if bond is None else bond.grudge
        if not open_count and not grudge:
            self._step("forgiveness", False, "there is nothing to forgive", grudge=0, count=0)
            return
        row = 0
        for item in self._latest_first():
            if item.ended_tick is None:
                continue
            if item.interaction_state is not _ENDED_WELL:
                break
            row += 1
        text = f"{row} of {FORGIVEN_AFTER_COUNT} good conversations since the last walk-away"
        numbers = {"row": row, "needed": FORGIVEN_AFTER_COUNT, "grudge": grudge, "count": plain}
        if row < FORGIVEN_AFTER_COUNT:
            self._step("forgiveness", False, text, **numbers)
            return
        text += f": forgiven, {grudge} given back"
        self._step("forgiveness", True, text, **numbers)
        self._draft(
            EventKind.WALK_AWAYS_FORGIVEN,
            "forgiveness",
            text,
            numbers,
            target=self.target,
            count=plain,
        )
        self.standing_after = min(self.standing_after + grudge, STANDING_MAX)

    def _latest_first(self) -> Iterator[InteractionMetadata]:
        """Yield the conversations with the target, the one that began last first."""
        facts = self.mind._state.facts
        for name in () if self._history is None else reversed(self._history.names):
            metadata = facts[name].metadata
            assert metadata is not None, name
            yield metadata

    # --- the result ----------------------------------------------------------------------------

    def _move_standing(
        self, step: str, code: str, delta: int, why: str, *, forgivable: bool = False
    ) -> None:
        before = self.standing_after
        after = min(max(before + delta, -STANDING_MAX), STANDING_MAX)
        if self._followed():
            self._step(step, False, f"{why}, and that has been counted already", delta=0)
            return
        self.standing_after = after
        text = f"{why}: standing {before} to {after}"
        numbers = {"delta": delta, "before": before, "after": after}
        self._step(step, True, text, **numbers)
        more: dict[str, Any] = {"forgivable": True} if forgivable else {}
        self._draft(_STANDING_CHANGED, code, text, numbers, target=self.target, delta=delta, **more)

    def _followed(self) -> bool:
        """Whether a change of standing has followed from the event before."""
        state = self.mind._state
        cause = Cause(_STANDING_CHANGED, self.target, state.mind_id, self.event.stream)
        return self.event.sequence <= state.causes.get(cause, 0)

    def _step(self, name: str, changed: bool, text: str, **details: int | bool | str) -> None:
        self.steps.append(_step_of(name, changed, text, details))

    def _draft(
        self, kind: EventKind, code: str, text: str, details: Mapping[str, Any], **data: Any
    ) -> None:
        stress = kind is _STRESS_CHANGED
        cause = {
            "mind": self.mind._state.mind_id,
            "stream": self.event.stream,
            "sequence": self.event.sequence,
        }
        reason = {"code": code, "text": text, "details": dict(details)}
        whose = self.target if stress else self.mind._state.mind_id
        data["reason"], data["cause"] = reason, cause
        self.drafts.append(EventDraft.of(whose, kind, data, self.event.provenance))


def stress_delta(base: int, *, stress: int, threshold: int) -> int:
    """Return the stress that a walk-away adds: *base* for the calm, up to twice that.

    ``base + base * min(stress, threshold) // threshold``; twice *base* where *threshold* is 0.

    Source: the interaction-memory spec section 8.1; IM-M8.
    """
    return base + (base * min(stress, threshold) // threshold if threshold else base)
