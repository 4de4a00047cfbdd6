"""One lane: extract, check, normalise, check, and the artifact or the reason why there is none."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from talebearer.errors import ComponentFailed, Problem, Severity, TalebearerError, Where
from talebearer.errors import findings_extraction as found
from talebearer.extraction._artifacts import Artifact, make_artifact, refuse
from talebearer.extraction._roster import fold_label
from talebearer.extraction._session import Session
from talebearer.extraction._strict_json import parse_strict
from talebearer.extraction.asking import (
    Chunk,
    LaneAsker,
    ModelRun,
    candidates,
    list_member,
    make_prompt,
    plan_chunks,
)
from talebearer.extraction.pipeline._builtin import rules_interactions, rules_npcs
from talebearer.extraction.pipeline._components import Component, Stage, Subject
from talebearer.extraction.pipeline._load import Lane
from talebearer.extraction.pipeline._validators import contract_problems
from talebearer.extraction.rules import RulesExtractor
from talebearer.vocabulary import ArtifactKind

REPLY_BYTES_MAX = 1024 * 1024
WARNINGS_MAX = 50

Item = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What a lane gave.

    Attributes:
        artifact: Accepted and in normal form.
        extractor: Name and version of what proposed.
        draft: Whether somebody should look at it first.
        prompt: Identity of the prompt, when a model was asked.
        chunk_count: How many chunks were asked about; 0 without a model.
        complete: Whether no chunk was refused.
        problems: Warnings, bounded.
    """

    artifact: Artifact
    extractor: dict[str, str]
    draft: bool
    prompt: dict[str, Any] | None = None
    chunk_count: int = 0
    complete: bool = True
    problems: tuple[Problem, ...] = ()


