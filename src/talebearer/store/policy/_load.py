"""Reading a policy: a document, a file, or one that is shipped.

Source: the protocol sheet, sections 3.1 and 3.5.
"""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any, NoReturn

from talebearer.errors import InvalidPolicy
from talebearer.store._canonical import problem, refuse
from talebearer.store.policy._check import check
from talebearer.store.policy._document import policy_of
from talebearer.store.policy._model import Policy

POLICY_BYTES_MAX = 4 * 1024 * 1024
PATTERNS = ("causal_session", "eventual", "shared_transaction")


def policy_from_json(document: Any) -> Policy:
    """Return the policy that *document*, a parsed JSON value, describes.

    Raises:
        InvalidPolicy: A store does not start with it (TB117); ``data["problems"]`` has every
            place with its JSON pointer.
    """
    check(document)
    return policy_of(document)


def load_policy(path: Path) -> Policy:
    """Return the policy in the JSON file at *path*.

    Raises:
        InvalidPolicy: It cannot be read, is no JSON, or a store does not start with it (TB117).
    """
    try:
        with path.open("rb") as file:
            data = file.read(POLICY_BYTES_MAX + 1)
    except OSError as error:
        _refuse(f"{path}: {error.strerror or error}")
    if len(data) > POLICY_BYTES_MAX:
        _refuse(f"{path} is larger than {POLICY_BYTES_MAX} bytes")
    try:
        document = json.loads(data, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        _refuse(f"{path} is no JSON: {error}")
    return policy_from_json(document)


def shipped_policy(name: str = "default") -> Policy:
    """Return a policy that comes with the program.

    Args:
        name: ``default``, ``campaign``, or a pattern: ``causal_session``, ``eventual`` or
            ``shared_transaction``.
    """
    return policy_of(shipped_document(name))


def shipped_document(name: str = "default") -> dict[str, Any]:
    """Return the JSON document of a policy that comes with the program."""
    folder = files("talebearer.store.policy").joinpath("files")
    inside = f"patterns/{name}.json" if name in PATTERNS else f"{name}.json"
    document: dict[str, Any] = json.loads(folder.joinpath(inside).read_text("utf-8"))
    return document


def _refuse(message: str) -> NoReturn:
    refuse([problem((), message, error=InvalidPolicy)], what="the policy", error=InvalidPolicy)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")
