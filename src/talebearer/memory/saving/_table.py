"""A snapshot with its conversations as a table, one list a column: small, and quick to read.

Everything that is like every other conversation stands in the table; what is not, and all other
facts, stands as a save has it. Repeated values stand once and are named by their place. Columns
that grow hold differences: ``started`` and ``sequence`` to the row before. Rows are in order of
(stream, sequence, fact id), so equal minds give equal tables.

Loading checks whole columns instead of single cells, and derives the rest as any save does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from operator import add
from typing import Any, TypeVar

from talebearer.errors import InvalidSave
from talebearer.memory import _checks, _played
from talebearer.memory._checks import INTEGER_MAX, Malformed
from talebearer.memory._facts import FactKnowledge, InteractionMetadata, Provenance, SourceRef
from talebearer.memory._fold import SEEN, interaction_id
from talebearer.memory._state import MindState, slot_of
from talebearer.memory.saving import _save
from talebearer.vocabulary import Confidence, FactState, InteractionState

_T = TypeVar("_T")

_STATES = tuple(InteractionState)
_CONFRONTATION, _PLAYER, _LEFT = 1, 2, 4
_COLUMNS = (
    "target",
    "number",
    "state",
    "started",
    "lasted",
    "topics",
    "flags",
    "location",
    "others",
    "stream",
    "sequence",
    "receipts",
)
_TABLES = ("targets", "topics", "locations", "others", "streams", "receipts")
_MEMBERS = frozenset({"columns", "tables"})
_MARKED = (InteractionState.CONFRONTATION, InteractionState.CONFLICT_ABANDONED)
_UNMARKED = (InteractionState.ACTIVE, InteractionState.WALKED_AWAY)
_HOLDS = FactState.ACTIVE
_DIRECT, _DETAILS = Confidence.DIRECT, Confidence.KNOWS_DETAILS


class _Places(dict[_T, int]):
    """Values by their place in a table; asking for one that is new puts it there."""

    def __missing__(self, value: _T) -> int:
        place = self[value] = len(self)
        return place


def encode(state: MindState) -> dict[str, Any]:
    """Return the snapshot of *state* in the form of a table."""
    value = _save.header(state)
    value["schema_version"] = _save.SCHEMA_VERSION
    value.update(_save.encode_extras(state))
    value.update(_played.encode(state))
    value["entities"] = {name: entity.as_json() for name, entity in state.entities.items()}
    plain: dict[str, Any] = {}
    rows: list[tuple[str, int, str, int, FactKnowledge]] = []
    for name, fact in state.facts.items():
        if _is_usual(fact):
            number = int(name.rpartition("_")[2])
            rows.append((fact.origin_stream, fact.origin_sequence, name, number, fact))
        else:
            plain[name] = fact.as_json()
    rows.sort(key=lambda row: row[:3])
    value["facts"] = plain
    value["interactions"] = _table(rows)
    return value


def _is_usual(fact: FactKnowledge) -> bool:
    metadata = fact.metadata
    return (
        metadata is not None
        and fact.confidence is (_DIRECT if metadata.ended_tick is None else _DETAILS)
        and fact.state is _HOLDS
        and fact.acquired_tick == metadata.started_tick
        and fact.learned_via == SEEN
    )


def _table(rows: Iterable[tuple[str, int, str, int, FactKnowledge]]) -> dict[str, Any]:
    targets: _Places[str] = _Places()
    topics: _Places[tuple[str, ...]] = _Places()
    locations: _Places[str] = _Places()
    others: _Places[tuple[str, ...]] = _Places()
    streams: _Places[str] = _Places()
    receipts: _Places[tuple[Provenance, ...]] = _Places()
    cells = []
    tick_before = sequence_before = 0
    for stream, sequence, _, number, fact in rows:
        metadata = fact.metadata
        assert metadata is not None, "a usual fact has metadata"
        started, ended = metadata.started_tick, metadata.ended_tick
        flags = (
            _CONFRONTATION * metadata.confrontation
            + _PLAYER * metadata.player_initiated
            + _LEFT * metadata.left_by_other
        )
        cells.append(
            (
                targets[metadata.target_entity],
                number,
                _STATES.index(metadata.interaction_state),
                started - tick_before,
                -1 if ended is None else ended - started,
                topics[metadata.topics],
                flags,
                locations[metadata.location],
                others[metadata.others],
                streams[stream],
                sequence - sequence_before,
                receipts[fact.provenance],
            )
        )
        tick_before, sequence_before = started, sequence
    columns = list(zip(*cells, strict=True)) or [()] * len(_COLUMNS)
    return {
        "columns": {name: list(column) for name, column in zip(_COLUMNS, columns, strict=True)},
        "tables": {
            "targets": list(targets),
            "topics": [list(item) for item in topics],
            "locations": list(locations),
            "others": [list(item) for item in others],
            "streams": list(streams),
            "receipts": [[receipt.as_json() for receipt in item] for item in receipts],
        },
    }


def decode(value: object) -> MindState:
    """Check *value* and return the state that it describes.

    Raises:
        InvalidSave: It is malformed, or newer than this version (TB116).
    """
    if not isinstance(value, dict) or "interactions" not in value:
        raise InvalidSave("the snapshot has no interactions")
    rest = {name: item for name, item in value.items() if name != "interactions"}
    state = _save.decode(rest)
    try:
        _add_rows(state, value["interactions"])
    except Malformed as fault:
        raise InvalidSave(str(fault.under("interactions")), data={"field": fault.field}) from None
    return state


def _add_rows(state: MindState, value: object) -> None:
    given = _checks.members(value, "", _MEMBERS)
    columns = _columns(given["columns"])
    tables = _tables(given["tables"], columns)
    _check_rows(state, columns, tables)
    targets, locations, others = tables["targets"], tables["locations"], tables["others"]
    streams, receipts = tables["streams"], tables["receipts"]
    topics = [state.topics.setdefault(item, item) for item in tables["topics"]]
    slugs = [_checks.slug_of_entity(target) for target in targets]
    for cells in zip(*(columns[name] for name in _COLUMNS), strict=True):
        target, number, how, started, lasted, about, flags, where, rest, stream, at, proof = cells
        metadata = InteractionMetadata(
            target_entity=targets[target],
            interaction_state=_STATES[how],
            started_tick=started,
            ended_tick=None if lasted < 0 else started + lasted,
            topics=topics[about],
            confrontation=flags & _CONFRONTATION != 0,
            player_initiated=flags & _PLAYER != 0,
            location=locations[where],
            others=others[rest],
            left_by_other=flags & _LEFT != 0,
        )
        fact = FactKnowledge(
            confidence=_DIRECT if lasted < 0 else _DETAILS,
            learned_via=SEEN,
            state=_HOLDS,
            acquired_tick=started,
            metadata=metadata,
            provenance=receipts[proof],
            origin=(streams[stream], at),
        )
        name = interaction_id(slugs[target], number)
        if name in state.facts:
            raise Malformed("columns.number", f"{name} stands here twice")
        if lasted < 0 and slot_of(fact) in state.running:
            raise Malformed("columns.lasted", f"{name} is in progress beside another")
        state.add_interaction(name, fact, number)
    for target, number in _highest(columns).items():
        state.raise_number(slugs[target], number)


def _highest(columns: Mapping[str, list[int]]) -> dict[int, int]:
    """Return the highest number of each target's place."""
    highest: dict[int, int] = {}
    for target, number in zip(columns["target"], columns["number"], strict=True):
        if number > highest.get(target, 0):
            highest[target] = number
    return highest


