"""Parses, runs one command and turns every way to fail into a message and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence

from typer.exceptions import Abort, Exit, TyperException

from talebearer.errors import InternalError, TalebearerError

INTERRUPTED = 130
USAGE = 2


def run(arguments: Sequence[str]) -> int:
    """Run *arguments* and return the exit code."""
    from talebearer.cli._app import app

    debug = "--debug" in arguments
    as_json = "--json" in arguments
    try:
        # Without arguments there is nothing to do but to show what there is.
        code = app(
            args=list(arguments) or ["--help"], prog_name="talebearer", standalone_mode=False
        )
    except Abort:
        return _interrupted()
    except TyperException as error:
        return _usage(error, as_json=as_json)
    except Exit as stop:
        return stop.exit_code
    except KeyboardInterrupt:
        return _interrupted()
    except BrokenPipeError:
        # The reader (head, less) has seen enough; a traceback at interpreter exit would be noise.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except TalebearerError as error:
        return _report(error, debug=debug, as_json=as_json)
    except Exception as error:  # the last line of defence: our bug becomes a message and exit 70
        wrapped = InternalError(f"{type(error).__name__}: {error}")
        wrapped.__cause__ = error
        return _report(wrapped, debug=debug, as_json=as_json)
    return code if isinstance(code, int) else 0


def _interrupted() -> int:
    print("interrupted; what was acknowledged is kept", file=sys.stderr)
    return INTERRUPTED


def _usage(error: TyperException, *, as_json: bool) -> int:
    from talebearer.cli._output import print_json

    message = error.format_message()
    context = getattr(error, "ctx", None)
    hint = f"see `{context.command_path} --help`" if context else "see `talebearer --help`"
    if as_json:
        print_json({"error": {"code": "TB111", "message": message, "hint": hint, "data": {}}})
    else:
        print(f"TB111: {message}\nhint: {hint}", file=sys.stderr)
    return USAGE


def _report(error: TalebearerError, *, debug: bool, as_json: bool) -> int:
    from talebearer.cli._output import print_json

    if debug:
        traceback.print_exception(error)
    if as_json:
        print_json({"error": error.as_json()})
        return error.exit_code
    print(error, file=sys.stderr)
    for problem in error.data.get("problems", ())[:20]:
        where = problem.get("where", {})
        place = ":".join(str(where[k]) for k in ("file", "line", "column") if k in where)
        pointer = where.get("pointer", "") if "line" not in where else ""
        print(f"  {place} {pointer} {problem['message']}".replace("  ", " "), file=sys.stderr)
    hint = error.hint or error.fix
    if hint:
        print(f"hint: {hint}", file=sys.stderr)
    return error.exit_code
