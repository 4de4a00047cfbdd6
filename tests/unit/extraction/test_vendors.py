"""Real clients against a server on this machine that answers as a model's would."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from talebearer.errors import InvalidProvider, ProviderBusy, ProviderFailed, ProviderNotInstalled
from talebearer.extraction import FinishReason, ModelRequest, open_provider, provider_settings
from talebearer.extraction.providers import retry_after_s

SECRET = "sk-very-secret-4711"
REQUEST = ModelRequest(
    prefix="Instructions.\n",
    body="Transcript, units 1 to 1:\n[1] GM: Hello.\n",
    schema_name="npcs_response_v1",
    schema={
        "type": "object",
        "properties": {"npcs": {"type": "array", "items": {"type": "string"}}},
        "required": ["npcs"],
        "additionalProperties": False,
    },
    max_output_tokens=512,
)


class FakeServer(ThreadingHTTPServer):
    """Answers chat completions with what ``answer`` says, and keeps what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[dict[str, Any]] = []
        self.came = threading.Event()
        self.go = threading.Event()
        self.go.set()
        self.answer: tuple[int, dict[str, str], Any] = (200, {}, completion('{"npcs":[]}'))


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, FakeServer)
        body = self.rfile.read(int(self.headers["content-length"]))
        server.asked.append({"body": json.loads(body), "headers": dict(self.headers)})
        server.came.set()
        server.go.wait(10)
        status, headers, value = server.answer
        data = json.dumps(value).encode()
        self.send_response(status)
        for name, text in {**headers, "content-type": "application/json"}.items():
            self.send_header(name, text)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


def completion(text: str, finish: str = "stop") -> dict[str, Any]:
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "tiny",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text},
            }
        ],
        "usage": {"prompt_tokens": 90, "completion_tokens": 7, "total_tokens": 97},
    }


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def provider(server) -> Iterator[Any]:
    settings = provider_settings(
        {
            "provider": "openai-compatible",
            "model": "tiny",
            "base_url": f"http://127.0.0.1:{server.server_port}/v1",
            "temperature": 0,
        }
    )
    opened = open_provider(settings, environ={"TALEBEARER_API_KEY": SECRET})
    assert opened is not None
    yield opened
    opened.close()


@pytest.mark.slow
def test_a_request_carries_prompt_schema_and_limits_and_gives_text_and_usage(
    server, provider
) -> None:
    reply = provider.ask(REQUEST)
    assert (reply.text, reply.finish) == ('{"npcs":[]}', FinishReason.STOP)
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (90, 7)
    sent = server.asked[0]["body"]
    assert [one["content"] for one in sent["messages"]] == [REQUEST.prefix, REQUEST.body]
    assert sent["response_format"]["json_schema"]["name"] == "npcs_response_v1"
    assert sent["response_format"]["json_schema"]["strict"] is True
    assert 512 in (sent.get("max_tokens"), sent.get("max_completion_tokens"))
    assert sent["temperature"] == 0


@pytest.mark.slow
def test_the_key_goes_to_the_server_and_nowhere_else(server, provider) -> None:
    provider.ask(REQUEST)
    assert SECRET in str(server.asked[0]["headers"])
    assert SECRET not in json.dumps(dict(provider.identity))
    server.answer = (401, {}, {"error": {"message": f"wrong key {SECRET}"}})
    with pytest.raises(ProviderFailed) as caught:
        provider.ask(REQUEST)
    assert SECRET not in json.dumps(caught.value.as_json())
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


@pytest.mark.slow
def test_cut_off_and_filtered_replies_are_told_apart(server, provider) -> None:
    server.answer = (200, {}, completion('{"np', "length"))
    assert provider.ask(REQUEST).finish is FinishReason.LENGTH
    server.answer = (200, {}, completion("", "content_filter"))
    assert provider.ask(REQUEST).finish is FinishReason.REFUSAL


@pytest.mark.slow
@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_says_when_and_is_asked_once(server, provider, status) -> None:
    server.answer = (status, {"retry-after": "7"}, {"error": {"message": "later"}})
    with pytest.raises(ProviderBusy) as caught:
        provider.ask(REQUEST)
    assert caught.value.retry_after_s == 7
    assert len(server.asked) == 1


@pytest.mark.slow
def test_a_server_that_is_not_there_is_busy_and_a_closed_provider_fails() -> None:
    table = {"provider": "ollama", "model": "tiny", "base_url": "http://127.0.0.1:9/v1"}
    opened = open_provider(provider_settings(table), environ={})
    assert opened is not None
    with pytest.raises(ProviderBusy):
        opened.ask(REQUEST)
    opened.close()
    opened.close()
    with pytest.raises(ProviderFailed):
        opened.ask(REQUEST)


@pytest.mark.slow
def test_closing_ends_a_request_that_still_waits(server, provider) -> None:
    server.go.clear()
    ended: list[Exception] = []

    def ask() -> None:
        with pytest.raises(ProviderBusy) as caught:
            provider.ask(REQUEST)
        ended.append(caught.value)

    asking = threading.Thread(target=ask)
    asking.start()
    assert server.came.wait(5)
    provider.close()
    asking.join(5)
    server.go.set()
    assert len(ended) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "key"), [("anthropic", "ANTHROPIC_API_KEY"), ("gemini", "GEMINI_API_KEY")]
)
def test_hosted_models_open_with_a_key_and_never_show_it(name, key) -> None:
    settings = provider_settings({"provider": name, "model": "some-model"})
    opened = open_provider(settings, environ={key: SECRET})
    assert opened is not None
    assert SECRET not in repr(opened) + json.dumps(dict(opened.identity))
    opened.close()


def test_a_missing_key_is_told_before_anything_is_imported() -> None:
    settings = provider_settings({"provider": "anthropic", "model": "some-model"})
    with pytest.raises(InvalidProvider) as caught:
        open_provider(settings, environ={"OTHER": SECRET})
    assert "ANTHROPIC_API_KEY" in caught.value.hint


def test_without_the_packages_the_error_names_the_extra(monkeypatch) -> None:
    # What is None there cannot be imported, as if it were not installed.
    monkeypatch.setitem(sys.modules, "pydantic_ai.direct", None)
    settings = provider_settings({"provider": "openai", "model": "some-model"})
    with pytest.raises(ProviderNotInstalled) as caught:
        open_provider(settings, environ={"OPENAI_API_KEY": SECRET})
    assert "talebearer[llm]" in caught.value.as_json()["hint"]


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "12"}, 12),
        ({"retry-after-ms": "1500"}, 1.5),
        (
            {
                "retry-after": "Wed, 21 Oct 2026 07:28:30 GMT",
                "date": "Wed, 21 Oct 2026 07:28:00 GMT",
            },
            30,
        ),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:30 GMT"}, None),
        ({"retry-after-ms": "nan"}, None),
        ({}, None),
    ],
)
def test_how_long_a_server_asks_to_wait(headers, seconds) -> None:
    assert retry_after_s(headers) == seconds
