"""One peer of the store, run by the Python of .venv-bench: put and get the same documents.

Prints ``{"name", "put", "get"}``, median seconds of one document. Each is used as its own guide shows,
with what it does by default for durability.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any


def langgraph(folder: Path) -> tuple[str, Callable[..., Any], Callable[..., Any]]:
    """LangGraph's SqliteStore."""
    from langgraph.store.sqlite import SqliteStore

    opened = SqliteStore.from_conn_string(str(folder / "store.db"))
    store = opened.__enter__()
    store.setup()
    kept.append(opened)
    put = lambda key, value: store.put(("bench", "u"), key, value)  # noqa: E731 - a pair of calls
    return "langgraph-checkpoint-sqlite", put, lambda key: store.get(("bench", "u"), key)


def sqlite_utils(folder: Path) -> tuple[str, Callable[..., Any], Callable[..., Any]]:
    """sqlite-utils, a row a document."""
    import sqlite_utils

    database = sqlite_utils.Database(folder / "store.db")
    table = database["documents"]

    def put(key: str, value: Any) -> None:
        table.insert({"id": key, "value": value}, pk="id", replace=True)

    return "sqlite-utils", put, lambda key: json.loads(table.get(key)["value"])


def diskcache(folder: Path) -> tuple[str, Callable[..., Any], Callable[..., Any]]:
    """diskcache's Cache."""
    import diskcache

    cache = diskcache.Cache(str(folder / "cache"))
    return "diskcache", cache.set, cache.get


def tinydb(folder: Path) -> tuple[str, Callable[..., Any], Callable[..., Any]]:
    """TinyDB, a document a record."""
    from tinydb import Query, TinyDB

    database = TinyDB(folder / "store.json")
    query = Query()
    put = lambda key, value: database.insert({"id": key, "value": value})  # noqa: E731 - as above
    return "tinydb", put, lambda key: database.get(query.id == key)


kept: list[Any] = []
PEERS = {
    "langgraph": langgraph,
    "sqlite-utils": sqlite_utils,
    "diskcache": diskcache,
    "tinydb": tinydb,
}
SLOW_COUNT = 300


def median(call: Callable[..., Any], items: list[Any]) -> float:
    """Return the median seconds of a call."""
    times = []
    for item in items:
        began = time.perf_counter()
        call(*item)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def main() -> None:
    """Measure one peer and print it."""
    name, path, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    folder.mkdir()
    documents = json.loads(path.read_text(encoding="utf-8"))
    if name == "tinydb":
        # It writes its whole file again for every document; more would take all day.
        documents = documents[:SLOW_COUNT]
    package, put, get = PEERS[name](folder)
    put_seconds = median(put, documents)
    get_seconds = median(get, [(key,) for key, _ in documents])
    version = metadata.version(package)
    print(json.dumps({"name": f"{package} {version}", "put": put_seconds, "get": get_seconds}))
    for one in kept:
        one.__exit__(None, None, None)


if __name__ == "__main__":
    main()
