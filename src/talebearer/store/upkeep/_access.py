"""Reading a store from outside: a connection of its own that stands at one moment.

Everything that looks at a whole store goes through :class:`Reading`. It never writes, so it may
run beside the writer; inside :meth:`Reading.snapshot` all queries see one moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

import apsw

from talebearer.errors import TalebearerError, UsageFault
from talebearer.store._canonical import canonical_text
from talebearer.store._engine import Bindings, Database, Row, engine_fault
from talebearer.store._open import open_database
from talebearer.store.upkeep._place import Place

SCOPES_SHOWN_MAX = 8
_SCOPES = "SELECT scope_json FROM patchouli_scope_frontier ORDER BY scope_json LIMIT ?"
_HAS_SCOPE = "SELECT 1 FROM patchouli_scope_frontier WHERE scope_json = ?"


class Reading:
    """A connection to the store at a :class:`Place` that is only read through.

    Raises:
        SchemaTooNew: The database is of a newer schema version (TB201).
        ForeignDatabase: It is no database, or another program's (TB202).
        StoreCorrupt: Its first pages are damaged (TB207).
        SchemaTooOld: It is of an older schema version (TB209).
        StoreUnavailable: There is nothing to read (TB210).
    """

    def __init__(self, place: Place, *, database: Database | None = None) -> None:
        """Open the store, or read through *database*, a connection to it that is open already."""
        self.place = place
        self._database = database or open_database(place.database, read_only=True).database
        self.connection = self._database.connection
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def database(self) -> Database:
        """The connection as the rest of the store uses it."""
        return self._database

    def close(self) -> None:
        """Close the connection; a generator that is still open on it ends."""
        self._closed = True
        self._database.close()

    def each(self, sql: str, bindings: Bindings = ()) -> Iterator[Row]:
        """Yield the rows of *sql* one by one, so that a whole table needs no room."""
        try:
            yield from self.connection.execute(sql, bindings)
        except apsw.Error as error:
            raise self.fault(error) from error

    def rows(self, sql: str, bindings: Bindings = ()) -> list[Row]:
        """Return all rows of *sql*."""
        return list(self.each(sql, bindings))

    def value(self, sql: str, bindings: Bindings = ()) -> Any:
        """Return the one value of the one row of *sql*."""
        ((value,),) = self.rows(sql, bindings)
        return value

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Hold one moment: what a writer commits meanwhile is not seen."""
        self.rows("BEGIN")
        try:
            self.rows("SELECT 1 FROM patchouli_runtime_state")
            yield
        finally:
            if not self._closed and self.connection.in_transaction:
                self.rows("ROLLBACK")

    def fault(self, error: apsw.Error) -> TalebearerError:
        """Return what SQLite's *error* means."""
        return engine_fault(
            error, path=self.place.database, system_errno=self.connection.system_errno
        )


def scope_of(reading: Reading, given: Mapping[str, Any] | None) -> str:
    """Return the canonical text of the scope that is meant.

    Args:
        reading: The store.
        given: Its fields; None or none takes the store's only scope.

    Raises:
        UsageFault: No such scope, or several and none was named (TB111).
    """
    if given:
        text = canonical_text(dict(given))
        if reading.rows(_HAS_SCOPE, (text,)):
            return text
        raise UsageFault(
            f"there is no scope {text} in {reading.place.database}", hint=_known(reading)
        )
    scopes = reading.rows(_SCOPES, (2,))
    if len(scopes) == 1:
        return str(scopes[0][0])
    what = "has several scopes" if scopes else "is empty: it has no scope yet"
    raise UsageFault(f"{reading.place.database} {what}", hint=_known(reading))


def _known(reading: Reading) -> str:
    scopes = [row[0] for row in reading.rows(_SCOPES, (SCOPES_SHOWN_MAX + 1,))]
    if not scopes:
        return "nothing was written yet"
    more = " …" if len(scopes) > SCOPES_SHOWN_MAX else ""
    return f"there are: {', '.join(scopes[:SCOPES_SHOWN_MAX])}{more}"
