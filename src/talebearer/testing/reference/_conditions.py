"""Conditions, read member by member."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from talebearer.memory import Event, KnowledgeGraph
from talebearer.testing.reference._plain import (
    OPERATORS,
    Moment,
    Row,
    aged,
    compares,
    places_of,
    written_for,
)

if TYPE_CHECKING:  # the selector asks this module
    from talebearer.testing.reference._selector import ReferenceSelector

_CONFIDENCES = ("suspects", "knows_of", "knows_details", "direct")
_RELATIONSHIPS = ("unknown", "known", "friendly", "person_of_interest", "hostile")
_MILLION = 1_000_000


class Asking:
    """One condition, asked of one line in one moment."""

    def __init__(
        self,
        selector: ReferenceSelector,
        row: Row,
        moment: Moment,
        *,
        name: str,
        places: Mapping[int, int],
    ) -> None:
        self._all = selector
        self._row = row
        self._moment = moment
        self._name = name
        self.places_of = places

    @property
    def _graph(self) -> KnowledgeGraph:
        return self._all.graphs[self._all.mind]

    def holds(self, condition: Mapping[str, Any]) -> bool:
        """Return whether every member of *condition* holds."""
        return all(
            getattr(self, f"_{member}_hold")(value, condition)
            for member, value in condition.items()
        )

    # members made of conditions

    def _all_of_hold(self, parts: Any, _: Any) -> bool:
        return all(self.holds(part) for part in parts)

    def _any_of_hold(self, parts: Any, _: Any) -> bool:
        return any(self.holds(part) for part in parts)

    def _not_hold(self, part: Any, _: Any) -> bool:
        return not self.holds(part)

    def _conditions_hold(self, names: Any, _: Any) -> bool:
        return all(self._named_holds(name) for name in names)

    def _named_holds(self, name: str) -> bool:
        condition = self._all.pack.get("conditions", {}).get(name)
        if condition is None:
            return False
        places = places_of(condition)
        return Asking(self._all, self._row, self._moment, name=name, places=places).holds(condition)

    def _chance_hold(self, parts_per_million: int, condition: Any) -> bool:
        place = self.places_of[id(condition)]
        number = self._all.number(self._moment, "chance", *self._row.first_key, self._name, place)
        return (number * _MILLION) >> 64 < parts_per_million

    # members about what is known

    def _facts_hold(self, gates: Any, _: Any) -> bool:
        return all(self._fact_holds(gate) for gate in gates)

    def _fact_holds(self, gate: Mapping[str, Any]) -> bool:
        fact_id = gate["fact_id"]
        fact = self._graph.fact(fact_id)
        if fact is not None and fact.state.value != gate.get("fact_state", "active"):
            fact = None
        if gate.get("absent"):
            automatic = fact_id.startswith(("interaction.", "gossip."))
            return fact is None and (automatic or fact_id in self._all.pack["facts"])
        if fact is None:
            return False
        rank = _CONFIDENCES.index(fact.confidence.value)
        if "min_confidence" in gate:
            return rank >= _CONFIDENCES.index(gate["min_confidence"])
        return rank == _CONFIDENCES.index(gate["confidence"])

    def _gossip_hold(self, gates: Any, _: Any) -> bool:
        return all(self._story_heard(gate) for gate in gates)

    def _story_heard(self, gate: Mapping[str, Any]) -> bool:
        for fact in self._graph.facts.values():
            told = fact.gossip
            if told is None or fact.state.value != "active":
                continue
            if told.about != gate["about"] or gate.get("target") not in (None, told.target):
                continue
            wanted = gate.get("state")
            ended = told.interaction_state
            if (
                wanted is None
                or (wanted == "confrontation" and told.confrontation)
                or (ended is not None and ended.value == wanted)
            ):
                return True
        return False

    def _entity_attributes_hold(self, gates: Any, _: Any) -> bool:
        return all(self._attribute_holds(gate) for gate in gates)

    def _attribute_holds(self, gate: Mapping[str, Any]) -> bool:
        entity = self._graph.entity(gate["entity"])
        if entity is None:
            return False
        profile = self._all.pack["profiles"].get(gate["entity"].partition(":")[2], {})
        seen = {**profile.get("attributes", {}), **entity.attributes}
        found = seen.get(gate["key"])
        bounds = {sign: gate[sign] for sign in OPERATORS if sign in gate}
        wants_number = not isinstance(next(iter(bounds.values())), str | bool)
        if wants_number and isinstance(found, str):
            plain = re.fullmatch(r"-?[0-9]{1,15}(\.[0-9]{1,15})?", found)
            found = float(found) if plain else found
        return compares(found, bounds)

    def _relationships_hold(self, gates: Any, _: Any) -> bool:
        for gate in gates:
            entity = self._graph.entity(gate["target"])
            now = "unknown" if entity is None else entity.relationship_state.value
            if "states" in gate:
                met = now in gate["states"]
            else:
                met = _RELATIONSHIPS.index(now) >= _RELATIONSHIPS.index(gate["state"])
            if not met:
                return False
        return True

    def _interactions_hold(self, gates: Any, _: Any) -> bool:
        return all(self._history_holds(gate) for gate in gates)

    def _history_holds(self, gate: Mapping[str, Any]) -> bool:
        wanted = gate.get("state")
        found = [
            one
            for one in self._graph.interactions_with(gate["target"])
            if wanted is None
            or (one.confrontation if wanted == "confrontation" else one.interaction_state == wanted)
        ]
        if not compares(len(found), gate.get("count", {">=": 1})):
            return False
        if "within" not in gate and "older_than" not in gate:
            return True
        ticks = [one.started_tick if one.ended_tick is None else one.ended_tick for one in found]
        return bool(ticks) and aged(self._moment.tick - max(ticks), gate)

    # members about what lines wrote

    def _written(self, noun: str, kinds: str, name: str) -> Iterator[Event] | None:
        """Yield the events that wrote *name* in its scope; None when nobody declared it."""
        declared = self._all.pack.get("state", {}).get(kinds, {}).get(name)
        if declared is None:
            return None
        kind = {"timer": "timer_stamped", "counter": "counter_added", "value": "value_set"}[noun]
        mind, owner = self._all.owner(declared["scope"], self._row, self._moment)
        return (
            event
            for event in self._all.logs[mind]
            if event.kind.value == kind and event.data[noun] == name and self._owns(event, owner)
        )

    def _owns(self, event: Event, owner: Mapping[str, str]) -> bool:
        of = {
            name: event.data[name] for name in ("character", "pool", "line") if name in event.data
        }
        if "pool" in of:
            path, line_id = self._all.now_named(of["pool"], of["line"])
            of = {**of, "pool": path, "line": line_id}
        return of == owner

    def _timers_hold(self, gates: Any, _: Any) -> bool:
        for gate in gates:
            written = self._written("timer", "timers", gate["timer"])
            if written is None:
                return False
            ticks = [event.tick for event in written]
            if gate.get("never"):
                met = not ticks
            else:
                met = bool(ticks) and aged(self._moment.tick - max(ticks), gate)
            if not met:
                return False
        return True

    def _counters_hold(self, gates: Any, _: Any) -> bool:
        for gate in gates:
            written = self._written("counter", "counters", gate["counter"])
            if written is None:
                return False
            declared = self._all.pack["state"]["counters"][gate["counter"]]
            total = declared.get("initial", 0) + sum(event.data["by"] for event in written)
            if not compares(total, gate):
                return False
        return True

    def _values_hold(self, gates: Any, _: Any) -> bool:
        for gate in gates:
            written = self._written("value", "values", gate["value"])
            if written is None:
                return False
            declared = self._all.pack["state"]["values"][gate["value"]]
            last = {written_for(event): event.data["to"] for event in written}
            # Under the line's own name first, then under its former ones.
            names = sorted(last, key=lambda name: (name != self._row.key, name))
            found = last[names[0]] if names else declared.get("initial")
            if not compares(found, gate):
                return False
        return True

    # members about the moment

    def _event_hold(self, fields: Any, _: Any) -> bool:
        triggers = self._all.pack.get("triggers", {})
        trigger = self._moment.trigger
        asked = triggers.values() if trigger is None else [triggers.get(trigger, {})]
        declared = {name for one in asked for name in one.get("fields", {})}
        return all(
            name in declared and compares(self._moment.event.get(name), bounds)
            for name, bounds in fields.items()
        )

    def _reply_to_hold(self, gate: Any, _: Any) -> bool:
        said = [one for one in self._all.heard[self._all.mind] if one.character]
        if not said:
            return False
        last = said[-1]
        if "character" in gate:
            met = last.character == gate["character"]
        else:
            path, _, line_id = gate["line"].rpartition("#")
            met = last.key == self._all.now_named(path, line_id)
        age = self._moment.tick - last.tick
        return bool(met and gate.get("after", 0) <= age <= gate.get("within", age))
