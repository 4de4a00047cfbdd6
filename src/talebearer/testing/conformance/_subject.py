"""What the suite runs against, and how its cases talk to it."""

from __future__ import annotations

import base64
import json
import os
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

import pytest

from talebearer.testing._samples import SAMPLE_NOW_MS
from talebearer.testing.conformance._policies import default_policy
from talebearer.testing.model import CODES, Answer, Refused

MEMORY = Path("/dev/shm")  # noqa: S108  # only a parent for private temporary folders
SCOPES = count(1)


class ManualClock:
    """A clock that moves when it is told to.

    Attributes:
        now: Unix milliseconds.
        step: What each reading adds afterwards; 0 keeps it still.
    """

    def __init__(self, now: int = SAMPLE_NOW_MS) -> None:
        self.now = now
        self.step = 0

    def __call__(self) -> int:
        """Read the clock."""
        read = self.now
        self.now += self.step
        return read

    def advance(self, *, ms: int) -> None:
        """Move it; a negative number steps backwards."""
        self.now += ms


class Events(ABC):
    """An open feed of changes."""

    cursor: str

    @abstractmethod
    def take(self, wanted: int) -> list[dict[str, Any]]:
        """Return the next *wanted* events, each ``{"change": ..., "meta": ...}``."""

    @abstractmethod
    def close(self) -> None:
        """Stop listening."""


class Subject(ABC):
    """One running implementation with one policy and one clock."""

    clock: ManualClock
    node_id: str = "local"

    @abstractmethod
    def call(self, method: str, meta: Any, data: Any) -> Answer:
        """Send one request, *method* as on the wire; raise :class:`Refused` for an error."""

    @abstractmethod
    def subscribe(
        self,
        meta: Mapping[str, Any],
        *,
        filter: Mapping[str, Any] | None = None,
        after_cursor: str | None = None,
    ) -> Events:
        """Open a feed; raise :class:`Refused` as the subscription is refused."""

    @abstractmethod
    def restart(self) -> None:
        """Stop cleanly and start again on the same data."""

    @abstractmethod
    def close(self) -> None:
        """Stop for good."""

    def hush(self) -> None:  # noqa: B027  # most subjects have nothing to close here
        """Close the feeds that a case left open."""

    def object_path(self, key: str) -> Path | None:
        """Return the file of stored bytes, or None where there are no files."""
        del key
        return None


class Actor:
    """A client in one scope: short names for the methods, with its own metadata in each request.

    *subject* is a :class:`Subject`, or a single connection, which has no clock and no feeds.
    """

    def __init__(self, subject: Any, **meta: Any) -> None:
        self.subject = subject
        self.meta = meta

    def also(self, **meta: Any) -> Actor:
        """Return a client on the same subject whose metadata has more, or other, members."""
        return Actor(self.subject, **{**self.meta, **meta})

    def call(self, method: str, data: Any, **meta: Any) -> Answer:
        """Send one request; *method* without ``patchouli.`` and ``@1``."""
        return self.subject.call(f"patchouli.{method}@1", {**self.meta, **meta}, data)  # type: ignore[no-any-return]  # any subject

    def create(
        self, value: Any, *, id: str | None = None, type: str = "knowledge", **meta: Any
    ) -> dict[str, Any]:
        """Create an entity and return its version."""
        data = {"type": type, "value": value, **({} if id is None else {"id": id})}
        return self.call("entity.create", data, **meta).data["entity"]  # type: ignore[no-any-return]  # JSON

    def read(self, id: str, *, type: str = "knowledge", **meta: Any) -> dict[str, Any]:
        """Return the state and variants of an entity."""
        return self.call("entity.read", {"ref": ref_of(id, type)}, **meta).data

    def heads(self, id: str, *, type: str = "knowledge", **meta: Any) -> list[str]:
        """Return the head versions of an entity."""
        return [one["version"] for one in self.read(id, type=type, **meta)["variants"]]

    def update(
        self, id: str, value: Any, on: Sequence[Any], *, type: str = "knowledge", **meta: Any
    ) -> dict[str, Any]:
        """Write on base versions, each a version or its text."""
        meta = {"base_versions": versions_of(on), **meta}
        data = {"ref": ref_of(id, type), "value": value}
        return self.call("entity.update", data, **meta).data["entity"]  # type: ignore[no-any-return]  # JSON

    def delete(
        self, id: str, on: Sequence[Any], *, type: str = "knowledge", **meta: Any
    ) -> dict[str, Any]:
        """Delete on base versions."""
        meta = {"base_versions": versions_of(on), **meta}
        return self.call("entity.delete", {"ref": ref_of(id, type)}, **meta).data["entity"]  # type: ignore[no-any-return]  # JSON

    def retrieve(
        self,
        query: Any,
        *,
        types: Sequence[str] | None = None,
        limit: Any = None,
        exclude_expired: Any = None,
        **meta: Any,
    ) -> Answer:
        """Search; *query* is an object, or the text itself."""
        text = query if isinstance(query, str) else json.dumps(query, ensure_ascii=False)
        data: dict[str, Any] = {"query": text}
        if types is not None:
            data["types"] = [*types]
        if limit is not None:
            data["limit"] = limit
        if exclude_expired is not None:
            data["exclude_expired"] = exclude_expired
        return self.call("entity.retrieve", data, **meta)

    def found(self, query: Any, **more: Any) -> list[str]:
        """Search, and return the ids of the hits in their order."""
        hits = self.retrieve(query, **more).data["hits"]
        return [hit["variants"][0]["ref"]["id"] for hit in hits]

    def begin(self, metadata: Mapping[str, Any], **fields: Any) -> str:
        """Begin an upload and return its id."""
        data = {
            "media_type": "application/octet-stream",
            "name": None,
            "expected_byte_length": None,
            "expected_digest": None,
            "metadata": dict(metadata),
            **fields,
        }
        return self.call("artifact.upload.begin", data).data["upload_id"]  # type: ignore[no-any-return]  # JSON

    def chunk(self, upload_id: str, offset: int, data: bytes) -> int:
        """Send a chunk and return the next offset."""
        text = base64.b64encode(data).decode("ascii")
        sent = {"upload_id": upload_id, "offset": offset, "bytes_base64": text}
        return self.call("artifact.upload.chunk", sent).data["next_offset"]  # type: ignore[no-any-return]  # JSON

    def commit(self, upload_id: str, **meta: Any) -> dict[str, Any]:
        """Commit an upload and return its artifact."""
        sent = {"upload_id": upload_id}
        return self.call("artifact.upload.commit", sent, **meta).data["entity"]  # type: ignore[no-any-return]  # JSON

    def download(
        self, id: str, *, version: str | None = None, offset: Any = 0, most: Any = 524_288
    ) -> Answer:
        """Read bytes of an artifact."""
        data = {"id": id, "version": version, "offset": offset, "max_bytes": most}
        return self.call("artifact.download.chunk", data)

    def subscribe(self, **wanted: Any) -> Events:
        """Open a feed of the scope."""
        return self.subject.subscribe(self.meta, **wanted)  # type: ignore[no-any-return]  # any subject


