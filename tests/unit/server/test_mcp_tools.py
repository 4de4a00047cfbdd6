"""The tools without a protocol: what they take, what they give, and what they refuse."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema_rs import Draft202012Validator
from stores import META, SCOPE, fill, open_store

from talebearer.server.mcp import TOOLS, Context, EmbeddedBackend, Outcome, Past, call_tool
from talebearer.testing import SAMPLE_NOW_MS, sample_knowledge, sample_meta


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    with open_store(tmp_path / "store") as store:
        fill(store)
        past = Past(tmp_path / "store", SCOPE)
        yield Context(
            backend=EmbeddedBackend(store, META, past),
            now_ms=lambda: SAMPLE_NOW_MS,
            actor="tester",
            workspace="w",
        )
        past.close()


def ask(context: Context, name: str, **arguments: Any) -> Any:
    """Call a tool that must go well, and return what it gives, which fits its schema."""
    outcome = call_tool(context, name, arguments)
    assert not outcome.failed, outcome.data
    assert Draft202012Validator(TOOLS[name].gives).is_valid(outcome.data), outcome.data
    assert json.loads(outcome.text) == outcome.data
    return outcome.data


def refused(context: Context, name: str, arguments: Any) -> dict[str, Any]:
    outcome = call_tool(context, name, arguments)
    assert outcome.failed, outcome.data
    error: dict[str, Any] = outcome.data["error"]
    assert error["message"]
    assert error["hint"]
    return error


@pytest.mark.spec("KM-op-mcp-tools")
def test_there_are_six_tools_and_the_scope_is_no_argument_of_any() -> None:
    assert list(TOOLS) == ["read", "retrieve", "create", "update", "history", "feed"]
    assert [tool.name for tool in TOOLS.values() if tool.writes] == ["create", "update"]
    for tool in TOOLS.values():
        assert tool.takes["additionalProperties"] is False
        assert not {"meta", "scope", "workspace_id"} & tool.takes["properties"].keys()


def test_text_becomes_knowledge_that_is_read_back(context: Context) -> None:
    made = ask(context, "create", type="knowledge", text="the bell cracked", id="bell")["entity"]
    value = ask(context, "read", type="knowledge", id="bell")["variants"][0]["value"]
    assert value["content"] == {"kind": "text", "text": "the bell cracked"}
    assert value["metadata"]["core"]["provenance"][0]["actor"] == "tester"
    changed = ask(
        context,
        "update",
        type="knowledge",
        id="bell",
        text="the bell was recast",
        base_versions=[made["version"]],
    )["entity"]
    past = ask(context, "history", type="knowledge", id="bell")
    assert [one["version"] for one in past["versions"]] == [made["version"], changed["version"]]
    assert [one["head"] for one in past["versions"]] == [False, True]


def test_a_whole_value_may_be_given_for_any_type(context: Context) -> None:
    value = sample_knowledge("as it is")
    made = ask(context, "create", type="knowledge", value=value)["entity"]
    assert made["value"] == value


def test_an_update_on_an_old_version_names_the_current_ones(context: Context) -> None:
    error = refused(
        context,
        "update",
        {
            "type": "knowledge",
            "id": "note",
            "text": "mine",
            "base_versions": ["v00000001"],
            "conflict_strategy": "reject",
        },
    )
    assert error["reason"] == "VERSION_CONFLICT"
    current = ask(context, "read", type="knowledge", id="note")["variants"]
    assert error["current_versions"] == [one["version"] for one in current]


def test_the_feed_goes_on_after_its_cursor(context: Context) -> None:
    one = ask(context, "feed", limit=5)
    rest = ask(context, "feed", after_cursor=one["cursor"], limit=100)
    assert (len(one["changes"]), one["more"], rest["more"]) == (5, True, False)
    whole = ask(context, "feed", limit=100)["changes"]
    assert one["changes"] + rest["changes"] == whole
    none = ask(context, "feed", after_cursor=rest["cursor"])
    assert none == {"changes": [], "more": False, "cursor": rest["cursor"]}
    ids = ask(context, "feed", ids=["note"], types=["knowledge"])["changes"]
    assert [change["kind"] for change in ids] == ["created", "updated"]


def test_history_gives_the_latest_and_says_how_many_were_earlier(context: Context) -> None:
    past = ask(context, "history", type="knowledge", id="two", limit=2)
    assert ([one["kind"] for one in past["versions"]], past["earlier"]) == (
        ["updated", "conflicted"],
        1,
    )


def test_a_deletion_is_shown_without_a_value(context: Context) -> None:
    assert ask(context, "read", type="knowledge", id="gone")["state"] == "deleted"
    assert "value" not in ask(context, "history", type="knowledge", id="gone")["versions"][-1]


@pytest.mark.spec("KM-op-mcp-scope")
def test_no_argument_leaves_the_scope(context: Context) -> None:
    found = json.dumps(
        [ask(context, "feed", limit=100), ask(context, "read", type="knowledge", id="note")]
    )
    assert "elsewhere" not in found
    for name in TOOLS:
        for foreign in ({"meta": sample_meta("other")}, {"workspace_id": "other"}):
            refused(context, name, {"type": "knowledge", "id": "note", **foreign})
    for cursor in ("12", "99", "-1", "1 OR 1=1", "\0"):
        outcome = call_tool(context, "feed", {"after_cursor": cursor})
        assert outcome.failed or outcome.data["changes"] == [], cursor


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("destroy", {}),
        ("read", None),
        ("read", {"type": "knowledge"}),
        ("read", {"type": "knowledge", "id": ""}),
        ("read", {"type": "knowledge", "id": 7}),
        ("read", {"type": "song", "id": "x"}),
        ("read", {"type": "knowledge", "id": "nobody"}),
        ("read", {"type": "knowledge", "id": "note", "more": 1}),
        ("create", {"type": "knowledge"}),
        ("create", {"type": "knowledge", "text": "a", "value": {}}),
        ("create", {"type": "knowledge", "text": ""}),
        ("create", {"type": "knowledge", "value": {"content": 1}}),
        ("create", {"type": "artifact", "text": "a"}),
        ("create", {"type": "knowledge", "text": "a", "id": "note"}),
        ("create", {"type": "knowledge", "text": "x" * 1_000_001}),
        ("create", {"type": "knowledge", "value": "\ud800"}),
        ("create", {"type": "knowledge", "value": ["é" * 600_000]}),
        ("create", {"type": "knowledge", "value": 10**40}),
        ("update", {"type": "knowledge", "id": "note", "text": "a"}),
        ("update", {"type": "knowledge", "id": "note", "text": "a", "base_versions": []}),
        ("update", {"type": "knowledge", "id": "note", "text": "a", "base_versions": ["v9"]}),
        ("history", {"type": "knowledge", "id": "' OR 1=1 --"}),
        ("history", {"type": "knowledge", "id": "note", "limit": 0}),
        ("feed", {"limit": 101}),
        ("feed", {"after_cursor": "x"}),
        ("feed", {"types": []}),
    ],
)
def test_what_cannot_be_is_an_error_that_says_so(
    context: Context, name: str, arguments: dict[str, Any] | None
) -> None:
    before = ask(context, "feed", limit=100)
    refused(context, name, arguments)
    assert ask(context, "feed", limit=100) == before


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
MEMBERS = ("type", "id", "text", "value", "base_versions", "limit", "after_cursor", "where", "ids")


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from([*TOOLS]),
    arguments=st.dictionaries(st.sampled_from(MEMBERS) | st.text(max_size=8), JSON, max_size=6),
    typed=st.booleans(),
)
def test_hostile_arguments_end_in_a_result_or_an_error(
    context: Context, name: str, arguments: dict[str, Any], typed: bool
) -> None:
    if typed:
        arguments["type"] = "knowledge"
    outcome: Outcome = call_tool(context, name, arguments)
    if outcome.failed:
        assert set(outcome.data) == {"error"}
        assert outcome.data["error"]["code"] != "TB901", outcome.data
    else:
        assert Draft202012Validator(TOOLS[name].gives).is_valid(outcome.data)


@pytest.mark.parametrize("content", [{}, {"text": "a", "value": {}}])
def test_a_model_reads_that_one_of_two_arguments_is_wanted(
    context: Context, content: dict[str, Any]
) -> None:
    for name, arguments in (
        ("create", {"type": "knowledge", **content}),
        ("update", {"type": "knowledge", "id": "note", "base_versions": ["v"], **content}),
    ):
        refusal = call_tool(context, name, arguments).data["error"]
        assert refusal["message"] == "$: give text or value, and not both"
