import pytest

from talebearer.extraction import ProviderSettings, estimate, provider_settings, run


def test_an_estimate_counts_requests_and_tokens_as_the_run_will(
    session, roster, model, answer
) -> None:
    settings = ProviderSettings(
        provider="scripted", model="script", chunk_tokens=200, context_units=3
    )
    names = ("Dov Pell", "Orla Finch")
    before = estimate(session(40), roster, settings=settings, names=names).as_json()
    usage = run(session(40), roster, model=model(answer)).manifest["usage"]
    assert before["requests"] == usage["requests"]
    assert before["input_tokens"] == pytest.approx(usage["input_tokens"], rel=0.05)
    assert before["cost_usd"] is None


def test_a_known_price_gives_a_usual_and_a_largest_cost(session, roster) -> None:
    settings = provider_settings({"provider": "openai", "model": "gpt-5-mini"})
    found = estimate(session(400), roster, settings=settings)
    assert found.cost_usd is not None
    assert found.cost_usd_max is not None
    assert 0 < found.cost_usd < found.cost_usd_max


def test_the_rules_cost_nothing(session, roster) -> None:
    found = estimate(session(40), roster, settings=ProviderSettings()).as_json()
    assert (found["cost_usd"], found["requests"]) == (0.0, 0)
