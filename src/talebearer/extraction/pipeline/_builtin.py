"""The built-in extractors and normalisers, and all built-in components together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from talebearer.extraction._normalise import normalise_interactions, normalise_npcs
from talebearer.extraction._session import Session
from talebearer.extraction.pipeline._components import Component, Role
from talebearer.extraction.pipeline._validators import validators
from talebearer.extraction.rules import RulesExtractor
from talebearer.vocabulary import ArtifactKind

Item = dict[str, Any]

NPCS = ArtifactKind.NPC_LIST
INTERACTIONS = ArtifactKind.NPC_INTERACTION_LIST
REGISTRY_SLOT = {"npcs": NPCS}


def built_in() -> tuple[Component, ...]:
    """Return every built-in component."""
    rules = RulesExtractor()
    extract = Role.EXTRACT
    return (
        Component(key="dnd/npcs", role=extract, kind=NPCS, work=None, draft=False),
        Component(
            key="dnd/npc-interactions",
            role=extract,
            kind=INTERACTIONS,
            slots=REGISTRY_SLOT,
            work=None,
            draft=False,
        ),
        Component(
            key="rules/npcs",
            role=extract,
            version=rules.version,
            kind=NPCS,
            work=rules_npcs,
            draft=rules.draft,
        ),
        Component(
            key="rules/npc-interactions",
            role=extract,
            version=rules.version,
            kind=INTERACTIONS,
            slots=REGISTRY_SLOT,
            work=rules_interactions,
            draft=rules.draft,
        ),
        Component(
            key="dnd/npcs", role=Role.NORMALIZE, kind=NPCS, work=_normalise_npcs, draft=False
        ),
        Component(
            key="dnd/npc-interactions",
            role=Role.NORMALIZE,
            kind=INTERACTIONS,
            slots=REGISTRY_SLOT,
            work=_normalise_interactions,
            draft=False,
        ),
        *validators(),
    )


def rules_npcs(session: Session, names: Sequence[str] | None) -> list[Item]:
    """Return the people that the rules find, in the response form."""
    assert names is None, "the registry lane has no registry"
    return [_reply_item(item) for item in RulesExtractor().npcs(session)]


def rules_interactions(session: Session, names: Sequence[str] | None) -> list[Item]:
    """Return the occurrences that the rules find, in the response form."""
    return [_reply_item(item) for item in RulesExtractor().interactions(session, names or ())]


def _reply_item(item: Item) -> Item:
    ranges = [
        {"start": ref["start_unit_id"], "end": ref["end_unit_id"]} for ref in item["source_refs"]
    ]
    return {**{name: item[name] for name in ("name", "kind") if name in item}, "ranges": ranges}


def _normalise_npcs(items: Sequence[Item], names: Sequence[str] | None) -> list[Item]:
    assert names is None, "the registry lane has no registry"
    return normalise_npcs(items)


def _normalise_interactions(items: Sequence[Item], names: Sequence[str] | None) -> list[Item]:
    return normalise_interactions(items, names=names or ())
