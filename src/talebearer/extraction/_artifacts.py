"""The two durable artifacts: identities, canonical bytes, strict decoding."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, NamedTuple

from talebearer.errors import InvalidArtifact, Problem
from talebearer.extraction._strict_json import parse_strict
from talebearer.extraction._validate import validate_payload
from talebearer.transcripts import Transcript
from talebearer.vocabulary import ArtifactKind

MEDIA_TYPE = "application/json"
SCHEMA_VERSION = "v1"
PROBLEMS_SHOWN_MAX = 100


class Contract(NamedTuple):
    """The durable identity of one kind of artifact.

    Attributes:
        schema_id: Durable schema id.
        schema_name: Durable schema name.
        list_member: The payload's one member.
        count_member: The codec metadata's one member.
    """

    schema_id: str
    schema_name: str
    list_member: str
    count_member: str


NPC_LIST = Contract("notarius.dnd.npcs", "notarius_dnd_npcs_v1", "npcs", "npc_count")
INTERACTION_LIST = Contract(
    "notarius.dnd.npc_interactions",
    "notarius_dnd_npc_interactions_v1",
    "interactions",
    "interaction_count",
)


def contract_of(kind: ArtifactKind) -> Contract:
    """Return the durable identity of *kind*."""
    return NPC_LIST if kind is ArtifactKind.NPC_LIST else INTERACTION_LIST


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """One accepted, normalised artifact.

    Attributes:
        kind: Which list it is.
        schema_id: Durable schema id.
        schema_name: Durable schema name.
        schema_version: Durable schema version.
        media_type: Of the encoded bytes.
        payload: The strict JSON object; not to be changed.
        metadata: The codec's metadata, only a count.

    Source: the NPC-interaction artifact spec, "Identity And JSON".
    """

    kind: ArtifactKind
    schema_id: str
    schema_name: str
    schema_version: str = SCHEMA_VERSION
    media_type: str = MEDIA_TYPE
    payload: dict[str, Any]
    metadata: dict[str, int]

    def encode(self) -> bytes:
        """Return the canonical bytes: UTF-8, keys sorted, no spaces, one final LF."""
        text = json.dumps(
            self.payload,
            ensure_ascii=False,
            allow_nan=False,
            sort_keys=True,
            separators=(",", ":"),
        )
        return text.encode() + b"\n"

    @property
    def digest(self) -> str:
        """``sha256:`` and 64 hex digits of the canonical bytes."""
        return "sha256:" + hashlib.sha256(self.encode()).hexdigest()


def names_of(registry: Artifact) -> tuple[str, ...]:
    """Return the names-only projection of a registry, in registry order.

    Raises:
        InvalidArtifact: It is not a registry (TB110).
    """
    if registry.kind is not ArtifactKind.NPC_LIST:
        raise InvalidArtifact(
            f"a {registry.kind.value} artifact was given where the registry belongs",
            hint=f"give the {ArtifactKind.NPC_LIST.value} artifact of the session",
        )
    return tuple(item["name"] for item in registry.payload["npcs"])


def make_artifact(
    kind: ArtifactKind,
    items: list[dict[str, Any]],
    *,
    transcript: Transcript | None = None,
    registry: Artifact | None = None,
) -> Artifact:
    """Return the artifact of *items*, which must keep the contract already.

    Raises:
        InvalidArtifact: They do not (TB110), with all problems.
    """
    payload = {contract_of(kind).list_member: items}
    names = None if registry is None else names_of(registry)
    refuse(kind, validate_payload(kind, payload, transcript=transcript, names=names))
    return _artifact(kind, payload)


def decode_artifact(
    kind: ArtifactKind,
    data: bytes,
    *,
    transcript: Transcript | None = None,
    registry: Artifact | None = None,
) -> Artifact:
    """Return the artifact of *kind* that *data* holds.

    Args:
        kind: What it must be.
        data: UTF-8 JSON; whitespace and key order are free, nothing else is.
        transcript: If given, every range must lie in it.
        registry: If given, every interaction's name must be one of its names.

    Raises:
        InvalidArtifact: It breaks the contract (TB110); every problem is in
            ``data["problems"]``, up to a hundred of them.

    Source: the NPC-interaction artifact spec, "Identity And JSON"; the roadmap, "Validation".
    """
    names = None if registry is None else names_of(registry)
    payload, problems = parse_strict(data)
    if not problems:
        problems = validate_payload(kind, payload, transcript=transcript, names=names)
    refuse(kind, problems)
    return _artifact(kind, payload)


def refuse(kind: ArtifactKind, problems: list[Problem]) -> None:
    """Raise InvalidArtifact (TB110) if there are *problems*; what it carries is bounded."""
    if not problems:
        return
    first = problems[0]
    more = "" if len(problems) == 1 else f" and {len(problems) - 1} more"
    raise InvalidArtifact(
        f"this {kind.value} breaks its contract: {first.message} at {first.where}{more}",
        hint=first.hint,
        data={
            "problem_count": len(problems),
            "problems": [problem.as_json() for problem in problems[:PROBLEMS_SHOWN_MAX]],
        },
    )


def _artifact(kind: ArtifactKind, payload: dict[str, Any]) -> Artifact:
    contract = contract_of(kind)
    return Artifact(
        kind=kind,
        schema_id=contract.schema_id,
        schema_name=contract.schema_name,
        payload=payload,
        metadata={contract.count_member: len(payload[contract.list_member])},
    )
