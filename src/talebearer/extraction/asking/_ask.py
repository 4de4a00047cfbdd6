"""Asking a model about every chunk of one lane.

Each chunk ends in one of four ways: accepted (and kept), split since the reply was cut off, refused
(recorded, never asked again in this run), or rejected after one re-ask. Results stand in chunk order,
whatever the order in which replies came.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import Any

from talebearer.errors import (
    BadModelOutput,
    InputTruncated,
    Problem,
    ProviderBusy,
    ProviderFailed,
    Severity,
    TalebearerError,
    Where,
    findings_extraction,
)
from talebearer.extraction.asking._checkpoints import Checkpoints
from talebearer.extraction.asking._chunks import Chunk, tokens_of, tokens_of_line
from talebearer.extraction.asking._forms import re_ask_text
from talebearer.extraction.asking._prompts import Prompt
from talebearer.extraction.asking._runs import Answer, ModelProgress, ModelRun, Watch
from talebearer.extraction.providers import (
    FinishReason,
    ModelReply,
    ModelRequest,
    Usage,
)

BACK_OFF_S = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0, 60.0)
RETRY_AFTER_S_MAX = 300.0
TRUNCATION_SHARE = 2
"""A provider that counts less than half of the estimated prompt tokens has cut the prompt."""
PROBLEMS_CARRIED_MAX = 20

Check = Callable[[str, Chunk], tuple[Any, list[Problem]]]
"""The extract chain: reply text and chunk to the parsed value and all problems."""


class _Stopped(Exception):
    """Another chunk has ended the run."""


@dataclass(slots=True)
class LaneAsker:
    """Asks about the chunks of one lane.

    Args:
        run: What the lanes share.
        lane: The lane's name, for progress.
        prompt: The stable prefix.
        check: The extract chain.
        source_digest: Of the transcript, for the checkpoints.
    """

    run: ModelRun
    lane: str
    prompt: Prompt
    check: Check
    source_digest: str
    _stop: threading.Event = field(default_factory=threading.Event)
    _kept: Checkpoints = field(init=False)
    _prefix_tokens: int = field(init=False)

    def __post_init__(self) -> None:
        folder = self.run.checkpoints
        self._kept = Checkpoints(
            None if folder is None else folder / self.prompt.kind.value.replace("/", "-"),
            identity=self._identity(),
            resume=self.run.resume,
        )
        self._prefix_tokens = tokens_of(self.prompt.prefix)

    def ask(self, chunks: Sequence[Chunk]) -> list[Answer]:
        """Return the answers in chunk order.

        Raises:
            BadModelOutput: A chunk was rejected twice (TB306); the others were asked and kept.
            InputTruncated: The provider cut a prompt (TB307).
            CostLimitReached: The next request could cost too much (TB308).
            ProviderBusy: A request did not go through after all attempts (TB304).
            ProviderFailed: The provider does not accept the request (TB305).
        """
        if not chunks:
            return []
        pool = ThreadPoolExecutor(
            max_workers=min(self.run.settings.workers, len(chunks)),
            thread_name_prefix="talebearer-ask",
        )
        # Counted before anything is handed out, since chunks kept from before end at once.
        watch = Watch(clock=self.run.clock, resumed=self._resumed())
        futures = [pool.submit(self._one, chunk) for chunk in chunks]
        try:
            self._watch(futures, watch)
        except BaseException:
            # Ctrl-C: what was accepted is on disk already; do not wait for what runs.
            self._stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        pool.shutdown(wait=True)
        self._raise_first(futures)
        return [answer for future in futures for answer in future.result()]

    def _watch(self, futures: Sequence[Future[list[Answer]]], watch: Watch) -> None:
        self._tell(0, len(futures), None)
        for done, future in enumerate(as_completed(futures), 1):
            if future.cancelled():
                continue
            error = future.exception()
            if error is not None and not isinstance(error, BadModelOutput):
                self._stop.set()
                for other in futures:
                    other.cancel()
            else:
                self._tell(done, len(futures), watch.pace_s(done, self._resumed()))

    def _resumed(self) -> int:
        count: int = self.run.meter.report().get("chunks_resumed", 0)
        return count

    def _tell(self, done: int, total: int, pace_s: float | None) -> None:
        """Tell how far it is; *pace_s* are the seconds that an asked chunk took."""
        if self.run.progress is None:
            return
        report = self.run.meter.report()
        self.run.progress(
            ModelProgress(
                lane=self.lane,
                chunks_done=done,
                chunks_total=total,
                input_tokens=report.get("input_tokens", 0),
                output_tokens=report.get("output_tokens", 0),
                cost_usd=report["cost_usd"],
                left_s=None if pace_s is None else pace_s * (total - done),
            )
        )

    def _raise_first(self, futures: Sequence[Future[list[Answer]]]) -> None:
        """Raise what ended the run, else the first rejection in chunk order."""
        errors = [one.exception() for one in futures if not one.cancelled()]
        real = [error for error in errors if error is not None and not isinstance(error, _Stopped)]
        fatal = [error for error in real if not isinstance(error, BadModelOutput)]
        for error in (*fatal, *real):
            raise error

    def _identity(self) -> dict[str, Any]:
        settings = self.run.settings
        return {
            "lane": self.prompt.kind.value,
            "prompt": self.prompt.identity(),
            "model": dict(self.run.provider.identity),
            "max_output_tokens": settings.max_output_tokens,
            "chunk_tokens": settings.chunk_tokens,
            "context_units": settings.context_units,
            "tight_schema": settings.tight_schema,
            "source": self.source_digest,
        }

    def _one(self, chunk: Chunk) -> list[Answer]:
        kept = self._from_checkpoint(chunk)
        if kept is not None:
            self.run.meter.note("chunks_resumed")
            return [kept]
        if self._kept.has_part_of(chunk):
            return self._split(chunk)
        problems: list[Problem] = []
        for errors in (False, True):
            text = re_ask_text(problems, first=chunk.first, last=chunk.last) if errors else ""
            request = self.prompt.request(
                chunk,
                max_output_tokens=self.run.settings.max_output_tokens,
                errors=text,
                tight=self.run.settings.tight_schema,
            )
            reply = self._send(request, chunk, re_ask=errors)
            if reply.finish is FinishReason.LENGTH:
                return self._split(chunk)
            if reply.finish is FinishReason.REFUSAL:
                return [Answer(chunk=chunk, value=None, warnings=(_refused(chunk),))]
            value, found = self.check(reply.text, chunk)
            problems = [one for one in found if one.severity is Severity.ERROR]
            if not problems:
                self._kept.save(chunk, value)
                return [_accepted(chunk, value, found)]
            self.run.meter.note("replies_rejected")
        raise _rejected(self.lane, chunk, problems)

    def _from_checkpoint(self, chunk: Chunk) -> Answer | None:
        text = self._kept.load(chunk)
        if text is None:
            return None
        value, found = self.check(text, chunk)
        if any(one.severity is Severity.ERROR for one in found):
            return None
        return _accepted(chunk, value, found)

    def _split(self, chunk: Chunk) -> list[Answer]:
        if len(chunk.units) == 1:
            raise BadModelOutput(
                f"{self.lane}: the reply for unit {chunk.first} alone was cut off",
                hint="set a larger max_output_tokens",
                data={"lane": self.lane, "first_unit": chunk.first, "last_unit": chunk.last},
            )
        self.run.meter.note("chunks_split")
        left, right = chunk.halves(self.run.settings.context_units)
        return [*self._one(left), *self._one(right)]

    def _send(self, request: ModelRequest, chunk: Chunk, *, re_ask: bool) -> ModelReply:
        """Send *request*, again while the provider is busy, and count every attempt."""
        prompt_tokens = self._prompt_tokens(chunk, request)
        worst = Usage(input_tokens=prompt_tokens, output_tokens=request.max_output_tokens)
        for attempt in range(1, self.run.settings.attempts + 1):
            reserved = None if self._stop.is_set() else self.run.meter.reserve(worst, self._stop)
            if reserved is None:
                raise _Stopped
            try:
                reply = self._reply(request)
            except ProviderBusy as error:
                self.run.meter.settle(reserved, None, "requests_busy")
                if attempt == self.run.settings.attempts:
                    raise
                self._wait(self._pause_s(error, attempt, chunk.index))
            except BaseException:
                self.run.meter.settle(reserved, None, "requests_failed")
                raise
            else:
                outcome = "requests_re_asked" if re_ask else "requests_answered"
                self.run.meter.settle(reserved, _counted(reply, prompt_tokens), outcome)
                self._refuse_cut_prompt(reply, prompt_tokens)
                return reply
        raise AssertionError("the last attempt returns or raises")

    def _reply(self, request: ModelRequest) -> ModelReply:
        """Ask the provider once; what a plug-in raises beside our errors is one of ours, too."""
        try:
            reply = self.run.provider.ask(request)
        except TalebearerError:
            raise
        except Exception as error:
            # A provider may be anybody's, and its fault must not end other lanes untold.
            # The cause is cut off: its message may hold the request or a key.
            raise ProviderFailed(f"the provider failed ({type(error).__name__})") from None
        if not isinstance(reply, ModelReply):
            raise ProviderFailed(f"the provider gave {type(reply).__name__}, which is no reply")
        return reply

    def _prompt_tokens(self, chunk: Chunk, request: ModelRequest) -> int:
        lines = sum(tokens_of_line(unit) for unit in (*chunk.context, *chunk.units))
        return self._prefix_tokens + lines + tokens_of(request.body[len(chunk.text) :])

    def _pause_s(self, error: ProviderBusy, attempt: int, index: int) -> float:
        """Return how long to wait: as the server asks, else growing and a little apart."""
        if error.retry_after_s is not None:
            if error.retry_after_s > RETRY_AFTER_S_MAX:
                raise ProviderBusy(
                    f"{error.message}, and asks to wait {error.retry_after_s:.0f} s",
                    hint="run again then; what was accepted is kept",
                ) from error
            return error.retry_after_s
        return BACK_OFF_S[attempt - 1] * (1 + index % 8 / 16)

    def _wait(self, seconds: float) -> None:
        if self.run.sleep is not None:
            self.run.sleep(seconds)
        else:
            self._stop.wait(seconds)

    def _refuse_cut_prompt(self, reply: ModelReply, estimate: int) -> None:
        counted = reply.usage.input_tokens
        if counted is not None and counted * TRUNCATION_SHARE < estimate:
            raise InputTruncated(
                f"{self.lane}: about {estimate} prompt tokens were sent, the model read {counted}",
                hint="give the server a larger context, or set a smaller chunk_tokens",
                data={"sent_tokens": estimate, "read_tokens": counted},
            )


def _counted(reply: ModelReply, prompt_tokens: int) -> Usage:
    """Return the reply's usage; what the provider does not count is estimated, so that limits hold."""
    usage = reply.usage
    if usage.input_tokens is not None and usage.output_tokens is not None:
        return usage
    return Usage(
        input_tokens=prompt_tokens if usage.input_tokens is None else usage.input_tokens,
        output_tokens=tokens_of(reply.text) if usage.output_tokens is None else usage.output_tokens,
        cached_tokens=usage.cached_tokens,
    )


def _accepted(chunk: Chunk, value: Any, found: list[Problem]) -> Answer:
    return Answer(chunk=chunk, value=value, warnings=tuple(found[:PROBLEMS_CARRIED_MAX]))


def _refused(chunk: Chunk) -> Problem:
    return Problem(
        code=findings_extraction.REFUSED_CHUNK,
        severity=Severity.WARNING,
        where=Where(first_unit=chunk.first, last_unit=chunk.last),
        message="the model declined to answer for these units; the result lacks them",
        hint="run the same command again with another model",
    )


def _rejected(lane: str, chunk: Chunk, problems: list[Problem]) -> BadModelOutput:
    first = problems[0]
    return BadModelOutput(
        f"{lane}: the reply for units {chunk.first}–{chunk.last} was rejected twice: "
        f"{first.message} at {first.where}",
        hint="run the same command again; accepted parts are not asked again",
        data={
            "lane": lane,
            "first_unit": chunk.first,
            "last_unit": chunk.last,
            "problem_count": len(problems),
            "problems": [one.as_json() for one in problems[:PROBLEMS_CARRIED_MAX]],
        },
    )
