"""Making a campaign folder: an empty one, or a copy of a bundled one."""

from __future__ import annotations

import re
import shutil
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path

from talebearer.campaign._config import config_template
from talebearer.campaign._layout import CONFIG_NAME, PIPELINES_NAME, Layout, write_whole
from talebearer.content import write_default_enums, write_schemas
from talebearer.errors import InvalidId, UsageFault, did_you_mean
from talebearer.extraction import default_pipelines
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
    """Make a campaign with settings, pipelines, default enumerations and editor schemas.

    Raises:
        InvalidId: *campaign_id* does not match its pattern (TB109).
        UsageFault: *title* is blank (TB111).
    """
    if not fullmatch(SOURCE_ID, campaign_id):
        raise InvalidId(f"the campaign id {campaign_id!r} does not match {SOURCE_ID}")
    if not title.strip():
        raise UsageFault(f"the name is {title!r}", hint="give the campaign a name")
    with _beside(layout) as folder:
        content = folder / "content"
        write_default_enums(content / "global" / "enums")
        write_schemas(content / "_schema")
        for part in ("global/knowledge", "global/npcs", "campaigns"):
            (content / part).mkdir(parents=True, exist_ok=True)
        (folder / "transcripts").mkdir()
        write_whole(folder / PIPELINES_NAME, default_pipelines())
        write_whole(folder / CONFIG_NAME, config_template(campaign_id, title).encode())


def unpack_template(layout: Layout, template: str) -> None:
    """Copy a bundled campaign.

    Raises:
        UsageFault: There is no such template (TB111).
    """
    if template not in TEMPLATES:
        hint = did_you_mean(template, TEMPLATES)
        raise UsageFault(f"no bundled campaign is called {template!r}", hint=hint)
    with (
        as_file(files("talebearer").joinpath("bundled", template)) as bundled,
        _beside(layout) as folder,
    ):
        ignored = shutil.ignore_patterns("expected", "runs")
        shutil.copytree(bundled, folder, ignore=ignored, dirs_exist_ok=True)
        write_schemas(folder / "content" / "_schema")
        write_whole(folder / PIPELINES_NAME, default_pipelines())


@contextmanager
def _beside(layout: Layout) -> Iterator[Path]:
    """Yield a folder to fill, which then takes the place of the campaign's.

    A making that is cut off leaves only that folder, and the next one begins anew.
    """
    part = layout.folder.absolute().with_name(f".{layout.folder.absolute().name[:200]}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        yield part
        part.replace(layout.folder.absolute())
    finally:
        shutil.rmtree(part, ignore_errors=True)


def id_from(title: str) -> str:
    """Return a campaign id made of a title: ASCII letters and digits, dashes between."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:64].rstrip("-") or "campaign"
