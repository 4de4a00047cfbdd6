"""What may be written at a place, and what stands there, as an editor shows it."""

from __future__ import annotations

import re

from lsprotocol import types

from talebearer.content.index import Proposal, Sort, about, offer, thing_at
from talebearer.server.lsp._server import Asked

_KINDS = {
    Sort.FIELD: types.CompletionItemKind.Field,
    Sort.WORD: types.CompletionItemKind.EnumMember,
    Sort.NAME: types.CompletionItemKind.Reference,
}
_MARKUP = re.compile(r"([\\`*_{}\[\]()#|<>~])")


def completion(asked: Asked) -> types.CompletionList:
    """Return what may be written at the place, in the order of the files."""
    found = offer(asked.analysis, asked.file, asked.cursor, asked.typed)
    items = [_item(asked, number, one) for number, one in enumerate(found.proposals)]
    return types.CompletionList(is_incomplete=not found.is_complete, items=items)


def _item(asked: Asked, number: int, one: Proposal) -> types.CompletionItem:
    insert = one.insert.strip('"') if asked.cursor.quote else one.insert
    return types.CompletionItem(
        label=one.label,
        kind=_KINDS[one.sort],
        detail=one.detail,
        documentation=one.about or None,
        sort_text=f"{number:05d}",
        filter_text=one.label,
        text_edit=types.TextEdit(range=asked.word_range, new_text=insert),
    )


def hover(asked: Asked) -> types.Hover | None:
    """Return what the word at the place is."""
    thing = thing_at(asked.file, asked.cursor)
    if thing is None:
        return None
    title, *said = about(asked.analysis, asked.file, asked.cursor, thing)
    text = "\n\n".join([f"**{_plain(title)}**", *map(_plain, said)])
    content = types.MarkupContent(kind=types.MarkupKind.Markdown, value=text)
    return types.Hover(contents=content, range=asked.word_range)


def _plain(text: str) -> str:
    """Return *text* as Markdown that shows it as it is, whatever an author wrote into it."""
    return _MARKUP.sub(r"\\\1", text).replace("&", "&amp;")
