"""What a schema cannot say: rules between the fields, the lines and the files of a tree.

Every rule yields findings and stands on its own; a value that the schema refused already is
passed over, so that one fault is told once.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from talebearer.content import _declared, _enums, _keys, _normal, _targets
from talebearer.content._declared import Declared
from talebearer.content._enums import Enums
from talebearer.content._findings import Draft, ValuePath
from talebearer.content._gates import RESERVED_CATEGORY, Conditions, Surroundings, check_effects
from talebearer.content._keys import Keys, LineAt
from talebearer.content._structure import shown, suggestion
from talebearer.content._tree import POOL_KINDS, ContentFile, FileKind
from talebearer.content._yaml import has_control
from talebearer.errors import Severity
from talebearer.errors import findings_content as codes
from talebearer.lines.gates import DEPTH_MAX
from talebearer.vocabulary import MONOLOGUE_ID, fullmatch

GENERAL = "general"
_LOGIC = frozenset({"all_of", "any_of", "not", "conditions"})
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One file that was read, and the mapping in it, which nobody changes."""

    file: ContentFile
    root: dict[str, Any]
    _made: dict[Any, Any] = dataclasses.field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def once(self, make: Callable[[Document], _T]) -> _T:
        """Return what *make* makes of this document; it is made on first use and kept.

        A tree that is checked again keeps its documents, so what rests on one file alone is made
        again only when that file changes.
        """
        if make not in self._made:
            self._made[make] = make(self)
        made: _T = self._made[make]
        return made

    def text(self, field: str) -> str | None:
        """Return the header *field*, if it is text."""
        value = self.root.get(field)
        return value if isinstance(value, str) else None

    @property
    def lines(self) -> tuple[tuple[int, dict[str, Any]], ...]:
        """The lines that are mappings, with their indexes."""
        return self.once(_lines)


def _lines(document: Document) -> tuple[tuple[int, dict[str, Any]], ...]:
    lines = document.root.get("lines")
    entries = enumerate(lines if isinstance(lines, list) else ())
    return tuple((index, line) for index, line in entries if isinstance(line, dict))


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """What the files of a tree declare, for the rules that look across files.

    Attributes:
        enums: The enumerations in force.
        profiles: Slugs of the profiles.
        roles: Location to the header roles of its dialogue files.
        thoughts: Character to the locations of its monologue files.
        places: Locations of dialogue and of profiles.
        keys: Every line's key.
        around: What gates may name.
    """

    enums: Enums
    profiles: frozenset[str]
    roles: Mapping[str, frozenset[str]]
    thoughts: Mapping[str, frozenset[str]]
    places: frozenset[str]
    keys: Keys
    around: Surroundings

    @property
    def shared(self) -> tuple[Any, ...]:
        """What the rules of every file may depend on, the keys left out."""
        around = self.around
        return (
            self.enums,
            self.profiles,
            self.roles,
            self.places,
            self.thoughts,
            around.facts,
            around.speakers,
            around.declared,
        )

    def apart(self) -> Index:
        """Return this index with nothing read or written yet."""
        return replace(self, around=self.around.apart())

    @property
    def declared(self) -> Declared:
        """State, named conditions and event fields."""
        return self.around.declared


def lines_of(documents: list[Document]) -> Iterator[LineAt]:
    """Yield every line of every pool."""
    for document in documents:
        if document.file.kind in POOL_KINDS:
            yield from ((document.file.key, at, line) for at, line in document.lines)


def declared_by(documents: list[Document]) -> Declared:
    """Return the state, conditions and event fields that *documents* declare."""
    roots: dict[str, Any] = {}
    for document in documents:
        if document.file.kind in (FileKind.STATE, FileKind.CONDITIONS):
            roots[document.file.kind] = document.root
        elif document.file.kind is FileKind.ENUM and document.file.stem == "triggers":
            roots["triggers"] = document.root
    return _declared.gather(
        roots.get(FileKind.STATE), roots.get(FileKind.CONDITIONS), roots.get("triggers")
    )


def keys_of(documents: list[Document]) -> Keys:
    """Return the keys of all lines of *documents*."""
    return Keys(lines_of(documents), _keys.homes_of(documents))


def names_of(documents: list[Document]) -> tuple[Any, ...]:
    """Return all that :func:`keys_of` looks at: equal names make equal keys."""
    pools = (one for one in documents if one.file.kind in POOL_KINDS)
    return tuple((one.file.key, one.root.get("formerly"), one.once(_line_names)) for one in pools)


def _line_names(document: Document) -> tuple[Any, ...]:
    return tuple((line.get("id"), line.get("aliases")) for _, line in document.lines)


