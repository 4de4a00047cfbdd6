"""From candidates to normal form: order, canonical names, exact duplicates; nothing semantic."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from talebearer.errors import InvalidArtifact
from talebearer.extraction._order import interaction_key, npc_key, range_key
from talebearer.extraction._validate import canonical_name, npc_id

Item = dict[str, Any]


def normalise_interactions(
    items: Iterable[Mapping[str, Any]], *, names: Collection[str]
) -> list[Item]:
    """Return *items* in normal form: canonical names, ordered ranges, ordered records.

    Only records that are equal in name, kind and all evidence collapse. Records with other
    kinds or other ranges stay apart, however near they are; nothing is merged.

    Args:
        items: Records of the contract's shape, in any order.
        names: The registry's canonical names; looked up NFC and trimmed, otherwise exactly.

    Raises:
        InvalidArtifact: A name is not in the registry (TB110).

    Source: the NPC-interaction artifact spec, "Evidence, Registry, And Normalization".
    """
    by_lookup = {canonical_name(name): name for name in names}
    unique: dict[tuple[Any, ...], Item] = {}
    for item in items:
        name = by_lookup.get(canonical_name(item["name"]))
        if name is None:
            raise InvalidArtifact(
                f"{item['name'][:60]!r} is not in the registry",
                hint="interactions involve only registered people",
            )
        refs = _ordered(item["source_refs"])
        record = {"name": name, "kind": str(item["kind"]), "source_refs": refs}
        unique.setdefault(_identity(record), record)
    return sorted(unique.values(), key=interaction_key)


def normalise_npcs(items: Iterable[Mapping[str, Any]]) -> list[Item]:
    """Return registry entries in normal form; entries of one canonical name become one.

    Names are compared NFC and trimmed, otherwise exactly, so that no alias is reconciled.

    Source: rules NI-reg-lookup, NI-ord-exact-duplicates.
    """
    refs_by_name: dict[str, list[Mapping[str, Any]]] = {}
    for item in items:
        refs_by_name.setdefault(canonical_name(item["name"]), []).extend(item["source_refs"])
    entries = [
        {"id": npc_id(name), "name": name, "source_refs": _ordered(refs)}
        for name, refs in refs_by_name.items()
    ]
    return sorted(entries, key=npc_key)


def _ordered(refs: Iterable[Mapping[str, Any]]) -> list[Item]:
    by_key = {range_key(dict(ref)): dict(ref) for ref in refs}
    return [by_key[key] for key in sorted(by_key)]


def _identity(record: Item) -> tuple[Any, ...]:
    return (record["name"], record["kind"], tuple(range_key(ref) for ref in record["source_refs"]))
