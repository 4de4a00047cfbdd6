"""What the conformance suite runs against: the plain model, the embedded store, the daemon."""

from __future__ import annotations

from talebearer.testing import counting_ids
from talebearer.testing.conformance import Events, ManualClock, Subject
from talebearer.testing.model import ModelController


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