def _check_rows(
    state: MindState, columns: Mapping[str, list[int]], tables: Mapping[str, list[Any]]
) -> None:
    """Refuse rows that no sequence of events could have made, by the few ways that occur."""
    ended = map(add, columns["started"], columns["lasted"])
    _bound(list(ended), "lasted", -1, INTEGER_MAX)
    running = [lasted < 0 for lasted in columns["lasted"]]
    for how, flags, goes_on in set(zip(columns["state"], columns["flags"], running, strict=True)):
        _check_way(_STATES[how], flags, goes_on)
    for target, rest in set(zip(columns["target"], columns["others"], strict=True)):
        everybody = (tables["targets"][target], *tables["others"][rest], state.mind_id)
        if len(set(everybody)) != len(everybody):
            raise Malformed("columns.others", f"{_checks.show(everybody)} names somebody twice")
    older = [sequence == 0 for sequence in columns["sequence"]]
    for stream, unknown in set(zip(columns["stream"], older, strict=True)):
        if unknown is not (tables["streams"][stream] == ""):
            raise Malformed("columns.sequence", "0 goes with no stream, and no stream with 0")


def _check_way(state: InteractionState, flags: int, goes_on: bool) -> None:
    """Check one combination of state, marks and whether it goes on."""
    if state.in_progress is not goes_on:
        raise Malformed("columns.lasted", f"does not go with {state.value}")
    marked = flags & _CONFRONTATION != 0
    if (state in _MARKED and not marked) or (state in _UNMARKED and marked):
        raise Malformed("columns.flags", f"{flags} does not go with {state.value}")
    if flags & _LEFT and not state.walk_away:
        raise Malformed("columns.flags", f"{flags} does not go with {state.value}")


