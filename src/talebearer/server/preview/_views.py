"""Answers as the page takes them: what the rehearsal says, with places that can be opened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from talebearer.campaign import to_json
from talebearer.errors import Severity
from talebearer.lines import STRATEGIES, DialoguePool, Pack
from talebearer.rehearsal import Answer, Played, PoolView, Rehearsal, Row, Setup
from talebearer.server.preview._files import Files
from talebearer.vocabulary import Confidence, FactState, InteractionState, RelationshipState

_SEVERITIES = tuple(
    severity.value for severity in (Severity.ERROR, Severity.WARNING, Severity.NOTE)
)
_NOT_SHOWN = ("id", "text", "variants", "prerequisites", "dual_lens", "notes")
"""Members of a line that the page shows by other means."""
_CASE_NAME_CHARS_MAX = 180


def nothing(problems: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the overview of content that was never in order."""
    return {"lines": 0, "pools": [], "findings": _counts(one["severity"] for one in problems)}


def overview(rehearsal: Rehearsal) -> dict[str, Any]:
    """Return what the content has: pools, people, words, facts, and how many findings."""
    pack, pools = rehearsal.pack, rehearsal.pools
    return {
        "lines": pack.size,
        "findings": _counts(one.severity for one in rehearsal.problems),
        "pools": [_pool(pool) for pool in pools],
        "places": sorted({pool.location for pool in pools if pool.location != "general"}),
        "speakers": _speakers(pack, pools),
        "characters": list(pack.characters),
        "profiles": [
            {"slug": slug, "name": profile.name} for slug, profile in pack.profiles.items()
        ],
        "enums": {
            name: list(getattr(pack.enums, name))
            for name in ("access", "trust", "situations", "topics", "moods", "triggers")
        },
        "facts": [{"id": name, "description": text} for name, text in pack.facts.items()],
        "cells": _cells(pack),
        "fields": {
            trigger: {name: kind.value for name, kind in fields.items()}
            for trigger, fields in pack.declared.fields.items()
        },
        "classes": list(pack.declared.classes),
        "confidences": [one.value for one in Confidence],
        "fact_states": [one.value for one in FactState],
        "interaction_states": [one.value for one in InteractionState],
        "relationship_states": [one.value for one in RelationshipState],
        "strategies": list(STRATEGIES),
        "first": _first(rehearsal),
    }


def _pool(pool: PoolView) -> dict[str, Any]:
    return {
        "path": pool.path,
        "kind": pool.kind,
        "location": pool.location,
        "role": pool.role,
        "character": pool.character,
        "lines": pool.lines,
        "errors": pool.errors,
        "warnings": pool.warnings,
    }


def _speakers(pack: Pack, pools: Iterable[PoolView]) -> list[dict[str, Any]]:
    places: dict[str, set[str]] = {}
    for pool in pools:
        for slug in pool.speakers:
            places.setdefault(slug, set()).add(pool.location)
    return [
        {
            "slug": slug,
            "name": pack.profiles[slug].name if slug in pack.profiles else slug,
            "places": sorted(found),
        }
        for slug, found in sorted(places.items())
    ]


def _cells(pack: Pack) -> list[dict[str, Any]]:
    """Return the declared counters, values and timers, as the controls offer them."""
    declared = pack.declared
    found: list[dict[str, Any]] = []
    for name, counter in declared.counters.items():
        found.append({"kind": "counters", "what": "counter", "id": name, "scope": counter.scope})
    for name, value in declared.values.items():
        entry = {"kind": "values", "what": "value", "id": name, "scope": value.scope}
        found.append({**entry, "type": value.type.value})
    for name, scope in declared.timers.items():
        found.append({"kind": "timers", "what": "timer", "id": name, "scope": scope})
    return found


def _first(rehearsal: Rehearsal) -> dict[str, Any]:
    """Return a scene of each kind to begin from, of those that the content has."""
    found = {}
    for kind in ("dialogue", "monologue"):
        path = next((pool.path for pool in rehearsal.pools if pool.kind == kind), None)
        if path is not None:
            found[kind] = rehearsal.first_setup(path).as_json()
    return found


def asked(answer: Answer, number: int) -> dict[str, Any]:
    """Return the funnel and one window of the lines."""
    return {
        "number": number,
        "funnel": [list(step) for step in answer.funnel],
        "eligible": answer.eligible,
        "list": {
            "total": answer.matching,
            "from": answer.first_row,
            "rows": [_row(row) for row in answer.rows],
        },
    }


def _row(row: Row) -> dict[str, Any]:
    """Return what one row of the list shows; its gates are asked for with the line."""
    verdict = row.verdict
    chance = verdict.probability
    return {
        "pool": verdict.pool,
        "id": verdict.line_id,
        "text": verdict.text,
        "stage": verdict.dropped_by,
        "why": verdict.detail,
        "score": verdict.score,
        "weight": verdict.weight,
        "chance": None if chance is None else float(chance),
        "findings": row.findings,
    }


