"""Who may ask, and how much: every request passes here before anything reads it.

A page in the same browser can send requests to any address, this one too. What it cannot do is
choose the ``Host`` that its own name leads to, the ``Origin`` that the browser writes, or read the
token of this process; these are what is looked at.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY_BYTES_MAX = 65_536
BODY_SECONDS_MAX = 10.0
QUERY_BYTES_MAX = 32_768
TOKEN_HEADER = "x-talebearer-token"
_READING = ("GET", "HEAD")
_JSON = "application/json"

HEADERS: Mapping[str, str] = {
    # No script, style or connection but from here, nothing inline, no frame around the page, and no
    # way for a script to turn a string into markup.
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


class Refused(Exception):
    """A request that is not answered.

    Attributes:
        status: The HTTP status.
        hint: What is allowed.
    """

    def __init__(self, status: int, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.hint = hint


class Guard:
    """Refuses foreign, forged and oversized requests; adds the headers that bind the browser.

    Args:
        app: What answers the others.
        port: The port that this process listens on.
        token: What a request that changes something must carry.
    """

    def __init__(self, app: ASGIApp, *, port: int, token: str) -> None:
        self._app = app
        self._token = token
        names = ("127.0.0.1", "localhost")
        self._hosts = {f"{name}:{port}" for name in names}
        if port == 80:
            self._hosts |= set(names)  # a browser leaves the port of http out

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or refuse one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        try:
            self._look(scope)
            body = await _body_in_time(scope, receive)
        except Refused as refused:
            answer = {"error": {"message": str(refused), "hint": refused.hint}}
            response = JSONResponse(answer, status_code=refused.status)
            await response(scope, receive, send_with_headers)
            return
        await self._app(scope, _again(body, receive), send_with_headers)

    def _look(self, scope: Scope) -> None:
        """Look at everything but the body.

        Raises:
            Refused: Something is not as this page's own requests are.
        """
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            raise Refused(421, "this is not the host that was asked for", self._allowed())
        if len(scope["query_string"]) > QUERY_BYTES_MAX:
            raise Refused(414, f"an address of more than {QUERY_BYTES_MAX} bytes")
        origins = headers.getlist("origin")
        own = f"http://{hosts[0].lower()}"
        if any(origin.lower() != own for origin in origins):
            raise Refused(403, "a request from another page", self._allowed())
        self._look_where_from(scope, headers)
        if scope["method"] in _READING:
            return
        if scope["method"] != "POST":
            raise Refused(405, f"the method {scope['method']} is not used here", "GET or POST")
        if len(origins) != 1:
            raise Refused(403, "a change needs an Origin", self._allowed())
        if headers.get("content-type", "").partition(";")[0].strip().lower() != _JSON:
            raise Refused(415, f"a change is sent as {_JSON}")
        token = headers.get(TOKEN_HEADER, "")
        if not hmac.compare_digest(token.encode(), self._token.encode()):
            raise Refused(403, "the token is not this process's", "load the page again")

    def _look_where_from(self, scope: Scope, headers: Headers) -> None:
        """Refuse what another page loads from here; a link that a person follows is fine."""
        site = headers.get("sec-fetch-site", "none").lower()
        if site in ("none", "same-origin"):
            return
        is_link = (
            scope["method"] == "GET"
            and scope["path"] == "/"
            and headers.get("sec-fetch-mode", "").lower() == "navigate"
            and headers.get("sec-fetch-dest", "").lower() == "document"
        )
        if not is_link:
            raise Refused(403, "a request from another page", self._allowed())

    def _allowed(self) -> str:
        return f"open http://{min(self._hosts)}/"


async def _body_in_time(scope: Scope, receive: Receive) -> bytes:
    try:
        async with asyncio.timeout(BODY_SECONDS_MAX):
            return await _body(scope, receive)
    except TimeoutError:
        raise Refused(408, "the body took too long") from None


async def _body(scope: Scope, receive: Receive) -> bytes:
    """Return the whole body of a change; what only reads has none.

    Raises:
        Refused: It is too large, or cut off.
    """
    if scope["method"] in _READING:
        return b""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refused(400, "the request was cut off")
        part = message.get("body", b"")
        size += len(part)
        if size > BODY_BYTES_MAX:
            raise Refused(413, f"a body of more than {BODY_BYTES_MAX} bytes")
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


def _again(body: bytes, receive: Receive) -> Receive:
    """Return a receive that gives *body* first, and then what the connection gives."""
    is_given = False

    async def give() -> Message:
        nonlocal is_given
        if not is_given:
            is_given = True
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return give
