"""The daemon: a store behind a socket, JSON-RPC 2.0 in lines.

Bytes become lines (`_lines`), lines requests (`_envelope`), requests answers (`_answers`); those of one
turn of the loop are a group with one commit (`_rounds`). `_connection` owns what one client sends and takes,
`_subscriptions` delivers changes, `_endpoint` owns the socket's file, `_daemon` the life of it all.
"""

from talebearer.server.daemon._daemon import READY_LINE, Daemon, DaemonSettings
from talebearer.server.daemon._limits import Limits
from talebearer.server.daemon._log import Log
from talebearer.server.daemon._providers import SCHEMA as PROVIDERS_SCHEMA
from talebearer.server.daemon._providers import local_database
from talebearer.server.daemon._registry import Handler, MethodRegistry
from talebearer.server.daemon._session import Identity
from talebearer.server.daemon._start import ServeOptions, serve

__all__ = [
    "PROVIDERS_SCHEMA",
    "READY_LINE",
    "Daemon",
    "DaemonSettings",
    "Handler",
    "Identity",
    "Limits",
    "Log",
    "MethodRegistry",
    "ServeOptions",
    "local_database",
    "serve",
]