def line(
    rehearsal: Rehearsal, pool: str, line_id: str, row: Row | None, files: Files
) -> dict[str, Any]:
    """Return everything about one line; without a *row* it is not among those that are asked."""
    loaded = rehearsal.loaded
    verdict = None if row is None else _row(row)
    written = loaded.authored(pool, line_id)
    notes = loaded.notes(pool, line_id)
    found = rehearsal.pack.line(pool, line_id)
    is_talk = isinstance(rehearsal.pack.pool(pool), DialoguePool)
    elsewhere = {"stage": "location", "why": "its pool is not asked in this scene"}
    return {
        "pool": pool,
        "id": line_id,
        "text": found.text,
        "kind": "dialogue" if is_talk else "monologue",
        "variants": list(found.variants),
        **(verdict or {**elsewhere, "score": None, "weight": None, "chance": None}),
        "gates": [] if row is None else [gate.as_json() for gate in row.verdict.gates],
        "asks": list(_asked(written.get("prerequisites"))),
        "says": [[name, in_words(part)] for name, part in written.items() if _is_said(name, part)],
        "notes": notes.text,
        "readings": [[who, note] for who, note in notes.lens.items()],
        "findings": [finding(one.as_json(), files) for one in loaded.findings_of(pool, line_id)],
        "place": files.place(loaded.where(pool, line_id)),
    }


def _asked(part: object) -> Iterator[dict[str, str]]:
    """Yield the facts that gates as they are written want known, with how well; none of a ``not``."""
    if isinstance(part, list):
        for one in part:
            yield from _asked(one)
    elif isinstance(part, Mapping):
        if "fact_id" in part and "absent" not in part:
            least = part.get("min_confidence", part.get("confidence"))
            state = {name: part[name] for name in ("fact_state",) if name in part}
            yield {"fact_id": part["fact_id"], "confidence": least, **state}
        for name, inner in part.items():
            if name != "not":
                yield from _asked(inner)


def _is_said(name: str, part: object) -> bool:
    return name not in _NOT_SHOWN and part not in ([], {}, None, "")


def in_words(value: object) -> str:
    """Return a value of YAML in one row of plain words."""
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {in_words(part)}" for name, part in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(in_words(part) for part in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def talk(rehearsal: Rehearsal, played: Played) -> dict[str, Any]:
    """Return a conversation as far as it was played, and what it changed."""
    speaker = played.setup.speaker or ""
    profile = rehearsal.pack.profiles.get(speaker)
    return {
        "name": speaker if profile is None else profile.name,
        "history": played.history,
        "state": played.state,
        "is_over": played.is_over,
        "tick": played.tick,
        "turns": [
            {
                "move": turn.move.as_json(),
                "tick": turn.tick,
                "state": turn.state,
                "reply": None if turn.reply is None else to_json(turn.reply),
                "consequences": to_json(turn.consequences),
            }
            for turn in played.turns
        ],
        "changes": [one.as_json() for one in played.changes()],
    }


def findings(
    problems: Sequence[Mapping[str, Any]], first: int, count: int, files: Files
) -> dict[str, Any]:
    """Return one window of the findings, errors first."""
    ordered = sorted(problems, key=lambda one: _SEVERITIES.index(one["severity"]))
    rows = [finding(one, files) for one in ordered[first : first + count]]
    return {"total": len(ordered), "from": first, "rows": rows}


def finding(problem: Mapping[str, Any], files: Files) -> dict[str, Any]:
    """Return one finding with a place that can be opened."""
    return {
        "code": problem["code"],
        "severity": problem["severity"],
        "message": problem["message"],
        "hint": problem["hint"],
        "place": files.place(problem["where"]),
    }


def _counts(severities: Iterable[str]) -> dict[str, int]:
    found = Counter(severities)
    return {f"{severity}s": found[severity] for severity in _SEVERITIES}


def saved(rehearsal: Rehearsal) -> list[dict[str, Any]]:
    """Return the saved scenes by name; one that does not fit the content any more has no address."""
    return [{"name": name} for name in rehearsal.saved.names()]


def planned(rehearsal: Rehearsal, setup: Setup, name: str) -> dict[str, Any]:
    """Write *setup* as a plan case and return where it stands; without a *name* the scene names it."""
    case = rehearsal.add_case(setup, name or case_name(setup))
    return {"name": case.name, "file": f"{rehearsal.root.name}/{case.file}", "line": case.line}


def case_name(setup: Setup) -> str:
    """Return a name that says the scene, so that another scene has another name."""
    who = setup.speaker or f"{setup.character} on {setup.trigger}"
    parts = [f"{who} at {setup.location}", setup.access, setup.trust, *setup.situations]
    parts += [f"about {' and '.join(setup.topics)}"] if setup.topics else []
    parts += [f"mood {' and '.join(setup.moods)}"] if setup.moods else []
    parts += [f"tick {setup.tick}"] if setup.tick else []
    parts += [f"seed {setup.seed}"] if setup.seed else []
    for kind, entries in setup.given.items():
        parts += [f"{kind} {in_words(list(one.values()))}" for one in entries]
    return "; ".join(part for part in parts if part)[:_CASE_NAME_CHARS_MAX]
