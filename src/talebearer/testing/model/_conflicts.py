"""How the plain model joins a write with the heads that it does not name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from talebearer.testing.model._parts import (
    Joiner,
    Version,
    copied,
    replaced,
    resolve,
    text_of,
)


class Clash(Exception):
    """The policy says ``otherwise: reject``, and there is something that cannot be joined."""


def proposal_documents(
    value: Any,
    bases: Sequence[Version],
    *,
    version: str,
    conflict: Mapping[str, Any],
    joiner: Joiner | None,
) -> dict[str, Any]:
    """Return the documents of a new active version: descended from its bases, or fresh.

    Source: the protocol sheet, section 5.5 rules 1 and 2.
    """
    documents = {}
    for rule in conflict["merge"]:
        present, part = resolve(value, rule["path"])
        if not present:
            continue
        alike = all(_alike(base, value, rule) for base in bases)
        if bases and not alike and conflict["otherwise"] == "reject":
            raise Clash
        if joiner is None:
            continue
        held = [base.documents.get(rule["path"]) for base in bases]
        if bases and alike and None not in held:
            document = joiner.edit(held, part, version=version)
        else:
            document = joiner.new(part, version=version)
        if document is not None:
            documents[rule["path"]] = document
    return documents


def join_heads(
    candidates: Sequence[Version],
    *,
    conflict: Mapping[str, Any],
    joiner: Joiner | None,
    renew: Callable[[Version, Any, dict[str, Any]], Version],
) -> list[Version]:
    """Return what remains of concurrent heads under the strategy ``merge``.

    Members of a group of two or more take the joined content; whom that changes is given to
    *renew*, which returns the new version. Who is alone stays as it is. Equal values collapse.

    Source: the protocol sheet, section 5.5 rules 3 to 8.
    """
    active = [one for one in candidates if one.state == "active"]
    gone = [one for one in candidates if one.state != "active"]
    values = [copied(one.value) for one in active]
    documents = [dict(one.documents) for one in active]
    changed: set[int] = set()
    met: set[int] = set()
    for rule in conflict["merge"]:
        path = rule["path"]
        for group in _groups(active, rule):
            members = [index for index in group if path in active[index].documents]
            if joiner is None or len(members) < 2:
                continue
            if len(members) == len(group):
                met |= set(members)
            joined = joiner.join([active[index].documents[path] for index in members])
            if joined is None:
                continue
            for index in members:
                if joiner.heads(active[index].documents[path]) != joiner.heads(joined):
                    changed.add(index)
                    values[index] = replaced(values[index], path, joiner.json(joined))
                    documents[index][path] = joined
    if conflict["otherwise"] == "reject" and len(met) < len(candidates) > 1:
        raise Clash
    kept: list[Version] = []
    seen: set[str] = set()
    for index, one in enumerate(active):
        if text_of(values[index]) in seen:
            continue
        seen.add(text_of(values[index]))
        fresh = renew(one, values[index], documents[index]) if index in changed else one
        kept.append(fresh)
    return [*kept, *gone]


def _alike(base: Version, value: Any, rule: Mapping[str, Any]) -> bool:
    """Return whether *base* has the merge path, and the same discriminators as *value*."""
    return (
        base.state == "active"
        and resolve(base.value, rule["path"])[0]
        and _group(base.value, rule) == _group(value, rule)
    )


def _groups(active: Sequence[Version], rule: Mapping[str, Any]) -> list[list[int]]:
    groups: dict[str, list[int]] = {}
    for index, one in enumerate(active):
        if resolve(one.value, rule["path"])[0]:
            groups.setdefault(_group(one.value, rule), []).append(index)
    return list(groups.values())


def _group(value: Any, rule: Mapping[str, Any]) -> str:
    part = resolve(value, rule["path"])[1]
    return text_of([resolve(part, pointer) for pointer in rule["group_by"]])
