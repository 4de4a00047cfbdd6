"""The tools over standard input and output, with the protocol's official SDK."""

from __future__ import annotations

from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)

from talebearer import __version__
from talebearer.server.mcp._tools import TOOLS, Context, call_tool

NAME = "talebearer"
INSTRUCTIONS = (
    "A durable memory. Nothing is overwritten: every change adds a version. Read or retrieve before you "
    "update, and name the versions that you read."
)


def serve_stdio(context: Context) -> None:
    """Serve the tools until standard input ends."""
    anyio.run(_serve, context)


def make_server(context: Context) -> Server[Any]:
    """Return the protocol's server for the tools; calls run one after the other."""
    one_at_a_time = anyio.CapacityLimiter(1)

    async def list_tools(ctx: Any, params: PaginatedRequestParams | None) -> ListToolsResult:  # noqa: ARG001 - the SDK's form
        return ListToolsResult(tools=_listed())

    async def call(ctx: Any, params: CallToolRequestParams) -> CallToolResult:  # noqa: ARG001 - likewise
        outcome = await anyio.to_thread.run_sync(
            call_tool, context, params.name, params.arguments, limiter=one_at_a_time
        )
        return CallToolResult(
            content=[TextContent(type="text", text=outcome.text)],
            structured_content=outcome.data,
            is_error=outcome.failed,
        )

    return Server(
        NAME,
        version=__version__,
        title="Talebearer",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call,
    )


def _listed() -> list[Tool]:
    return [
        Tool(
            name=tool.name,
            title=tool.title,
            description=tool.description,
            input_schema=tool.takes,
            output_schema=tool.gives,
            annotations=ToolAnnotations(
                read_only_hint=not tool.writes, destructive_hint=False, open_world_hint=False
            ),
        )
        for tool in TOOLS.values()
    ]


async def _serve(context: Context) -> None:
    server = make_server(context)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
