"""Authored pools: from a YAML tree to findings and a compiled pack."""

from talebearer.content._compile import EMPTY_PACK, Compiled, compile_cast, compile_content
from talebearer.content._enums import write_default_enums
from talebearer.content._lint import lint, write_schemas
from talebearer.content._schemas import SCHEMAS, schema_of

__all__ = [
    "EMPTY_PACK",
    "SCHEMAS",
    "Compiled",
    "compile_cast",
    "compile_content",
    "lint",
    "schema_of",
    "write_default_enums",
    "write_schemas",
]
