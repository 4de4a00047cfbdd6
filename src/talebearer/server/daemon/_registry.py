"""Methods beside the store's: what a campaign or a game serves on the same socket.

A method is a function from a :class:`~talebearer.store.Call` to a
:class:`~talebearer.store.Reply`. It runs on the daemon's loop, in its connection's order, between
two commits, so it is quick and may use the open store. What it raises of the error tree is
answered as the wire's error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from talebearer.errors import UsageFault
from talebearer.store import Call, Reply

Handler = Callable[[Call], Reply]
_NAME = re.compile(r"[a-z][a-z0-9_-]*(\.[a-z][a-z0-9_-]*)+@[1-9][0-9]*")
_RESERVED = "patchouli."


class MethodRegistry(Mapping[str, Handler]):
    """Method names to the functions that answer them."""

    def __init__(self) -> None:
        self._handlers: dict[str, Handler] = {}

    def register(self, name: str, handler: Handler) -> None:
        """Serve *name*, such as ``talebearer.why@1``, with *handler*.

        Raises:
            UsageFault: The name has another form, is the protocol's own, or is taken (TB111).
        """
        if not _NAME.fullmatch(name):
            raise UsageFault(f"{name!r} is no method name", hint="such as talebearer.why@1")
        if name.startswith(_RESERVED):
            raise UsageFault(f"{name!r} is reserved for the protocol")
        if name in self._handlers:
            raise UsageFault(f"the method {name!r} is registered already")
        self._handlers[name] = handler

    def __getitem__(self, name: str) -> Handler:
        return self._handlers[name]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._handlers))

    def __len__(self) -> int:
        return len(self._handlers)
