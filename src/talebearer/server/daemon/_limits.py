"""What a daemon keeps within bounds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds on what clients can make a daemon hold or do.

    Attributes:
        connections_max: Connections served at once; more are answered OVERLOADED and closed.
        queued_requests_max: Whole requests that wait over all connections. Beyond it the
            connection with the longest queue is answered OVERLOADED until the queue fits.
        group_requests_max: Requests that share one commit.
        read_ahead_bytes: Input that is read of one connection beyond what is being answered.
        write_buffer_bytes: Output that may wait for a slow reader; at it, the connection's
            requests and events wait as well.
        stall_seconds: A connection that takes none of its waiting output for so long is dropped.
        checkpoint_seconds: How long a checkpoint waits for retrievals that run before it fails.
        drain_seconds: How long a stop waits for clients to take their answers.
        subscriptions_max: Subscriptions of one connection.
    """

    connections_max: int = 256
    queued_requests_max: int = 16_384
    group_requests_max: int = 128
    read_ahead_bytes: int = 262_144
    write_buffer_bytes: int = 262_144
    stall_seconds: float = 30.0
    checkpoint_seconds: float = 5.0
    drain_seconds: float = 5.0
    subscriptions_max: int = 64
