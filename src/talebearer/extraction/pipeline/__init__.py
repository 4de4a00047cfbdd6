"""Pipelines: what runs in which order, from a YAML file that is checked before anything runs.

Lanes are extract, validate, normalise, validate. A step gets accepted artifacts of earlier steps, or
artifacts that the caller gives, and nothing else.
"""

from talebearer.extraction.pipeline._builtin import built_in
from talebearer.extraction.pipeline._components import (
    Component,
    Components,
    Role,
    Stage,
    Subject,
)
from talebearer.extraction.pipeline._load import (
    Binding,
    Lane,
    Pipeline,
    Step,
    default_pipelines,
    load_pipelines,
)
from talebearer.extraction.pipeline._run import (
    PipelineResult,
    digest_of,
    model_json,
    roster_json,
    run_pipeline,
)
from talebearer.extraction.pipeline._validators import default_chain, durable_schema

__all__ = [
    "Binding",
    "Component",
    "Components",
    "Lane",
    "Pipeline",
    "PipelineResult",
    "Role",
    "Stage",
    "Step",
    "Subject",
    "built_in",
    "default_chain",
    "default_pipelines",
    "digest_of",
    "durable_schema",
    "load_pipelines",
    "model_json",
    "roster_json",
    "run_pipeline",
]
