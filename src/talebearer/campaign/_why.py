"""Why: from a line, fact, interaction or occurrence back to what proves it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from talebearer.campaign._quotes import quote_units
from talebearer.campaign.records import KNOWLEDGE, Book, Minds, StoredOccurrence, ids, values
from talebearer.campaign.review import Decision, decision_text, read_decision
from talebearer.campaign.views import Evidence, Quote
from talebearer.errors import UnknownReference, did_you_mean
from talebearer.lines import DialogueLine, MonologueLine, MonologuePool, Pack, Selector
from talebearer.memory import EntityKnowledge, Event, FactKnowledge, Mind, Provenance
from talebearer.transcripts import Transcript, format_time
from talebearer.vocabulary import INTERACTION_ID, EventKind, fullmatch

WORLD = "world"
OCCURRENCE_PREFIX = "occurrence:"
DECISION_PREFIX = "decision:"
NUMBER_DIGITS_MAX = 9
UNITS_SHOWN_MAX = 8
RECEIPTS_SHOWN_MAX = 6
GATE_FACTS_MAX = 8
WRITES_SHOWN_MAX = 4
_WRITES = {
    "counter": (EventKind.COUNTER_ADDED, "counter"),
    "value": (EventKind.VALUE_SET, "value"),
    "timer": (EventKind.TIMER_STAMPED, "timer"),
}


@dataclass(frozen=True, slots=True)
class Investigator:
    """Answers "why" from the book and the pack.

    Attributes:
        book: The campaign's records.
        minds: The campaign's minds.
        pack: The compiled content.
        heard_only: Whether a line that nobody heard is unknown, as it is to players.
    """

    book: Book
    minds: Minds
    pack: Pack
    heard_only: bool = False

    def why(self, reference: str, *, mind: str) -> Evidence:
        """Return the chain of evidence behind *reference*.

        Args:
            reference: An occurrence id, a fact or interaction id, ``decision:NUMBER``, or
                ``POOL:LINE``; the pool's path may be shortened to its end, and left out where the
                line id is unique.
            mind: Whose facts and lines are meant.

        Raises:
            UnknownReference: Nothing has that id (TB113).
        """
        if not isinstance(reference, str):
            raise UnknownReference(f"{reference!r} is no reference", hint="give an id as text")
        if reference.startswith(OCCURRENCE_PREFIX):
            item = self.book.occurrence(reference)
            if item is not None:
                return self._occurrence(item)
        if reference.startswith(DECISION_PREFIX):
            decided = self._decided(reference.removeprefix(DECISION_PREFIX))
            if decided is not None:
                return decided
        known = self.minds.get(mind)
        fact = known.graph.fact(reference)
        if fact is not None:
            return self._fact(known, reference, fact)
        line = self._find_line(reference)
        if line is not None:
            return self._line(known, line[0], line[1].id, line=line[1])
        former = self._heard_line(known, reference)
        if former is not None:
            pool, line_id = self._now(*former)
            there = self.pack.find(pool, line_id) is not None
            now = self.pack.line(pool, line_id) if there else None
            return self._line(known, pool, line_id, line=now)
        raise self._unknown(reference, known)

    def _decided(self, number: str) -> Evidence | None:
        """Return a decision by its number, with the occurrences that it made what they are."""
        if not number.isascii() or not number.isdigit() or len(number) > NUMBER_DIGITS_MAX:
            return None
        version = self.book.find(KNOWLEDGE, ids.decision_id(int(number)))
        if version is None:
            return None
        about = [item for item in self.book.occurrences() if int(number) in item.decisions]
        children = [self._occurrence(item) for item in about[:RECEIPTS_SHOWN_MAX]]
        decision = _decision(read_decision(values.content_of(version.value)))
        return replace(decision, children=tuple(children))

    def _unknown(self, reference: str, mind: Mind) -> UnknownReference:
        candidates: list[str] = [*mind.graph.facts]
        candidates += [item.id for item in self.book.occurrences()]
        candidates += [line.id for pool in self._pools() for line in pool.lines]
        declared = self.pack.facts.get(reference)
        if declared is not None:
            return UnknownReference(
                f"{mind.mind_id} does not know {reference} ({declared})",
                hint="the catalogue has it, but nothing has told it yet",
            )
        hint = did_you_mean(reference, candidates, otherwise="see `talebearer recall NAME`")
        return UnknownReference(f"nothing is called {reference!r}", hint=hint)

    # --- lines ---------------------------------------------------------------------------------

    def _pools(self) -> list[Any]:
        return [*self.pack.dialogue_pools, *self.pack.monologue_pools]

    def _find_line(self, reference: str) -> tuple[str, DialogueLine | MonologueLine] | None:
        path, _, line_id = reference.rpartition(":")
        found = [
            (pool.path, line)
            for pool in self._pools()
            if not path or pool.path == path or pool.path.endswith(f"/{path}")
            for line in pool.lines
            if line.id == line_id
        ]
        if len(found) > 1:
            raise UnknownReference(
                f"{reference!r} is in {len(found)} pools",
                hint="; ".join(f"{pool}:{line.id}" for pool, line in found[:6]),
            )
        return found[0] if found else None

    def _now(self, pool: str, line_id: str) -> tuple[str, str]:
        """Return the key that a line has now; its own when nothing knows it."""
        found = self.pack.find(pool, line_id)
        return (pool, line_id) if found is None else (found[0].path, found[0].ids[found[1]])

    def _heard_line(self, mind: Mind, reference: str) -> tuple[str, str] | None:
        """Return pool and id under which a line was said that has them no longer."""
        path, _, line_id = reference.rpartition(":")
        for event, _pick in reversed(self.minds.log(mind.mind_id)):
            if event.kind == EventKind.LINE_FIRED and event.data["line"] == line_id:
                pool: str = event.data["pool"]
                if not path or pool == path or pool.endswith(f"/{path}"):
                    return pool, line_id
        return None

    def _line(
        self, mind: Mind, pool: str, line_id: str, *, line: DialogueLine | MonologueLine | None
    ) -> Evidence:
        reference = f"{pool}:{line_id}"
        firings = [
            (event, pick)
            for event, pick in self.minds.log(mind.mind_id)
            if event.kind == EventKind.LINE_FIRED
            and self._now(event.data["pool"], event.data["line"]) == (pool, line_id)
        ]
        if not firings:
            assert line is not None, "a line that is gone was found by its firing"
            if self.heard_only:
                raise UnknownReference(f"{mind.mind_id} has not heard {reference!r}")
            selector = Selector(self.pack, mind, seed=0, world=self.minds.get(WORLD))
            looked = selector.look(pool, line_id, speaker=self._speaker(pool), tick=mind.tick)
            asks = [self._gate(mind, gate.as_json()) for gate in looked]
            return Evidence(
                kind="line",
                id=reference,
                text=f"“{line.text}” has not been said to {mind.mind_id} yet",
                children=tuple(asks),
            )
        event, pick = firings[-1]
        pick = pick or {}
        heard = self.pack.heard_text(pool, line_id, event.data.get("variant"))
        said = heard if line and heard else pick.get("verdict", {}).get("text", line_id)
        times = "once" if len(firings) == 1 else f"{len(firings)} times"
        gone = "" if line else "; the content no longer has it"
        return Evidence(
            kind="line",
            id=reference,
            text=f"“{said}” was chosen at tick {event.tick} ({times} so far{gone})",
            children=tuple(self._pick(mind, pick)),
        )

    def _speaker(self, path: str) -> str:
        """Return who speaks from a pool, as far as the pool alone says."""
        pool = self.pack.pool(path)
        return pool.character if isinstance(pool, MonologuePool) else pool.stem

    def _pick(self, mind: Mind, pick: Mapping[str, Any]) -> Iterable[Evidence]:
        verdict = pick.get("verdict", {})
        scene = {key: value for key, value in pick.get("scene", {}).items() if value}
        if scene:
            text = ", ".join(f"{key} {_words(value)}" for key, value in scene.items())
            yield Evidence(kind="scene", text=f"the scene: {text}")
        for gate in verdict.get("gates", ()):
            yield self._gate(mind, gate)
        chance = verdict.get("probability")
        if chance is not None:
            score = verdict.get("score")
            matched = "" if score is None else f"topic and mood score {score}; "
            yield Evidence(
                kind="draw", text=f"the draw: {matched}chance {chance:.0%} among the eligible lines"
            )

    def _gate(self, mind: Mind, gate: Mapping[str, Any]) -> Evidence:
        children: list[Evidence] = []
        for fact_id in gate.get("fact_ids", ())[:GATE_FACTS_MAX]:
            fact = mind.graph.fact(fact_id)
            if fact is not None:
                children.append(self._fact(mind, fact_id, fact))
        if not children:
            for ref in gate.get("entities", ()):
                entity = mind.graph.entity(ref)
                if entity is not None:
                    children.append(self._entity(entity))
        for cell in gate.get("cells", ()):
            children.extend(self._written(*cell))
        for part in gate.get("parts", ()):
            children.append(self._gate(mind, part))
        met = "met" if gate["met"] else "not met"
        return Evidence(
            kind="gate",
            text=f"the gate “{gate['text']}” is {met}: {gate['found']}",
            children=tuple(children),
        )

    def _written(
        self, kind: str, owner: str, name: str, character: str, pool: str, line: str
    ) -> Iterable[Evidence]:
        """Say which lines wrote a counter, a value or a timer last, the newest first."""
        wanted, member = _WRITES[kind]
        cell = (name, character, pool, line)
        written = 0
        for event, pick in reversed(self.minds.log(owner)):
            data = event.data
            if event.kind is not wanted or cell != (
                data[member],
                data.get("character", ""),
                data.get("pool", ""),
                data.get("line", ""),
            ):
                continue
            written += 1
            if written > WRITES_SHOWN_MAX:
                yield Evidence(kind="event", text="and others before")
                return
            yield self._writer(kind, event, pick)

    def _writer(self, kind: str, event: Event, pick: Mapping[str, Any] | None) -> Evidence:
        what = {
            "counter": f"{event.data.get('by', 0):+d} on the counter {event.data.get('counter')}",
            "value": f"the value {event.data.get('value')} set to {event.data.get('to')}",
            "timer": f"the timer {event.data.get('timer')} stamped",
        }[kind]
        verdict = (pick or {}).get("verdict")
        if not verdict:
            return Evidence(kind="event", text=f"{what}, at tick {event.tick}")
        reference = f"{verdict['pool']}:{verdict['line_id']}"
        text = f"{what} by the line “{verdict['text']}”, at tick {event.tick}"
        return Evidence(kind="line", id=reference, text=text)

    # --- facts ---------------------------------------------------------------------------------

    def _fact(self, mind: Mind, fact_id: str, fact: FactKnowledge) -> Evidence:
        if fullmatch(INTERACTION_ID, fact_id) and fact.metadata is not None:
            return self._interaction(mind, fact_id, fact)
        via = fact.learned_via
        teller = via.payload.get("entity")
        how = f"told by {teller}" if teller else via.kind.value.replace("_", " ")
        about = self.pack.facts.get(fact_id)
        return Evidence(
            kind="fact",
            id=fact_id,
            text=f"{mind.mind_id} {fact.confidence} {about or fact_id}, {how}, tick "
            f"{fact.acquired_tick}",
            children=(*self._receipts(fact.provenance), *self._origin(mind, fact_id)),
        )

    def _interaction(self, mind: Mind, fact_id: str, fact: FactKnowledge) -> Evidence:
        meta = fact.metadata
        assert meta is not None, "the caller has looked"
        marks = ", after a confrontation" if meta.confrontation else ""
        place = "" if meta.location == "unknown" else f" at {meta.location}"
        span = f"tick {meta.started_tick}"
        span += f" to {meta.ended_tick}" if meta.ended_tick is not None else ", still running"
        children = [*self._receipts(fact.provenance)]
        if not children:
            children.append(Evidence(kind="event", text=f"played live, stream {fact.origin[0]}"))
        return Evidence(
            kind="interaction",
            id=fact_id,
            text=f"{mind.mind_id} and {meta.target_entity}{place}: {meta.interaction_state}{marks}, "
            f"{span}",
            children=tuple(children),
        )

    def _origin(self, mind: Mind, fact_id: str) -> Iterable[Evidence]:
        """Say which lines told a fact live, each once, in the order in which they did."""
        lines: dict[tuple[str, str], tuple[int, str]] = {}
        for event, pick in self.minds.log(mind.mind_id):
            verdict = (pick or {}).get("verdict")
            told = event.kind == EventKind.FACT_LEARNED and event.data["fact_id"] == fact_id
            if told and verdict:
                key = self._now(verdict["pool"], verdict["line_id"])
                lines.setdefault(key, (event.tick, verdict.get("text", key[1])))
        for (pool, line_id), (tick, said) in lines.items():
            gone = "" if self.pack.find(pool, line_id) else ", which the content no longer has"
            yield Evidence(
                kind="line",
                id=f"{pool}:{line_id}",
                text=f"from the line “{said}”, at tick {tick}{gone}",
            )

    def _entity(self, entity: EntityKnowledge) -> Evidence:
        return Evidence(
            kind="entity",
            id=entity.entity,
            text=f"{entity.entity} is {entity.relationship_state}, {entity.confidence}",
            children=tuple(self._receipts(entity.provenance)),
        )

    # --- the table -----------------------------------------------------------------------------

    def _receipts(self, receipts: Iterable[Provenance]) -> Iterable[Evidence]:
        listed = list(receipts)
        for receipt in listed[:RECEIPTS_SHOWN_MAX]:
            item = self.book.occurrence(receipt.occurrence)
            if item is not None:
                yield self._occurrence(item)
        if len(listed) > RECEIPTS_SHOWN_MAX:
            more = len(listed) - RECEIPTS_SHOWN_MAX
            yield Evidence(kind="occurrence", text=f"and {more} more occurrences")

    def _occurrence(self, item: StoredOccurrence) -> Evidence:
        record = self.book.session(item.session)
        assert record is not None, "an occurrence is dropped with its session"
        draft = f", draft by {item.extractor}" if item.draft else ""
        return Evidence(
            kind="occurrence",
            id=item.id,
            text=f"{item.kind.value} of {item.name} in {item.session}{draft}",
            children=(
                *self._decisions(item),
                Evidence(
                    kind="transcript",
                    id=record.digest,
                    text=f"{record.file}, {_ranges(item)}",
                    children=tuple(self._units(item)),
                ),
            ),
        )

    def _decisions(self, item: StoredOccurrence) -> Iterable[Evidence]:
        """Say what people decided on an occurrence or its name, in order."""
        for number in item.decisions:
            version = self.book.find(KNOWLEDGE, ids.decision_id(number))
            if version is not None:
                yield _decision(read_decision(values.content_of(version.value)))

    def _units(self, item: StoredOccurrence) -> Iterable[Evidence]:
        transcript = self.book.transcript(item.session)
        units = {
            unit.unit_id: unit
            for ref in item.source_refs
            for unit in transcript.quote(ref.start_unit_id, ref.end_unit_id)
        }
        cited = [units[unit_id] for unit_id in sorted(units)]
        head, tail = cited, []
        if len(cited) > UNITS_SHOWN_MAX:
            half = UNITS_SHOWN_MAX // 2
            head, tail = cited[:half], cited[-half:]
        yield from (_unit(transcript, quote) for quote in quote_units(head))
        if tail:
            more = len(cited) - UNITS_SHOWN_MAX
            yield Evidence(kind="unit", text=f"… {more} more units between")
            yield from (_unit(transcript, quote) for quote in quote_units(tail))


def _decision(decision: Decision) -> Evidence:
    return Evidence(kind="decision", id=f"decision:{decision.number}", text=decision_text(decision))


def _unit(transcript: Transcript, quote: Quote) -> Evidence:
    place = _place_in_file(transcript, quote.unit_id)
    time = f"[{quote.time}] " if quote.time else ""
    return Evidence(
        kind="unit",
        id=f"{transcript.source_id}#{quote.unit_id}",
        text=f"{time}{quote.unit_id} {quote.speaker or '?'}: {quote.text}{place}",
    )


def _place_in_file(transcript: Transcript, unit_id: int) -> str:
    """Say in which of a session's several files a unit stands, and when there."""
    file, start_s = transcript.file_of(unit_id), transcript.unit(unit_id).start_s
    if file is None:
        return ""
    when = "" if start_s is None else f" at {format_time(max(0.0, start_s - file.begins_s))}"
    return f" ({file.file}{when})"


def _ranges(item: StoredOccurrence) -> str:
    spans = [
        str(ref.start_unit_id)
        if ref.start_unit_id == ref.end_unit_id
        else f"{ref.start_unit_id}–{ref.end_unit_id}"
        for ref in item.source_refs
    ]
    return f"unit{'s' if len(spans) > 1 or '–' in spans[0] else ''} {', '.join(spans)}"


def _words(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
