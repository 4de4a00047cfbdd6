"""Options that the store's commands share, and what they have in common when they print."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from talebearer.cli._options import clock
from talebearer.errors import TalebearerError, UsageFault, visible

if TYPE_CHECKING:
    from talebearer.errors import Problem
    from talebearer.store import Policy
    from talebearer.store.upkeep import Place, Reading

EXITS = "Exit codes: 0 fine, 2 usage or bad input, 3 store (no such entity, damage, a full disk)."
EXITS_FINDINGS = "Exit codes: 0 fine, 1 findings, 2 usage or bad input, 3 store."
FINDINGS = 1
TIME_FORM = "ISO 8601 with a zone, such as 2026-01-01T20:00:00Z"

RootOption = Annotated[
    Path,
    typer.Option(
        "--root",
        metavar="DIR",
        help="A store's root or a campaign's folder; else the current one.",
        show_default=False,
    ),
]
ScopeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--scope",
        metavar="KEY=VALUE",
        help="One field of the scope, once for each; not needed where there is one scope.",
        show_default=False,
    ),
]


def scope_fields(words: list[str] | None) -> dict[str, str]:
    """Return the scope that ``--scope KEY=VALUE`` options name; all wrong ones at once."""
    fields: dict[str, str] = {}
    wrong = []
    for word in words or ():
        key, equals, value = word.partition("=")
        if not equals or not key or key in fields:
            wrong.append(repr(word))
        fields[key] = value
    if wrong:
        raise UsageFault(
            f"--scope {', '.join(wrong)} is no KEY=VALUE, or its key came before",
            hint="for example --scope workspace_id=tolling-bell --scope user_id=campaign",
        )
    return fields


@contextmanager
def reading(root: Path) -> Iterator[Reading]:
    """Open the store at *root* for reading, beside a writer if there is one."""
    from talebearer.store.upkeep import Reading, find_place

    with Reading(find_place(root)) as opened:
        yield opened


def scoped(opened: Reading, words: list[str] | None) -> str:
    """Return the canonical text of the scope that the options name."""
    from talebearer.store.upkeep import scope_of

    return scope_of(opened, scope_fields(words))


def now_ms() -> int:
    """Return the moment that ``TALEBEARER_NOW`` fixes, else the system's, Unix milliseconds."""
    fixed = clock()
    return fixed() if fixed is not None else time.time_ns() // 1_000_000


def say_problems(problems: Iterable[Problem]) -> None:
    """Print findings, one a line."""
    for problem in problems:
        line(str(problem))


def moment_text(unix_ms: int) -> str:
    """Return a moment as people read it."""
    return datetime.fromtimestamp(unix_ms / 1000, UTC).isoformat(timespec="milliseconds")


def unix_ms(text: str) -> int:
    """Return the moment that ``--time`` names, in Unix milliseconds."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageFault(f"--time {text!r} is no moment", hint=TIME_FORM) from error
    if moment.tzinfo is None:
        raise UsageFault(f"--time {text!r} has no zone", hint=TIME_FORM)
    return round(moment.timestamp() * 1000)


def short(value: Any, *, chars_max: int = 80) -> str:
    """Return a JSON value on one line, cut at its end."""
    import orjson

    text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    return text if len(text) <= chars_max else f"{text[: chars_max - 1]}…"


def print_json_line(value: Any, *, flush: bool = True) -> None:
    """Print one compact JSON document with sorted keys; with *flush* it goes out at once."""
    from talebearer.campaign import to_json

    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    text = json.dumps(to_json(value), ensure_ascii=not utf8, sort_keys=True, separators=(",", ":"))
    sys.stdout.write(text + "\n")
    if flush:
        sys.stdout.flush()


def line(text: str) -> None:
    """Print *text* on a line of its own, however long; for as many lines as a store has rows."""
    sys.stdout.write(visible(text) + "\n")


def policy_of(place: Place) -> Policy:
    """Return the policy of a store: that of its root, if it has one, or that of a campaign."""
    from talebearer.store import CAMPAIGN_POLICY, DEFAULT_POLICY, load_policy

    if place.config is None:
        return CAMPAIGN_POLICY
    return load_policy(place.config) if place.config.exists() else DEFAULT_POLICY


def check_type(opened: Reading, type: str | None) -> None:
    """Refuse a ``--type`` that neither the policy nor the store knows, rather than show nothing."""
    if type is None or type in (known := {*policy_of(opened.place).entity_types}):
        return
    known |= {
        one for (one,) in opened.rows("SELECT DISTINCT entity_type FROM patchouli_entity_head")
    }
    if type not in known:
        raise UsageFault(
            f"--type {type!r} is no type here", hint=f"there are: {', '.join(sorted(known))}"
        )


def settings_checks() -> dict[str, Callable[[Path], object]]:
    """Return how the settings files of a root are checked, by their names."""
    from talebearer.server.daemon import local_database
    from talebearer.store import DEFAULT_POLICY, load_policy

    def check_providers(path: Path) -> object:
        # Its routing is checked against the policy beside it, where that is one.
        try:
            policy = load_policy(path.parent / "config.json")
        except TalebearerError:
            policy = DEFAULT_POLICY
        return local_database(path, policy)

    return {"config.json": load_policy, "providers.json": check_providers}
