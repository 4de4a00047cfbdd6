"""The paths of the page: its files, its questions, its changes, and the channel of news."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

import orjson
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from talebearer.errors import TalebearerError
from talebearer.server.pages._environment import environment_of
from talebearer.server.preview._events import Channel
from talebearer.server.preview._guard import Guard
from talebearer.server.preview._previewer import Previewer

_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
Answer = Mapping[str, Any]
Endpoint = Callable[[Request], Awaitable[Response]]


def make_app(
    previewer: Previewer, channel: Channel, *, port: int, token: str, started: Callable[[], None]
) -> ASGIApp:
    """Return the application that answers for *previewer* on *port*.

    Args:
        previewer: The content and what is asked of it.
        channel: Where news of the content is told.
        port: What the ``Host`` of a request has to name.
        token: What a request that changes something has to carry.
        started: Called when requests are answered.
    """
    pieces = _pieces()
    page = _page(previewer.name, token).encode()

    async def first_page(_: Request) -> Response:
        return Response(page, media_type="text/html")

    async def piece(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in pieces:
            return _fault(404, f"there is no file {name}")
        media_type, data = pieces[name]
        return Response(data, media_type=media_type)

    async def events(_: Request) -> Response:
        return _News(channel, previewer)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        channel.open()
        started()
        yield

    routes = [
        Route("/", first_page),
        Route("/static/{name}", piece),
        Route("/api/events", events),
        *(Route(f"/api/{name}", _question(ask)) for name, ask in previewer.questions().items()),
        *(
            Route(f"/api/{name}", _change(make), methods=["POST"])
            for name, make in previewer.changes().items()
        ),
    ]
    return Guard(Starlette(routes=routes, lifespan=lifespan), port=port, token=token)


class _News(Response):
    """The stream of news for one page, or a refusal: its place is taken as it begins to be sent."""

    def __init__(self, channel: Channel, previewer: Previewer) -> None:
        super().__init__()
        self._channel = channel
        self._previewer = previewer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._channel.listening() as listener:
            if listener is None:
                answer = _fault(503, "too many pages are open", "close some of them")
            else:
                events = listener.events(self._previewer.news())
                answer = StreamingResponse(events, media_type="text/event-stream")
            await answer(scope, receive, send)


def _question(ask: Callable[[str], Answer]) -> Endpoint:
    async def answer(request: Request) -> Response:
        return await _answer(lambda: ask(request.url.query))

    return answer


def _change(make: Callable[[Mapping[str, Any]], Answer]) -> Endpoint:
    async def answer(request: Request) -> Response:
        try:
            asked = orjson.loads(await request.body())
        except orjson.JSONDecodeError as error:
            return _fault(400, f"the body is no JSON: {error}")
        if not isinstance(asked, dict):
            return _fault(400, "the body is no JSON object")
        return await _answer(lambda: make(asked))

    return answer


async def _answer(work: Callable[[], Answer]) -> Response:
    """Do *work* beside the loop, so that the channel is heard meanwhile."""
    try:
        value = await run_in_threadpool(work)
    except TalebearerError as error:
        return _fault(400, error.message, error.hint or error.fix, error.code)
    except OSError as error:
        return _fault(500, f"{error.filename or 'a file'}: {error.strerror}")
    return Response(orjson.dumps(value), media_type="application/json")


def _fault(status: int, message: str, hint: str = "", code: str = "") -> Response:
    body = orjson.dumps({"error": {"code": code, "message": message, "hint": hint}})
    return Response(body, status_code=status, media_type="application/json")


def _pieces() -> dict[str, tuple[str, bytes]]:
    """Return the page's files by name, read once; a name that is asked for is never a path."""
    folder = files("talebearer.server.preview") / "static"
    found = {}
    for piece in sorted(folder.iterdir(), key=lambda one: one.name):
        suffix = "." + piece.name.rpartition(".")[2]
        if suffix in _TYPES:
            found[piece.name] = (_TYPES[suffix], piece.read_bytes())
    return found


def _page(name: str, token: str) -> str:
    environment = environment_of("talebearer.server.preview")
    return environment.get_template("preview.html.j2").render(name=name, token=token)
