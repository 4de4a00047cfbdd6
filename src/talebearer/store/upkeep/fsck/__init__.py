"""``fsck``: everything that a store claims, checked against everything that it holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from talebearer.errors import Problem, Severity, StoreCorrupt
from talebearer.errors.findings_store import DAMAGED_PAGE, INDEX_DRIFT, NOT_CHECKED
from talebearer.store.merging import automerge_engine
from talebearer.store.upkeep._access import Reading
from talebearer.store.upkeep._place import Place
from talebearer.store.upkeep._progress import Progress, silent
from talebearer.store.upkeep.fsck._bytes import check_bytes, check_modes
from talebearer.store.upkeep.fsck._changes import (
    ChangeFacts,
    DamagedChange,
    check_changes,
    check_documents,
    read_change,
)
from talebearer.store.upkeep.fsck._findings import Findings, entity_name
from talebearer.store.upkeep.fsck._index import check_index, rebuild_index
from talebearer.store.upkeep.fsck._rows import check_heads_and_log, check_pages, check_values

__all__ = [
    "ChangeFacts",
    "DamagedChange",
    "Findings",
    "FsckReport",
    "entity_name",
    "fsck",
    "read_change",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class FsckReport:
    """What a check found.

    Attributes:
        problems: The findings, at most 1,000 of each code, in the order of the checks.
        counts: How many findings there were of each code.
        repaired: What was built again.
    """

    problems: tuple[Problem, ...]
    counts: Mapping[str, int]
    repaired: tuple[str, ...] = field(default=())

    @property
    def sound(self) -> bool:
        """Whether nothing is an error; warnings and notes may be there."""
        return all(problem.severity is not Severity.ERROR for problem in self.problems)


def fsck(
    place: Place,
    *,
    node_id: str = "local",
    repair: bool = False,
    progress: Progress | None = None,
) -> FsckReport:
    """Check a store: pages, values, heads, log, units, merge changes, bytes, text index, modes.

    It reads only, at one moment, and may run beside the writer. Damage in one part does not keep it
    from the others; what could not be looked at is a finding too.

    Args:
        place: The store.
        node_id: The placement provider whose bytes should be here.
        repair: Build again what is derived from the rest, which is the text index, where it is
            not as it should be. Nothing else is ever changed.
        progress: Told (stage, done, total).

    Raises:
        StoreLocked: Something is to be repaired, and a writer has the store (TB203).
        SchemaTooNew: The database is of a newer schema version (TB201).
        ForeignDatabase: It is no database, or another program's (TB202).
        SchemaTooOld: It is of an older schema version (TB209).
        StoreUnavailable: There is nothing to read (TB210).
    """
    findings = Findings(str(place.database), progress)
    try:
        reading = Reading(place)
    except StoreCorrupt as error:
        findings.add(DAMAGED_PAGE, error.message)
        findings.add(NOT_CHECKED, "the database cannot be opened", row="everything")
        return _report(findings)
    with reading:
        check_pages(reading, findings)
        with findings.stage("rows"), reading.snapshot():
            check_values(reading, findings)
            check_heads_and_log(reading, findings)
            check_changes(reading, findings)
            check_documents(reading, findings, automerge_engine())
            check_bytes(reading, findings, node_id=node_id)
            check_index(reading, findings)
    check_modes(place, findings)
    if repair and findings.counts[INDEX_DRIFT]:
        return _repaired(place, findings, progress or silent)
    return _report(findings)


def _repaired(place: Place, findings: Findings, told: Progress) -> FsckReport:
    """Build the text index again, look at it again, and report what is left."""
    count = rebuild_index(place, told)
    findings.problems = [one for one in findings.problems if one.code != INDEX_DRIFT]
    del findings.counts[INDEX_DRIFT]
    with Reading(place) as reading, reading.snapshot():
        check_index(reading, findings)
    report = _report(findings)
    return replace(report, repaired=(f"the text index, over {count} versions",))


def _report(findings: Findings) -> FsckReport:
    counts = {code: findings.counts[code] for code in sorted(findings.counts)}
    return FsckReport(problems=tuple(findings.problems), counts=counts)
