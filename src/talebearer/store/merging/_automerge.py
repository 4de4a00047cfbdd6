"""The Automerge engine: JSON as one document whose root has the single key ``value``.

Null, boolean, integer, unsigned integer, float, text, list and map keep their types; every
string is a Text. The engine is optional: without the package there is none.

Two kinds of its faults are not exceptions of Python's ordinary sort: a panic inside the engine is
a BaseException. Whatever it raises becomes a refusal, never the end of the process.

Source: the protocol sheet, section 5.5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import metadata
from typing import Any, NamedTuple, ParamSpec, TypeVar

from talebearer.store.merging._engine import (
    TEXT_CHARS_MAX,
    EngineRefusal,
    StoredChange,
)
from talebearer.store.merging._fresh import fresh_change
from talebearer.store.merging._text import text_edits

P = ParamSpec("P")
T = TypeVar("T")
_INT_MAX = 2**63 - 1
_SUPPORTED = "1.0.0rc1"


def automerge_engine() -> Automerge | None:
    """Return the engine, None where its package is not installed or is another one."""
    try:
        # Another package held the name before; only this version is the official binding.
        if metadata.version("automerge") != _SUPPORTED:
            return None
        from automerge import core
    except ImportError:
        return None
    return Automerge(core)


class _Begun(NamedTuple):
    """A document of one change that is not loaded: most are written and never merged."""

    change: StoredChange


class Automerge:
    """Automerge through its official binding."""

    def __init__(self, core: Any) -> None:
        self._core = core
        kinds = core.ScalarType
        self._null, self._bool = kinds.Null, kinds.Boolean
        self._int, self._uint, self._float = kinds.Int, kinds.Uint, kinds.F64
        self._str = kinds.Str

    @property
    def name(self) -> str:
        """Name and version."""
        return f"automerge {_SUPPORTED}"

    def new(self, value: Any, *, actor: bytes) -> Any:
        """Return a fresh document that holds *value*, written by *actor*."""
        return self._guard(_begun, value, actor)

    def typed(self, value: Any, *, actor: bytes) -> Any:
        """Return what :meth:`new` does, made by the engine itself; much slower, and the same."""
        return self._guard(self._new, value, actor)

    def load(self, changes: Iterable[bytes]) -> Any:
        """Return the document that *changes*, in any order, make."""
        return self._guard(self._core.Document.load, b"".join(changes))

    def join(self, documents: Iterable[Any]) -> Any:
        """Return the join of one or more documents."""
        return self._guard(self._join, [self._whole(one) for one in documents])

    def edit(self, document: Any, value: Any, *, actor: bytes) -> Any:
        """Return *document* changed by *actor* so that it holds *value*."""
        return self._guard(self._edit, self._whole(document), value, actor)

    def value(self, document: Any) -> Any:
        """Return the JSON value that *document* holds."""
        return self._guard(self._value_of_root, self._whole(document))

    def heads(self, document: Any) -> tuple[str, ...]:
        """Return the hashes of the changes that nothing follows, sorted."""
        if isinstance(document, _Begun):
            return (document.change.hash,)
        return tuple(sorted(head.hex() for head in document.get_heads()))

    def changes(self, document: Any, *, since: Iterable[str] = ()) -> list[StoredChange]:
        """Return the changes of *document* after the heads *since*, parents before children."""
        if isinstance(document, _Begun):
            return [] if document.change.hash in since else [document.change]
        known = [bytes.fromhex(head) for head in since]
        return [
            StoredChange(
                hash=change.hash.hex(),
                parents=tuple(sorted(parent.hex() for parent in change.deps)),
                data=change.raw_bytes,
            )
            for change in self._guard(document.get_changes, known)
        ]

    def _guard(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return work(*args, **kwargs)
        except EngineRefusal:
            raise
        except (KeyboardInterrupt, SystemExit, GeneratorExit):
            raise
        except BaseException as error:
            raise EngineRefusal(f"{type(error).__name__}: {error}") from error

    def _whole(self, document: Any) -> Any:
        return self.load((document.change.data,)) if isinstance(document, _Begun) else document

    def _new(self, value: Any, actor: bytes) -> Any:
        _check(value)
        document = self._core.Document(actor)
        with document.transaction() as transaction:
            self._put(transaction, self._core.ROOT, "value", value)
        return document

    def _join(self, documents: list[Any]) -> Any:
        joined = documents[0].fork()
        for other in documents[1:]:
            joined.merge(other)
        return joined

    def _edit(self, document: Any, value: Any, actor: bytes) -> Any:
        _check(value)
        edited = document.fork()
        edited.set_actor(actor)
        with edited.transaction() as transaction:
            self._become(transaction, self._core.ROOT, "value", value)
        return edited

    def _put(self, transaction: Any, parent: bytes, key: str | int, value: Any) -> None:
        if isinstance(value, (str, list, dict)):
            made = transaction.put_object(parent, key, self._kind_of(value))
            self._fill(transaction, made, value)
        else:
            transaction.put(parent, key, *self._scalar(value))

    def _insert(self, transaction: Any, parent: bytes, index: int, value: Any) -> None:
        if isinstance(value, (str, list, dict)):
            made = transaction.insert_object(parent, index, self._kind_of(value))
            self._fill(transaction, made, value)
        else:
            transaction.insert(parent, index, *self._scalar(value))

    def _fill(self, transaction: Any, made: bytes, value: Any) -> None:
        if isinstance(value, str):
            insert, kind = transaction.insert, self._str
            for index, char in enumerate(value):
                insert(made, index, kind, char)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                self._insert(transaction, made, index, item)
        else:
            for key in sorted(value):
                self._put(transaction, made, key, value[key])

    def _become(self, transaction: Any, parent: bytes, key: str | int, value: Any) -> None:
        """Change what stands under *key* of *parent* into *value*, as little as possible."""
        found, there = transaction.get(parent, key)
        if found != self._kind_of(value):
            if not self._same_scalar(found, value):
                self._put(transaction, parent, key, value)
        elif isinstance(value, str):
            self._become_text(transaction, there, value)
        elif isinstance(value, list):
            self._become_list(transaction, there, value)
        else:
            self._become_map(transaction, there, value)

    def _become_text(self, transaction: Any, there: bytes, value: str) -> None:
        for position, removed, inserted in text_edits(transaction.text(there), value):
            for _ in range(removed):
                transaction.delete(there, position)
            for offset, char in enumerate(inserted):
                transaction.insert(there, position + offset, self._str, char)

    def _become_list(self, transaction: Any, there: bytes, value: list[Any]) -> None:
        length = transaction.length(there)
        for index, item in enumerate(value[:length]):
            self._become(transaction, there, index, item)
        for index in range(length - 1, len(value) - 1, -1):
            transaction.delete(there, index)
        for index in range(length, len(value)):
            self._insert(transaction, there, index, value[index])

    def _become_map(self, transaction: Any, there: bytes, value: dict[str, Any]) -> None:
        present = set(transaction.keys(there))
        for key in sorted(present - value.keys()):
            transaction.delete(there, key)
        for key in sorted(value):
            if key in present:
                self._become(transaction, there, key, value[key])
            else:
                self._put(transaction, there, key, value[key])

    def _kind_of(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._core.ObjType.Text
        if isinstance(value, list):
            return self._core.ObjType.List
        return self._core.ObjType.Map if isinstance(value, dict) else None

    def _scalar(self, value: Any) -> tuple[Any, Any]:
        if value is None:
            return self._null, None
        if isinstance(value, bool):
            return self._bool, value
        if isinstance(value, int):
            return (self._int if value <= _INT_MAX else self._uint), value
        return self._float, value

    def _same_scalar(self, found: Any, value: Any) -> bool:
        if not isinstance(found, tuple) or isinstance(value, (str, list, dict)):
            return False
        kind, stored = found
        wanted, new = self._scalar(value)
        # -0.0 equals 0.0 for Python, not for JSON text.
        return bool(kind == wanted and repr(stored) == repr(new))

    def _value_of_root(self, document: Any) -> Any:
        found, there = document.get(self._core.ROOT, "value")
        return self._value(document, found, there)

    def _value(self, document: Any, found: Any, there: bytes) -> Any:
        kinds = self._core.ObjType
        if found == kinds.Text:
            text = document.text(there)
            if len(text) > TEXT_CHARS_MAX:
                raise EngineRefusal(f"{len(text)} characters of merged text")
            return text
        if found == kinds.List:
            return [self._value(document, *item) for item in document.values(there)]
        if found == kinds.Map:
            pairs = ((key, document.get(there, key)) for key in document.keys(there))
            return {key: self._value(document, *item) for key, item in pairs}
        kind, value = found
        if kind not in (self._null, self._bool, self._int, self._uint, self._float):
            raise EngineRefusal(f"a value of the kind {kind}, which JSON lacks")
        return value


def _begun(value: Any, actor: bytes) -> _Begun:
    _check(value)
    return _Begun(fresh_change(value, actor=actor))


def _check(value: Any) -> None:
    """Refuse what a document cannot hold as it is."""
    total = 0
    todo = [value]
    while todo:
        one = todo.pop()
        if isinstance(one, str):
            total += len(one)
        elif isinstance(one, dict):
            if "" in one:
                raise EngineRefusal("an empty key")
            total += sum(map(len, one))
            todo += one.values()
        elif isinstance(one, list):
            todo += one
    if total > TEXT_CHARS_MAX:
        raise EngineRefusal(f"{total} characters of text")
