"""From a pipelines file to pipelines that can run, or every reason why not.

Everything is checked before anything runs: members, keys, roles, kinds, and that every required
reference is bound by a lane of an earlier step or by an artifact that the caller gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from talebearer.errors import InvalidCampaign, Where, nearest
from talebearer.errors import findings_extraction as found
from talebearer.extraction.pipeline._builtin import built_in
from talebearer.extraction.pipeline._components import Component, Components, Role, Stage
from talebearer.extraction.pipeline._validators import default_chain
from talebearer.extraction.pipeline._yaml import SHOWN_MAX, Findings, Node, read_nodes
from talebearer.transcripts import FORMATS
from talebearer.vocabulary import SLUG, ArtifactKind, fullmatch

ANY_INPUT = "transcript"
PROBLEMS_SHOWN_MAX = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """What fills a slot: a lane of an earlier step, or an artifact that the caller gives.

    Attributes:
        step: The earlier step; None for an external artifact.
        lane: The lane of that step; None for an external artifact.
        external: The name under which the caller gives it; None for a lane.
    """

    step: str | None = None
    lane: str | None = None
    external: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One artifact in the making.

    Attributes:
        name: Under which later steps refer to it.
        extract: What proposes.
        normalize: What brings it into normal form.
        chains: The validators of each stage, in order.
        bindings: What fills its slots.
    """

    name: str
    extract: Component
    normalize: Component
    chains: Mapping[Stage, tuple[Component, ...]]
    bindings: Mapping[str, Binding]

    @property
    def kind(self) -> ArtifactKind:
        """What it makes."""
        assert self.extract.kind is not None, "an extractor makes one kind"
        return self.extract.kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Lanes that run after all earlier steps.

    Attributes:
        id: Its name within the pipeline.
        lanes: In file order.
    """

    id: str
    lanes: tuple[Lane, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """Steps in order.

    Attributes:
        id: Its name in the file.
        input: The transcript format that it takes; ``transcript`` takes any.
        steps: At least one.
    """

    id: str
    input: str
    steps: tuple[Step, ...]

    @property
    def externals(self) -> tuple[str, ...]:
        """The names of the artifacts that the caller has to give, sorted."""
        return tuple(sorted(self.external_kinds))

    @property
    def external_kinds(self) -> dict[str, ArtifactKind]:
        """The artifacts that the caller has to give, by name, with the kind that is needed."""
        return {
            binding.external: {**lane.extract.slots, **lane.normalize.slots}[slot]
            for step in self.steps
            for lane in step.lanes
            for slot, binding in lane.bindings.items()
            if binding.external is not None
        }


def load_pipelines(
    data: bytes, *, file: str = "pipelines.yaml", components: Components | None = None
) -> Mapping[str, Pipeline]:
    """Return the pipelines of a file by id, in file order.

    Args:
        data: YAML in UTF-8, at most 256 KiB, without aliases.
        file: What findings call it.
        components: What can be named; by default the built-in ones and the installed plug-ins.

    Raises:
        InvalidCampaign: It cannot be used (TB107); all problems, with line and column, are in
            ``data["problems"]``, up to fifty of them.

    Source: the NPC-interaction artifact spec, "Production Pipeline".
    """
    findings = Findings(file)
    root = read_nodes(data, findings)
    pipelines: dict[str, Pipeline] = {}
    if root is not None:
        reader = _Reader(findings, components or Components(built_in()))
        pipelines = reader.file(root)
    if findings.problems:
        first = findings.problems[0]
        more = len(findings.problems) - 1
        raise InvalidCampaign(
            f"{first.where}: {first.message}" + (f" and {more} more" if more else ""),
            hint=first.hint,
            data={
                "problem_count": len(findings.problems),
                "problems": [one.as_json() for one in findings.problems[:PROBLEMS_SHOWN_MAX]],
            },
        )
    return MappingProxyType(pipelines)


def default_pipelines() -> bytes:
    """Return the pipelines file that a new campaign gets."""
    folder = files("talebearer.extraction.pipeline")
    return (folder / "default.yaml").read_bytes()


class _Reader:
    """Walks one file."""

    def __init__(self, findings: Findings, components: Components) -> None:
        self.findings = findings
        self.components = components

    def file(self, root: Node) -> dict[str, Pipeline]:
        members = self.mapping(root, required=("pipelines",))
        if "pipelines" not in members:
            return {}
        named = self.named(members["pipelines"])
        if not named and isinstance(members["pipelines"].value, dict):
            self.findings.malformed(members["pipelines"].where, "there is no pipeline")
        return {name: self.pipeline(name, node) for name, node in named.items()}

    def pipeline(self, name: str, node: Node) -> Pipeline:
        members = self.mapping(node, required=("input", "steps"))
        allowed = (ANY_INPUT, *FORMATS)
        given = self.word(members.get("input"), allowed=allowed) or ANY_INPUT
        steps: list[Step] = []
        nodes = self.items(members.get("steps"))
        for one in nodes:
            step = self.step(one, steps)
            if step is not None:
                steps.append(step)
        return Pipeline(id=name, input=given, steps=tuple(steps))

    def step(self, node: Node, earlier: list[Step]) -> Step | None:
        members = self.mapping(node, required=("id", "artifacts"), optional=("references",))
        step_id = self.word(members.get("id"))
        if step_id is not None and not fullmatch(SLUG, step_id):
            self.findings.malformed(members["id"].where, f"{step_id[:SHOWN_MAX]!r} is no step id")
        if step_id in [step.id for step in earlier]:
            self.findings.malformed(members["id"].where, f"the step {step_id!r} is there twice")
        references = self.named(members["references"]) if "references" in members else {}
        bound = {slot: self.reference(one, earlier) for slot, one in references.items()}
        lanes = []
        artifacts = self.named(members["artifacts"]) if "artifacts" in members else {}
        if "artifacts" in members and not artifacts:
            self.findings.malformed(members["artifacts"].where, "the step makes no artifact")
        for name, one in artifacts.items():
            lane = self.lane(name, one, bound)
            if lane is not None:
                lanes.append(lane)
        used = {slot for lane in lanes for slot in (*lane.extract.slots, *lane.normalize.slots)}
        for slot in references:
            if slot not in used and len(lanes) == len(artifacts):
                message = f"no lane of the step has a slot {slot!r}"
                self.findings.add(found.BAD_REFERENCE, references[slot].where, message)
        return None if step_id is None else Step(id=step_id, lanes=tuple(lanes))

    def reference(
        self, node: Node, earlier: list[Step]
    ) -> tuple[Binding, ArtifactKind | None, Where] | None:
        """Return what fills a slot and its kind, when that is known before the run."""
        members = self.mapping(node, optional=("artifact", "external"))
        if len(members) != 1:
            hint = "artifact: {step, lane}, or external: NAME"
            self.findings.malformed(node.where, "a reference is one of artifact, external", hint)
            return None
        if "external" in members:
            name = self.word(members["external"])
            return None if name is None else (Binding(external=name), None, node.where)
        target = self.mapping(members["artifact"], required=("step", "lane"))
        step_id, lane_name = self.word(target.get("step")), self.word(target.get("lane"))
        if step_id is None or lane_name is None:
            return None
        for step in earlier:
            for lane in step.lanes:
                if (step.id, lane.name) == (step_id, lane_name):
                    return Binding(step=step_id, lane=lane_name), lane.kind, node.where
        there = [f"{step.id}/{lane.name}" for step in earlier for lane in step.lanes]
        hint = f"earlier lanes: {', '.join(there)}" if there else "no step comes before this one"
        shown = f"{step_id[:SHOWN_MAX]}/{lane_name[:SHOWN_MAX]}"
        message = f"no earlier step has the lane {shown!r}"
        self.findings.add(found.BAD_REFERENCE, members["artifact"].where, message, hint)
        return None

    def lane(self, name: str, node: Node, bound: Mapping[str, Any]) -> Lane | None:
        members = self.mapping(node, required=("extract", "normalize"), optional=("validate",))
        extract = self.component(Role.EXTRACT, members.get("extract"))
        normalize = self.component(Role.NORMALIZE, members.get("normalize"))
        if extract is None or normalize is None:
            return None
        if extract.kind is None or normalize.kind is not extract.kind:
            message = f"{normalize.key!r} does not normalise what {extract.key!r} gives"
            self.findings.malformed(members["normalize"].where, message)
            return None
        chains = self.chains(members.get("validate"), extract.kind)
        bindings = self.bindings({**extract.slots, **normalize.slots}, bound, node.where)
        return Lane(
            name=name, extract=extract, normalize=normalize, chains=chains, bindings=bindings
        )

    def bindings(
        self, slots: Mapping[str, ArtifactKind], bound: Mapping[str, Any], where: Where
    ) -> dict[str, Binding]:
        made: dict[str, Binding] = {}
        for slot, kind in sorted(slots.items()):
            if slot not in bound:
                message = f"the required slot {slot!r} is not bound"
                hint = f"add references: {slot}: to the step"
                self.findings.add(found.BAD_REFERENCE, where, message, hint)
            elif bound[slot] is not None:
                binding, given, place = bound[slot]
                made[slot] = binding
                if given is not None and given is not kind:
                    message = f"the slot {slot!r} needs {kind.value}, not {given.value}"
                    self.findings.add(found.BAD_REFERENCE, place, message)
        return made

    def chains(self, node: Node | None, kind: ArtifactKind) -> dict[Stage, tuple[Component, ...]]:
        members = {} if node is None else self.mapping(node, optional=("extract", "normalize"))
        chains: dict[Stage, tuple[Component, ...]] = {}
        for stage in Stage:
            given = members.get(stage.value)
            if given is None:
                keys = [
                    Node(value=key, where=Where(file=self.findings.file))
                    for key in default_chain(kind, stage)
                ]
            else:
                keys = self.items(given)
            made = [self.component(Role.VALIDATE, key) for key in keys]
            for key, one in zip(keys, made, strict=True):
                if one is not None and one.kind not in (None, kind):
                    message = f"{one.key!r} does not check {kind.value}"
                    self.findings.malformed(key.where, message)
            chains[stage] = tuple(one for one in made if one is not None)
        return chains

    def component(self, role: Role, node: Node | None) -> Component | None:
        key = self.word(node)
        if node is None or key is None:
            return None
        shown = key[:SHOWN_MAX]
        try:
            component = self.components.get(role, key)
        except ImportError as error:
            message = f"the component {shown!r} cannot be used: {error}"
            self.findings.add(found.BROKEN_COMPONENT, node.where, message[:300])
            return None
        if component is None:
            keys = self.components.keys(role)
            close = nearest(shown, keys)
            hint = (f"did you mean {close[0]}? " if close else "") + f"known: {', '.join(keys)}"
            message = f"there is no component {shown!r} that can {role.value}"
            self.findings.add(found.UNKNOWN_COMPONENT, node.where, message, hint)
        return component

    def mapping(
        self, node: Node, *, required: tuple[str, ...] = (), optional: tuple[str, ...] = ()
    ) -> dict[str, Node]:
        """Return the allowed members of *node*; what is missing or more is found."""
        if not isinstance(node.value, dict):
            self.findings.malformed(node.where, "a mapping belongs here")
            return {}
        allowed = (*required, *optional)
        for name in required:
            if name not in node.value:
                self.findings.malformed(node.where, f"{name!r} is missing")
        for name, child in node.value.items():
            if name not in allowed:
                close = nearest(name[:SHOWN_MAX], allowed)
                hint = f"did you mean {close[0]}?" if close else f"allowed: {', '.join(allowed)}"
                message = f"{name[:SHOWN_MAX]!r} is not allowed here"
                self.findings.malformed(child.where, message, hint)
        return {name: child for name, child in node.value.items() if name in allowed}

    def named(self, node: Node) -> dict[str, Node]:
        """Return a mapping whose keys the author chooses."""
        if not isinstance(node.value, dict):
            self.findings.malformed(node.where, "a mapping belongs here")
            return {}
        for name, child in node.value.items():
            if not fullmatch(SLUG, name):
                hint = "lower-case letters, digits and dashes, a letter first"
                self.findings.malformed(child.where, f"{name[:SHOWN_MAX]!r} is no name", hint)
        return dict(node.value)

    def items(self, node: Node | None) -> list[Node]:
        if node is None:
            return []
        if not isinstance(node.value, list) or not node.value:
            self.findings.malformed(node.where, "a list of at least one belongs here")
            return []
        return list(node.value)

    def word(self, node: Node | None, *, allowed: tuple[str, ...] = ()) -> str | None:
        if node is None:
            return None
        if not isinstance(node.value, str) or not node.value:
            self.findings.malformed(node.where, "a word belongs here")
            return None
        if allowed and node.value not in allowed:
            message = f"{node.value[:SHOWN_MAX]!r} is not known"
            self.findings.malformed(node.where, message, f"allowed: {', '.join(allowed)}")
            return None
        return node.value
