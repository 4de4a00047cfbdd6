"""Parses, runs one command and turns every way to fail into a message and an exit code."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from typer.exceptions import Abort, Exit, TyperException

from talebearer.errors import (
    CATALOGUE,
    InternalError,
    StoreFull,
    StoreUnavailable,
    TalebearerError,
    UsageFault,
    visible,
)

INTERRUPTED = 130
USAGE = 2
PROBLEMS_SHOWN_MAX = 20


def run(arguments: Sequence[str]) -> int:
    """Run *arguments* and return the exit code."""
    _prepare_streams()
    words = list(arguments)
    end = words.index("--") if "--" in words else len(words)
    debug = "--debug" in words[:end]
    as_json = "--json" in words[:end]
    # Where a person adds it is no matter; it is asked for after something went wrong.
    words = [word for n, word in enumerate(words) if word != "--debug" or n >= end]
    try:
        code = _guarded(words, debug=debug, as_json=as_json)
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
        return 0
    except OSError as error:
        # Standard output itself is what fails, so there is nowhere left to say it but here.
        _discard_output()
        print(f"{StoreUnavailable.code}: output: {error.strerror}", file=sys.stderr)
        return StoreUnavailable.exit_code
    return code


def _guarded(words: Sequence[str], *, debug: bool, as_json: bool) -> int:
    from talebearer.cli._root import app_for

    try:
        # Without arguments there is nothing to do but to show what there is.
        code = app_for(list(words))(
            args=list(words) or ["--help"], prog_name="talebearer", standalone_mode=False
        )
    except (Abort, KeyboardInterrupt):
        print("interrupted; what was acknowledged is kept", file=sys.stderr)
        return INTERRUPTED
    except TyperException as error:
        return _usage(error, as_json=as_json)
    except Exit as stop:
        return stop.exit_code
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):
            raise stop.__context__ from None
        raise
    except BrokenPipeError:
        raise
    except TalebearerError as error:
        return _report(error, debug=debug, as_json=as_json)
    except Exception as error:  # the last line of defence: every fault becomes a coded message
        wrapped = _as_ours(error)
        wrapped.__cause__ = error
        return _report(wrapped, debug=debug, as_json=as_json)
    return code if isinstance(code, int) else 0


def _as_ours(error: Exception) -> TalebearerError:
    """Return what the operating system refuses as its own kind; anything else is our bug."""
    if isinstance(error, UnicodeError):
        return UsageFault(f"a text that is no Unicode: {error}", hint="write it as UTF-8")
    if isinstance(error, OSError) and error.errno is not None:
        where = f"{error.filename}: " if error.filename else ""
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        return (StoreFull if full else StoreUnavailable)(f"{where}{error.strerror}")
    return InternalError(f"{type(error).__name__}: {error}")


def _prepare_streams() -> None:
    """Make the standard streams such that text of any kind can be read and printed."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            # It was closed by whoever started this; nothing is read and nobody looks.
            nothing = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115 - it stays open
            setattr(sys, name, nothing)
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace" if mode == "r" else "backslashreplace")


def _discard_output() -> None:
    """Send what is still buffered nowhere, so that the interpreter's exit is quiet."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
    os.close(devnull)


def _usage(error: TyperException, *, as_json: bool) -> int:
    from talebearer.cli._output import print_json

    message = error.format_message()
    context = getattr(error, "ctx", None)
    hint = f"see `{context.command_path} --help`" if context else "see `talebearer --help`"
    code = UsageFault.code
    if as_json:
        print_json({"error": {"code": code, "message": message, "hint": hint, "data": {}}})
    else:
        print(visible(f"{code}: {message}\nhint: {hint}"), file=sys.stderr)
    return USAGE


def _report(error: TalebearerError, *, debug: bool, as_json: bool) -> int:
    from talebearer.cli._output import print_json

    if debug:
        traceback.print_exception(error)
    if as_json:
        print_json({"error": error.as_json()})
        return error.exit_code
    lines = [str(error)]
    errors = [one for one in error.data.get("problems", ()) if one.get("severity") == "error"]
    lines += [_problem_line(problem) for problem in errors[:PROBLEMS_SHOWN_MAX]]
    if len(errors) > PROBLEMS_SHOWN_MAX:
        lines.append(f"  … and {len(errors) - PROBLEMS_SHOWN_MAX} more; --json lists all")
    if not errors or error.hint:
        lines.append(f"hint: {error.hint or error.fix}")
    print(visible("\n".join(lines)), file=sys.stderr)
    return error.exit_code


def _problem_line(problem: dict[str, object]) -> str:
    where = problem.get("where")
    assert isinstance(where, dict), "a problem is written by us"
    place = ":".join(str(where[key]) for key in ("file", "line", "column") if key in where)
    pointer = f" {where['pointer']}" if "pointer" in where and "line" not in where else ""
    hint = problem.get("hint") or CATALOGUE[str(problem["code"])].fix
    return f"  {place}{pointer} {problem['message']} (hint: {hint})"
