"""Options that several commands share, and the campaign that they name."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from talebearer.errors import UsageFault

if TYPE_CHECKING:
    from talebearer.campaign import Campaign

CampaignOption = Annotated[
    Path,
    typer.Option(
        "--campaign",
        metavar="DIR",
        help="The campaign's folder; else the current one.",
        show_default=False,
    ),
]
TracksOption = Annotated[
    bool | None,
    typer.Option(
        "--tracks/--parts",
        help="Several files are tracks of the same time, or parts that follow one another; else told by "
        "their names, as Craig numbers tracks.",
        show_default=False,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
MindOption = Annotated[
    str, typer.Option("--mind", metavar="MIND", help="Whose memory: party, or pc:{slug}.")
]


class Audience(StrEnum):
    """Who is going to read it."""

    GAME_MASTER = "game-master"
    PLAYERS = "players"


ForOption = Annotated[
    Audience,
    typer.Option("--for", help="Players do not see what review keeps for the game master."),
]

NOW_VARIABLE = "TALEBEARER_NOW"
SEED_VARIABLE = "TALEBEARER_SEED"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LATEST_UNIX_MS = round((datetime(9999, 1, 1, tzinfo=UTC) - EPOCH) / timedelta(milliseconds=1))
SEED_DIGITS_MAX = 19


def clock() -> Callable[[], int] | None:
    """Return the clock that ``TALEBEARER_NOW`` (ISO 8601 with a zone) fixes, Unix milliseconds.

    ``None`` leaves the clock to the campaign, which takes the system's.
    """
    fixed = os.environ.get(NOW_VARIABLE)
    if not fixed:
        return None
    try:
        moment = datetime.fromisoformat(fixed)
    except ValueError as error:
        raise UsageFault(
            f"{NOW_VARIABLE} is {fixed!r}", hint="ISO 8601, such as 2026-01-01T00:00:00+00:00"
        ) from error
    if moment.tzinfo is None:
        raise UsageFault(f"{NOW_VARIABLE} is {fixed!r}, without a zone", hint="add +00:00")
    unix_ms = round((moment - EPOCH) / timedelta(milliseconds=1))
    if not 0 <= unix_ms <= LATEST_UNIX_MS:
        raise UsageFault(f"{NOW_VARIABLE} is {fixed!r}", hint="a moment from 1970 to 9998")
    return lambda: unix_ms


def seed() -> int | None:
    """Return ``TALEBEARER_SEED``, or ``None`` to take the campaign's own."""
    text = os.environ.get(SEED_VARIABLE)
    if not text:
        return None
    digits = text.isascii() and text.isdigit() and len(text) <= SEED_DIGITS_MAX
    if not digits or int(text) >= 2**63:
        raise UsageFault(f"{SEED_VARIABLE} is {text!r}", hint="a whole number from 0 to 2**63 - 1")
    return int(text)


def id_salt() -> str | None:
    """Return what version ids are derived from when clock and seed are both fixed, else ``None``."""
    fixed_now, fixed_seed = os.environ.get(NOW_VARIABLE), os.environ.get(SEED_VARIABLE)
    return f"{fixed_seed} {fixed_now}" if fixed_now and fixed_seed else None


def open_campaign(folder: Path, *, read_only: bool = False) -> Campaign:
    """Open the campaign in *folder* with the command line's clock, seed and ids."""
    from talebearer.campaign import Campaign

    return Campaign.open(
        folder, read_only=read_only, now_ms=clock(), id_salt=id_salt(), seed=seed()
    )


def shown_to(campaign: Campaign, audience: Audience) -> Campaign:
    """Return *campaign* as *audience* may see it."""
    return campaign.for_players() if audience is Audience.PLAYERS else campaign
