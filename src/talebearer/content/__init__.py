"""Authored pools: from a YAML tree to findings and a compiled pack."""

from typing import TYPE_CHECKING

from talebearer._doors import opened_on_use
from talebearer.content._compile import EMPTY_PACK
from talebearer.content._enums import write_default_enums
from talebearer.content._lint import schemas_for, write_schemas
from talebearer.content._live import ContentState, LiveContent
from talebearer.content._make import Compiled, compile_cast, compile_content, lint, slugs_now
from talebearer.content._schemas import SCHEMAS, schema_of
from talebearer.content._single import AuthoredFile, read_authored
from talebearer.content._tree import PLAN_SUFFIX
from talebearer.content.plans import (
    CELLS,
    GIVEN_KINDS,
    CaseCheck,
    LineIndex,
    Plan,
    Plans,
    lint_plans,
    names_line,
    read_plan_text,
    read_plans,
)

if TYPE_CHECKING:
    from talebearer.content.authoring import (
        Built,
        Compared,
        MissingFact,
        build,
        changes,
        compare,
        draft_facts,
        dump_baseline,
        facts_added,
        fingerprints,
        load_baseline,
        missing_facts,
        missing_in,
        put_schemas,
        sarif,
        schemas_with_names,
        stale_schemas,
        vendor,
        vendored_files,
    )

__all__ = [
    "CELLS",
    "EMPTY_PACK",
    "GIVEN_KINDS",
    "PLAN_SUFFIX",
    "SCHEMAS",
    "AuthoredFile",
    "Built",
    "CaseCheck",
    "Compared",
    "Compiled",
    "ContentState",
    "LineIndex",
    "LiveContent",
    "MissingFact",
    "Plan",
    "Plans",
    "build",
    "changes",
    "compare",
    "compile_cast",
    "compile_content",
    "draft_facts",
    "dump_baseline",
    "facts_added",
    "fingerprints",
    "lint",
    "lint_plans",
    "load_baseline",
    "missing_facts",
    "missing_in",
    "names_line",
    "put_schemas",
    "read_authored",
    "read_plan_text",
    "read_plans",
    "sarif",
    "schema_of",
    "schemas_for",
    "schemas_with_names",
    "slugs_now",
    "stale_schemas",
    "vendor",
    "vendored_files",
    "write_default_enums",
    "write_schemas",
]

# What surrounds lint and compile is asked for by few commands.
__getattr__ = opened_on_use(
    __name__,
    {
        "authoring": (
            "Built Compared MissingFact build changes compare draft_facts "
            "dump_baseline facts_added fingerprints load_baseline missing_facts "
            "missing_in put_schemas sarif schemas_with_names stale_schemas vendor "
            "vendored_files"
        )
    },
)
