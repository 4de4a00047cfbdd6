"""Where the parts of a store lie: below a root of its own, or in a campaign's folder.

A root has ``config.json``, ``providers.json``, ``data/talebearer.db``, ``data/artifacts`` and
``run``; a campaign's folder has ``talebearer.db`` and ``artifacts``. Which one a folder is shows
by what is in it, so that every command takes either.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from talebearer.errors import StoreUnavailable, UsageFault

DATABASE_NAME = "talebearer.db"
CONFIG_NAME = "config.json"
PROVIDERS_NAME = "providers.json"
CAMPAIGN_NAME = "campaign.toml"
PROVIDERS_BYTES_MAX = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The paths of one store.

    Attributes:
        root: The folder that a person names.
        database: The database file.
        artifacts: The folder of the content-addressed bytes.
        config: The policy file; None where a campaign's default policy holds.
        providers: The providers file; None in a campaign.
    """

    root: Path
    database: Path
    artifacts: Path
    config: Path | None = None
    providers: Path | None = None

    @property
    def run(self) -> Path:
        """The folder of the daemon's socket."""
        return self.root / "run"


def root_place(root: Path, *, settings_may_be_wrong: bool = False) -> Place:
    """Return the paths of a store root, whether or not anything is there.

    The database is where ``providers.json`` has it, if that says so. A command that is there to
    look at the settings says that they may be wrong, and then gets the default place.
    """
    providers = root / PROVIDERS_NAME
    try:
        database = _local_database(providers)
    except (UsageFault, OSError):
        if not settings_may_be_wrong:
            raise
        database = None
    return Place(
        root=root,
        database=database or root / "data" / DATABASE_NAME,
        artifacts=root / "data" / "artifacts",
        config=root / CONFIG_NAME,
        providers=providers,
    )


def find_place(root: Path, *, settings_may_be_wrong: bool = False) -> Place:
    """Return the paths of the store at *root*: a store root, or a campaign's folder.

    Args:
        root: The folder.
        settings_may_be_wrong: See :func:`root_place`.

    Raises:
        StoreUnavailable: There is neither (TB210).
        UsageFault: Its ``providers.json`` is no providers file (TB111).
    """
    if (root / CONFIG_NAME).exists() or (root / "data").is_dir():
        return root_place(root, settings_may_be_wrong=settings_may_be_wrong)
    if (root / CAMPAIGN_NAME).exists() or (root / DATABASE_NAME).exists():
        return Place(root=root, database=root / DATABASE_NAME, artifacts=root / "artifacts")
    raise StoreUnavailable(
        f"there is no store at {root}",
        hint="name a campaign's folder or a store's root; `talebearer store init` makes a root",
        data={"path": str(root)},
    )


def _local_database(providers: Path) -> Path | None:
    """Return the database that a providers file gives its local provider, relative to the file."""
    try:
        if providers.stat().st_size > PROVIDERS_BYTES_MAX:
            raise UsageFault(f"{providers} is larger than {PROVIDERS_BYTES_MAX:,} bytes")
        document = json.loads(providers.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError) as error:
        raise UsageFault(f"{providers} is no JSON: {error}") from error
    try:
        database = document["providers"]["local"]["database"]
    except (KeyError, TypeError, IndexError):
        database = None
    if not isinstance(database, str) or not database or "\0" in database:
        raise UsageFault(
            f"{providers} names no database at $.providers.local.database",
            hint="give the path of the database, relative to the file",
        )
    return providers.parent / database
