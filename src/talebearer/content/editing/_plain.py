"""How a text is written in YAML: plain where every reader takes it for that text, else quoted."""

from __future__ import annotations

import json
import re
from functools import lru_cache

import yaml

_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
_NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+|[0-9][0-9_]*")
_SEPARATES = re.compile(r":(?:\s|$)|\s#")
_SEPARATES_IN_FLOW = re.compile(r":(?:[\s,\[\]{}]|$)|\s#|[,\[\]{}]")
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_RESOLVER = yaml.resolver.Resolver()


@lru_cache(maxsize=4096)
def is_plain(text: str, *, in_flow: bool) -> bool:
    """Return whether *text* needs no quotes, whichever version of YAML its reader speaks."""
    if not text or not (text[0].isalnum() or text[0] == "_"):
        return False
    if not text.isprintable() or text[-1] == " ":
        return False
    if (_SEPARATES_IN_FLOW if in_flow else _SEPARATES).search(text):
        return False
    if text[0].isalpha() or text[0] == "_":
        return text.casefold() not in _WORDS
    if _NUMBER.fullmatch(text):
        return False
    tag = _RESOLVER.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]  # its stubs lack the class
    return bool(tag == "tag:yaml.org,2002:str")


def quoted(text: str) -> str:
    """Return *text* in double quotes, on one row."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    escaped = json.dumps(text, ensure_ascii=False)
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", escaped)


def written(text: str, *, in_flow: bool, is_prose: bool = False) -> str:
    """Return *text* on one row: prose in quotes, the rest plain where it can be."""
    if not is_prose and is_plain(text, in_flow=in_flow):
        return text
    return quoted(text)


def block_of(text: str) -> tuple[str, list[str]] | None:
    """Return the head and the rows of *text* as a literal block, if it can be one."""
    body, head = (text[:-1], "|") if text.endswith("\n") else (text, "|-")
    rows = body.split("\n")
    if len(rows) < 2 or not rows[0] or not rows[-1] or rows[0][0] in " \t":
        return None
    if any(row.isspace() or not row.replace("\t", "").isprintable() for row in rows):
        return None
    return head, rows
