"""From the bytes of one authored file to a JSON-like value, or findings; never an exception.

YAML 1.2: `No` is a word and dates are text. Aliases are refused, and depth is checked before the
fast parser sees a file, since that parser works by recursion.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import orjson
import yaml_rs

from talebearer.content._findings import Draft, Layout
from talebearer.errors import findings_content as codes

FILE_SIZE_BYTES_MAX = 4 * 1024 * 1024
"""Size above which a content file is not read: some twenty times a full pool."""

DEPTH_MAX = 64
"""How deep collections may nest; the deepest valid file has six levels."""

_INTEGER_MAX = 2**63
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")
_PARSE_FAULT = re.compile(r"YAML parse error at line (\d+), column (\d+)")
_MANY_INDICATORS = re.compile(r"[-?:](?:[ \t]+[-?:]){15}")
_DEEP_INDENT = re.compile(r"(?:^|[\r\n]) {100}")
_WIDE_GAP = b" " * 100
_INDICATORS_ALONE = bytes(ord("-") if byte in b"-?:" else ord("x") for byte in range(256))
_RUN_OF_INDICATORS = b"-" * 16
_PRINTED = bytes(
    byte for byte in range(256) if (byte >= 0x20 and byte != 0x7F) or byte in b"\t\n\r"
)
_NO_ALIASES = yaml_rs.AliasLimits(max_total_replayed_events=0)
_QUOTE_HINT = "put text that has a colon, a # or a leading symbol in it in double quotes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """What one file holds.

    Attributes:
        text: The file as text; None when it is not UTF-8.
        value: The root mapping; None when there is none to check.
        drafts: What was found on the way.
    """

    text: str | None = None
    value: dict[str, Any] | None = None
    drafts: tuple[Draft, ...] = ()


def parse(data: bytes) -> Parsed:
    """Return the mapping in *data* with everything that is wrong with it as YAML."""
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        return Parsed(drafts=(_not_utf8(data, error),))
    bad = tuple(_control_characters(text)) if _may_have_control(data) else ()
    if bad:
        return Parsed(text=text, drafts=bad)
    deep = _depth_fault(text) if _may_be_deep(data) else None
    if deep is not None:
        return Parsed(text=text, drafts=(deep,))
    value, drafts = _load(text)
    if drafts and value is None:
        return Parsed(text=text, drafts=drafts)
    return _rooted(text, value, drafts)


def _rooted(text: str, value: Any, drafts: tuple[Draft, ...]) -> Parsed:
    if value is None:
        draft = Draft(code=codes.EMPTY_FILE, message="the file is empty", mark=(1, 1))
        return Parsed(text=text, drafts=(*drafts, draft))
    if not isinstance(value, dict):
        draft = Draft(
            code=codes.WRONG_ROOT,
            message=f"the file holds {kind_of(value)} where a mapping belongs",
            hint="one mapping a file, without '---' in between",
        )
        return Parsed(text=text, drafts=(*drafts, draft))
    try:
        orjson.dumps(value)
    except TypeError:  # nested too deep, or something that YAML has and JSON lacks
        if _is_deeper(value, DEPTH_MAX):
            return Parsed(text=text, drafts=(*drafts, _too_deep()))
        value = _jsonable(value)
    return Parsed(text=text, value=value, drafts=drafts)


def _load(text: str) -> tuple[Any, tuple[Draft, ...]]:
    value, reason = _call_parser(text, yaml_rs.DuplicateKeyPolicy.Error)
    if reason is None:
        return value, ()
    if not reason.startswith("duplicate mapping key"):
        return None, _syntax_drafts(text, reason)
    drafts = _duplicate_drafts(text, reason)
    value, reason = _call_parser(text, yaml_rs.DuplicateKeyPolicy.FirstWins)
    return value, drafts if reason is None else (*drafts, *_syntax_drafts(text, reason))


def _call_parser(text: str, policy: yaml_rs.DuplicateKeyPolicy) -> tuple[Any, str | None]:
    """Return the value, or the reason why there is none."""
    try:
        return yaml_rs.loads(
            text, parse_datetime=False, alias_limits=_NO_ALIASES, duplicate_key_policy=policy
        ), None
    except Exception as error:  # a file that anybody may have written can fail the reader anywhere
        return None, str(error) or type(error).__name__
    except BaseException as error:
        # A panic of the extension is no Exception, yet means only that it cannot read the file.
        if type(error).__name__ != "PanicException":
            raise
        return None, "the parser gave up"


def _syntax_drafts(text: str, reason: str) -> tuple[Draft, ...]:
    if reason.startswith("alias"):
        return _alias_drafts(text)
    match = _PARSE_FAULT.match(reason)
    mark = (int(match[1]), int(match[2])) if match else (1, 1)
    what = reason.splitlines()[-1].strip()
    if "recursion limit" in what:
        return (_too_deep(),)
    if what.startswith("tabs "):
        message = "a tab stands where only spaces may"
        return (Draft(code=codes.TAB_INDENT, message=message, hint="use spaces", mark=mark),)
    hint = _QUOTE_HINT if "mapping values" in what or "unexpected character" in what else ""
    return (Draft(code=codes.YAML_SYNTAX, message=what, hint=hint, mark=mark),)


def _alias_drafts(text: str) -> tuple[Draft, ...]:
    hint = "write out what it stands for"
    found = Layout(text).aliases or [("?", (1, 1))]
    return tuple(
        Draft(code=codes.ALIAS, message=f"alias *{name}", hint=hint, mark=mark)
        for name, mark in found
    )


def _duplicate_drafts(text: str, reason: str) -> tuple[Draft, ...]:
    found = Layout(text).duplicates
    if not found:
        return (Draft(code=codes.DUPLICATE_KEY, message=reason, mark=(1, 1)),)
    return tuple(
        Draft(
            code=codes.DUPLICATE_KEY,
            message=f"key {path[-1]!r} is there twice, first in line {first[0]}",
            path=path,
            mark=mark,
        )
        for path, mark, first in found
    )


def _may_be_deep(data: bytes) -> bool:
    """Return False where :func:`_depth_fault` finds nothing; it takes a fifteenth of the time."""
    return _WIDE_GAP in data or _RUN_OF_INDICATORS in data.translate(_INDICATORS_ALONE, b" \t")


def _may_have_control(data: bytes) -> bool:
    """Return False where :func:`_control_characters` finds nothing, at a glance."""
    return not data.isascii() or bool(data.translate(None, _PRINTED))


def _depth_fault(text: str) -> Draft | None:
    """Return a finding if *text* is nested too deep to be given to a recursive parser."""
    if not (_MANY_INDICATORS.search(text) or _DEEP_INDENT.search(text)):
        return None
    layout = Layout(text)
    if layout.failure is not None and "nesting depth" not in layout.failure[0]:
        reason, mark = layout.failure
        return Draft(code=codes.YAML_SYNTAX, message=reason, mark=mark)
    return _too_deep() if layout.failure is not None or layout.depth > DEPTH_MAX else None


def _too_deep() -> Draft:
    message = f"collections nest more than {DEPTH_MAX} levels deep"
    return Draft(code=codes.TOO_DEEP, message=message, mark=(1, 1))


def _not_utf8(data: bytes, error: UnicodeDecodeError) -> Draft:
    before = data[: error.start]
    line = before.count(b"\n") + 1
    column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8")) + 1
    message = f"byte 0x{data[error.start]:02x} is not UTF-8"
    hint = "save the file as UTF-8"
    return Draft(code=codes.NOT_UTF8, message=message, hint=hint, mark=(line, column))


def text_of(data: bytes) -> str | None:
    """Return the text of a file, without a byte order mark; None when it is not UTF-8."""
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        return None


def _control_characters(text: str) -> list[Draft]:
    found = []
    for match in _CONTROL.finditer(text):
        before = text[: match.start()]
        mark = (before.count("\n") + 1, match.start() - before.rfind("\n"))
        message = f"control character U+{ord(match[0]):04X}"
        found.append(Draft(code=codes.BAD_CHARACTER, message=message, mark=mark))
        if len(found) == 20:
            break  # a binary file; twenty places say so
    return found


def has_control(text: str) -> bool:
    """Return whether an escape put a control character into *text*."""
    return not text.isprintable() and _CONTROL.search(text) is not None


def kind_of(value: Any) -> str:
    """Return what *value* is, for a sentence."""
    if value is None:
        return "nothing"
    names = {bool: "a truth value", int: "a number", float: "a number", str: "text"}
    return names.get(type(value), "a mapping" if isinstance(value, dict) else "a list")


def _is_deeper(value: Any, depth_max: int) -> bool:
    level = [value]
    for _ in range(depth_max):
        level = [
            part
            for item in level
            for part in (item.values() if isinstance(item, dict) else item)
            if isinstance(part, dict | list)
        ]
        if not level:
            return False
    return True


def _jsonable(value: Any) -> Any:
    """Return *value* with what YAML has and JSON lacks replaced, so that checks can name it."""
    if isinstance(value, dict):
        return {_key(key): _jsonable(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_jsonable(part) for part in value]
    if isinstance(value, set | frozenset):
        return dict.fromkeys(sorted(map(_key, value)))
    if isinstance(value, int) and not isinstance(value, bool):
        return min(max(value, -_INTEGER_MAX), _INTEGER_MAX)
    return value


def _key(key: Any) -> str:
    if isinstance(key, str):
        return key
    if key is None or isinstance(key, bool):
        return str(key).lower() if key is not None else "null"
    return _key_of_collection(key)


def _key_of_collection(key: Any) -> str:
    if isinstance(key, tuple | frozenset):
        return "?"
    return str(min(max(key, -_INTEGER_MAX), _INTEGER_MAX))
