"""Builders of complete record values: every nullable member is there, as null.

They make plain dictionaries and decide nothing: what they leave open is ``unknown`` or null.
The campaign's convention is one storage scope for each campaign (:func:`campaign_meta`); whose
memory a record is, and which session it comes from, stand inside it, in ``metadata.core.scope``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Required, TypedDict, Unpack

from talebearer.vocabulary import RelationType

CAMPAIGN_USER = "campaign"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ORIGIN = ("provider", "binding", "native_type", "native_id", "native_revision")
_UNKNOWN_PROFILE: Mapping[str, Any] = {
    "epistemic": "unknown",
    "temporal": {"kind": "unknown"},
    "ownership": "unknown",
    "abstraction": "unknown",
    "persistence": "unknown",
    "retrieval": ["unknown"],
    "actionability": "unknown",
}


class About(TypedDict, total=False):
    """Where a record comes from and what it is about. All times are RFC 3339 text.

    Attributes:
        now: When it is recorded; also ``observed_at`` and ``ingested_at``.
        workspace: The campaign's id, ``scope.workspace``.
        actor: Who answers for it.
        provenance_kind: ``observed``, ``asserted``, ``derived`` (the default) or ``imported``.
        source: What it was taken from, in the actor's words.
        user: The mind that it belongs to, ``scope.user``.
        session: The session that it comes from, ``scope.session``.
        origin: Its identity in another system: any of ``provider``, ``binding``,
            ``native_type``, ``native_id`` and ``native_revision``.
        event_at: When it happened.
        source_created_at: When its source was made.
        source_updated_at: When its source was last changed.
        status: ``active`` (the default), ``superseded`` or ``retracted``.
        expires_at: When it stops to matter; descriptive only.
    """

    now: Required[str]
    workspace: Required[str]
    actor: Required[str]
    provenance_kind: str
    source: str | None
    user: str | None
    session: str | None
    origin: Mapping[str, str | None]
    event_at: str | None
    source_created_at: str | None
    source_updated_at: str | None
    status: str
    expires_at: str | None


def campaign_meta(campaign: str) -> dict[str, Any]:
    """Return the request metadata of *campaign*: its one storage scope."""
    return {"workspace_id": campaign, "user_id": CAMPAIGN_USER}


def knowledge_value(
    content: str | Mapping[str, Any],
    *,
    artifacts: Iterable[tuple[str, str]] = (),
    profile: Mapping[str, Any] | None = None,
    extensions: Mapping[str, Mapping[str, Any]] | None = None,
    **about: Unpack[About],
) -> dict[str, Any]:
    """Return a complete ``knowledge`` value.

    Args:
        content: Non-empty text, or a content object: ``{"kind": "text", "text": ...}`` or
            ``{"kind": "structured", "value": ...}``.
        artifacts: Ids of the artifacts it cites, each with ``source``, ``attachment`` or
            ``embedding``; at most 32.
        profile: The dimensions that are known; the others are ``unknown``.
        extensions: Free content under namespaced keys, such as ``talebearer.event``.
        about: Where it comes from, see :class:`About`.

    Source: the knowledge model, "Knowledge".
    """
    body = {"kind": "text", "text": content} if isinstance(content, str) else dict(content)
    return {
        "content": body,
        "metadata": _metadata("patchouli.knowledge@1", about, extensions=extensions),
        "artifact": [{"type": "artifact", "id": one, "role": role} for one, role in artifacts],
        "profile": {**_UNKNOWN_PROFILE, **(profile or {})},
    }


def relation_value(
    relation: RelationType | str,
    from_ids: Iterable[str],
    to_ids: Iterable[str],
    *,
    extensions: Mapping[str, Mapping[str, Any]] | None = None,
    **about: Unpack[About],
) -> dict[str, Any]:
    """Return a complete ``knowledge_relation`` value from knowledge ids to knowledge ids.

    For ``derived_from``, *from_ids* are the derived records and *to_ids* their sources.

    Source: the knowledge model, "KnowledgeRelation".
    """
    return {
        "type": str(relation),
        "from": [{"type": "knowledge", "id": one} for one in from_ids],
        "to": [{"type": "knowledge", "id": one} for one in to_ids],
        "metadata": _metadata("patchouli.knowledge-relation@1", about, extensions=extensions),
    }


def artifact_metadata(
    *, extensions: Mapping[str, Mapping[str, Any]] | None = None, **about: Unpack[About]
) -> dict[str, Any]:
    """Return complete metadata for an ``artifact``, as an upload takes it.

    Source: the knowledge model, "Artifact".
    """
    return _metadata("patchouli.artifact@1", about, extensions=extensions)


def moment(unix_ms: int) -> str:
    """Return Unix milliseconds as an RFC 3339 date-time in UTC, with milliseconds."""
    when = _EPOCH + timedelta(milliseconds=unix_ms)
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _metadata(
    schema: str, about: About, *, extensions: Mapping[str, Mapping[str, Any]] | None
) -> dict[str, Any]:
    return {
        "core": {
            "schema": schema,
            "scope": {
                "tenant": None,
                "workspace": about["workspace"],
                "user": about.get("user"),
                "session": about.get("session"),
            },
            "origin": {name: about.get("origin", {}).get(name) for name in _ORIGIN},
            "time": _time(about),
            "lifecycle": {
                "status": about.get("status", "active"),
                "expires_at": about.get("expires_at"),
            },
            "provenance": [_provenance(about)],
        },
        "extensions": {key: dict(value) for key, value in sorted((extensions or {}).items())},
    }


def _time(about: About) -> dict[str, Any]:
    return {
        "event_at": about.get("event_at"),
        "source_created_at": about.get("source_created_at"),
        "source_updated_at": about.get("source_updated_at"),
        "observed_at": about["now"],
        "ingested_at": about["now"],
    }


def _provenance(about: About) -> dict[str, Any]:
    return {
        "kind": about.get("provenance_kind", "derived"),
        "actor": about["actor"],
        "source": about.get("source"),
        "recorded_at": about["now"],
    }
