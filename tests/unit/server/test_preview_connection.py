"""A connection to the previewer: what is not sent, or not read, in time ends it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

pytest.importorskip("uvicorn", reason="needs the extra authoring")

from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from uvicorn import Config
from uvicorn.server import ServerState

from talebearer.server.preview._connection import Connection  # its bounds, at a smaller size

HEAD = "GET / HTTP/1.1\r\nHost: here\r\n"
Client = Callable[[asyncio.StreamReader, asyncio.StreamWriter, ServerState], Awaitable[bytes]]


class Impatient(Connection):
    head_seconds_max = 0.05
    stalled_seconds_max = 0.05


async def _large(scope: Scope, receive: Receive, send: Send) -> None:
    size = 40_000_000 if scope["path"] == "/large" else 4
    await Response(b"x" * size)(scope, receive, send)


async def _with(client: Client) -> bytes:
    config = Config(_large, http=Impatient, lifespan="off", log_config=None)
    config.load()
    state = ServerState()

    def connected() -> Impatient:
        return Impatient(config=config, server_state=state, app_state={})

    server = await asyncio.get_running_loop().create_server(connected, "127.0.0.1", 0)
    try:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        try:
            return await client(reader, writer, state)
        finally:
            writer.close()
    finally:
        server.close()


@pytest.mark.parametrize("begun", ["", "GET", HEAD])
def test_a_head_that_does_not_come_ends_the_connection(begun: str) -> None:
    async def client(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, _: ServerState
    ) -> bytes:
        writer.write(begun.encode())
        return await _all_of(reader)

    assert asyncio.run(_with(client)) == b""


def test_a_second_head_has_the_same_time_however_it_drips_in() -> None:
    async def client(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, _: ServerState
    ) -> bytes:
        writer.write(f"{HEAD}Content-Length: 9\r\n\r\n".encode())
        got = b""
        while not reader.at_eof():  # each part of the answer is answered by one more letter
            got += await _some_of(reader)
            writer.write(b"y")
        return got

    got = asyncio.run(_with(client))
    assert got.startswith(b"HTTP/1.1 200")
    assert got.endswith(b"xxxx")


def test_an_answer_that_is_not_read_is_given_up() -> None:
    async def client(
        _: asyncio.StreamReader, writer: asyncio.StreamWriter, state: ServerState
    ) -> bytes:
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # a stream's transport reads, too
        writer.write(f"{HEAD.replace('/', '/large', 1)}\r\n".encode())
        while not state.total_requests and not state.tasks:
            await asyncio.sleep(0)
        await asyncio.wait(state.tasks)  # it ends although nothing is read here
        return b"given up"

    assert asyncio.run(_with(client)) == b"given up"


async def _all_of(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""


async def _some_of(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read(1000)
    except ConnectionResetError:
        reader.feed_eof()
        return b""
