"""Prompts: one stable prefix a lane, then the units of a chunk.

The prefix has, in this order, the wording that lanes share, the lane's own, the response schema, the
campaign's references, and the names-only projection of the registry. It is the same bytes for every
chunk and every run of the same session, so that providers can cache it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from talebearer.extraction._session import Session
from talebearer.extraction._validate import canonical_name
from talebearer.extraction.asking._chunks import Chunk
from talebearer.extraction.asking._forms import response_schema, schema_identity, tight_schema
from talebearer.extraction.providers import ModelRequest
from talebearer.vocabulary import ArtifactKind

SHARED_ASSETS = ("shared-task", "shared-evidence", "shared-limits")
LANE_ASSETS = {
    ArtifactKind.NPC_LIST: "npcs",
    ArtifactKind.NPC_INTERACTION_LIST: "npc-interactions",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What every request of one lane begins with.

    Attributes:
        kind: What the lane makes.
        instructions_digest: Of the wording alone, the same for all campaigns.
        prefix: Everything before the units.
        names: The names-only projection; None for the registry lane.
    """

    kind: ArtifactKind
    instructions_digest: str
    prefix: str
    names: tuple[str, ...] | None = None

    @property
    def digest(self) -> str:
        """``sha256:`` and 64 hex digits of the whole prefix, references and names included."""
        return _digest(self.prefix)

    def identity(self) -> dict[str, Any]:
        """Return what a manifest says of the prompt: digests, no wording and no names."""
        return {
            "instructions_digest": self.instructions_digest,
            "prefix_digest": self.digest,
            "response_schema": schema_identity(self.kind),
        }

    def request(
        self, chunk: Chunk, *, max_output_tokens: int, errors: str = "", tight: bool = False
    ) -> ModelRequest:
        """Return the question about *chunk*.

        Args:
            chunk: Which units.
            max_output_tokens: Most tokens of the reply.
            errors: Those of a reply that was rejected.
            tight: Whether the schema lists the names and bounds the units.
        """
        schema = response_schema(self.kind)
        if tight:
            schema = tight_schema(self.kind, chunk.first, chunk.last, self.names)
        return ModelRequest(
            prefix=self.prefix,
            body=chunk.text + errors,
            schema_name=schema_identity(self.kind)["name"],
            schema=schema,
            max_output_tokens=max_output_tokens,
        )


def make_prompt(kind: ArtifactKind, session: Session, names: Sequence[str] | None) -> Prompt:
    """Return the prompt of a lane.

    Args:
        kind: What the lane makes.
        session: Roster and glossary are its references.
        names: The names-only projection of the registry; None for the registry lane itself.

    Source: the roadmap, "Prompt And Model Boundary"; rule NI-E2-lines.
    """
    schema = json.dumps(response_schema(kind), sort_keys=True, separators=(",", ":"))
    instructions = "\n".join(_asset(name) for name in (*SHARED_ASSETS, LANE_ASSETS[kind]))
    instructions += f"\nResponse schema\n{schema}\n"
    parts = [instructions, *_references(session, names)]
    if names is not None:
        projection = {"npcs": [{"name": name} for name in names]}
        parts.append(f"Names\n{_json(projection)}\n")
    return Prompt(
        kind=kind,
        instructions_digest=_digest(instructions),
        prefix="\n".join(parts) + "\n",
        names=None if names is None else tuple(names),
    )


def _references(session: Session, names: Sequence[str] | None) -> list[str]:
    """Return who sits at the table and the known spellings, as JSON, so that no name is wording."""
    roster = session.roster
    table = {
        "characters": sorted(
            {name for one in (*roster.players, *roster.guests) for name in one.characters}
        ),
        "game_masters": sorted(
            {label for one in roster.game_masters for label in (one.name, *one.labels)}
        ),
        "players_and_guests": sorted(
            {
                label
                for one in (*roster.players, *roster.guests)
                for label in (one.name, *one.labels)
            }
        ),
    }
    parts = [f"People at the table, never NPCs\n{_json(table)}\n"]
    wanted = None if names is None else {canonical_name(name) for name in names}
    known = {
        name: sorted(spellings)
        for name, spellings in session.glossary.items()
        if wanted is None or canonical_name(name) in wanted
    }
    if known:
        title = "Known names and how they are also heard or written; always write the name itself"
        parts.append(f"{title}\n{_json(known)}\n")
    return parts


def _asset(name: str) -> str:
    folder = files("talebearer.extraction.asking") / "assets"
    return (folder / f"{name}.txt").read_text(encoding="utf-8")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _digest(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
