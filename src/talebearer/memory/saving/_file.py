"""One mind in one file: its snapshot, and the log that it is the fold of.

The file is one line of JSON and two sections behind it::

    {"encoding":"zlib","format":"talebearer.mind-file","mind":...,"schema_version":1,"sections":[...]}LF
    the snapshot: the canonical JSON of a table, see talebearer.memory.saving._table
    the log: one canonical JSON event a line, see Event.as_json

Each of ``sections`` has ``name``, ``stored_bytes``, ``size_bytes`` and ``sha256`` of what is stored
once it is unpacked. ``encoding`` is ``zlib`` or ``plain``. The unpacked sections are the same bytes
on every machine; what zlib makes of them may differ from build to build.

The log is unpacked only when somebody asks for it. A bare snapshot, what ``Mind.dumps`` gives,
loads as a file without a log. Newer schema versions are refused.

Source: IM-M10; the interaction-memory spec section 9.3 (memory budget).
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from talebearer.errors import InvalidEvent, InvalidSave
from talebearer.memory import _checks
from talebearer.memory._checks import Malformed
from talebearer.memory._events import Event
from talebearer.memory._mind import Mind, fold
from talebearer.memory.saving import _save, _table
from talebearer.vocabulary import MIND_ID, fullmatch

FORMAT = "talebearer.mind-file"
SCHEMA_VERSION = 1
SECTION_BYTES_MAX = 2**31 - 1

_HEADER_BYTES_MAX = 4096
_HEADER = frozenset({"format", "schema_version", "mind", "encoding", "sections"})
_SECTION = frozenset({"name", "stored_bytes", "size_bytes", "sha256"})
_ENCODINGS = {"zlib": "zlib", "plain": "plain"}
_NAMES = ("snapshot", "log")


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedMind:
    """What a file holds.

    Attributes:
        mind: The mind, from the snapshot.
        log_bytes: The log as it is stored, or empty.
    """

    mind: Mind
    log_bytes: bytes = b""
    _log: Mapping[str, Any] = field(default_factory=dict)
    _encoding: str = "plain"

    def log(self) -> list[Event]:
        """Return the events, in order.

        Raises:
            InvalidSave: The log is damaged (TB116).
        """
        if not self.log_bytes:
            return []
        data = _unpacked(self.log_bytes, self._log, self._encoding)
        events = []
        for number, line in enumerate(data.splitlines(), 1):
            try:
                events.append(Event.from_json(_save.from_bytes(line)))
            except InvalidEvent as fault:
                raise InvalidSave(f"event {number} of the log: {fault.message}") from None
        return events

    def rebuild(self) -> Mind:
        """Return the mind again, from the log alone; its ``dumps`` equals the snapshot's.

        The log is to be complete, and where numbers were skipped it is to name them, see
        :func:`numbered`. Counters of numbers that no longer occur come from the snapshot, once all
        events are in (IM-M13).

        Raises:
            InvalidSave: The log is damaged (TB116).
            IllegalTransition: An event is not allowed where it stands (TB101).
        """
        mind = fold(self.mind.mind_id, self.log())
        for slug, number in self.mind.numbers.items():
            mind._state.raise_number(slug, number)
        for slug, number in self.mind._state.gossip_numbers.items():
            mind._state.raise_gossip_number(slug, number)
        return mind


def dump_file(mind: Mind, log: Iterable[Event] = (), *, compress: bool = True) -> bytes:
    """Return the file of *mind*.

    Args:
        mind: The mind.
        log: Its events, in the order in which they were applied.
        compress: Whether to pack the sections with zlib.
    """
    encoding = "zlib" if compress else "plain"
    snapshot = _save.to_bytes(_table.encode(mind._state))
    lines = b"".join([_save.to_bytes(event.as_json()) for event in log])
    sections, bodies = [], []
    for name, data in zip(_NAMES, (snapshot, lines), strict=True):
        stored = zlib.compress(data, 6) if compress else data
        bodies.append(stored)
        sections.append(
            {
                "name": name,
                "stored_bytes": len(stored),
                "size_bytes": len(data),
                "sha256": hashlib.sha256(data).hexdigest(),
            }
        )
    header = {
        "format": FORMAT,
        "schema_version": SCHEMA_VERSION,
        "mind": mind.mind_id,
        "encoding": encoding,
        "sections": sections,
    }
    return b"".join([_save.to_bytes(header), *bodies])


def load_file(data: bytes) -> SavedMind:
    """Load what :func:`dump_file` or :meth:`Mind.dumps` gave.

    Raises:
        InvalidSave: It is no saved mind, is damaged, or of a newer schema version (TB116).
    """
    end = data.find(b"\n", 0, _HEADER_BYTES_MAX)
    head = _save.from_bytes(data[:end]) if end >= 0 else None
    if not isinstance(head, Mapping) or head.get("format") != FORMAT:
        return SavedMind(mind=Mind.loads(data))
    try:
        mind_id, encoding, sections = _header(head)
    except Malformed as fault:
        raise InvalidSave(str(fault), data={"field": fault.field}) from None
    stored = []
    start = end + 1
    for section in sections:
        stored.append(data[start : start + section["stored_bytes"]])
        start += section["stored_bytes"]
    if start != len(data):
        raise InvalidSave(f"the file has {len(data)} bytes, not {start}", hint="it was cut off")
    snapshot = _save.from_bytes(_unpacked(stored[0], sections[0], encoding))
    mind = Mind._of(_table.decode(snapshot))
    if mind.mind_id != mind_id:
        raise InvalidSave(f"the file is of {mind_id}, but its snapshot of {mind.mind_id}")
    return SavedMind(mind=mind, log_bytes=stored[1], _log=sections[1], _encoding=encoding)


def _header(head: Mapping[str, Any]) -> tuple[str, str, list[Mapping[str, Any]]]:
    version = _checks.whole(head.get("schema_version"), "schema_version", 1)
    if version > SCHEMA_VERSION:
        raise Malformed(
            "schema_version", f"{version} is newer than {SCHEMA_VERSION}, the newest known here"
        )
    given = _checks.members(head, "", _HEADER)
    encoding = _checks.choice(given["encoding"], "encoding", _ENCODINGS)
    mind = _checks.text(given["mind"], "mind")
    if fullmatch(MIND_ID, mind) is None:
        raise Malformed("mind", f"{_checks.show(mind)} is no mind id")
    sections = [
        _checks.members(item, f"sections[{index}]", _SECTION)
        for index, item in enumerate(_checks.listed(given["sections"], "sections"))
    ]
    if tuple(section["name"] for section in sections) != _NAMES:
        raise Malformed("sections", "are not snapshot and log")
    for section in sections:
        for name in ("stored_bytes", "size_bytes"):
            if _checks.whole(section[name], f"sections.{name}") > SECTION_BYTES_MAX:
                raise Malformed(f"sections.{name}", f"is above {SECTION_BYTES_MAX}")
        _checks.text(section["sha256"], "sections.sha256")
    return mind, encoding, sections


def _unpacked(stored: bytes, section: Mapping[str, Any], encoding: str) -> bytes:
    """Return a section's bytes, never more of them than it says that there are."""
    name, size_bytes = section["name"], section["size_bytes"]
    if encoding == "zlib":
        reader = zlib.decompressobj()
        try:
            # One byte more than announced tells a section that is too long from a whole one.
            data = reader.decompress(stored, size_bytes + 1)
        except zlib.error as fault:
            raise InvalidSave(f"the {name} cannot be unpacked: {fault}") from fault
        whole = reader.eof and not reader.unused_data
    else:
        data, whole = stored, True
    if not whole or len(data) != size_bytes:
        raise InvalidSave(f"the {name} has not the {size_bytes} bytes that the file says")
    if hashlib.sha256(data).hexdigest() != section["sha256"]:
        raise InvalidSave(f"the {name} is not what was saved: its digest differs")
    return data
