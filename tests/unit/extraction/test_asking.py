import json
import threading

import pytest

from talebearer.errors import (
    BadModelOutput,
    CostLimitReached,
    InputTruncated,
    PriceUnknown,
    ProviderBusy,
    ProviderFailed,
)
from talebearer.extraction import FinishReason, ModelReply, ModelRun, Price, Usage, run

PRICE = Price(input=1.0, output=10.0)


def test_a_model_gives_both_artifacts_and_the_source_is_attached_by_us(
    session, roster, model, answer
) -> None:
    result = run(session(40), roster, model=model(answer))
    assert [npc["name"] for npc in result.registry.payload["npcs"]] == ["Dov Pell", "Orla Finch"]
    sources = {
        ref["source_id"]
        for item in result.interactions.payload["interactions"]
        for ref in item["source_refs"]
    }
    assert sources == {"s1"}
    assert result.manifest["extractor"]["name"] == "scripted:script"
    assert result.manifest["draft"] is False
    assert result.manifest["complete"] is True


@pytest.mark.spec("NI-occ-chunk")
def test_occurrences_of_two_chunks_stay_apart(session, roster, model, answer, units) -> None:
    asked: list[tuple[int, int]] = []

    def keep(request):
        if "interactions" in request.schema["properties"]:
            asked.append(units(request))
        return answer(request)

    result = run(session(40), roster, model=model(keep))
    items = result.interactions.payload["interactions"]
    ranges = {
        (ref["start_unit_id"], ref["end_unit_id"]) for item in items for ref in item["source_refs"]
    }
    assert ranges == set(asked)
    assert len(items) == 2 * len(asked)


@pytest.mark.spec("NI-E6-re-ask")
def test_a_rejected_reply_is_asked_once_more_with_errors_and_without_the_reply(
    session, roster, model, answer
) -> None:
    seen = []

    def faulty(request):
        seen.append(request)
        if len(seen) == 1:
            return '{"npcs":[{"name":"Zaphod MARKER","ranges":[{"start":1,"end":99999}],"mood":"bad"}]}'
        return answer(request)

    result = run(session(8), roster, model=model(faulty))
    first, again = seen[:2]
    assert again.prefix == first.prefix
    assert again.body.startswith(first.body)
    errors = again.body.removeprefix(first.body)
    assert len(errors) <= 1000
    assert "$.npcs[0].ranges[0].end" in errors
    assert "MARKER" not in errors
    assert "99999" not in errors
    assert "mood" not in errors
    assert result.manifest["usage"]["requests_re_asked"] == 1
    assert result.manifest["usage"]["replies_rejected"] == 1


@pytest.mark.spec("NI-E6-re-ask")
def test_many_errors_stay_within_a_thousand_characters(session, roster, model, answer) -> None:
    bodies = []

    def faulty(request):
        bodies.append(request.body)
        if len(bodies) == 1:
            return json.dumps({"npcs": [{"name": 1, "ranges": 2} for _ in range(5000)]})
        return answer(request)

    run(session(8), roster, model=model(faulty))
    assert len(bodies[1]) - len(bodies[0]) <= 1000


@pytest.mark.spec("NI-pipe-consumer-blocked")
def test_a_chunk_rejected_twice_rejects_the_lane_and_its_consumer_does_not_run(
    session, roster, model, answer, units
) -> None:
    lanes = []

    def faulty(request):
        lanes.extend(request.schema["properties"])
        return "no json" if units(request)[0] == 1 else answer(request)

    with pytest.raises(BadModelOutput) as caught:
        run(session(40), roster, model=model(faulty))
    assert set(lanes) == {"npcs"}
    assert caught.value.data["first_unit"] == 1
    assert caught.value.data["usage"]["replies_rejected"] == 2
    assert caught.value.data["usage"]["requests_answered"] > 2  # the other chunks went on


