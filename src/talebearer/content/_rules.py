"""What a schema cannot say: rules between the fields, the lines and the files of a tree.

Every rule yields findings and stands on its own; a value that the schema refused already is
passed over, so that one fault is told once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from talebearer.content import _enums
from talebearer.content._enums import Enums
from talebearer.content._findings import Draft, ValuePath
from talebearer.content._structure import likeliest, shown, suggestion
from talebearer.content._tree import ContentFile, FileKind
from talebearer.content._yaml import has_control
from talebearer.errors import Severity
from talebearer.errors import findings_content as codes
from talebearer.vocabulary import FACT_ID, MONOLOGUE_ID, SLUG, fullmatch

GENERAL = "general"
RESERVED_CATEGORY = "interaction"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One file that was read, and the mapping in it."""

    file: ContentFile
    root: dict[str, Any]

    def text(self, field: str) -> str | None:
        """Return the header *field*, if it is text."""
        value = self.root.get(field)
        return value if isinstance(value, str) else None

    @property
    def lines(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The lines that are mappings, with their indexes."""
        lines = self.root.get("lines")
        for index, line in enumerate(lines if isinstance(lines, list) else ()):
            if isinstance(line, dict):
                yield index, line


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """What the files of a tree declare, for the rules that look across files.

    Attributes:
        enums: The enumerations in force.
        facts: Every declared fact id.
        profiles: Slugs of the profiles.
        speakers: Slugs of everybody with a profile or a dialogue file.
        roles: Location to the header roles of its dialogue files.
        places: Locations of dialogue and of profiles.
    """

    enums: Enums
    facts: frozenset[str]
    profiles: frozenset[str]
    speakers: frozenset[str]
    roles: Mapping[str, frozenset[str]]
    places: frozenset[str]


def index_of(documents: list[Document], enums: Enums) -> Index:
    """Return what *documents* declare."""
    roles: dict[str, frozenset[str]] = {}
    facts: set[str] = set()
    profiles: set[str] = set()
    speakers: set[str] = set()
    places: set[str] = set()
    for document in documents:
        file = document.file
        if file.kind is FileKind.DIALOGUE:
            role = document.text("role")
            roles[file.folder] = roles.get(file.folder, frozenset()) | ({role} if role else set())
            speakers.add(file.stem)
            places.add(file.folder)
        elif file.kind is FileKind.PROFILE:
            profiles.add(file.stem)
            places.add(document.text("location") or GENERAL)
        elif file.kind is FileKind.FACTS:
            facts.update(fact_id for _, fact_id in _fact_ids(document))
    return Index(
        enums=enums,
        facts=frozenset(facts),
        profiles=frozenset(profiles),
        speakers=frozenset(speakers | profiles),
        roles=roles,
        places=frozenset(places),
    )


def check(document: Document, index: Index) -> Iterator[Draft]:
    """Yield what is wrong with *document* beyond its schema."""
    kind = document.file.kind
    if kind is FileKind.DIALOGUE:
        yield from _check_dialogue(document, index)
    elif kind is FileKind.MONOLOGUE:
        yield from _check_monologue(document, index)
    elif kind is FileKind.ENUM:
        yield from _enums.check(document.file.stem, document.root)
    elif kind is FileKind.FACTS:
        yield from _check_facts(document)
    else:
        yield from _check_home(document, index)
        yield from _check_tolerance(document.root.get("tolerance"))


def _check_home(document: Document, index: Index) -> Iterator[Draft]:
    """A profile's place and role are ones that some dialogue file has, where there are any."""
    if not index.roles:
        return
    location, role = document.text("location"), document.text("role")
    if location is not None and location not in index.roles:
        yield Draft(
            code=codes.UNKNOWN_HOME,
            message=f"location {shown(location)} has no dialogue file",
            hint=suggestion(location, sorted(index.roles)),
            severity=Severity.WARNING,
            path=("location",),
        )
    roles = set().union(*index.roles.values())
    if role is not None and role not in roles:
        yield Draft(
            code=codes.UNKNOWN_HOME,
            message=f"role {shown(role)} is no dialogue file's role",
            hint=suggestion(role, sorted(roles)),
            severity=Severity.NOTE,
            path=("role",),
        )


def _check_dialogue(document: Document, index: Index) -> Iterator[Draft]:
    location, folder = document.text("location"), document.file.folder
    if location is not None and location != folder:
        yield _mismatch("location", location, f"the folder is {folder!r}", hint=folder)
    yield from _check_lines(document, index)
    roles = index.roles.get(folder, frozenset())
    for at, line in document.lines:
        role = line.get("role")
        if isinstance(role, str) and role not in roles:
            yield Draft(
                code=codes.UNKNOWN_ROLE,
                message=f"role {shown(role)} is no file's role at {folder!r}",
                hint=suggestion(role, sorted(roles)),
                path=("lines", at, "role"),
            )
        grant = line.get("knowledge_grant")
        if isinstance(grant, dict):
            yield from _check_grant(grant, ("lines", at, "knowledge_grant"), index)


def _check_monologue(document: Document, index: Index) -> Iterator[Draft]:
    character, folder = document.text("character"), document.file.folder
    if character is not None and character != folder:
        message = f"character {shown(character)} stands in the folder of {folder!r}"
        yield Draft(code=codes.CHARACTER_MISMATCH, message=message, path=("character",))
    yield from _check_place_of_thoughts(document, index)
    yield from _check_lines(document, index)
    letter = index.enums.letters.get(character or "")
    for at, line in document.lines:
        line_id = line.get("id")
        if letter is None or not isinstance(line_id, str):
            continue
        if fullmatch(MONOLOGUE_ID, line_id) and line_id[-5] != letter:
            yield Draft(
                code=codes.WRONG_LETTER,
                message=f"id {shown(line_id)} has not the letter of {character!r}",
                hint=f"{line_id[:-5]}{letter}{line_id[-4:]}",
                path=("lines", at, "id"),
            )


def _check_place_of_thoughts(document: Document, index: Index) -> Iterator[Draft]:
    """A file named for a location is about it or about none; any other stem is a topic."""
    location, stem = document.text("location"), document.file.stem
    if location is None or location in (stem, GENERAL):
        if location not in (None, GENERAL) and location not in index.places:
            yield _unknown_place(str(location), index)
        return
    if stem == GENERAL or stem in index.places:
        yield _mismatch("location", location, f"the file is {stem!r}", hint=f"{stem} or general")
    elif location not in index.places:
        yield _unknown_place(location, index)


def _unknown_place(location: str, index: Index) -> Draft:
    return Draft(
        code=codes.UNKNOWN_LOCATION,
        message=f"location {shown(location)} is mentioned nowhere else",
        hint=suggestion(location, sorted(index.places)),
        severity=Severity.NOTE,
        path=("location",),
    )


def _mismatch(field: str, value: str, what: str, *, hint: str) -> Draft:
    message = f"{field} is {shown(value)}, but {what}"
    return Draft(code=codes.LOCATION_MISMATCH, message=message, hint=hint, path=(field,))


def _check_lines(document: Document, index: Index) -> Iterator[Draft]:
    """The rules that both kinds of line share."""
    first: dict[str, ValuePath] = {}
    for at, line in document.lines:
        line_id, text = line.get("id"), line.get("text")
        if isinstance(line_id, str):
            yield from _check_id(line_id, ("lines", at, "id"), first)
        if isinstance(text, str) and has_control(text):
            message = f"control character in {shown(text)}"
            yield Draft(code=codes.BAD_CHARACTER, message=message, path=("lines", at, "text"))
        gates = line.get("prerequisites")
        if isinstance(gates, dict):
            yield from _check_gates(gates, ("lines", at, "prerequisites"), index)


def _check_id(line_id: str, path: ValuePath, first: dict[str, ValuePath]) -> Iterator[Draft]:
    if first.setdefault(line_id, path) != path:
        message = f"id {shown(line_id)} is there twice"
        yield Draft(code=codes.DUPLICATE_LINE_ID, message=message, path=path, first=first[line_id])
    if line_id.endswith("_000"):
        yield Draft(
            code=codes.SEQUENCE_ZERO,
            message=f"id {shown(line_id)} has number 000",
            hint="001 to 999",
            severity=Severity.WARNING,
            path=path,
        )


def _check_gates(gates: dict[str, Any], path: ValuePath, index: Index) -> Iterator[Draft]:
    for at, gate in _listed(gates.get("facts")):
        yield from _check_fact(gate, (*path, "facts", at), index)
    for at, gate in _listed(gates.get("entity_attributes")):
        yield from _check_entity(gate, (*path, "entity_attributes", at, "entity"), index)
    for kind in ("relationship", "interaction"):
        target = gates.get(kind)
        if isinstance(target, dict):
            yield from _check_entity(target, (*path, kind, "target"), index)


def _listed(value: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    for at, item in enumerate(value if isinstance(value, list) else ()):
        if isinstance(item, dict):
            yield at, item


def _check_fact(gate: dict[str, Any], path: ValuePath, index: Index) -> Iterator[Draft]:
    fact_id = gate.get("fact_id")
    if not isinstance(fact_id, str) or fact_id in index.facts or not fullmatch(FACT_ID, fact_id):
        return
    category = fact_id.partition(".")[0]
    if category == RESERVED_CATEGORY:
        return
    close = likeliest(fact_id, tuple(sorted(index.facts)))
    yield Draft(
        code=codes.UNKNOWN_FACT,
        message=f"fact {shown(fact_id)} is in no catalogue",
        hint=f"did you mean {close}?" if close else f"global/knowledge/{category}.yaml",
        severity=Severity.WARNING,
        path=(*path, "fact_id"),
    )


def _check_grant(grant: dict[str, Any], path: ValuePath, index: Index) -> Iterator[Draft]:
    fact_id = grant.get("fact_id")
    if isinstance(fact_id, str) and fact_id.startswith(f"{RESERVED_CATEGORY}."):
        message = f"a line cannot grant {shown(fact_id)}: conversations come from play"
        yield Draft(code=codes.RESERVED_CATEGORY, message=message, path=(*path, "fact_id"))
    else:
        yield from _check_fact(grant, path, index)


def _check_entity(gate: dict[str, Any], path: ValuePath, index: Index) -> Iterator[Draft]:
    entity = gate.get(str(path[-1]))
    slug = entity.removeprefix("npc:") if isinstance(entity, str) else ""
    if slug in index.speakers or slug == entity or not fullmatch(SLUG, slug):
        return
    yield Draft(
        code=codes.UNKNOWN_ENTITY,
        message=f"{entity} has neither profile nor lines",
        hint=suggestion(slug, sorted(index.speakers)),
        severity=Severity.WARNING,
        path=path,
    )


def _fact_ids(document: Document) -> Iterator[tuple[int, str]]:
    for at, fact in _listed(document.root.get("facts")):
        if isinstance(fact.get("id"), str):
            yield at, fact["id"]


def _check_facts(document: Document) -> Iterator[Draft]:
    category, stem = document.text("category"), document.file.stem
    if category == RESERVED_CATEGORY:
        message = "facts of category 'interaction' come from play"
        yield Draft(code=codes.RESERVED_CATEGORY, message=message, path=("category",))
    elif category is not None and category != stem:
        message = f"category {shown(category)} stands in the file {stem!r}"
        yield Draft(code=codes.CATEGORY_MISMATCH, message=message, hint=stem, path=("category",))
    first: dict[str, ValuePath] = {}
    for at, fact_id in _fact_ids(document):
        path: ValuePath = ("facts", at, "id")
        if category is not None and not fact_id.startswith(f"{category}."):
            message = f"fact {shown(fact_id)} is not of category {category!r}"
            yield Draft(code=codes.CATEGORY_MISMATCH, message=message, path=path)
        if first.setdefault(fact_id, path) != path:
            message = f"fact {shown(fact_id)} is there twice"
            yield Draft(code=codes.DUPLICATE_FACT, message=message, path=path, first=first[fact_id])


def _check_tolerance(tolerance: Any) -> Iterator[Draft]:
    for field, pair in tolerance.items() if isinstance(tolerance, dict) else ():
        if not isinstance(pair, list) or len(pair) != 2:
            continue
        low, high = pair
        if isinstance(low, int | float) and isinstance(high, int | float) and low > high:
            yield Draft(
                code=codes.OUT_OF_RANGE,
                message=f"{field} {shown(pair)} begins above its end",
                hint=f"[{high}, {low}]",
                path=("tolerance", field),
            )


def check_names(documents: list[Document]) -> Iterator[tuple[str, Draft]]:
    """Yield, with the file's name, the names that lead to two profiles."""
    found = [entry for document in documents for entry in _names(document)]
    counts = Counter(name for _, name, _ in found)
    for document, name, path in found:
        if counts[name] > 1:
            others = sorted(
                {d.file.stem for d, other, _ in found if other == name} - {document.file.stem}
            )
            yield (
                document.file.name,
                Draft(
                    code=codes.SHARED_NAME,
                    message=f"name {shown(name)} is that of {', '.join(others)}, too",
                    severity=Severity.WARNING,
                    path=path,
                ),
            )


def _names(document: Document) -> Iterator[tuple[Document, str, ValuePath]]:
    """Yield every name of a profile once."""
    if document.file.kind is not FileKind.PROFILE:
        return
    aliases = document.root.get("aliases")
    seen: set[str] = set()
    entries: list[tuple[Any, ValuePath]] = [(document.root.get("name"), ("name",))]
    entries += [
        (alias, ("aliases", at))
        for at, alias in enumerate(aliases if isinstance(aliases, list) else ())
    ]
    for name, path in entries:
        if isinstance(name, str) and name not in seen:
            seen.add(name)
            yield document, name, path
