"""Letting a model extract from labelled excerpts, to be scored as any extractor is."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from talebearer.errors import BadModelOutput
from talebearer.extraction._artifacts import Artifact
from talebearer.extraction._session import Glossary, Session
from talebearer.extraction.asking import ModelRun
from talebearer.extraction.pipeline import load_pipelines, run_pipeline
from talebearer.extraction.scoring._found import Find, Found
from talebearer.extraction.scoring._labelled import LabelledExcerpt

PIPELINES = b"""pipelines:
  names:
    input: transcript
    steps:
      - id: ask
        artifacts:
          npcs: {extract: dnd/npcs, normalize: dnd/npcs}
  occurrences:
    input: transcript
    steps:
      - id: ask
        references:
          npcs: {external: labelled}
        artifacts:
          interactions: {extract: dnd/npc-interactions, normalize: dnd/npc-interactions}
"""
NO_GLOSSARY: Glossary = {}
NO_EXTERNALS: Mapping[str, Artifact] = {}


def find_by_model(
    model: ModelRun, *, rejected: Callable[[str, BadModelOutput], None] | None = None
) -> Find:
    """Return what asks *model*: interactions with the excerpt's names as registry and their aliases as
    glossary, and its own registry without either.

    A lane whose reply stays rejected has found nothing, since how often that happens is part of how
    good a model is.

    Args:
        model: Whom to ask, for all excerpts together.
        rejected: Told the excerpt's id and why, for each such lane.

    Raises:
        ProviderError: When called, if the model cannot be asked on (TB3xx).
    """
    pipelines = load_pipelines(PIPELINES)

    def lane(
        excerpt: LabelledExcerpt, name: str, glossary: Glossary, externals: Mapping[str, Artifact]
    ) -> Artifact | None:
        session = Session(transcript=excerpt.transcript, roster=excerpt.roster, glossary=glossary)
        try:
            result = run_pipeline(pipelines[name], session, externals=externals, model=model)
        except BadModelOutput as error:
            if rejected is not None:
                rejected(excerpt.excerpt_id, error)
            return None
        return next(iter(result.artifacts.values()))

    def find(excerpt: LabelledExcerpt) -> Found:
        named = lane(excerpt, "names", NO_GLOSSARY, NO_EXTERNALS)
        given = {"labelled": excerpt.registry}
        done = lane(excerpt, "occurrences", excerpt.aliases, given)
        return Found(
            interactions=() if done is None else tuple(done.payload["interactions"]),
            names=() if named is None else tuple(npc["name"] for npc in named.payload["npcs"]),
        )

    return find