def _columns(value: object) -> dict[str, list[int]]:
    """Check the columns as a whole: as many cells each, whole numbers, none out of range."""
    given = _checks.members(value, "columns", frozenset(_COLUMNS))
    count = None
    for name in _COLUMNS:
        column = given[name]
        if not isinstance(column, list) or set(map(type, column)) - {int}:
            raise Malformed(f"columns.{name}", "is not a list of whole numbers")
        count = len(column) if count is None else count
        if len(column) != count:
            raise Malformed(f"columns.{name}", f"has {len(column)} cells, not {count}")
    columns = {name: given[name] for name in _COLUMNS}
    for name in ("started", "sequence"):
        columns[name] = list(accumulate(columns[name]))
    for name, least in (("number", 1), ("started", 0), ("lasted", -1), ("sequence", 0)):
        _bound(columns[name], name, least, INTEGER_MAX)
    _bound(columns["state"], "state", 0, len(_STATES) - 1)
    _bound(columns["flags"], "flags", 0, 7)
    return columns


def _bound(column: Sequence[int], name: str, least: int, most: int) -> None:
    if column and not least <= min(column) <= max(column) <= most:
        raise Malformed(f"columns.{name}", f"has cells below {least} or above {most}")


def _tables(value: object, columns: Mapping[str, list[int]]) -> dict[str, list[Any]]:
    given = _checks.members(value, "tables", frozenset(_TABLES))
    tables: dict[str, list[Any]] = {
        "targets": _each(given, "targets", _checks.entity),
        "topics": _each(given, "topics", _checks.texts),
        "locations": _each(given, "locations", _checks.text),
        "others": _each(given, "others", _entities),
        "streams": _each(given, "streams", _stream),
        "receipts": _receipts(given["receipts"], "tables.receipts"),
    }
    for table, column in zip(
        _TABLES, ("target", "topics", "location", "others", "stream", "receipts"), strict=True
    ):
        _bound(columns[column], column, 0, len(tables[table]) - 1)
    return tables


def _each(given: Mapping[str, Any], name: str, read: Any) -> list[Any]:
    field = f"tables.{name}"
    items = enumerate(_checks.listed(given[name], field))
    return [read(item, f"{field}[{index}]") for index, item in items]


def _stream(value: object, field: str) -> str:
    return "" if value == "" else _checks.text(value, field)  # older saves do not say


def _entities(value: object, field: str) -> tuple[str, ...]:
    items = enumerate(_checks.listed(value, field))
    found = tuple(_checks.entity(item, f"{field}[{index}]") for index, item in items)
    if len(set(found)) != len(found):
        raise Malformed(field, "names somebody twice")
    return found


def _receipts(value: object, field: str) -> list[tuple[Provenance, ...]]:
    """Check the receipts; equal texts, unit ids and ranges are kept once."""
    shared: dict[Any, Any] = {}
    found = []
    for place, listed in enumerate(_checks.listed(value, field)):
        items = enumerate(_checks.listed(listed, f"{field}[{place}]"))
        read = [_checks.provenance(item, f"{field}[{place}][{index}]") for index, item in items]
        found.append(tuple([_sharing(receipt, shared) for receipt in read]))
    return found


def _sharing(receipt: Provenance, shared: dict[Any, Any]) -> Provenance:
    def one(value: _T) -> _T:
        kept: _T = shared.setdefault(value, value)
        return kept

    return Provenance(
        session=one(receipt.session),
        artifact_digest=one(receipt.artifact_digest),
        occurrence=one(receipt.occurrence),
        kind=receipt.kind,
        source_refs=tuple(
            [
                one(
                    SourceRef(
                        source_id=one(ref.source_id),
                        start_unit_id=one(ref.start_unit_id),
                        end_unit_id=one(ref.end_unit_id),
                    )
                )
                for ref in receipt.source_refs
            ]
        ),
    )