@pytest.mark.spec("NI-E6-split")
def test_a_reply_that_is_cut_off_splits_the_chunk_and_is_not_asked_longer(
    session, roster, model, answer, units
) -> None:
    asked = []

    def short(request):
        first, last = units(request)
        asked.append((first, last))
        if last - first > 3:
            return ModelReply(text='{"npcs":[{"na', finish=FinishReason.LENGTH)
        return answer(request)

    result = run(session(24), roster, model=model(short, settings={"workers": 1}))
    assert result.manifest["usage"]["chunks_split"] >= 2
    assert len(set(asked)) * 2 >= len(asked)  # each range once a lane, never the same again
    assert result.interactions.metadata["interaction_count"] > 4


def test_a_single_unit_whose_reply_is_cut_off_is_rejected(session, roster, model) -> None:
    cut = ModelReply(text="{", finish=FinishReason.LENGTH)
    with pytest.raises(BadModelOutput, match="alone was cut off"):
        run(session(2), roster, model=model(lambda request: cut))


@pytest.mark.spec("NI-E6-input-truncated")
def test_a_provider_that_reads_far_less_than_was_sent_stops_the_run(
    session, roster, model, answer
) -> None:
    def forgetful(request):
        return ModelReply(text=answer(request), usage=Usage(input_tokens=200, output_tokens=9))

    with pytest.raises(InputTruncated) as caught:
        run(session(40), roster, model=model(forgetful))
    assert caught.value.data["read_tokens"] == 200
    assert caught.value.data["sent_tokens"] > 400


def test_a_refusal_is_recorded_and_not_asked_again(session, roster, model, answer, units) -> None:
    refusals = []

    def shy(request):
        if units(request)[0] == 1 and "interactions" in request.schema["properties"]:
            refusals.append(1)
            return ModelReply(text="I cannot", finish=FinishReason.REFUSAL)
        return answer(request)

    result = run(session(40), roster, model=model(shy))
    assert len(refusals) == 1
    assert result.manifest["complete"] is False
    (refused,) = [one for one in result.problems if one.code == "TB635"]
    assert refused.where.first_unit == 1
    assert result.interactions.metadata["interaction_count"] > 0


def test_a_busy_provider_is_asked_again_after_the_time_it_names(
    session, roster, model, answer
) -> None:
    waits, lock, failed = [], threading.Lock(), []

    def busy(request):
        with lock:
            if len(failed) < 2:
                failed.append(1)
                raise ProviderBusy("429", retry_after_s=7.0 if len(failed) == 1 else None)
        return answer(request)

    result = run(session(8), roster, model=model(busy, sleep=waits.append, settings={"workers": 1}))
    assert waits == [7.0, 2.0]
    assert result.manifest["usage"]["requests_busy"] == 2
    assert result.manifest["usage"]["requests"] == 2 + 2


def test_after_the_last_attempt_or_a_long_wait_the_run_ends(session, roster, model) -> None:
    waits = []

    def busy(request):
        raise ProviderBusy("503")

    with pytest.raises(ProviderBusy) as caught:
        run(session(8), roster, model=model(busy, sleep=waits.append, settings={"attempts": 3}))
    assert waits == [1.0, 2.0]
    assert caught.value.retryable
    assert caught.value.data["usage"]["requests_busy"] == 3

    def tomorrow(request):
        raise ProviderBusy("429", retry_after_s=90_000)

    with pytest.raises(ProviderBusy, match="asks to wait 90000 s"):
        run(session(8), roster, model=model(tomorrow, sleep=waits.append))
    assert len(waits) == 2


def test_a_provider_that_fails_ends_the_run_at_once(session, roster, model) -> None:
    asked = []

    def fail(request):
        asked.append(1)
        raise ProviderFailed("401")

    with pytest.raises(ProviderFailed):
        run(session(400), roster, model=model(fail, settings={"workers": 2}))
    assert len(asked) <= 4