def ref_of(id: str, type: str) -> dict[str, str]:
    """Return a reference."""
    return {"type": type, "id": id}


def versions_of(on: Sequence[Any]) -> list[Any]:
    """Return version texts of versions or texts."""
    return [one["version"] if isinstance(one, Mapping) else one for one in on]


@contextmanager
def refused(
    reason: str | None, *, code: int | None = None
) -> Iterator[pytest.ExceptionInfo[Refused]]:
    """Expect a refusal with *reason* and its number, and data that fits the protocol."""
    with pytest.raises(Refused) as caught:
        yield caught
    error = caught.value
    assert error.reason == reason, error
    assert error.code == (code if code is not None else CODES[reason or ""]), error
    members = set(error.data) - {"reason", "code"}
    assert members <= {"current_versions", "conflicts"}, error
    assert len(members) <= 1, error


class House:
    """Keeps one subject running for each policy that a class of cases asks for."""

    def __init__(self, opener: Callable[[Path, Mapping[str, Any]], Subject], folder: Path) -> None:
        self._open = opener
        self._folder = folder
        self._subjects: dict[str, Subject] = {}

    def subject(self, policy: Mapping[str, Any]) -> Subject:
        """Return the subject that runs *policy*, started when it is first asked for."""
        key = json.dumps(policy, sort_keys=True)
        if key not in self._subjects:
            folder = self._folder / str(len(self._subjects))
            folder.mkdir(mode=0o700)
            self._subjects[key] = self._open(folder, policy)
        return self._subjects[key]

    def hush(self) -> None:
        """Close the feeds that a case left open."""
        for subject in self._subjects.values():
            subject.hush()

    def close(self) -> None:
        """Stop all of them."""
        for subject in self._subjects.values():
            subject.close()


class Conformance:
    """The base of the suite's classes: inherit, and give :meth:`open_subject`.

    Each case works in a scope of its own, so one running subject serves a whole class.

    Attributes:
        merges: Whether the subject has a merge engine. Without one, ``merge`` behaves as
            ``mvcc``, and the cases about joined content are skipped.
    """

    merges: ClassVar[bool] = True

    @classmethod
    def open_subject(cls, folder: Path, policy: Mapping[str, Any]) -> Subject:
        """Start an implementation with *policy* on an empty folder of its own."""
        raise NotImplementedError

    @pytest.fixture(scope="class")
    @classmethod
    def house(cls) -> Iterator[House]:
        """The running subjects of this class."""
        base = MEMORY if os.access(MEMORY, os.W_OK) else None
        with tempfile.TemporaryDirectory(dir=base, prefix="talebearer-") as folder:
            house = House(cls.open_subject, Path(folder))
            try:
                yield house
            finally:
                house.close()

    @pytest.fixture(autouse=True)
    def _hushed(self, house: House) -> Iterator[None]:
        yield
        house.hush()

    @pytest.fixture
    def actor(self, house: House) -> Actor:
        """A client of the default policy, in a scope that nobody used before."""
        return self.enter(house, default_policy())

    def enter(self, house: House, policy: Mapping[str, Any], **meta: Any) -> Actor:
        """Return a client of *policy* in a new scope."""
        fields = {"workspace_id": f"w{next(SCOPES)}", "user_id": "u", **meta}
        return Actor(house.subject(policy), **fields)
