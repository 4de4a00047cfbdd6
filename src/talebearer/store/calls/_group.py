"""Many requests, one commit: in order, each with a way back of its own.

A request that is refused is undone alone. Deadlines are looked at once more just before the
commit; if one has passed, the whole is rolled back and done again without it, so that nothing
late is ever stored. If the shared transaction itself fails, each request is tried alone.

Source: the protocol sheet, sections 1.8 and 4.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from talebearer.errors import DeadlineExceeded, TalebearerError
from talebearer.store._model import Call
from talebearer.store.calls._deadlines import deadline_ms, refuse_late
from talebearer.store.calls._dispatch import TRANSACTION_METHODS, WRITING_METHODS

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class _Late(Exception):  # it never leaves this module
    def __init__(self, found: dict[int, DeadlineExceeded]) -> None:
        super().__init__()
        self.found = found


class Grouping(Protocol[T_co]):
    """What a group needs of a store."""

    def answer(self, call: Call) -> T_co:
        """Answer one request, in a transaction of its own or as a part of the open one."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """Return a transaction; inside one, a part of it that can be undone alone."""
        ...

    def now_ms(self) -> int:
        """Return the time."""
        ...


def answer_many(store: Grouping[T], calls: Sequence[Call]) -> list[T | TalebearerError]:
    """Return what *store* answers to *calls*, in their order, after one commit."""
    if len(calls) == 1:
        return [_attempt(store, calls[0])]
    answers: list[T | TalebearerError] = []
    run: list[Call] = []
    for call in calls:
        # Checkpoints and uploads touch files outside of the transaction, and must not be redone.
        if call.method in TRANSACTION_METHODS:
            run.append(call)
            continue
        answers += _answer_run(store, run)
        run = []
        answers.append(_attempt(store, call))
    return answers + _answer_run(store, run)


def _answer_run(store: Grouping[T], calls: list[Call]) -> list[T | TalebearerError]:
    writes = sum(call.method in WRITING_METHODS for call in calls)
    if writes and len(calls) > 1:
        return _answer_together(store, calls)
    return [_attempt(store, call) for call in calls]


def _answer_together(store: Grouping[T], calls: list[Call]) -> list[T | TalebearerError]:
    late: dict[int, DeadlineExceeded] = {}
    while True:
        try:
            with store.transaction():
                answers = [
                    late[index] if index in late else _attempt(store, call)
                    for index, call in enumerate(calls)
                ]
                _check_deadlines(store, calls, answers)
            return answers
        except _Late as error:
            late |= error.found
        except TalebearerError:
            return [
                late[index] if index in late else _attempt(store, call)
                for index, call in enumerate(calls)
            ]


def _check_deadlines(
    store: Grouping[T], calls: list[Call], answers: list[T | TalebearerError]
) -> None:
    found: dict[int, DeadlineExceeded] = {}
    for index, (call, answer) in enumerate(zip(calls, answers, strict=True)):
        if "deadline_unix_ms" in call.meta and not isinstance(answer, TalebearerError):
            try:
                refuse_late(deadline_ms(call.meta), now_ms=store.now_ms())
            except DeadlineExceeded as error:
                found[index] = error
    if found:
        raise _Late(found)


def _attempt(store: Grouping[T], call: Call) -> T | TalebearerError:
    try:
        return store.answer(call)
    except TalebearerError as error:
        return error
