"""Authored pools: from a YAML tree to findings and a compiled pack."""

from talebearer.content._build import Built, build
from talebearer.content._compile import EMPTY_PACK
from talebearer.content._enums import write_default_enums
from talebearer.content._fingerprint import (
    Compared,
    compare,
    dump_baseline,
    fingerprints,
    load_baseline,
)
from talebearer.content._lint import schemas_for, write_schemas
from talebearer.content._make import Compiled, compile_cast, compile_content, lint
from talebearer.content._missing import MissingFact, draft_facts, missing_facts
from talebearer.content._sarif import sarif
from talebearer.content._schemas import SCHEMAS, schema_of
from talebearer.content._vendor import vendor, vendored_files
from talebearer.content._watch import changes

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
