"""Authored pools: from a YAML tree to findings and a compiled pack."""

from talebearer.content._build import Built, build
from talebearer.content._compile import EMPTY_PACK
from talebearer.content._enums import write_default_enums
from talebearer.content._lint import write_schemas
from talebearer.content._make import Compiled, compile_cast, compile_content, lint
from talebearer.content._schemas import SCHEMAS, schema_of

__all__ = [
    "EMPTY_PACK",
    "SCHEMAS",
    "Built",
    "Compiled",
    "build",
    "compile_cast",
    "compile_content",
    "lint",
    "schema_of",
    "write_default_enums",
    "write_schemas",
]
