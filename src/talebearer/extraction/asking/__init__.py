"""Asking a model: chunks, prompts, the private response form, checkpoints, limits and retries.

What comes back is trusted in no way: it passes the lane's extract chain or is not kept.
"""

from talebearer.extraction.asking._ask import LaneAsker
from talebearer.extraction.asking._chunks import Chunk, line_of, plan_chunks, tokens_of
from talebearer.extraction.asking._forms import (
    candidates,
    list_member,
    reply_problems,
    response_schema,
    schema_identity,
)
from talebearer.extraction.asking._meter import Meter
from talebearer.extraction.asking._prompts import Prompt, make_prompt
from talebearer.extraction.asking._runs import Answer, ModelProgress, ModelRun

__all__ = [
    "Answer",
    "Chunk",
    "LaneAsker",
    "Meter",
    "ModelProgress",
    "ModelRun",
    "Prompt",
    "candidates",
    "line_of",
    "list_member",
    "make_prompt",
    "plan_chunks",
    "reply_problems",
    "response_schema",
    "schema_identity",
    "tokens_of",
]
