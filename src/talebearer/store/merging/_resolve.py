"""What becomes of concurrent versions: which parts are joined, and which variants are left.

Nothing here reads or writes the database; documents come in loaded and go out as values.

Source: the protocol sheet, section 5.5, rules 1 to 8.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from talebearer.store._canonical import canonical_text
from talebearer.store.merging._engine import EngineRefusal, MergeEngine, StoredChange
from talebearer.store.policy import ABSENT, Conflict, MergeRule, pointer_path, replaced, resolve

ACTOR_BYTES = 16


class NotMergeable(Exception):  # the caller turns it into a version conflict
    """The policy says ``otherwise: reject``, and something cannot be merged."""


class Document(NamedTuple):
    """A document with what of it is not stored yet.

    Attributes:
        handle: The engine's object.
        heads: Its frontier, sorted.
        unstored: Changes that no stored version has, parents before children.
    """

    handle: Any
    heads: tuple[str, ...]
    unstored: tuple[StoredChange, ...] = ()


@dataclass(slots=True)
class Variant:
    """One version of an entity while it is being decided what becomes of it.

    Attributes:
        text: Canonical value; None for a tombstone.
        value: The value; nothing changes it in place.
        version: The published or staged version that it is; None for a new one.
        documents: Its documents by merge path.
    """

    text: str | None
    value: Any
    version: str | None = None
    documents: dict[str, Document] = field(default_factory=dict)


@dataclass(slots=True)
class Merger:
    """The rules of one conflict policy, with the engine that carries them out.

    Attributes:
        engine: None where there is none; then nothing is merged.
        conflict: The policy.
        fallbacks: Why something was kept apart rather than merged, each reason once.
    """

    engine: MergeEngine | None
    conflict: Conflict
    fallbacks: list[str] = field(default_factory=list)

    def write_documents(
        self, proposal: Variant, bases: Sequence[Variant], *, version: str
    ) -> dict[str, Document]:
        """Return the documents of *proposal*, which is based on *bases* and becomes *version*.

        Raises:
            NotMergeable: A base has another group, and the policy refuses that.
        """
        made: dict[str, Document] = {}
        actor = hashlib.sha256(version.encode()).digest()[:ACTOR_BYTES]
        for rule in self.conflict.merge:
            part = resolve(proposal.value, pointer_path(rule.path))
            if part is ABSENT:
                continue
            related = self._related(rule, part, bases)
            document = self._written(part, related, actor)
            if document is not None:
                made[rule.path] = document
        return made

    def resolve(self, candidates: list[Variant]) -> list[Variant]:
        """Return what is left of *candidates* when all that can be is merged.

        What a merge changed has no version any more. The order is kept.

        Raises:
            NotMergeable: Something cannot be merged, and the policy refuses that.
        """
        if len(candidates) > 1:
            self._refuse_unmerged(candidates)
            for rule in self.conflict.merge:
                for group in self._groups(rule, candidates):
                    if len(group) > 1:
                        self._join(rule, group)
        return _collapse(candidates)

    def _related(
        self, rule: MergeRule, part: Any, bases: Sequence[Variant]
    ) -> list[Document] | None:
        """Return the documents of the bases, None when the new one begins a history of its own."""
        related: list[Document] = []
        for base in bases:
            if self._group(rule, base) != _group_of(rule, part):
                if self.conflict.otherwise == "reject":
                    raise NotMergeable
                return None
            document = base.documents.get(rule.path)
            if document is None:
                return None
            related.append(document)
        return related or None

    def _written(self, part: Any, related: list[Document] | None, actor: bytes) -> Document | None:
        engine = self.engine
        if engine is None:
            return None
        try:
            if related is None:
                handle = engine.new(part, actor=actor)
                return Document(handle, engine.heads(handle), tuple(engine.changes(handle)))
            before = _unique(head for one in related for head in one.heads)
            joined = engine.join([one.handle for one in related])
            handle = engine.edit(joined, part, actor=actor)
            changes = engine.changes(handle, since=before)
            return Document(handle, engine.heads(handle), (*_unstored(related), *changes))
        except EngineRefusal as refusal:
            self._fall_back(refusal.reason)
            return None

    def _group(self, rule: MergeRule, variant: Variant) -> tuple[str, ...] | None:
        if variant.text is None:
            return None
        part = resolve(variant.value, pointer_path(rule.path))
        return None if part is ABSENT else _group_of(rule, part)

    def _groups(self, rule: MergeRule, candidates: list[Variant]) -> list[list[Variant]]:
        groups: dict[tuple[str, ...], list[Variant]] = {}
        for candidate in candidates:
            group = self._group(rule, candidate)
            if group is not None:
                groups.setdefault(group, []).append(candidate)
        return list(groups.values())

    def _refuse_unmerged(self, candidates: list[Variant]) -> None:
        if self.conflict.otherwise != "reject":
            return
        alone = {id(candidate) for candidate in candidates}
        for rule in self.conflict.merge:
            for group in self._groups(rule, candidates):
                if len(group) > 1 and all(rule.path in one.documents for one in group):
                    alone -= {id(one) for one in group}
        if alone:
            raise NotMergeable

    def _join(self, rule: MergeRule, group: list[Variant]) -> None:
        members = [one for one in group if rule.path in one.documents]
        if len(members) < len(group):
            self._fall_back("no merge engine" if self.engine is None else "a version is unmerged")
        if self.engine is None or len(members) < 2:
            return
        documents = [one.documents[rule.path] for one in members]
        try:
            handle = self.engine.join([one.handle for one in documents])
            part = self.engine.value(handle)
        except EngineRefusal as refusal:
            self._fall_back(refusal.reason)
            return
        joined = Document(handle, self.engine.heads(handle), _unstored(documents))
        for member in members:
            if member.documents[rule.path].heads != joined.heads:
                member.version = None
                member.documents = {**member.documents, rule.path: joined}
                member.value = replaced(member.value, pointer_path(rule.path), part)
                member.text = canonical_text(member.value)

    def _fall_back(self, reason: str) -> None:
        if reason not in self.fallbacks:
            self.fallbacks.append(reason)


def _group_of(rule: MergeRule, part: Any) -> tuple[str, ...]:
    found = (resolve(part, pointer_path(pointer)) for pointer in rule.group_by)
    return tuple("" if one is ABSENT else canonical_text(one) for one in found)


def _collapse(candidates: list[Variant]) -> list[Variant]:
    """Variants with the same value are one; the first of them stays."""
    left: dict[str, Variant] = {}
    for index, one in enumerate(candidates):
        # Tombstones are told apart: two of them are a conflict.
        left.setdefault(f"deleted {index}" if one.text is None else f"active {one.text}", one)
    return list(left.values())


def _unstored(documents: Iterable[Document]) -> tuple[StoredChange, ...]:
    found = {change.hash: change for one in documents for change in one.unstored}
    return tuple(found.values())


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(texts)))
