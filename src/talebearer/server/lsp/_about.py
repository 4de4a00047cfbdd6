"""What the server can do, as it tells an editor itself."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

from talebearer import __version__
from talebearer.server.lsp._serve import make_server
from talebearer.server.lsp._server import NAME

PROTOCOL = "Language Server Protocol 3.17"
_INTRODUCTION = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"processId": None, "rootUri": None, "capabilities": {}},
}


def about_server() -> dict[str, Any]:
    """Return name, version and capabilities of the server, and how an editor starts it.

    The capabilities are those that an editor which says nothing of itself is answered with.
    """
    body = json.dumps(_INTRODUCTION).encode()
    answers = _Answers()
    asked = BytesIO(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    make_server().start_io(asked, answers)
    _, _, answer = answers.getvalue().partition(b"\r\n\r\n")
    return {
        "name": NAME,
        "version": __version__,
        "protocol": PROTOCOL,
        "command": [NAME, "lsp"],
        "transport": "stdio",
        "capabilities": json.loads(answer)["result"]["capabilities"],
    }


class _Answers(BytesIO):
    """What the server writes; it can be read when the server has left, too."""

    def close(self) -> None:
        """Stay open."""
