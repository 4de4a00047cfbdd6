"""TB6xx: findings about extraction."""

from __future__ import annotations

from talebearer.errors._catalogue import register

MALFORMED_JSON = register(
    "TB601",
    "An artifact that is not strict JSON",
    "The bytes are not UTF-8, not JSON, nested too deeply, or use NaN or Infinity.",
    "Write it again from the payload; artifacts are canonical UTF-8 JSON.",
)
DUPLICATE_KEY = register(
    "TB602",
    "A member that is there twice",
    "An object has the same key twice, so readers would disagree about its value.",
    "Keep one of the two.",
)
MISSING_MEMBER = register(
    "TB603",
    "A missing member",
    "Every member of the contract is required.",
    "Add the member that the message names.",
)
EXTRA_MEMBER = register(
    "TB604",
    "A member that the contract does not have",
    "Unknown members are refused, so that a summary or a guess cannot slip in beside evidence.",
    "Take the member away.",
)
WRONG_TYPE = register(
    "TB605",
    "A member of the wrong type",
    "The value is of another JSON type than the contract's; true and false are not numbers.",
    "Give a value of the type that the message names.",
)
BAD_NAME = register(
    "TB606",
    "A name that is empty or not canonical",
    "Names are non-empty, NFC, and without blanks at either end.",
    "Write the canonical display name.",
)
UNREGISTERED_NAME = register(
    "TB607",
    "A name that the registry does not have",
    "Interactions involve only people of the accepted registry, spelt exactly as there.",
    "Correct the spelling, or extract the registry again.",
)
UNKNOWN_KIND = register(
    "TB608",
    "An unknown interaction kind",
    "The vocabulary of kinds is closed.",
    "Use one of the kinds that the hint lists.",
)
NO_EVIDENCE = register(
    "TB609",
    "A record without evidence",
    "source_refs is empty; whatever is stored cites at least one unit.",
    "Cite the units that show it, or leave the record out.",
)
BAD_RANGE = register(
    "TB610",
    "A range that is malformed or reversed",
    "Unit ids are whole numbers from 1, and a range's end is not before its start.",
    "Correct the range.",
)
OUT_OF_SOURCE = register(
    "TB611",
    "Evidence outside the source",
    "The range cites units, or a source, that the current transcript does not have.",
    "Cite units of the current transcript only; a registry or a reference is no evidence.",
)
NOT_NORMALISED = register(
    "TB612",
    "A list that is not in normal form",
    "Records and ranges stand in source order, exact duplicates once, ids match names.",
    "Normalise the list again.",
)
UNROSTERED_SPEAKER = register(
    "TB620",
    "A speaker that the roster does not know",
    "Without a role their turns count as a player's, and nobody can be told apart from an NPC.",
    "Add the label to a player, a game master or a guest of the roster.",
)
NO_GAME_MASTER = register(
    "TB621",
    "No game master speaks in the transcript",
    "NPCs are voiced by the game master; without one only names in talk are found.",
    "Add the game master's speaker label to the roster.",
)
MALFORMED_PIPELINE = register(
    "TB630",
    "A pipeline that is not written as one",
    "The file is not YAML, uses aliases or tags, or has missing, unknown or wrong members.",
    "Correct the place; docs/config.md shows every member.",
)
UNKNOWN_COMPONENT = register(
    "TB631",
    "An unknown component",
    "No component with this key and role is built in or installed as a plug-in.",
    "Use one of the keys that the hint lists, or install the package that brings it.",
)
BAD_REFERENCE = register(
    "TB632",
    "A reference that cannot be bound",
    "A required slot is empty, or filled from a later step, an unknown lane or another kind of artifact.",
    "Refer to a lane of an earlier step that gives what the slot needs.",
)
BROKEN_COMPONENT = register(
    "TB633",
    "A component that cannot be used",
    "A plug-in fails on import or does not provide the component that its key promises.",
    "Update or remove the package that brings it.",
)
UNRELATED_SOURCE = register(
    "TB634",
    "Evidence that does not have the name",
    "Neither the cited units nor those just before have the name, a word of it or a known spelling. "
    "That may be right, since people are also spoken of as he and she.",
    "Look at the cited units; nothing needs to be done when they are right.",
)
REFUSED_CHUNK = register(
    "TB635",
    "A part of the transcript that the model refused",
    "The model declined to answer for these units, so that the result lacks what happens in them.",
    "Run again with another model, or look at these units yourself.",
)
NAMES_AT_TABLE = register(
    "TB636",
    "Names of the table among the proposed people",
    "Players, their characters, game masters and guests are never NPCs; such proposals are left out.",
    "Nothing needs to be done.",
)
REPLY_TOO_LARGE = register(
    "TB637",
    "A model reply that is too large",
    "A reply is at most one mebibyte; a larger one is not even parsed.",
    "Use a model that keeps to the response schema.",
)
INVENTED_NAME = register(
    "TB638",
    "A name that the transcript does not have",
    "A registry entry has no word in common with the units it comes from, nor a known spelling there.",
    "Write the name as the transcript has it, or leave the entry out.",
)
STALE_DECISION = register(
    "TB650",
    "A decision of review that matches nothing any more",
    "The name, or the occurrence with its words, is not among what is extracted now. The decision is kept, "
    "and holds again as soon as what it is about is back.",
    "Look at it with `talebearer review list --stale`; decide anew, or undo it.",
)
