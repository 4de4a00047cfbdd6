"""The durable store: records become versions, heads and changes; bytes become artifacts.

A :class:`Store` keeps three record types: artifacts, knowledge, and relations between knowledge.
Nothing is overwritten: every write adds an immutable version, and the heads say which versions
are current. It decides identity, scope, conflicts and durability, and never what a record means.
"""

from typing import TYPE_CHECKING

from talebearer._doors import opened_on_use

if TYPE_CHECKING:
    from talebearer.store._builders import (
        CAMPAIGN_USER,
        About,
        artifact_metadata,
        campaign_meta,
        knowledge_value,
        moment,
        relation_value,
    )
    from talebearer.store._canonical import canonical_text
    from talebearer.store._engine import check_sqlite
    from talebearer.store._model import (
        Call,
        Change,
        EntityRef,
        EntityVersion,
        FeedEvent,
        ReadResult,
        Reply,
    )
    from talebearer.store._records import load_schemas
    from talebearer.store._schema_sql import APPLICATION_ID, SCHEMA_VERSION
    from talebearer.store._store import Store
    from talebearer.store.artifacts import CHUNK_BYTES_MAX, Chunk
    from talebearer.store.feed import PAGE_ROWS, Feed
    from talebearer.store.merging import MergeEngine, automerge_engine
    from talebearer.store.policy import (
        CAMPAIGN_POLICY,
        DEFAULT_POLICY,
        PATTERNS,
        ConflictStrategy,
        Policy,
        load_policy,
        policy_from_json,
        shipped_document,
        shipped_policy,
    )
    from talebearer.store.retrieval import Hit, RetrieveResult

__all__ = [
    "APPLICATION_ID",
    "CAMPAIGN_POLICY",
    "CAMPAIGN_USER",
    "CHUNK_BYTES_MAX",
    "DEFAULT_POLICY",
    "PAGE_ROWS",
    "PATTERNS",
    "SCHEMA_VERSION",
    "About",
    "Call",
    "Change",
    "Chunk",
    "ConflictStrategy",
    "EntityRef",
    "EntityVersion",
    "Feed",
    "FeedEvent",
    "Hit",
    "MergeEngine",
    "Policy",
    "ReadResult",
    "Reply",
    "RetrieveResult",
    "Store",
    "artifact_metadata",
    "automerge_engine",
    "campaign_meta",
    "canonical_text",
    "check_sqlite",
    "knowledge_value",
    "load_policy",
    "load_schemas",
    "moment",
    "policy_from_json",
    "relation_value",
    "shipped_document",
    "shipped_policy",
]

__getattr__ = opened_on_use(
    __name__,
    {
        "_builders": """
            CAMPAIGN_USER About artifact_metadata campaign_meta knowledge_value moment
            relation_value
        """,
        "_canonical": "canonical_text",
        "_engine": "check_sqlite",
        "_model": "Call Change EntityRef EntityVersion FeedEvent ReadResult Reply",
        "_records": "load_schemas",
        "_schema_sql": "APPLICATION_ID SCHEMA_VERSION",
        "_store": "Store",
        "artifacts": "CHUNK_BYTES_MAX Chunk",
        "feed": "PAGE_ROWS Feed",
        "merging": "MergeEngine automerge_engine",
        "policy": """
            CAMPAIGN_POLICY DEFAULT_POLICY PATTERNS ConflictStrategy Policy load_policy
            policy_from_json shipped_document shipped_policy
        """,
        "retrieval": "Hit RetrieveResult",
    },
)