@dataclass(slots=True)
class LaneRun:
    """Runs one lane.

    Args:
        lane: What to run.
        session: What to work from.
        registry: The accepted registry, where the lane needs one.
        names: Its names-only projection; all that extraction gets of it.
        model: Whom ``dnd/*`` components ask; None: the embedded rules.
    """

    lane: Lane
    session: Session
    registry: Artifact | None
    names: tuple[str, ...] | None
    model: ModelRun | None
    _warnings: dict[Problem, None] = field(default_factory=dict)

    def run(self) -> Made:
        """Return the accepted artifact.

        Raises:
            InvalidArtifact: A chain rejected what a component gave (TB110).
            ProviderError: The model gave no acceptable answer (TB3xx).
        """
        work = self.lane.extract.work
        if work is None and self.model is not None:
            return self._asked(self.model)
        extractor, draft = self._proposer()
        if work is None:
            npcs = self.lane.kind is ArtifactKind.NPC_LIST
            work = rules_npcs if npcs else rules_interactions
        items = self._proposed(call(self.lane.extract.key, work, self.session, self.names))
        artifact = self._normalised(items)
        return Made(
            artifact=artifact, extractor=extractor, draft=draft, problems=tuple(self._warnings)
        )

    def check(self, text: str, chunk: Chunk) -> tuple[Any, list[Problem]]:
        """Return the value of a reply and all that the extract chain finds."""
        if text.startswith("```") and text.rstrip().endswith("```"):
            text = text.partition("\n")[2].rstrip().removesuffix("```")
        data = text.encode("utf-8", "surrogatepass")
        if len(data) > REPLY_BYTES_MAX:
            message = f"the reply has {len(data)} bytes, more than {REPLY_BYTES_MAX}"
            return None, [_error(found.REPLY_TOO_LARGE, message)]
        value, problems = parse_strict(data)
        return value, self._chain(Stage.EXTRACT, value, problems, (chunk.first, chunk.last))

    def _asked(self, model: ModelRun) -> Made:
        prompt = make_prompt(self.lane.kind, self.session, self.names)
        settings = model.settings
        asker = LaneAsker(
            run=model,
            lane=self.lane.name,
            prompt=prompt,
            check=self.check,
            source_digest=self.session.transcript.digest,
        )
        chunks = plan_chunks(
            self.session.transcript,
            chunk_tokens=settings.chunk_tokens,
            context_units=settings.context_units,
        )
        # Without anybody to find there is nothing to ask: the answer is the empty list.
        answers = asker.ask(chunks if self.names != () else ())
        items: list[Item] = []
        for answer in answers:
            self._warn(answer.warnings)
            if answer.value is not None:
                items += self._items(answer.value)
        identity = model.provider.identity
        return Made(
            artifact=self._normalised(items),
            extractor={
                "name": f"{identity['provider']}:{identity['model']}",
                "version": prompt.instructions_digest.removeprefix("sha256:")[:12],
            },
            draft=self.lane.extract.draft,
            prompt=prompt.identity(),
            chunk_count=len(answers),
            complete=all(answer.value is not None for answer in answers),
            problems=tuple(self._warnings),
        )

    @property
    def _by_rules(self) -> bool:
        """Whether the embedded rules propose; they weigh the names of the table themselves."""
        component = self.lane.extract
        return component.key.startswith("rules/") or (component.work is None and not self.model)

    def _proposer(self) -> tuple[dict[str, str], bool]:
        component = self.lane.extract
        if self._by_rules:
            rules = RulesExtractor()
            return {"name": rules.name, "version": rules.version}, rules.draft
        return {"name": component.key, "version": component.version}, component.draft

    def _proposed(self, proposed: Any) -> list[Item]:
        """Return the items of a component that asks no model; the whole source is its chunk."""
        value, problems = self._as_json(proposed, self.lane.extract.key)
        last = len(self.session.transcript.units)
        self._refuse(self._chain(Stage.EXTRACT, value, problems, (1, last)))
        return self._items(value)

    def _as_json(self, items: Any, key: str) -> tuple[Any, list[Problem]]:
        """Return what a component gave as a JSON value of its own, or why it is none."""
        try:
            text = json.dumps({list_member(self.lane.kind): items}, ensure_ascii=False)
            return parse_strict(text.encode("utf-8", "surrogatepass"))
        except (TypeError, ValueError, RecursionError) as error:
            message = f"{key} gave no JSON ({type(error).__name__})"
            return None, [_error(found.MALFORMED_JSON, message)]

    def _items(self, value: Any) -> list[Item]:
        items = candidates(self.lane.kind, value, self.session.transcript.source_id)
        if self.lane.kind is not ArtifactKind.NPC_LIST or self._by_rules:
            return items
        table = {fold_label(name) for name in self.session.at_table}
        kept = [item for item in items if fold_label(item["name"]) not in table]
        if len(kept) < len(items):
            self._warn([_at_table(self.session.transcript.source_id)])
        return kept

    def _normalised(self, items: list[Item]) -> Artifact:
        kind = self.lane.kind
        normalize = self.lane.normalize
        assert normalize.work is not None, "only extractors ask the provider"
        normal = call(normalize.key, normalize.work, items, self.names)
        value, problems = self._as_json(normal, normalize.key)
        last = len(self.session.transcript.units)
        self._refuse(self._chain(Stage.NORMALIZE, value, problems, (1, last)))
        return make_artifact(
            kind,
            value[list_member(kind)],
            transcript=self.session.transcript,
            registry=self.registry,
        )

    def _chain(
        self, stage: Stage, value: Any, parse_problems: Sequence[Problem], units: tuple[int, int]
    ) -> list[Problem]:
        """Return what the chain finds; the contract itself holds whatever the chain is."""
        subject = Subject(
            stage=stage,
            kind=self.lane.kind,
            value=value,
            parse_problems=tuple(parse_problems),
            transcript=self.session.transcript,
            first=units[0],
            last=units[1],
            names=self.names,
            glossary=self.session.glossary,
        )
        problems: dict[Problem, None] = {}
        for component in self.lane.chains[stage]:
            problems.update(dict.fromkeys(_run_validator(component, subject)))
            if parse_problems:
                break
        if not any(one.severity is Severity.ERROR for one in problems):
            problems.update(dict.fromkeys(contract_problems(subject)))
        return list(problems)

    def _refuse(self, problems: list[Problem]) -> None:
        """Raise for errors, keep warnings."""
        refuse(self.lane.kind, [one for one in problems if one.severity is Severity.ERROR])
        self._warn(problems)

    def _warn(self, problems: Sequence[Problem]) -> None:
        for problem in problems:
            if len(self._warnings) < WARNINGS_MAX:
                self._warnings.setdefault(problem)


def _run_validator(component: Component, subject: Subject) -> list[Problem]:
    assert component.work is not None, "only extractors ask the provider"
    given = call(component.key, component.work, subject)
    if not isinstance(given, list | tuple) or not all(isinstance(one, Problem) for one in given):
        raise ComponentFailed(f"the component {component.key!r} gave something else than problems")
    problems = list(given)
    if not component.warning_only:
        return problems
    return [one for one in problems if one.severity is not Severity.ERROR]


def call(key: str, work: Callable[..., Any], *arguments: Any) -> Any:
    """Return what the component *key* gives; whatever it raises becomes an error of ours.

    Raises:
        ComponentFailed: It raised something (TB311).
    """
    try:
        return work(*arguments)
    except TalebearerError:
        raise
    except Exception as error:  # a component may be anybody's
        message = f"the component {key!r} failed ({type(error).__name__})"
        raise ComponentFailed(message) from error


def _error(code: str, message: str) -> Problem:
    return Problem(code=code, severity=Severity.ERROR, where=Where(pointer="$"), message=message)


def _at_table(source_id: str) -> Problem:
    return Problem(
        code=found.NAMES_AT_TABLE,
        severity=Severity.WARNING,
        where=Where(file=source_id),
        message="people of the table were proposed as NPCs, and were left out",
    )
