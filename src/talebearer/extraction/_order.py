"""The one order of records and ranges, for normaliser and validator alike."""

from __future__ import annotations

from typing import Any

RangeKey = tuple[int, int, str]


def range_key(ref: dict[str, Any]) -> RangeKey:
    """Return what one range sorts by: start, end, source."""
    return (ref["start_unit_id"], ref["end_unit_id"], ref["source_id"])


def interaction_key(item: dict[str, Any]) -> tuple[int, str, str, list[RangeKey]]:
    """Return what an interaction sorts by: earliest position, then name, kind, all ranges.

    Source: the roadmap, "Occurrence Boundaries And Ordering"; rule NI-ord-order.
    """
    ranges = sorted(range_key(ref) for ref in item["source_refs"])
    return (ranges[0][0], item["name"], item["kind"], ranges)


def npc_key(item: dict[str, Any]) -> tuple[int, str]:
    """Return what a registry entry sorts by: earliest position, then name."""
    return (min(ref["start_unit_id"] for ref in item["source_refs"]), item["name"])
