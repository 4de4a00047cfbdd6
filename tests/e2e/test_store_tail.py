"""`talebearer store tail --follow` beside a writer, as a program that reads its output has it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from stores import META, fill, open_store

from talebearer.testing import sample_knowledge

SECONDS = 20
SCOPE = ("--scope", "workspace_id=w", "--scope", "user_id=u")


@contextmanager
def _started(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run a program; when the test fails, it ends with it."""
    with subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TERM": "dumb"},
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_changes_are_printed_as_they_come_until_it_is_interrupted(
    tmp_path: Path, number: signal.Signals
) -> None:
    with open_store(tmp_path) as store:
        fill(store)
        last = store.changes(META)[-1].cursor
        command = ["-m", "talebearer", "store", "tail", "--follow", "--after", last, *SCOPE]
        with _started(*command, "--root", str(tmp_path)) as follower:
            assert follower.stdout is not None
            # Each is read before the next is written, so that none may stay in a buffer.
            for name in ("red", "blue"):
                store.create(META, "knowledge", sample_knowledge(name), id=name)
                change = json.loads(follower.stdout.readline())
                assert (change["ref"]["id"], change["kind"]) == (name, "created")
            follower.send_signal(number)
            out, err = follower.communicate(timeout=SECONDS)
        assert (out, "Traceback" in err) == ("", False)
        expected = 130 if number == signal.SIGINT else -signal.SIGTERM
        assert follower.returncode == expected


def test_a_reader_that_goes_away_ends_it(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        fill(store)
        command = ["-m", "talebearer", "store", "tail", "--follow", *SCOPE]
        with _started(*command, "--root", str(tmp_path)) as follower:
            assert follower.stdout is not None
            assert follower.stdout.readline()
            follower.stdout.close()
            for number in range(3):
                store.create(META, "knowledge", sample_knowledge("x"), id=f"x{number}")
            follower.wait(SECONDS)
            assert follower.stderr is not None
            assert "Traceback" not in follower.stderr.read()
