"""The campaign's own enumerations, and the files that a new campaign gets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from talebearer._whole import StagedFiles
from talebearer.content import _declared
from talebearer.content._findings import Draft, ValuePath
from talebearer.content._structure import shown
from talebearer.errors import findings_content as codes
from talebearer.vocabulary import DEFAULT_ENUMS, SLUG, EnumValue, fullmatch

_FOR_EDITORS = "# yaml-language-server: $schema=../../_schema/enum.schema.json"
_HEADINGS = {
    "access": "Who may hear a line (layer 1).",
    "trust": "How far the speaker must trust the listener (layer 3), from least to most.",
    "situations": "When a line fits (layer 2); one match is enough.",
    "topics": "What a line is about (layer 4); a match makes it likelier.",
    "moods": "The temper a line is spoken in (layer 4); a match makes it likelier.",
    "triggers": "What brings up a thought.",
    "characters": "The player characters whose thoughts are written; letters stand in line ids.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Enums:
    """The values of every enumeration, in the order of their files.

    Attributes:
        values: Enumeration to its values.
        letters: Player character to the letter in its line ids.
    """

    values: Mapping[str, tuple[str, ...]]
    letters: Mapping[str, str]


def gather(files: Mapping[str, Any]) -> Enums:
    """Return the enumerations of *files* (stem to root mapping); what is missing has its defaults.

    A file with faults counts with its well-formed values, so that one fault there does not
    become a hundred elsewhere.
    """
    values: dict[str, tuple[str, ...]] = {}
    letters: dict[str, str] = {}
    for stem, defaults in DEFAULT_ENUMS.items():
        entries = tuple(_entries(files.get(stem))) or defaults
        values[stem] = tuple(dict.fromkeys(entry.value for entry in entries))
        if stem == "characters":
            letters = {entry.value: entry.letter for entry in entries if entry.letter}
    return Enums(values=values, letters=letters)


def _entries(root: Any) -> Iterator[EnumValue]:
    for entry in _declared.listed(root, "values"):
        value, letter = entry.get("value"), entry.get("letter")
        if isinstance(value, str) and value:
            yield EnumValue(value, "", letter if isinstance(letter, str) else "")


def check(stem: str, root: Mapping[str, Any]) -> Iterator[Draft]:
    """Yield what a schema cannot say about the enumeration file *stem*."""
    entries = _declared.listed(root, "values")
    first: dict[str, ValuePath] = {}
    for index, entry in enumerate(entries):
        value = entry.get("value")
        path: ValuePath = ("values", index, "value")
        if isinstance(value, str) and first.setdefault(value, path) != path:
            message = f"value {shown(value)} is there twice"
            yield Draft(code=codes.DUPLICATE_VALUE, message=message, path=path, first=first[value])
    yield from _declared.check_fields(stem, root)
    if stem == "characters":
        yield from _check_characters(entries)
        return
    for index, entry in enumerate(entries):
        if "letter" in entry:
            yield Draft(
                code=codes.LETTER_FAULT,
                message=f"{stem} have no letters",
                hint="only the values of characters.yaml have one",
                path=("values", index, "letter"),
                on_key=True,
            )


def _check_characters(entries: list[dict[str, Any]]) -> Iterator[Draft]:
    counts = Counter(str(entry["letter"]) for entry in entries if "letter" in entry)
    for index, entry in enumerate(entries):
        path: ValuePath = ("values", index)
        value, letter = entry.get("value"), entry.get("letter")
        if isinstance(value, str) and not fullmatch(SLUG, value):
            message = f"character {shown(value)} is no slug"
            hint = "lower-case letters, digits and hyphens: it is the name of a folder, too"
            yield Draft(code=codes.BAD_FORM, message=message, hint=hint, path=(*path, "value"))
        if letter is None:
            message = f"character {shown(value)} has no letter"
            hint = "letter: one lower-case letter that no other character has"
            yield Draft(code=codes.LETTER_FAULT, message=message, hint=hint, path=path)
        elif counts[str(letter)] > 1:
            message = f"letter {shown(letter)} of {shown(value)} is another character's, too"
            yield Draft(code=codes.LETTER_FAULT, message=message, path=(*path, "letter"))


def write_default_enums(folder: Path) -> None:
    """Write the default enumerations into *folder*, one readable YAML file each.

    Files that are there already are replaced; the folder is made if it is missing.

    Raises:
        OSError: The folder cannot be written.

    Source: the line-pool spec section 6; rule LP-L7.
    """
    files: dict[str, str] = {}
    for stem, entries in DEFAULT_ENUMS.items():
        lines = [_FOR_EDITORS, f"# {_HEADINGS[stem]}", "values:"]
        for entry in entries:
            lines.append(f"  - value: {entry.value}")
            if entry.letter:
                lines.append(f"    letter: {entry.letter}")
            lines.append(f'    description: "{entry.description}"')
        files[f"{stem}.yaml"] = "\n".join(lines) + "\n"
    with StagedFiles(is_durable=False) as staged:
        for name, text in files.items():
            staged.put(folder / name, text.encode())
        staged.commit()
