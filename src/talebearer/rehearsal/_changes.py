"""What happened to minds: the difference between what they knew before and what they know now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from talebearer.campaign.plans import MadeUpMinds
from talebearer.memory import Mind

KINDS = (
    "fact",
    "gossip",
    "relationship",
    "standing",
    "stress",
    "attribute",
    "interaction",
    "counter",
    "value",
    "timer",
    "heard",
)
"""Kinds of change, in the order in which they are told."""

Known = str | int | float | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that a mind knows otherwise.

    Attributes:
        kind: One of :data:`KINDS`.
        name: What it is: a fact id, a character, an interaction id, a cell, a line.
        before: What was known, None for nothing.
        after: What is known now.
    """

    kind: str
    name: str
    before: Known
    after: Known

    def as_json(self) -> dict[str, Any]:
        """Return the change as a JSON object."""
        return {"kind": self.kind, "name": self.name, "before": self.before, "after": self.after}


@dataclass(frozen=True, slots=True, kw_only=True)
class MindChanges:
    """What changed in one mind.

    Attributes:
        mind: Its id.
        changes: By kind and name.
    """

    mind: str
    changes: tuple[Change, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the changes as a JSON object."""
        return {"mind": self.mind, "changes": [one.as_json() for one in self.changes]}


def changes_between(before: MadeUpMinds, after: MadeUpMinds) -> tuple[MindChanges, ...]:
    """Return what *after* knows otherwise than *before*, the minds with changes by their ids."""
    found = []
    for mind in after.ids():
        old, new = dict(_known(before.get(mind))), dict(_known(after.get(mind)))
        changes = [
            Change(kind=key[0], name=key[1], before=old.get(key), after=new.get(key))
            for key in old.keys() | new.keys()
            if old.get(key) != new.get(key)
        ]
        if changes:
            changes.sort(key=lambda one: (KINDS.index(one.kind), one.name))
            found.append(MindChanges(mind=mind, changes=tuple(changes)))
    return tuple(found)


def _known(mind: Mind) -> Iterator[tuple[tuple[str, str], Known]]:
    """Yield everything that a mind knows, as kind, name and what is known."""
    graph = mind.graph
    for fact_id, fact in graph.facts.items():
        if fact.metadata is not None:
            state = fact.metadata.interaction_state.value
            confronted = fact.metadata.confrontation and state != "confrontation"
            yield ("interaction", fact_id), f"{state}, confronted" if confronted else state
        elif fact.gossip is not None:
            yield ("gossip", fact_id), fact.confidence.value
        else:
            held = fact.confidence.value
            active = fact.state.value == "active"
            yield ("fact", fact_id), held if active else f"{held}, {fact.state.value}"
    for name, entity in graph.entities.items():
        yield ("relationship", name), entity.relationship_state.value
        yield ("standing", name), entity.standing
        for key, value in entity.attributes.items():
            yield ("attribute", f"{name} {key}"), value
    yield ("stress", mind.mind_id), mind.stress
    for kind, cell, held_value in graph.cells:
        yield (kind, " ".join(part for part in cell if part)), held_value
    for (character, pool, line), heard in graph.heard.items():
        whose = f" ({character})" if character else ""
        yield ("heard", f"{pool}#{line}{whose}"), heard.times
