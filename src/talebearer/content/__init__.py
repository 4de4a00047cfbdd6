"""Authored pools: from a YAML tree to findings and a compiled pack."""

from talebearer.content._compile import EMPTY_PACK
from talebearer.content._enums import write_default_enums
from talebearer.content._lint import schemas_for, write_schemas
from talebearer.content._make import Compiled, compile_cast, compile_content, lint
from talebearer.content._schemas import SCHEMAS, schema_of
from talebearer.content.authoring import (
    Built,
    Compared,
    MissingFact,
    build,
    changes,
    compare,
    draft_facts,
    dump_baseline,
    fingerprints,
    load_baseline,
    missing_facts,
    sarif,
    vendor,
    vendored_files,
)

__all__ = [
    "EMPTY_PACK",
    "SCHEMAS",
    "Built",
    "Compared",
    "Compiled",
    "MissingFact",
    "build",
    "changes",
    "compare",
    "compile_cast",
    "compile_content",
    "draft_facts",
    "dump_baseline",
    "fingerprints",
    "lint",
    "load_baseline",
    "missing_facts",
    "sarif",
    "schema_of",
    "schemas_for",
    "vendor",
    "vendored_files",
    "write_default_enums",
    "write_schemas",
]
