"""``talebearer mcp``: one scope of a store as tools for a model, over standard input and output."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from talebearer._ids import random_uuid
from talebearer.cli._options import JsonOption
from talebearer.cli.commands.store._shared import (
    ScopeOption,
    now_ms,
    policy_of,
    scope_fields,
)
from talebearer.errors import UsageFault

if TYPE_CHECKING:
    from talebearer.server.mcp import Backend, Past
    from talebearer.store import Policy

NAME = "mcp"
EXAMPLE = (
    "Example: talebearer mcp --root my-campaign\n\n"
    "Example: talebearer mcp --endpoint my-store/run/talebearer.sock --root my-store "
    "--scope workspace_id=notes --scope user_id=ana"
)


def run(
    root: Annotated[
        Path | None,
        typer.Option(
            "--root",
            metavar="DIR",
            help="A store's root or a campaign's folder.",
            show_default=False,
        ),
    ] = None,
    endpoint: Annotated[
        Path | None,
        typer.Option(
            "--endpoint", metavar="SOCK", help="The socket of the daemon that has the store."
        ),
    ] = None,
    scope: ScopeOption = None,
    actor: Annotated[
        str, typer.Option("--actor", metavar="NAME", help="The author of records made from text.")
    ] = "agent",
    as_json: JsonOption = False,  # noqa: ARG001 - every command takes it; the protocol is JSON
) -> None:
    """Serve read, retrieve, create, update, history and feed as MCP tools until the input ends.

    The scope is fixed here. With --root alone this process is the store's writer; with --endpoint
    the daemon is, and --root beside it lets history reach beyond the feed's retention.
    """
    from talebearer.server.mcp import Context, serve_stdio

    if root is None and endpoint is None:
        raise UsageFault("neither --root nor --endpoint is given", hint="name the store")
    with ExitStack() as open_things:
        fields, backend = _backend(root, endpoint, scope_fields(scope), open_things)
        workspace = next(iter(fields.values()), "default")
        serve_stdio(Context(backend=backend, now_ms=now_ms, actor=actor, workspace=str(workspace)))


def _backend(
    root: Path | None, endpoint: Path | None, fields: Mapping[str, Any], things: ExitStack
) -> tuple[Mapping[str, Any], Backend]:
    from talebearer.server.mcp import DaemonBackend, EmbeddedBackend
    from talebearer.store import DEFAULT_POLICY, Store
    from talebearer.store.upkeep import find_place

    if root is None:
        assert endpoint is not None, "one of the two is given"
        meta = _meta(DEFAULT_POLICY, fields)
        return fields, DaemonBackend(_connect(endpoint, things), meta)
    place = find_place(root)
    policy = policy_of(place)
    if endpoint is not None:
        fields, past = _past(root, fields, things)
        return fields, DaemonBackend(_connect(endpoint, things), _meta(policy, fields), past)
    # The writer comes first: it makes the database where there is none yet.
    store = things.enter_context(
        Store.open(
            place.database,
            artifacts=place.artifacts,
            now_ms=now_ms,
            new_id=random_uuid,
            policy=policy,
        )
    )
    fields, past = _past(root, fields, things)
    return fields, EmbeddedBackend(store, _meta(policy, fields), past)


def _past(
    root: Path, fields: Mapping[str, Any], things: ExitStack
) -> tuple[Mapping[str, Any], Past]:
    """Return the scope's fields and its past; without fields the store's only scope is meant."""
    from talebearer.server.mcp import Past
    from talebearer.store import canonical_text
    from talebearer.store.upkeep import Reading, find_place, scope_of

    if fields:
        scope_json = canonical_text(dict(fields))
    else:
        with Reading(find_place(root)) as opened:
            scope_json = scope_of(opened, None)
    past = Past(root, scope_json)
    things.callback(past.close)
    return json.loads(scope_json), past


def _meta(policy: Policy, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request metadata that has *fields* where the policy looks for them."""
    wanted = sorted(policy.scope_by)
    if sorted(fields) != wanted:
        raise UsageFault(
            f"the scope needs {', '.join(wanted)}; given are {', '.join(sorted(fields)) or 'none'}",
            hint=" ".join(f"--scope {name}=…" for name in wanted),
        )
    meta: dict[str, Any] = {}
    for name in wanted:
        *parents, last = policy.meta_fields[name].pointer.split("/")[1:]
        place = meta
        for parent in parents:
            place = place.setdefault(parent.replace("~1", "/").replace("~0", "~"), {})
        place[last.replace("~1", "/").replace("~0", "~")] = fields[name]
    return meta


def _connect(endpoint: Path, things: ExitStack) -> Any:
    from talebearer.client import Client

    return things.enter_context(Client.connect(endpoint, name="talebearer-mcp"))
