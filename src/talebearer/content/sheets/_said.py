"""From a pack and the translations of its content to what a game says in one language."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson

from talebearer._whole import put_whole
from talebearer.content.sheets import _po
from talebearer.content.sheets._po import FOLDER, Text
from talebearer.errors import InvalidPack, InvalidTranslations, Problem, Severity, UsageFault
from talebearer.lines import DialoguePool, MonologuePool, Pack
from talebearer.lines.texts import TEXTS_FORMAT, TEXTS_VERSION, Texts, load_texts

DIGITS = 32
"""How many digits of a digest name a file of the cache."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The texts of one language.

    Attributes:
        language: Its code.
        data: The file for games: UTF-8, keys sorted, no spaces, one final LF.
        translated: How many texts have a translation that holds.
        stale: How many have one that was made from another text; they are said in the original.
        missing: How many have none; likewise.
    """

    language: str
    data: bytes
    translated: int
    stale: int
    missing: int

    def as_json(self) -> dict[str, Any]:
        """Return the counts as a JSON object."""
        return {
            "language": self.language,
            "translated": self.translated,
            "stale": self.stale,
            "missing": self.missing,
        }


def translations_file(root: Path, language: str) -> Path:
    """Return the file of the translations of the content folder *root* into *language*.

    Raises:
        UsageFault: It is no language, there is no such file, or a link leads out of the content (TB111).
    """
    _po.must_be_language(language)
    path = root / FOLDER / f"{language}.po"
    if not path.resolve().is_relative_to(root.resolve()):
        raise UsageFault(f"{path} leads out of the content folder", hint="remove the link")
    if not path.is_file():
        hint = f"begin one with talebearer lines export --language {language}"
        raise UsageFault(f"there is no {path}", hint=hint)
    return path


def said_in(root: Path, pack: Pack, language: str) -> Said:
    """Return what the lines of *pack* say in *language*; translations that are open or stale are left out.

    The same content gives the same bytes.

    Args:
        root: The content folder that the pack was compiled from.
        pack: The pack.
        language: Such as ``de``.

    Raises:
        UsageFault: There are no such translations, or the library to read them is missing (TB111).
        InvalidTranslations: They cannot be read, or hold what no text may (TB122).

    Source: rule LP-L8-languages.
    """
    path = translations_file(root, language)
    file = _po.read_po(path)
    if isinstance(file, Problem):
        raise _refused([file])
    merged = _po.merge(_texts(pack), [file], language, path.name)
    errors = [one for one in merged.problems if one.severity is Severity.ERROR]
    if errors:
        raise _refused(errors)
    holds = set(merged.translated)
    texts: dict[str, dict[str, str]] = {}
    for entry in merged.file:
        if not entry.obsolete and entry.msgctxt in holds and entry.msgstr != entry.msgid:
            key = (
                entry.msgctxt.rpartition("#")[0]
                + "#"
                + entry.msgctxt.rpartition("#")[2].partition("~")[0]
            )
            texts.setdefault(key, {})[_name(entry.msgid)] = entry.msgstr
    value = {"format": TEXTS_FORMAT, "version": TEXTS_VERSION, "language": language, "texts": texts}
    return Said(
        language=language,
        data=orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE),
        translated=len(merged.translated),
        stale=len(merged.stale),
        missing=len(merged.missing),
    )


def texts_in(root: Path, pack: Pack, language: str, *, cache: Path | None) -> Texts:
    """Return the texts of *pack* in *language*, kept while pack and translations stay the same.

    Args:
        root: The content folder.
        pack: What was compiled from it.
        language: Such as ``de``.
        cache: A folder that remembers what was made; None remembers nothing.

    Raises:
        UsageFault: As :func:`said_in` (TB111).
        InvalidTranslations: As :func:`said_in` (TB122).
    """
    made_of = translations_file(root, language).read_bytes() + pack.digest.encode()
    name = f"texts-{language}-{sha256(made_of).hexdigest()[:DIGITS]}.json"
    kept = None if cache is None else cache / name
    if kept is not None:
        with suppress(OSError, InvalidPack):  # nothing is kept yet, or somebody damaged it
            return load_texts(kept.read_bytes())
    data = said_in(root, pack, language).data
    if cache is not None and kept is not None:
        with suppress(OSError):  # it is made again next time
            # As many marks as a digest has: what begins so may also be of another language.
            for older in cache.glob(f"texts-{language}-{'?' * DIGITS}.json"):
                older.unlink()
            put_whole(kept, data, is_durable=False)
    return load_texts(data)


def _name(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:8]


def _refused(problems: list[Problem]) -> InvalidTranslations:
    first = problems[0]
    data = {"problems": [problem.as_json() for problem in problems]}
    return InvalidTranslations(f"{first.where}: {first.message}", hint=first.hint, data=data)


def _texts(pack: Pack) -> Iterator[Text]:
    pools: tuple[DialoguePool | MonologuePool, ...] = (*pack.dialogue_pools, *pack.monologue_pools)
    for pool in pools:
        for position, line_id in enumerate(pool.ids):
            line = f"{pool.path}#{line_id}"
            for number, text in enumerate(pool.texts_at(position)):
                suffix = f"~{number}" if number else ""
                yield Text(
                    context=f"{line}{suffix}",
                    text=text,
                    line=line,
                    former=tuple(f"{path}#{name}" for path, name in pool.aliases.get(position, ())),
                    suffix=suffix,
                    comment="",
                    reference=("", 0),
                    is_thought=isinstance(pool, MonologuePool),
                )
