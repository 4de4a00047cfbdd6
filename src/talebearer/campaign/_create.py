"""Making a campaign folder: an empty one, or a copy of a bundled one."""

from __future__ import annotations

import re
import shutil
import unicodedata
from importlib.resources import as_file, files

from talebearer.campaign._config import config_template
from talebearer.campaign._layout import Layout, write_whole
from talebearer.content import write_default_enums, write_schemas
from talebearer.errors import InvalidId, UsageFault, did_you_mean
from talebearer.vocabulary import SOURCE_ID, fullmatch

TEMPLATES = ("drowned-bell",)


def must_be_new(layout: Layout) -> None:
    """Refuse a folder that holds something.

    Raises:
        UsageFault: It does (TB111).
    """
    folder = layout.folder
    if layout.config.exists():
        raise UsageFault(f"{folder} is a campaign already", hint="open it, or choose another")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageFault(f"{folder} is not an empty folder", hint="choose a new folder")


def make_empty(layout: Layout, *, title: str, campaign_id: str) -> None:
    """Write settings, default enumerations and editor schemas.

    The settings come last: a folder without them is no campaign, so an interrupted making is seen
    as such.

    Raises:
        InvalidId: *campaign_id* does not match its pattern (TB109).
    """
    if not fullmatch(SOURCE_ID, campaign_id):
        raise InvalidId(f"the campaign id {campaign_id!r} does not match {SOURCE_ID}")
    content = layout.folder / "content"
    write_default_enums(content / "global" / "enums")
    write_schemas(content / "_schema")
    for part in ("global/knowledge", "global/npcs", "campaigns"):
        (content / part).mkdir(parents=True, exist_ok=True)
    layout.transcripts.mkdir(exist_ok=True)
    write_whole(layout.config, config_template(campaign_id, title).encode())


def unpack_template(layout: Layout, template: str) -> None:
    """Copy a bundled campaign beside its place, then put it there.

    Raises:
        UsageFault: There is no such template (TB111).
    """
    if template not in TEMPLATES:
        hint = did_you_mean(template, TEMPLATES)
        raise UsageFault(f"no bundled campaign is called {template!r}", hint=hint)
    part = layout.folder.with_name(layout.folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    with as_file(files("talebearer").joinpath("bundled", template)) as bundled:
        shutil.copytree(bundled, part, ignore=shutil.ignore_patterns("expected"))
    write_schemas(part / "content" / "_schema")
    # A rename takes the place of an empty folder; a cut-off copy leaves only the part behind.
    part.replace(layout.folder)


def id_from(title: str) -> str:
    """Return a campaign id made of a title: ASCII letters and digits, dashes between."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:64].rstrip("-") or "campaign"
