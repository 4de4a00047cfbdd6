import pytest

from talebearer.errors import InvalidProvider, NoRecording, ProviderBusy
from talebearer.extraction import (
    PROVIDERS,
    Cassette,
    ModelReply,
    Price,
    RecordingProvider,
    ScriptedProvider,
    Usage,
    open_provider,
    provider_settings,
    run,
)


def test_settings_come_from_the_table_and_options_go_over_it() -> None:
    table = {
        "provider": "openai-compatible",
        "model": "a",
        "base_url": "http://127.0.0.1:8080/v1",
        "workers": 2,
        "prices": {"input": 1, "output": 2},
    }
    settings = provider_settings(table)
    assert (settings.model, settings.workers, settings.price) == (
        "a",
        2,
        Price(input=1.0, output=2.0),
    )
    other = provider_settings(table, provider="anthropic:claude-haiku-4-5")
    assert (other.provider, other.model, other.base_url) == ("anthropic", "claude-haiku-4-5", None)
    assert other.price == Price(input=1.0, output=5.0, cached_input=0.1)
    assert other.workers == 2
    assert provider_settings(table, model="b").price is None
    assert provider_settings({}).provider == "rules"
    assert provider_settings({"provider": "ollama", "model": "x"}).price == Price(input=0, output=0)


@pytest.mark.parametrize(
    "table",
    [
        {"api_key": "sk-secret"},
        {"provider": 7},
        {"workers": 0},
        {"workers": 2.5},
        {"workers": True},
        {"temperature": float("nan")},
        {"timeout_s": "long"},
        {"base_url": "ftp://host"},
        {"base_url": "http://user:sk-secret@host/v1"},
        {"base_url": "http://host/v1?key=sk-secret"},
        {"base_url": "http://[host"},
        {"prices": 3},
        {"prices": {"input": 1}},
        {"prices": {"input": 1, "output": -1}},
        {"prices": {"input": 1, "output": 1, "more": 1}},
    ],
)
def test_wrong_settings_are_refused_without_showing_secrets(table) -> None:
    with pytest.raises(InvalidProvider) as caught:
        provider_settings(table)
    assert caught.value.code == "TB303"
    assert "sk-secret" not in str(caught.value.as_json())


def test_rules_need_no_provider_and_models_need_a_name() -> None:
    assert open_provider(provider_settings({}), environ={}) is None
    for name in PROVIDERS[1:]:
        with pytest.raises(InvalidProvider, match="needs a model"):
            open_provider(provider_settings({"provider": name}), environ={})


def test_what_tokens_cost() -> None:
    price = Price(input=1.0, output=5.0, cached_input=0.1)
    usage = Usage(input_tokens=1_000_000, output_tokens=200_000, cached_tokens=500_000)
    assert price.of(usage) == pytest.approx(0.5 + 0.05 + 1.0)
    assert price.of(Usage()) == 0
    assert Price(input=1, output=1).of(Usage(input_tokens=10, cached_tokens=99)) == pytest.approx(
        1e-5
    )


def test_a_cassette_gives_a_recorded_run_again(session, roster, model, answer, tmp_path) -> None:
    path = tmp_path / "tape.jsonl"
    recording = RecordingProvider(ScriptedProvider(answer, model="real"), path)
    made = model(answer)
    object.__setattr__(made, "provider", recording)
    first = run(session(20), roster, model=made)
    settings = provider_settings({"provider": "cassette", "model": str(path)})
    replay = open_provider(settings, environ={})
    assert isinstance(replay, Cassette)
    again = model(answer)
    object.__setattr__(again, "provider", replay)
    second = run(session(20), roster, model=again)
    assert second.interactions == first.interactions
    assert second.manifest["extractor"] == first.manifest["extractor"]
    assert "ropes" not in path.read_text(encoding="utf-8")
    third = model(answer)
    object.__setattr__(third, "provider", replay)
    with pytest.raises(NoRecording):
        run(session(21), roster, model=third)


def test_errors_are_not_recorded(answer, tmp_path) -> None:
    def busy(request):
        raise ProviderBusy("429")

    recording = RecordingProvider(ScriptedProvider(busy), tmp_path / "tape.jsonl")
    with pytest.raises(ProviderBusy):
        recording.ask(None)  # type: ignore[arg-type]  # the script looks at nothing
    assert not (tmp_path / "tape.jsonl").exists()
    recording.close()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"request": 1}', '{"request":"a","reply":{}}'])
def test_what_is_no_cassette_is_refused(tmp_path, text) -> None:
    path = tmp_path / "tape.jsonl"
    if text:
        path.write_text(text)
    with pytest.raises(InvalidProvider):
        Cassette(path)


def test_a_script_may_answer_with_counts() -> None:
    reply = ModelReply(text="{}", usage=Usage(input_tokens=1, output_tokens=2))
    assert ScriptedProvider(lambda request: reply).ask(None) is reply  # type: ignore[arg-type]  # as above