def index_of(documents: list[Document], enums: Enums, keys: Keys) -> Index:
    """Return what *documents* declare."""
    roles: dict[str, frozenset[str]] = {}
    thoughts: dict[str, frozenset[str]] = {}
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
        elif file.kind is FileKind.MONOLOGUE:
            place = document.text("location")
            here = thoughts.get(file.folder, frozenset())
            thoughts[file.folder] = here | ({place} if place else set())
        elif file.kind is FileKind.PROFILE:
            profiles.add(file.stem)
            places.add(document.text("location") or GENERAL)
        elif file.kind is FileKind.FACTS:
            facts.update(fact_id for _, fact_id in _fact_ids(document))
    return Index(
        enums=enums,
        profiles=frozenset(profiles),
        roles=roles,
        thoughts=thoughts,
        places=frozenset(places),
        keys=keys,
        around=Surroundings(
            facts=frozenset(facts),
            speakers=frozenset(speakers | profiles),
            declared=declared_by(documents),
            resolve=keys.resolve,
        ),
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
    elif kind is FileKind.STATE:
        yield from _declared.check_state(document.root, index.declared)
    elif kind is FileKind.CONDITIONS:
        yield from _check_conditions(document, index)
    elif kind is FileKind.COVERAGE:
        yield from _targets.check_targets(document.root, _target_names(index))
    else:
        yield from _check_home(document, index)
        yield from _check_tolerance(document.root.get("tolerance"))


def _target_names(index: Index) -> _targets.Names:
    declared = index.declared
    return _targets.Names(
        roles=index.roles,
        thoughts=index.thoughts,
        written={
            "facts": index.around.facts,
            "counters": frozenset(declared.counters),
            "values": frozenset(declared.values),
            "timers": frozenset(declared.timers),
        },
    )


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


def _check_monologue(document: Document, index: Index) -> Iterator[Draft]:
    character, folder = document.text("character"), document.file.folder
    if character in index.enums.letters and character != folder:
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


def _check_conditions(document: Document, index: Index) -> Iterator[Draft]:
    """The named conditions: once each, what they name exists, and none rests on itself."""
    yield from _declared.check_unique(document.root, "conditions")
    gates = Conditions(index.around, pool="", trigger=None)
    for at, entry in enumerate(_declared.listed(document.root, "conditions")):
        path: ValuePath = ("conditions", at, "when")
        yield from gates.check(entry.get("when"), path, nested=True)
    yield from _declared.check_cycles(document.root, index.declared)


def _check_lines(document: Document, index: Index) -> Iterator[Draft]:
    """The rules that both kinds of line share."""
    first: dict[str, ValuePath] = {}
    texts: dict[str, ValuePath] = {}
    pool, around = document.file.key, index.around
    gates: dict[str | None, Conditions] = {}
    for at, line in document.lines:
        line_id = line.get("id")
        # Most lines are as they should be, so what takes a step more is done for the others alone.
        if isinstance(line_id, str) and (line_id in first or line_id.endswith("_000")):
            yield from _check_id(line_id, ("lines", at, "id"), first)
        elif isinstance(line_id, str):
            first[line_id] = ("lines", at, "id")
        path: ValuePath = ("lines", at)
        if "variants" in line or not _is_new(line.get("text"), path, texts):
            yield from _check_texts(line, path, texts)
        if "prerequisites" in line:
            trigger = line.get("trigger") if document.file.kind is FileKind.MONOLOGUE else None
            key = trigger if isinstance(trigger, str) else None
            if key not in gates:
                gates[key] = Conditions(around, pool=pool, trigger=key)
            yield from gates[key].check(line["prerequisites"], (*path, "prerequisites"))
        if "effects" in line or "knowledge_grant" in line:
            yield from check_effects(line, path, around)
        if "aliases" in line:
            yield from index.keys.check_aliases(pool, line, path)
        spoken_as = line.get("class")
        if isinstance(spoken_as, str):
            around.read.add(("class", spoken_as))
            if spoken_as not in index.declared.classes:
                known = index.declared.classes
                yield _declared.undeclared("class", spoken_as, known, (*path, "class"))


def _is_new(text: Any, path: ValuePath, texts: dict[str, ValuePath]) -> bool:
    """Note *text*, the only one of a line; return False where there is something to look at."""
    if not isinstance(text, str) or has_control(text):
        return False
    said = _as_compared(text)
    if said in texts:
        return False
    texts[said] = (*path, "text")
    return True


def _as_compared(text: str) -> str:
    plain = text if text.isascii() and "  " not in text else " ".join(text.split())
    return plain.casefold().strip()


def _check_texts(
    line: Mapping[str, Any], path: ValuePath, texts: dict[str, ValuePath]
) -> Iterator[Draft]:
    """Control characters, and texts that repeat: in one line a warning, in one pool a note."""
    variants = line.get("variants")
    found: list[tuple[Any, ValuePath]] = [(line.get("text"), (*path, "text"))]
    found += [
        (variant, (*path, "variants", at))
        for at, variant in enumerate(variants if isinstance(variants, list) else ())
    ]
    for text, place in found:
        if not isinstance(text, str):
            continue
        if has_control(text):
            message = f"control character in {shown(text)}"
            yield Draft(code=codes.BAD_CHARACTER, message=message, path=place)
        first = texts.setdefault(_as_compared(text), place)
        if first != place:
            own = first[:2] == place[:2]
            # The schema tells of equal variants already.
            if not own or first[2] == "text":
                yield Draft(
                    code=codes.REPEATED_TEXT,
                    message=f"{shown(text)} is there twice",
                    severity=Severity.WARNING if own else Severity.NOTE,
                    path=place,
                    first=first,
                )


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


def _listed(value: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    for at, item in enumerate(value if isinstance(value, list) else ()):
        if isinstance(item, dict):
            yield at, item


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


def check_depth(documents: list[Document], index: Index) -> Iterator[tuple[Document, Draft]]:
    """Yield, with their file, the conditions that stand too deep in each other for a pack.

    Of those that name each other only the first that are too deep are told; where some go round in a
    circle, which is told elsewhere, none has a depth.
    """
    depths = _Depths(index.declared.conditions, _keys.facts_of(documents))
    if depths.is_circular:
        return
    for document in documents:
        for path, condition in document.once(_logical):
            depth, named = depths.of(condition)
            if depth > DEPTH_MAX >= named:
                message = f"conditions stand {depth} deep in each other"
                hint = f"{DEPTH_MAX} at most, with those that are named in them"
                yield document, Draft(code=codes.TOO_NESTED, message=message, hint=hint, path=path)


class _Depths:
    """How deep conditions stand in each other, those counted along that they name."""

    def __init__(self, named: Mapping[str, Mapping[str, Any]], former: _keys.Former) -> None:
        self._former = former
        self._own = {
            name: list(_normal.levels(one.get("when"), former)) for name, one in named.items()
        }
        self._depths: dict[str, int] = {}
        self.is_circular = False
        for name in self._own:
            if not self.is_circular:
                self._settle(name)

    def of(self, condition: Any) -> tuple[int, int]:
        """Return the depth of *condition*, and that of the deepest one that it names."""
        own = list(_normal.levels(condition, self._former))
        named = (self._depths.get(name, 0) for _, name in own if name is not None)
        return self._sum(own), max(named, default=0)

    def _settle(self, start: str) -> None:
        """Find the depth of *start* after those of all that it names, without recursion."""
        way = [start]
        begun: set[str] = set()
        while way:
            name = way[-1]
            others = [other for _, other in self._own[name] if other in self._own]
            left = [one for one in others if one is not None and one not in self._depths]
            if not begun.isdisjoint(left):  # what is begun and has no depth yet is on the way here
                self.is_circular = True
                return
            if left:
                begun.add(name)
                way += left
                continue
            self._depths.setdefault(name, self._sum(self._own[name]))
            way.pop()

    def _sum(self, own: list[tuple[int, str | None]]) -> int:
        return max((depth + self._depths.get(name or "", 0) for depth, name in own), default=0)


def _logical(document: Document) -> tuple[tuple[ValuePath, Any], ...]:
    """Return the conditions of *document* that have others in them, with their places."""
    if document.file.kind is FileKind.CONDITIONS:
        entries = enumerate(_declared.listed(document.root, "conditions"))
        found = [(("conditions", at, "when"), entry.get("when")) for at, entry in entries]
    elif document.file.kind in POOL_KINDS:
        found = [
            (("lines", at, "prerequisites"), line["prerequisites"])
            for at, line in document.lines
            if "prerequisites" in line
        ]
    else:
        found = []
    return tuple(
        (path, condition)
        for path, condition in found
        if isinstance(condition, dict) and not _LOGIC.isdisjoint(condition)
    )


def check_names(documents: list[Document], _: Index) -> Iterator[tuple[Document, Draft]]:
    """Yield, with their profile, the names that lead to two profiles."""
    found = [entry for document in documents for entry in _names(document)]
    owners: dict[str, set[str]] = {}
    for document, name, _path in found:
        owners.setdefault(name, set()).add(document.file.stem)
    for document, name, path in found:
        others = sorted(owners[name] - {document.file.stem})
        if others:
            yield (
                document,
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
