"""TB491 to TB499: findings about sheets of lines and about translations."""

from __future__ import annotations

from talebearer.errors._catalogue import register

UNREADABLE_SHEET = register(
    "TB499",
    "A sheet that cannot be read",
    "The file is neither CSV nor XLSX as a spreadsheet saves it, has no headings, or is "
    "larger than any sheet of lines. Nothing of it was used.",
    "Export again, or save the file as .xlsx or as CSV UTF-8.",
)
SHEET_COLUMN = register(
    "TB491",
    "A column of a sheet that is not known",
    "Import knows the columns that export writes, and passes over those whose headings begin "
    "with x-. A column of another name would be left out without a word.",
    "Give the column its old heading, or begin its heading with x-.",
)
SHEET_CELL = register(
    "TB492",
    "A cell that cannot be taken",
    "The cell holds something that its column does not: another word than those allowed, a "
    "number or date that the spreadsheet made of a text, a formula, nothing where something "
    "must be, or it is merged with others.",
    "Correct the cell; format it as text first if the spreadsheet changes what is typed.",
)
SHEET_ROW = register(
    "TB493",
    "A row that is no line",
    "The pool and id of the row lead to no line, or two rows lead to the same one.",
    "Leave pool, id and variant as they were exported; for a new line leave the id empty and "
    "say --add.",
)
SHEET_CONFLICT = register(
    "TB494",
    "A cell that was changed on both sides",
    "Since the export, the sheet and the content have changed the same value, each in its "
    "way. Nothing was written.",
    "Choose with --ours (the content's value stays) or --theirs (the sheet's value wins), or "
    "edit one of the two.",
)
SHEET_READ_ONLY = register(
    "TB495",
    "A change in a column that only tells",
    "Grey columns are worked out from the line. What was changed in them was not read.",
    "Change the line itself, in its white cells or in its YAML file.",
)
SHEET_ROW_GONE = register(
    "TB496",
    "A line without a row",
    "The sheet has rows of the line's pool and none of the line. Import deletes nothing by itself.",
    "Say --remove to delete such lines, or leave it: the line stays as it is.",
)
TRANSLATION = register(
    "TB497",
    "A translation that is missing or not up to date",
    "A text has no translation yet, or has changed since it was translated and nobody has "
    "looked again.",
    "Translate it in the .po file, and take the mark `fuzzy` away where the old translation "
    "still holds.",
)
BAD_TRANSLATIONS = register(
    "TB498",
    "A translation file that cannot be used",
    "The file is no PO file as gettext writes it, is too large, or holds an entry that "
    "belongs to no line.",
    "Correct the place that the message names, or export the file again.",
)
