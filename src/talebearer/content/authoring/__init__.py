"""What surrounds lint and compile: packs on disk, reports, baselines, drafts, watching, copies."""

from typing import TYPE_CHECKING

from talebearer._doors import opened_on_use

if TYPE_CHECKING:
    from talebearer.content.authoring._build import Built, build
    from talebearer.content.authoring._fingerprint import (
        Compared,
        compare,
        dump_baseline,
        fingerprints,
        load_baseline,
    )
    from talebearer.content.authoring._missing import (
        MissingFact,
        draft_facts,
        facts_added,
        missing_facts,
        missing_in,
    )
    from talebearer.content.authoring._offered import put_schemas, schemas_with_names, stale_schemas
    from talebearer.content.authoring._sarif import sarif
    from talebearer.content.authoring._vendor import vendor, vendored_files
    from talebearer.content.authoring._watch import changes

__all__ = [
    "Built",
    "Compared",
    "MissingFact",
    "build",
    "changes",
    "compare",
    "draft_facts",
    "dump_baseline",
    "facts_added",
    "fingerprints",
    "load_baseline",
    "missing_facts",
    "missing_in",
    "put_schemas",
    "sarif",
    "schemas_with_names",
    "stale_schemas",
    "vendor",
    "vendored_files",
]

__getattr__ = opened_on_use(
    __name__,
    {
        "_build": "Built build",
        "_fingerprint": "Compared compare dump_baseline fingerprints load_baseline",
        "_missing": "MissingFact draft_facts facts_added missing_facts missing_in",
        "_offered": "put_schemas schemas_with_names stale_schemas",
        "_sarif": "sarif",
        "_vendor": "vendor vendored_files",
        "_watch": "changes",
    },
)
