"""campaign.toml with new seats: everything else in it, comments and order too, stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from talebearer.campaign.roster._seats import Seat
from talebearer.extraction import SpeakerRole, fold_label

_LISTS = {SpeakerRole.GAME_MASTER: "game_masters", SpeakerRole.GUEST: "guests"}


def with_seats(text: str, seats: Sequence[Seat]) -> str:
    """Return campaign.toml's *text* with *seats* in it.

    *text* is a valid campaign.toml, and *seats* were checked against it.
    """
    import tomlkit

    document: Any = tomlkit.parse(text)
    for seat in seats:
        if seat.role is SpeakerRole.PLAYER:
            _seat_player(document, seat)
        else:
            _seat_person(document, _LISTS[seat.role], seat)
    return tomlkit.dumps(document)


def _seat_player(document: Any, seat: Seat) -> None:
    import tomlkit

    rows = document.get("roster")
    for row in rows or ():
        if fold_label(row["player"]) == fold_label(seat.person):
            _add(row, seat, name=row["player"])
            return
    if rows is None:
        document["roster"] = tomlkit.aot()
        rows = document["roster"]
    # `roster = [{...}]` on one line is the same data as blocks, and stays on its line.
    row = tomlkit.table() if _is_blocks(rows) else tomlkit.inline_table()
    row["player"] = seat.person
    _add(row, seat, name=seat.person)
    rows.append(row)


def _seat_person(document: Any, key: str, seat: Seat) -> None:
    import tomlkit

    rows = document.get(key)
    if rows is None:
        document[key] = tomlkit.array()
        rows = document[key]
    for index, row in enumerate(rows):
        name = row if isinstance(row, str) else row["name"]
        if fold_label(name) != fold_label(seat.person):
            continue
        if isinstance(row, str):
            row = tomlkit.inline_table()
            row["name"] = name
            _add(row, seat, name=name)
            if set(row) != {"name"}:
                rows[index] = row
        else:
            _add(row, seat, name=name)
        return
    bare = fold_label(seat.person) == fold_label(seat.label) and not seat.characters
    if bare and not _is_blocks(rows):
        rows.append(seat.label)
        return
    row = tomlkit.table() if _is_blocks(rows) else tomlkit.inline_table()
    row["name"] = seat.person
    _add(row, seat, name=seat.person)
    rows.append(row)


def _is_blocks(rows: Any) -> bool:
    from tomlkit.items import AoT

    return isinstance(rows, AoT)


def _add(row: Any, seat: Seat, *, name: str) -> None:
    """Add what a row lacks of the seat's label and characters."""
    if fold_label(seat.label) != fold_label(name):
        _extend(row, "labels", (seat.label,))
    _extend(row, "characters", seat.characters)


def _extend(row: Any, key: str, texts: Sequence[str]) -> None:
    if not texts:
        return
    if key not in row:
        row[key] = list(texts)
        return
    present = {fold_label(text) for text in row[key]}
    for text in texts:
        if fold_label(text) not in present:
            row[key].append(text)
