"""What is agreed on one connection: the handshake, and its subscriptions' numbers.

Source: the protocol sheet, section 1.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from talebearer._version import __version__
from talebearer.errors import InvalidRecord, UnsupportedCapability
from talebearer.vocabulary import (
    ARTIFACT_CHUNK_BYTES_MAX,
    REQUEST_BYTES_MAX,
    RESULT_ITEMS_MAX,
    WIRE_VERSION,
    WireCapability,
)

_VERSION_MAX = 65_535
_CLIENT_MEMBERS = ("name", "version", "instance_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What a daemon says of itself in the handshake.

    Attributes:
        node_id: This node, as a placement provider.
        cluster_id: The group of nodes that it belongs to.
        idempotency_retention_seconds: How long results are kept for replays.
        change_retention_seconds: How long changes can be resumed from.
    """

    node_id: str
    cluster_id: str
    idempotency_retention_seconds: int
    change_retention_seconds: int


class Session:
    """The state of one connection.

    Attributes:
        greeted: Whether a handshake succeeded.
        subscriptions_begun: The number of the last subscription.
    """

    __slots__ = ("greeted", "subscriptions_begun")

    def __init__(self) -> None:
        self.greeted = False
        self.subscriptions_begun = 0

    def greet(self, params: Any, identity: Identity) -> dict[str, Any]:
        """Return the answer to a handshake; one that is refused changes nothing.

        Raises:
            InvalidRecord: The parameters have another shape (TB115).
            UnsupportedCapability: Version 1 is not among the client's (TB214).
        """
        offered = _capabilities_offered(params)
        self.greeted = True
        return {
            "protocol_version": WIRE_VERSION,
            "server": {
                "version": __version__,
                "cluster_id": identity.cluster_id,
                "node_id": identity.node_id,
            },
            "capabilities": [str(one) for one in WireCapability if one in offered],
            "limits": {
                "max_request_bytes": REQUEST_BYTES_MAX,
                "max_artifact_chunk_bytes": ARTIFACT_CHUNK_BYTES_MAX,
                "max_result_items": RESULT_ITEMS_MAX,
                "idempotency_retention_seconds": identity.idempotency_retention_seconds,
                "change_retention_seconds": identity.change_retention_seconds,
            },
        }

    def next_subscription_id(self) -> str:
        """Return the id of a new subscription; ids count from 1 on each connection."""
        self.subscriptions_begun += 1
        return f"subscription-{self.subscriptions_begun}"


def refuse_shape(pointer: str, message: str) -> NoReturn:
    """Refuse the request because what stands at *pointer* has another shape."""
    raise InvalidRecord(f"the request is refused at {pointer}: {message}")


def _capabilities_offered(params: Any) -> frozenset[str]:
    if type(params) is not dict:
        refuse_shape("/params", "it is no object")
    client = params.get("client")
    if type(client) is not dict:
        refuse_shape("/params/client", "it is no object, or missing")
    for member in _CLIENT_MEMBERS:
        if type(client.get(member)) is not str:
            refuse_shape(f"/params/client/{member}", "it is no text, or missing")
    versions = params.get("protocol_versions")
    if type(versions) is not list or not all(_is_version(one) for one in versions):
        refuse_shape("/params/protocol_versions", f"it is no list of integers to {_VERSION_MAX}")
    capabilities = params.get("capabilities")
    if type(capabilities) is not list or not all(type(one) is str for one in capabilities):
        refuse_shape("/params/capabilities", "it is no list of texts")
    if WIRE_VERSION not in versions:
        raise UnsupportedCapability(
            f"protocol version {WIRE_VERSION} is not among the client's", hint="offer version 1"
        )
    return frozenset(capabilities)


def _is_version(value: object) -> bool:
    return type(value) is int and 0 <= value <= _VERSION_MAX
