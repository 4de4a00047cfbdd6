"""What the conformance suite runs against: the plain model, the embedded store, the daemon."""

from __future__ import annotations

from contextlib import contextmanager

from talebearer.errors import InvalidPolicy, TalebearerError
from talebearer.store import Call, Store
from talebearer.store.merging import automerge_engine
from talebearer.store.policy import policy_from_json
from talebearer.testing import counting_ids
from talebearer.testing.conformance import Events, ManualClock, PolicyRefused, Subject
from talebearer.testing.model import Answer, EngineJoiner, ModelController, Refused


class ModelEvents(Events):
    def __init__(self, feed):
        self.cursor = feed.cursor
        self._feed = feed
        self._waiting = []

    def take(self, wanted):
        while len(self._waiting) < wanted:
            more = self._feed.next_events()
            assert more, f"{len(self._waiting)} events of {wanted}: {self._waiting}"
            self._waiting += more
        taken, self._waiting = self._waiting[:wanted], self._waiting[wanted:]
        return taken

    def rest(self):
        """Return all events that there are."""
        taken, self._waiting = self._waiting, []
        while more := self._feed.next_events():
            taken += more
        return taken

    def close(self):
        pass


class ModelSubject(Subject):
    def __init__(self, policy, *, joiner=None):
        self.clock = ManualClock()
        self.model = ModelController(
            policy, now_ms=self.clock, new_id=counting_ids(), joiner=joiner
        )

    def call(self, method, meta, data):
        return self.model.call(method, meta, data)

    def subscribe(self, meta, *, filter=None, after_cursor=None):
        return ModelEvents(self.model.open_feed(meta, filter=filter, after_cursor=after_cursor))

    def restart(self):
        self.model.restart()

    def close(self):
        pass


class StoreSubject(Subject):
    """The embedded store."""

    def __init__(self, folder, policy):
        self.clock = ManualClock()
        self.folder = folder
        self._policy = store_policy(policy)
        self._ids = counting_ids()
        self.store = self._open()

    def _open(self):
        return Store.open(
            self.folder / "talebearer.db",
            artifacts=self.folder / "artifacts",
            now_ms=self.clock,
            new_id=self._ids,
            policy=self._policy,
        )

    def call(self, method, meta, data):
        with wire_errors():
            reply = self.store.call(Call(method, meta, data))
        return Answer(reply.meta, reply.data)

    def subscribe(self, meta, *, filter=None, after_cursor=None):
        with wire_errors():
            feed = self.store.open_feed(meta, filter=filter, after_cursor=after_cursor)
        return StoreEvents(feed)

    def restart(self):
        self.store.close()
        self.store = self._open()

    def close(self):
        self.store.close()

    def object_path(self, key):
        digest = key.removeprefix("sha256/")
        return self.folder / "artifacts" / "objects" / "sha256" / digest[:2] / digest[2:]


class StoreEvents(ModelEvents):
    def __init__(self, feed):
        self.cursor = feed.cursor
        self._feed = self
        self._store_feed = feed
        self._waiting = []

    def next_events(self):
        with wire_errors():
            page = self._store_feed.next_page()
        return [{"change": event.change, "meta": event.meta} for event in page]


@contextmanager
def wire_errors():
    """Turn the store's errors into what a client would see of them."""
    try:
        yield
    except TalebearerError as error:
        raise refused_of(error.as_wire()) from error


def refused_of(error):
    """Return a JSON-RPC error object as the suite knows it."""
    data = error.get("data", {})
    return Refused(error["code"], data.get("reason"), data, error["message"])


def store_policy(document):
    """Return the store's policy of a policy document."""
    try:
        return policy_from_json(document)
    except InvalidPolicy as error:
        raise PolicyRefused(str(error)) from error


def merge_joiner():
    """Return the merge engine as the model uses it."""
    engine = automerge_engine()
    assert engine is not None, "the merge engine is one of the development tools"
    return EngineJoiner(engine)
