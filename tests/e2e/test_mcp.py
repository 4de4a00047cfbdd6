"""The tools over standard input and output, driven by the protocol SDK's own client."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from campaigns import talebearer_here
from daemons import ThreadDaemon
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from stores import META, fill, open_store

from talebearer.testing import sample_knowledge

SCOPE = ("--scope", "workspace_id=w", "--scope", "user_id=u")
Story = Callable[[Client], Awaitable[None]]


def converse(story: Story, *arguments: str) -> None:
    """Start ``talebearer mcp`` and let a client of the SDK talk with it."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "talebearer", "mcp", *arguments],
        env={**os.environ},
    )

    async def run() -> None:
        with anyio.fail_after(60):
            async with Client(stdio_client(server)) as client:
                await story(client)

    anyio.run(run)


async def ask(client: Client, name: str, **arguments: Any) -> Any:
    """Call a tool that must go well; the SDK checks the result against the tool's schema."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    assert json.loads(result.content[0].text) == result.structured_content
    return result.structured_content


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    with open_store(tmp_path / "store", prefix="old") as store:
        fill(store)
    return tmp_path / "store"


async def _use(client: Client) -> None:
    listed = (await client.list_tools()).tools
    assert [tool.name for tool in listed] == [
        "read",
        "retrieve",
        "create",
        "update",
        "history",
        "feed",
    ]
    assert all(tool.description and tool.output_schema for tool in listed)
    made = (await ask(client, "create", type="knowledge", text="über die Glocke", id="glocke"))[
        "entity"
    ]
    read = await ask(client, "read", type="knowledge", id="glocke")
    assert read["variants"][0]["value"]["content"]["text"] == "über die Glocke"
    changed = await ask(
        client,
        "update",
        type="knowledge",
        id="glocke",
        text="die Glocke ist weg",
        base_versions=[made["version"]],
    )
    versions = (await ask(client, "history", type="knowledge", id="glocke"))["versions"]
    assert [one["version"] for one in versions] == [made["version"], changed["entity"]["version"]]
    changes = (await ask(client, "feed", ids=["glocke"]))["changes"]
    assert [one["kind"] for one in changes] == ["created", "updated"]
    refused = await client.call_tool("read", {"type": "knowledge", "id": "nobody"})
    assert refused.is_error
    assert refused.structured_content["error"]["reason"] == "NOT_FOUND"
    for hostile in ({}, {"type": 7}, {"type": "knowledge", "id": "\0" * 10}, {"x": [[[]]] * 50}):
        assert (await client.call_tool("read", hostile)).is_error
    assert (await client.call_tool("drop table", {})).is_error
    assert "elsewhere" not in json.dumps(await ask(client, "feed", limit=100))


@pytest.mark.spec("KM-op-mcp-stdio")
@pytest.mark.slow
def test_an_embedded_store_is_used_through_the_protocol(filled: Path) -> None:
    converse(_use, "--root", str(filled), *SCOPE)
    with open_store(filled, prefix="after") as store:
        assert store.status()["recovered_after_unclean_shutdown"] is False
        assert [one.ref.id for one in store.list(META, "knowledge", id_prefix="gl")] == ["glocke"]


@pytest.mark.spec("KM-op-mcp-stdio")
@pytest.mark.slow
@pytest.mark.parametrize("with_root", [True, False])
def test_a_daemon_is_used_through_the_protocol(filled: Path, with_root: bool) -> None:
    with ThreadDaemon(filled) as daemon:
        root = ("--root", str(filled)) if with_root else ()
        converse(_use, "--endpoint", str(daemon.endpoint), *root, *SCOPE)


@pytest.mark.slow
def test_records_are_found_by_their_words(filled: Path) -> None:
    async def find(client: Client) -> None:
        await ask(
            client, "create", type="knowledge", text="the ferryman owes Wick two crowns", id="debt"
        )
        hits = (await ask(client, "retrieve", text="FERRYMAN OWES", types=["knowledge"]))["hits"]
        assert [hit["id"] for hit in hits] == ["debt"]
        page = await ask(client, "retrieve", order="id_asc", types=["knowledge"], limit=1)
        assert page["next_cursor"]
        bad = await client.call_tool("retrieve", {"where": {"no pointer": 1}})
        assert bad.is_error

    converse(find, "--root", str(filled), *SCOPE)


@pytest.mark.slow
def test_a_campaign_needs_no_scope(recorded: Path) -> None:
    async def look(client: Client) -> None:
        assert (await ask(client, "read", type="knowledge", id="mind:party"))["state"] == "active"

    converse(look, "--root", str(recorded))


def test_what_is_missing_at_the_start_is_said(filled: Path, tmp_path: Path) -> None:
    nothing = talebearer_here("mcp", cwd=tmp_path)
    assert (nothing.code, "neither --root nor --endpoint" in nothing.err) == (2, True)
    several = talebearer_here("mcp", "--root", str(filled), cwd=tmp_path)
    assert (several.code, "several scopes" in several.err) == (2, True)
    half = talebearer_here("mcp", "--root", str(filled), "--scope", "user_id=u", cwd=tmp_path)
    assert (half.code, "workspace_id" in half.err) == (2, True)
    with open_store(filled, prefix="w") as store:
        store.create(META, "knowledge", sample_knowledge())
        held = talebearer_here("mcp", "--root", str(filled), *SCOPE, cwd=tmp_path)
        assert (held.code, "TB203" in held.err) == (3, True)
