"""The conformance suite on the daemon, over its socket and through the command line."""

import json
import subprocess
import sys

import pytest
from served import DaemonSubject, short_folder

from talebearer.testing import conformance as suite

SUBJECTS = {}


@pytest.fixture(scope="module", autouse=True)
def one_daemon_for_each_policy():
    """Daemons are started once and serve every class; scopes keep the cases apart."""
    SUBJECTS.clear()
    with short_folder() as folder:
        SUBJECTS["folder"] = folder
        yield
        for subject in list(SUBJECTS.values())[1:]:
            subject.close_for_good()


class SharedSubject(DaemonSubject):
    def close(self):
        pass

    def restart(self):
        DaemonSubject.close(self)
        self._begin()

    def close_for_good(self):
        DaemonSubject.close(self)


class OnDaemon:
    @classmethod
    def open_subject(cls, folder, policy):
        key = json.dumps(policy, sort_keys=True)
        if key not in SUBJECTS:
            home = SUBJECTS["folder"] / str(len(SUBJECTS))
            home.mkdir(mode=0o700)
            SUBJECTS[key] = SharedSubject(home, policy)
        return SUBJECTS[key]


class TestEntities(OnDaemon, suite.EntityConformance):
    pass


class TestMerges(OnDaemon, suite.MergeConformance):
    pass


class TestRetrieval(OnDaemon, suite.RetrieveConformance):
    pass


class TestIdempotency(OnDaemon, suite.IdempotencyConformance):
    pass


class TestCausality(OnDaemon, suite.CausalConformance):
    pass


class TestWorkUnits(OnDaemon, suite.WorkUnitConformance):
    pass


class TestFeed(OnDaemon, suite.FeedConformance):
    pass


class TestArtifacts(OnDaemon, suite.ArtifactConformance):
    pass


class TestControls(OnDaemon, suite.ControlConformance):
    pass


class TestTransport(OnDaemon, suite.TransportConformance):
    pass


SERVE = """
import sys, time, uuid
from pathlib import Path
from talebearer.errors import TalebearerError
from talebearer.server.daemon import ServeOptions, serve

try:
    serve(
        ServeOptions(endpoint=Path(sys.argv[2]), root=Path(sys.argv[1])),
        now_ms=lambda: time.time_ns() // 1_000_000,
        new_id=lambda: str(uuid.uuid4()),
    )
except TalebearerError as error:
    sys.exit(f"{error} {error.hint}")
"""


class ServedProcess(suite.Spawned):
    """What ``talebearer serve`` does, without the time that a command line takes to start."""

    def __init__(self, root, endpoint):
        self.endpoint = endpoint
        command = [sys.executable, "-c", SERVE, str(root), str(endpoint)]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.pid = self._process.pid
        said = ""
        while "daemon listening on" not in said:
            line = self._process.stderr.readline()
            said += line
            if not line:
                self._end()
                raise suite.StartRefused(said)

    def _end(self):
        code = self._process.wait(timeout=60)
        self._process.stderr.close()
        return code

    def wait(self):
        self._process.stderr.read()
        return self._end()

    def stop(self):
        self._process.terminate()
        assert self.wait() == 0

    def kill(self):
        if self._process.poll() is None:
            self._process.kill()
        if not self._process.stderr.closed:
            self._end()


class TestLife(suite.LifecycleConformance):
    def spawn(self, root, endpoint):
        return ServedProcess(root, endpoint)
