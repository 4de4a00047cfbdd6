"""The raised errors::

TalebearerError
  InputError      TB1xx  exit 2   what the caller gave cannot be used
  StoreError      TB2xx  exit 3   the store cannot do it
  ProviderError   TB3xx  exit 4   a model provider cannot do it
  InternalError   TB9xx  exit 70  our bug
"""

from __future__ import annotations

from typing import Any, ClassVar

from talebearer.errors._catalogue import register

_WIRE_DETAILS = ("current_versions", "conflicts")
_PLACES = ("path", "file")
"""Details that say where something lies on this machine."""


class TalebearerError(Exception):
    """A call that could not do its job.

    Attributes:
        code: The class's code in the catalogue.
        exit_code: What the command line exits with.
        wire_code: The JSON-RPC error number, where the error may cross the wire.
        wire_reason: The ``data.reason`` that goes with it.
        message: What happened, with the value and the place.
        hint: What is allowed or what to run.
        data: JSON-ready details.
    """

    code: ClassVar[str] = ""
    title: ClassVar[str] = ""
    text: ClassVar[str] = ""
    fix: ClassVar[str] = ""
    exit_code: ClassVar[int] = 70
    wire_code: ClassVar[int] = -32603
    wire_reason: ClassVar[str | None] = None
    code_range: ClassVar[str] = "TB"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "code" in cls.__dict__:
            assert cls.code.startswith(cls.code_range), f"{cls.__name__} has a foreign {cls.code}"
            register(cls.code, cls.title, cls.text, cls.fix)

    def __init__(self, message: str, *, hint: str = "", data: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.data = data or {}

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    def as_json(self) -> dict[str, Any]:
        """Return the error as a JSON object."""
        return {
            "code": self.code,
            "message": self.message,
            "hint": self.hint or self.fix,
            "data": self.data,
        }

    @property
    def outward(self) -> str:
        """The message as clients may read it.

        In place of a file's path it has the key that the bytes are known by, or the last part.

        Source: the knowledge model, "Artifact": clients never receive a file system path.
        """
        message = self.message
        for name in _PLACES:
            place = self.data.get(name)
            if isinstance(place, str) and place:
                known_as = self.data.get("key") or place.rstrip("/").rpartition("/")[2]
                message = message.replace(place, known_as)
        return message

    def as_wire(self) -> dict[str, Any]:
        """Return the error object of the wire: number, message and, where it has one, the reason.

        ``data`` holds ``reason``, our ``code``, and of the details only ``current_versions`` or
        ``conflicts``; an error without a reason has no ``data``.

        Source: the protocol sheet, section 1.6.
        """
        error: dict[str, Any] = {"code": self.wire_code, "message": self.outward}
        if self.wire_reason is not None:
            details = {name: self.data[name] for name in _WIRE_DETAILS if self.data.get(name)}
            error["data"] = {"reason": self.wire_reason, "code": self.code, **details}
        return error


class InputError(TalebearerError):
    """What the caller gave cannot be used; nothing was changed."""

    exit_code = 2
    wire_code = -32602
    wire_reason = "INVALID_REQUEST"
    code_range = "TB1"


class StoreError(TalebearerError):
    """The store cannot do it; what was stored is as it was."""

    exit_code = 3
    code_range = "TB2"


class ProviderError(TalebearerError):
    """A model provider cannot do it.

    Attributes:
        retryable: Whether the same call may go through later.
    """

    exit_code = 4
    code_range = "TB3"
    retryable: ClassVar[bool] = False


class InternalError(TalebearerError):
    """A bug in Talebearer."""

    code_range = "TB9"
    code = "TB901"
    title = "A bug in Talebearer"
    text = "Something that the code takes for granted did not hold."
    fix = "Run the command again with --debug and report what it prints."
