"""How a value is written: in the style of what it replaces where that can hold it, else in quotes.

What is written has been read back, so that no style is taken that would mean another value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml
import yaml_rs

_BREAKS = "\n\r\x85\u2028\u2029"
_FIRST_TAKEN = frozenset("-?:,[]{}#&*!|>'\"%@`=<~")
_IN_FLOW_TAKEN = frozenset(",[]{}")
_UNWRITABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_WORD = re.compile(r"[a-z0-9_](?:[a-z0-9_./#:-]*[a-z0-9_])?")
_RESOLVER: Any = yaml.SafeLoader("")
_WIDTH_MIN_CHARS = 60
_STEP = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How a scalar stands in its text.

    Attributes:
        mark: ``|``, ``>``, a quotation mark, or nothing for a plain one.
        is_flow: Whether it lies in brackets.
        indent: Blanks before the lines of a block scalar.
        width_chars: How long those lines are.
        comment: What follows the mark of a block scalar on its line.
        newline: The line break of the file.
    """

    mark: str = ""
    is_flow: bool = False
    indent: int = 2
    width_chars: int = _WIDTH_MIN_CHARS
    comment: str = ""
    newline: str = "\n"


def scalar(value: Any, style: Style) -> str:
    """Return *value*, a text, number, truth value or nothing, as it is written in *style*."""
    if not isinstance(value, str):
        return json.dumps(value)
    for text in _candidates(value, style):
        if _reads_back(text, value, style):
            return text
    return _double(value)


def fresh(value: Any, *, is_flow: bool = False) -> str:
    """Return *value*, no mapping with parts, as a new entry has it: words plain, sentences quoted."""
    if isinstance(value, list):
        return "[" + ", ".join(fresh(part, is_flow=True) for part in value) + "]"
    if isinstance(value, dict):
        parts = (
            f"{fresh(str(k), is_flow=True)}: {fresh(v, is_flow=True)}" for k, v in value.items()
        )
        return "{" + ", ".join(parts) + "}"
    is_word = isinstance(value, str) and _WORD.fullmatch(value)
    return scalar(value, Style(mark="" if is_word else '"', is_flow=is_flow))


def block(value: Any, *, indent: int, newline: str) -> str:
    """Return what follows ``key:`` when *value* is new; nested parts stand *indent* blanks in."""
    is_nested = isinstance(value, dict | list) and any(
        isinstance(part, dict | list) for part in value
    )
    if isinstance(value, dict) and value:
        return "".join(
            f"{newline}{' ' * indent}{fresh(str(key))}:"
            f"{block(part, indent=indent + _STEP, newline=newline)}"
            for key, part in value.items()
        )
    if isinstance(value, list) and (is_nested or any(isinstance(p, dict) for p in value)):
        return "".join(
            f"{newline}{' ' * indent}- {item(part, indent=indent + _STEP, newline=newline)}"
            for part in value
        )
    return " " + fresh(value)


def item(value: Any, *, indent: int, newline: str) -> str:
    """Return what follows the dash of a new entry *value*, whose keys stand *indent* blanks in."""
    if isinstance(value, dict) and value:
        return block(value, indent=indent, newline=newline).lstrip("\r\n ")
    return fresh(value)


def _candidates(value: str, style: Style) -> Iterator[str]:
    if style.mark in ("|", ">") and not style.is_flow:
        yield from _as_block(value, style)
        yield _double(value) + style.comment
        return
    if style.mark == "" and _is_plain(value, is_flow=style.is_flow):
        yield value
    if style.mark == "'" and value.isprintable():
        yield "'" + value.replace("'", "''") + "'"
    yield _double(value)


def _double(value: str) -> str:
    quoted = json.dumps(value, ensure_ascii=False)
    return _UNWRITABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def _is_plain(value: str, *, is_flow: bool) -> bool:
    if not value or value != value.strip() or not value.isprintable():
        return False
    if value[0] in _FIRST_TAKEN or value.startswith("..."):
        return False
    if ": " in value or " #" in value or value.endswith(":"):
        return False
    if is_flow and not _IN_FLOW_TAKEN.isdisjoint(value):
        return False
    resolved = _RESOLVER.resolve(yaml.ScalarNode, value, (True, False))
    return bool(resolved == "tag:yaml.org,2002:str")  # as YAML 1.1 has it, which other tools read


def _as_block(value: str, style: Style) -> Iterator[str]:
    body = value.rstrip("\n")
    tail = len(value) - len(body)
    is_fit = body and body[0] not in " \t\n" and tail < 2
    if not is_fit or any(char in body for char in _BREAKS[1:]) or _UNWRITABLE.search(body):
        return
    lines = body.split("\n") if style.mark == "|" else _folded(body, style.width_chars)
    pad = " " * max(style.indent, 1)
    head = style.mark + ("" if tail else "-") + style.comment
    yield style.newline.join([head, *(pad + line if line else "" for line in lines)])


def _folded(body: str, width_chars: int) -> list[str]:
    """Return the lines that fold back to *body*: breaks at single blanks, a break as an empty line."""
    lines: list[str] = []
    for number, paragraph in enumerate(body.split("\n")):
        if number:
            lines.append("")
        if not paragraph:
            continue
        row = ""
        for word in paragraph.split(" "):
            wraps = row and word and not row.endswith(" ") and len(row) + len(word) >= width_chars
            if wraps:
                lines.append(row)
                row = word
            else:
                row = f"{row} {word}" if row or not word else word
        lines.append(row)
    return lines


def _reads_back(text: str, value: str, style: Style) -> bool:
    """Return whether *text* means *value* to a reader of YAML 1.2."""
    document = f"k: [{text}]\n" if style.is_flow else f"k: {text}\n"
    try:
        found = yaml_rs.loads(document, parse_datetime=False)
    except Exception:  # it is no YAML at all, which is an answer, too
        return False
    return bool(found == ({"k": [value]} if style.is_flow else {"k": value}))