def test_the_cost_limit_is_never_passed(session, roster, model, answer) -> None:
    def costly(request):
        tokens = len(request.prefix + request.body) // 3
        return ModelReply(text=answer(request), usage=Usage(input_tokens=tokens, output_tokens=250))

    settings = {"prices": PRICE, "max_output_tokens": 256, "workers": 4}
    free = run(session(80), roster, model=model(costly, settings=settings))
    whole = free.manifest["usage"]["cost_usd"]
    with pytest.raises(CostLimitReached) as caught:
        run(session(80), roster, model=model(costly, settings=settings, max_cost=whole / 2))
    spent = caught.value.data["usage"]["cost_usd"]
    assert whole / 4 < spent <= whole / 2
    enough = run(session(80), roster, model=model(costly, settings=settings, max_cost=whole * 1.2))
    assert enough.interactions == free.interactions


def test_a_limit_without_a_price_is_refused_before_anything_is_asked(model, answer) -> None:
    with pytest.raises(PriceUnknown):
        model(answer, max_cost=1.0)


def test_tokens_that_a_provider_does_not_count_are_estimated(
    session, roster, model, answer
) -> None:
    usage = run(session(8), roster, model=model(answer, settings={"prices": PRICE})).manifest[
        "usage"
    ]
    assert usage["input_tokens"] > 500
    assert usage["cost_usd"] > 0


def test_progress_tells_chunks_tokens_cost_and_time_left(session, roster, model, answer) -> None:
    told, ticks = [], iter(range(100))
    run(
        session(40),
        roster,
        model=model(
            answer,
            progress=told.append,
            clock=lambda: float(next(ticks)),
            settings={"prices": PRICE},
        ),
    )
    last = [one for one in told if one.lane == "interactions"][-1]
    assert last.chunks_done == last.chunks_total > 1
    assert last.left_s == 0
    assert last.cost_usd == pytest.approx(told[-1].cost_usd)
    assert (told[0].chunks_done, told[0].left_s) == (0, None)
    assert told[1].left_s == told[1].chunks_total - 1


def test_chunks_kept_from_before_do_not_count_as_pace(
    session, roster, model, answer, tmp_path
) -> None:
    run(session(20), roster, model=model(answer, checkpoints=tmp_path))
    for path in sorted((tmp_path / "dnd-npc-list").rglob("*.json"))[1:]:
        path.unlink()
    told, ticks = [], iter(range(0, 1000, 10))
    run(
        session(20),
        roster,
        model=model(
            answer,
            checkpoints=tmp_path,
            progress=told.append,
            clock=lambda: float(next(ticks)),
            settings={"workers": 1},
        ),
    )
    first = [one for one in told if one.lane == "npcs"]
    assert first[1].left_s is None or first[1].chunks_done > 1, "nothing was asked yet"
    assert first[-1].left_s == 0


def test_results_do_not_depend_on_the_order_of_replies(
    session, roster, model, answer, units
) -> None:
    others = {"npcs": threading.Event(), "interactions": threading.Event()}

    def late_first(request):
        (lane,) = request.schema["properties"]
        if units(request)[0] == 1:
            assert others[lane].wait(5)
        else:
            others[lane].set()
        return answer(request)

    one = run(session(40), roster, model=model(answer, settings={"workers": 1}))
    two = run(session(40), roster, model=model(late_first, settings={"workers": 2}))
    assert (one.registry, one.interactions) == (two.registry, two.interactions)


@pytest.mark.spec("NI-val-empty")
def test_without_a_registered_person_no_model_is_asked_for_interactions(
    session, roster, model
) -> None:
    lanes = []

    def nobody(request):
        lanes.extend(request.schema["properties"])
        return '{"npcs":[]}'

    result = run(session(8), roster, model=model(nobody))
    assert result.interactions.payload == {"interactions": []}
    assert set(lanes) == {"npcs"}


def test_a_run_object_says_what_it_used(model, answer) -> None:
    fresh = model(answer)
    assert isinstance(fresh, ModelRun)
    assert fresh.meter.report() == {
        "cost_usd": None,
        "max_cost_usd": None,
        "prices_as_of": fresh.meter.report()["prices_as_of"],
    }
