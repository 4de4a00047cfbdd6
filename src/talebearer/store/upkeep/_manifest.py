"""The manifest of a backup: what is in it, with digests, and what the database holds.

It is canonical JSON in ``manifest.json``, written last, so that a backup without one is unfinished.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jsonschema_rs import Draft202012Validator

from talebearer.errors import ForeignDatabase, SchemaTooNew, StoreUnavailable
from talebearer.store._canonical import refuse
from talebearer.store._engine import file_fault
from talebearer.store._records import schema_problems

MANIFEST_NAME = "manifest.json"
MANIFEST_FORMAT = "talebearer.backup"
MANIFEST_VERSION = 1
MANIFEST_BYTES_MAX = 1024 * 1024 * 1024
DATABASE_FILE = "talebearer.db"
_DIGEST = {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}
_SIZE = {"type": "integer", "minimum": 0}
_CURSOR = {"type": "string", "pattern": "^(0|[1-9][0-9]{0,17})$"}


def _closed(**members: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": members,
        "required": sorted(members),
        "additionalProperties": False,
    }


_FILE = _closed(file={"enum": ["config.json", "providers.json"]}, digest=_DIGEST, byte_length=_SIZE)
SCHEMA = _closed(
    format={"const": MANIFEST_FORMAT},
    version={"const": MANIFEST_VERSION},
    schema_version={"type": "integer"},
    layout={"enum": ["campaign", "root"]},
    created_at_unix_ms={"type": "integer"},
    generation=_SIZE,
    database=_closed(file={"const": DATABASE_FILE}, digest=_DIGEST, byte_length=_SIZE),
    artifacts={"type": "array", "items": _closed(digest=_DIGEST, byte_length=_SIZE)},
    lacking={"type": "array", "items": _DIGEST},
    settings={"type": "array", "items": _FILE},
    counts={"type": "object", "additionalProperties": _SIZE},
    heads=_closed(count=_SIZE, digest=_DIGEST),
    feed=_closed(
        cursor=_CURSOR,
        scopes={"type": "array", "items": _closed(scope_json={"type": "string"}, cursor=_CURSOR)},
    ),
)


def load_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of the backup in *folder*.

    Raises:
        StoreUnavailable: There is none: no backup, or an unfinished one (TB210).
        ForeignDatabase: The file is of another program (TB202).
        SchemaTooNew: It is of a newer version of the format (TB201).
        InvalidRecord: It is damaged; all places are listed (TB115).
    """
    path = folder / MANIFEST_NAME
    try:
        if path.stat().st_size > MANIFEST_BYTES_MAX:
            raise ForeignDatabase(f"{path} is larger than any manifest")
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise StoreUnavailable(
            f"there is no {MANIFEST_NAME} in {folder}",
            hint="name the folder of a finished backup",
            data={"path": str(path)},
        ) from None
    except OSError as error:
        raise file_fault(error, path=path) from error
    except (ValueError, RecursionError) as error:
        raise ForeignDatabase(f"{path} is no JSON: {error}", data={"path": str(path)}) from error
    _check_format(path, document)
    validator = Draft202012Validator(SCHEMA)
    if not validator.is_valid(document):
        refuse(list(schema_problems(validator, document)), what=f"{path}")
    return document  # type: ignore[no-any-return]  # the schema says that it is an object


def _check_format(path: Path, document: Any) -> None:
    found = document.get("format") if isinstance(document, dict) else None
    if found != MANIFEST_FORMAT:
        raise ForeignDatabase(f"{path} is no manifest of a backup", data={"path": str(path)})
    version = document.get("version")
    if isinstance(version, int) and version > MANIFEST_VERSION:
        raise SchemaTooNew(
            f"{path} is of version {version}; this program knows {MANIFEST_VERSION}",
            hint="pip install --upgrade talebearer",
            data={"found": version, "supported": MANIFEST_VERSION},
        )
