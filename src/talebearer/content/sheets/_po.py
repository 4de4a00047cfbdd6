"""Texts for translators as PO files: stable ids, the source beside them, old translations kept.

The entry of a text is told by ``msgctxt``: the pool's path, ``#``, the line's id, and ``~2`` for its second
variant. So a changed text keeps its translation, marked ``fuzzy`` with the text that it was made from.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from talebearer.content._findings import placed_lines
from talebearer.content._keys import key_of
from talebearer.content._lint import Checked
from talebearer.content._rules import Document
from talebearer.content._structure import shown
from talebearer.content._tree import FileKind
from talebearer.content.sheets._rows import Filter, chosen
from talebearer.errors import Problem, Severity, UsageFault, Where, extra_missing
from talebearer.errors import findings_sheets as codes
from talebearer.vocabulary import LANGUAGE, fullmatch

if TYPE_CHECKING:
    from polib import POEntry, POFile

FOLDER = "translations"
FILE_BYTES_MAX = 32 * 1024 * 1024
"""Size above which a PO file is not read: some ten times 12,000 texts."""

THOUGHT_CHARS_MAX = 160
_WRAP_CHARS = 0  # a text stands in one line, so that a diff shows it whole
_QUOTED = re.compile(r'\s*(?:#[~|]+\s*)?(?:msg[a-z]+(?:\[[0-9]+\])?\s*)?"')
_CLOSED = re.compile(r'(?<!\\)(?:\\\\)*"\s*$')
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def library() -> Any:
    """Return polib.

    Raises:
        UsageFault: It is not installed (TB111).
    """
    try:
        import polib
    except ImportError as error:
        raise extra_missing("a PO file", "authoring", library="polib") from error
    return polib


def must_be_language(language: str) -> None:
    """Refuse what is no language of gettext, since it becomes a file's name.

    Raises:
        UsageFault: It is none (TB111).
    """
    if not fullmatch(LANGUAGE, language):
        hint = "a code such as de, pt_BR or sr@latin"
        raise UsageFault(f"language {language!r}", hint=hint)


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """One text to translate.

    Attributes:
        context: Its ``msgctxt``.
        text: What is translated.
        line: The key of its line, ``pool/path#id``.
        former: Keys that the line had.
        suffix: What follows a line's key in the context of this text.
        comment: What a translator should know.
        reference: File and 1-based line.
        is_thought: Whether its length is limited.
    """

    context: str
    text: str
    line: str
    former: tuple[str, ...]
    suffix: str
    comment: str
    reference: tuple[str, int]
    is_thought: bool


def texts_of(
    checked: Checked, names: Mapping[str, str], sources: Mapping[str, str], only: Filter
) -> Iterator[Text]:
    """Yield every text of the pools that *only* takes; *sources* are the files' texts by name.

    Raises:
        UsageFault: It takes none (TB111).
    """
    for document in chosen(checked.documents, only):
        rows = placed_lines(sources.get(document.file.name, ""), len(document.root["lines"]))
        for index, line in document.lines:
            yield from _texts(document, line, names, rows[index])


def _texts(
    document: Document, line: Mapping[str, Any], names: Mapping[str, str], row: int
) -> Iterator[Text]:
    pool, line_id = document.file.key, str(line["id"])
    aliases = line.get("aliases")
    former = tuple(
        key_of(pool, str(alias)) for alias in (aliases if isinstance(aliases, list) else ())
    )
    variants = line.get("variants")
    texts = [line.get("text"), *(variants if isinstance(variants, list) else ())]
    for number, text in enumerate(texts):
        if isinstance(text, str) and text:
            suffix = f"~{number}" if number else ""
            yield Text(
                context=f"{pool}#{line_id}{suffix}",
                text=text,
                line=f"{pool}#{line_id}",
                former=former,
                suffix=suffix,
                comment=_comment(document, line, names),
                reference=(document.file.name, row),
                is_thought=document.file.kind is FileKind.MONOLOGUE,
            )


def _comment(document: Document, line: Mapping[str, Any], names: Mapping[str, str]) -> str:
    who = document.text("character") or names.get(document.file.stem) or line.get("role") or "?"
    limit = f", at most {THOUGHT_CHARS_MAX} characters"
    is_thought = document.file.kind is FileKind.MONOLOGUE
    rows = [f"{who}, {document.text('location') or '?'}{limit if is_thought else ''}"]
    if isinstance(line.get("notes"), str):
        rows += line["notes"].split("\n")
    lens = line.get("dual_lens")
    if isinstance(lens, dict):
        rows += [f"{character}: {note}" for character, note in lens.items()]
    return "\n".join(" ".join(row.split()) for row in rows if row.strip())


def read_po(path: Path) -> POFile | Problem:
    """Return the PO file at *path*, or what is wrong with it."""
    polib = library()
    try:
        size = path.stat().st_size
        if size > FILE_BYTES_MAX:
            return _bad(path, f"has {size} bytes, more than {FILE_BYTES_MAX}")
        text = path.read_bytes().decode("utf-8")
        for row, line in enumerate(text.split("\n"), 1):
            opened = _QUOTED.match(line)
            if opened is not None and not _CLOSED.search(line, opened.end()):
                return _bad(path, f"has a text that is not closed in line {row}", line=row)
        found: POFile = polib.pofile(str(path), encoding="utf-8", wrapwidth=_WRAP_CHARS)
    except UnicodeDecodeError:
        return _bad(path, "is not UTF-8", "save it as UTF-8")
    except (OSError, ValueError, IndexError, KeyError) as error:
        reason = str(error).replace(f"{path} ", "") or type(error).__name__
        return _bad(path, f"is no PO file: {reason}")
    contexts = Counter(entry.msgctxt for entry in found if not entry.obsolete)
    twice = sorted(str(one) for one, count in contexts.items() if one and count > 1)
    if twice:
        return _bad(path, f"has entry {shown(twice[0])} more than once", "delete one of them")
    strange = next((one for one in found if one.msgstr and not one.msgctxt), None)
    if strange is not None:
        hint = "every entry has the msgctxt that export gave it"
        return _bad(path, f"has an entry of no line: {shown(strange.msgid)}", hint, strange.linenum)
    return found


def _bad(path: Path, message: str, hint: str = "", line: int | None = None) -> Problem:
    return Problem(code=codes.BAD_TRANSLATIONS, severity=Severity.ERROR, message=message, hint=hint,
                   where=Where(file=path.name, line=line))  # fmt: skip


class Memory:
    """The translations that there are, by where they belong and by what they were made from."""

    def __init__(self, files: Sequence[POFile]) -> None:
        self._by_context: dict[str, POEntry] = {}
        self._by_text: dict[tuple[str, str], POEntry] = {}
        self.entries: list[POEntry] = []
        for file in files:
            for entry in sorted(file, key=lambda one: bool(one.obsolete)):
                if not entry.msgctxt or not entry.msgstr:
                    continue
                self.entries.append(entry)
                self._by_context.setdefault(entry.msgctxt, entry)
                line = entry.msgctxt.rpartition("#")[0] + "#" + _id_of(entry.msgctxt)
                for text in (entry.msgid, entry.previous_msgid):
                    if text:
                        self._by_text.setdefault((line, text), entry)

    def find(self, text: Text) -> POEntry | None:
        """Return the entry whose translation *text* takes over: of the same words, else the same place."""
        for context in (text.context, *(f"{key}{text.suffix}" for key in text.former)):
            entry = self._by_context.get(context)
            if entry is not None and text.text in (entry.msgid, entry.previous_msgid):
                return entry
        for key in (text.line, *text.former):
            entry = self._by_text.get((key, text.text))
            if entry is not None:
                return entry
        contexts = (text.context, *(f"{key}{text.suffix}" for key in text.former))
        return next((self._by_context[one] for one in contexts if one in self._by_context), None)


def _id_of(context: str) -> str:
    return context.rpartition("#")[2].partition("~")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """A PO file as it is to be, and what it has.

    Attributes:
        file: The file.
        translated: Contexts of texts with a translation that holds.
        stale: Contexts of texts that changed since they were translated.
        missing: Contexts of texts without a translation.
        obsolete: Contexts of translations whose text is gone.
        problems: Translations that are too long, or hold what no text may.
    """

    file: POFile
    translated: tuple[str, ...]
    stale: tuple[str, ...]
    missing: tuple[str, ...]
    obsolete: tuple[str, ...]
    problems: tuple[Problem, ...]


def merge(texts: Iterable[Text], files: Sequence[POFile], language: str, name: str) -> Merged:
    """Return the PO file of *texts* in *language* with the translations that *files* have, first wins."""
    polib = library()
    made = polib.POFile(wrapwidth=_WRAP_CHARS)
    made.header = files[0].header if files else ""
    made.metadata = _metadata(files, language)
    memory = Memory(files)
    used: set[int] = set()
    states: dict[str, list[str]] = {"translated": [], "stale": [], "missing": []}
    problems: list[Problem] = []
    for text in texts:
        before = memory.find(text)
        entry = _entry(polib, text, before)
        if before is not None:
            used.add(id(before))
        state = "missing" if not entry.msgstr else "stale" if entry.fuzzy else "translated"
        states[state].append(text.context)
        problems += _faults(text, entry, name)
        made.append(entry)
    kept = set(states["translated"] + states["stale"])
    obsolete: dict[str, POEntry] = {}
    for entry in memory.entries:
        if id(entry) not in used and entry.msgctxt not in kept:
            obsolete.setdefault(str(entry.msgctxt), entry)
    for _, entry in sorted(obsolete.items()):
        made.append(
            polib.POEntry(msgctxt=entry.msgctxt, msgid=entry.msgid, msgstr=entry.msgstr,
                          tcomment=entry.tcomment, obsolete=True)
        )  # fmt: skip
    found = {state: tuple(contexts) for state, contexts in states.items()}
    return Merged(file=made, obsolete=tuple(sorted(obsolete)), problems=tuple(problems), **found)


def _metadata(files: Sequence[POFile], language: str) -> dict[str, str]:
    own = {
        "Project-Id-Version": "talebearer lines",
        "Language": language,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
    }
    kept = dict(files[0].metadata) if files else {}
    fixed = ("Language", "MIME-Version", "Content-Type", "Content-Transfer-Encoding")
    return {**own, **kept, **{name: own[name] for name in fixed}}


def _entry(polib: Any, text: Text, before: POEntry | None) -> POEntry:
    entry: POEntry = polib.POEntry(
        msgctxt=text.context,
        msgid=text.text,
        comment=text.comment,
        occurrences=[(text.reference[0], str(text.reference[1]))],
    )
    if before is None:
        return entry
    entry.msgstr, entry.tcomment = before.msgstr, before.tcomment
    flags = [flag for flag in before.flags if flag != "fuzzy"]
    made_from = before.previous_msgid or before.msgid if before.fuzzy else before.msgid
    is_open = before.fuzzy and not before.previous_msgid  # a translator's own doubt
    if made_from != text.text or is_open:
        flags = ["fuzzy", *flags]
        entry.previous_msgid = made_from if made_from != text.text else None
    entry.flags = flags
    return entry


def _faults(text: Text, entry: POEntry, name: str) -> Iterator[Problem]:
    where = Where(file=name, pointer=text.context)
    if text.is_thought and len(entry.msgstr) > THOUGHT_CHARS_MAX:
        message = f"the translation has {len(entry.msgstr)} characters, {THOUGHT_CHARS_MAX} fit"
        yield Problem(code=codes.TRANSLATION, severity=Severity.WARNING, where=where,
                      message=message, hint="shorten it")  # fmt: skip
    found = _CONTROL.search(entry.msgstr)
    if found is not None:
        message = f"the translation has control character U+{ord(found[0]):04X}"
        yield Problem(code=codes.BAD_TRANSLATIONS, severity=Severity.ERROR, where=where,
                      message=message, hint="delete the character")  # fmt: skip


def dump_po(file: POFile) -> bytes:
    """Return the bytes of *file*."""
    return f"{str(file).rstrip()}\n".encode()
