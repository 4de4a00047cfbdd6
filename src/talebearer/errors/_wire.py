"""TB23x: the daemon's socket and its clients."""

from __future__ import annotations

from talebearer.errors._tree import InputError, StoreError


class EndpointUnusable(StoreError):
    """A socket path that a daemon cannot listen on."""

    code = "TB230"
    title = "An endpoint that cannot be listened on"
    text = (
        "A daemon listens there already, or the path is no place for a socket. Nothing was changed."
    )
    fix = "Stop the daemon that the message names, or choose another --endpoint."


class DaemonUnreachable(StoreError):
    """No daemon answers at the endpoint."""

    code = "TB231"
    title = "No daemon at the endpoint"
    text = "Nothing listens at the socket, or it may not be connected to. Nothing was sent."
    fix = "Start one with `talebearer serve --endpoint SOCK --root DIR`."


class ConnectionLost(StoreError):
    """A connection that ended while an answer was awaited; the request may have been carried out."""

    code = "TB232"
    title = "A connection that ended"
    text = (
        "The daemon closed the connection or ended before it answered. What it had acknowledged is "
        "kept; the request that was waiting may or may not have been carried out."
    )
    fix = "Connect again and read what the request was about before you repeat it."


class CallTimedOut(StoreError):
    """No answer within the client's time; the request may have been carried out."""

    code = "TB233"
    title = "An answer that did not come in time"
    text = "The daemon did not answer within the client's limit. The connection was closed."
    fix = "Connect again and read what the request was about, or allow more time."


class ProtocolFault(StoreError):
    """An answer that the protocol does not have."""

    code = "TB234"
    title = "An answer that the protocol does not have"
    text = "What answers at the endpoint is no daemon of this protocol, or an incompatible one."
    fix = "Check the endpoint, and the versions of client and daemon."


class RemoteFault(StoreError):
    """An error of the daemon that the client knows no better class for."""

    code = "TB235"
    title = "An error of the daemon"
    text = "The daemon refused the request with a number that the message names."
    fix = "Look into the daemon's log."


class UnknownMethod(StoreError):
    """A method that the daemon does not serve."""

    code = "TB236"
    title = "A method that the daemon does not serve"
    text = "The daemon does not know the method, or not this version of it."
    fix = "Check the name and the part after the @."
    wire_code = -32601


class RequestTooLarge(InputError):
    """A request above the limit of a line; it was not sent."""

    code = "TB130"
    title = "A request that is too large"
    text = "A request is at most 1,048,576 bytes as JSON. It was not sent."
    fix = "Send large contents as an artifact, which goes in chunks."


class InvalidProviders(InputError):
    """A providers file that a daemon does not start with."""

    code = "TB131"
    title = "A providers file that cannot be used"
    text = (
        "The file is no JSON, has a member that is not allowed, contradicts the policy, or names a "
        "remote provider, which this program does not speak to."
    )
    fix = "Correct the places that the message lists; all of them are listed at once."
