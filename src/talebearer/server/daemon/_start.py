"""From what a person names to a running daemon: root, policy, providers, identities.

Source: the protocol sheet, sections 3.5 and 3.6.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from talebearer.errors import InvalidId
from talebearer.server.daemon._daemon import Daemon, DaemonSettings
from talebearer.server.daemon._limits import Limits
from talebearer.server.daemon._log import Log
from talebearer.server.daemon._private import refuse_shared_files
from talebearer.server.daemon._providers import local_database
from talebearer.server.daemon._registry import Handler
from talebearer.server.daemon._session import Identity
from talebearer.store import Policy, Store, load_policy, shipped_policy
from talebearer.store.upkeep import Place, find_place, root_place
from talebearer.vocabulary import SOURCE_ID, fullmatch


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """What ``talebearer serve`` is told.

    Attributes:
        endpoint: The socket's path.
        root: A store's root, or a campaign's folder.
        config: A policy file; None takes the root's own, or the default policy.
        artifacts: The folder of the bytes; None takes the root's.
        providers: A providers file; None takes the root's own, if there is one.
        node_id: This node as a placement provider.
        cluster_id: The group of nodes, for the handshake.
        metrics_port: The loopback port of ``/metrics``; None means none.
        log: A file of events, ``-`` for standard error, None for none.
        limits: The daemon's bounds.
    """

    endpoint: Path
    root: Path
    config: Path | None = None
    artifacts: Path | None = None
    providers: Path | None = None
    node_id: str = "local"
    cluster_id: str = "local"
    metrics_port: int | None = None
    log: str | None = None
    limits: Limits = field(default_factory=Limits)


def serve(
    options: ServeOptions,
    *,
    now_ms: Callable[[], int],
    new_id: Callable[[], str],
    methods: Callable[[Store], Mapping[str, Handler]] | None = None,
) -> None:
    """Run a daemon until it is stopped.

    Args:
        options: What to serve, and where.
        now_ms: The clock, Unix milliseconds.
        new_id: Gives ids that never repeat.
        methods: Gives, for the open store, the methods to serve beside it.

    Raises:
        InvalidId: A node or cluster id that is none (TB109).
        InvalidPolicy: The policy file cannot be used (TB117).
        InvalidProviders: The providers file cannot be used (TB131).
        EndpointUnusable: The endpoint or the metrics port cannot be listened on (TB230).
        StoreError: The store cannot be opened.
    """
    for name, value in (("node id", options.node_id), ("cluster id", options.cluster_id)):
        if not fullmatch(SOURCE_ID, value):
            raise InvalidId(f"the {name} {value!r} is no id")
    place = _place(options.root)
    config = options.config or _own(place.config)
    policy = shipped_policy() if config is None else load_policy(config)
    providers = options.providers or _own(place.providers)
    database = place.database if providers is None else local_database(providers, policy)
    artifacts = options.artifacts or place.artifacts
    refuse_shared_files(database, artifacts)
    log = Log.open(options.log, now_ms=now_ms)
    try:
        Daemon(
            DaemonSettings(
                endpoint=options.endpoint,
                identity=_identity(options, policy),
                now_ms=now_ms,
                log=log,
                metrics_port=options.metrics_port,
                limits=options.limits,
            ),
            open_store=lambda: Store.open(
                database,
                artifacts=artifacts,
                now_ms=now_ms,
                new_id=new_id,
                policy=policy,
                node_id=options.node_id,
            ),
            methods=methods,
        ).run()
    finally:
        log.close()


def _place(root: Path) -> Place:
    """Return where the store lies; an empty or missing root becomes one."""
    if not root.exists() or not any(root.iterdir()):
        return root_place(root)
    return find_place(root)


def _own(path: Path | None) -> Path | None:
    return path if path is not None and path.exists() else None


def _identity(options: ServeOptions, policy: Policy) -> Identity:
    return Identity(
        node_id=options.node_id,
        cluster_id=options.cluster_id,
        idempotency_retention_seconds=policy.idempotency_seconds,
        change_retention_seconds=policy.changes_seconds,
    )
