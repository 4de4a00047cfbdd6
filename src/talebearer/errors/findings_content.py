"""TB4xx: findings about content."""

from __future__ import annotations

from talebearer.errors._catalogue import register

NO_CONTENT = register(
    "TB400",
    "No content folder",
    "The folder that should hold the authored content is not there, or is a file.",
    "Name the campaign's content folder, or make one with `talebearer init DIR`.",
)
UNREADABLE_FILE = register(
    "TB401",
    "A content file that cannot be read",
    "The file system refuses, the name is not UTF-8, or it is no regular file. It was left out.",
    "Correct the permission, name or kind of the file.",
)
FILE_TOO_LARGE = register(
    "TB402",
    "A content file above the size limit",
    "The file is larger than the limit, which keeps memory bounded. It was not read.",
    "Split the file; a pool may be spread over several.",
)
NOT_UTF8 = register(
    "TB403",
    "A content file that is not UTF-8",
    "The bytes at this place do not form a character in UTF-8. Nothing of the file was used.",
    "Save the file as UTF-8.",
)
BAD_CHARACTER = register(
    "TB404",
    "A control character in content",
    "Control characters do not belong in text: terminals act on them, and a NUL would end it.",
    "Delete the character; most editors can show invisible ones.",
)
YAML_SYNTAX = register(
    "TB405",
    "A file that is no valid YAML",
    "The YAML parser stopped at this place. Nothing of the file was used.",
    "Correct the place; text with a colon or a leading symbol needs quotes.",
)
TAB_INDENT = register(
    "TB406",
    "A tab where YAML wants spaces",
    "YAML counts indentation in spaces only. Nothing of the file was used.",
    "Indent with spaces.",
)
DUPLICATE_KEY = register(
    "TB407",
    "A key that is there twice",
    "One mapping has the same key twice, so one of the two values would be lost without a word.",
    "Delete one, or rename it.",
)
ALIAS = register(
    "TB408",
    "A YAML alias",
    "Aliases repeat another part of the file. They are refused: a few of them can blow a small "
    "file up to gigabytes, and a reader of the line cannot see what it says.",
    "Write out what the alias stands for.",
)
TOO_DEEP = register(
    "TB409",
    "Content nested too deep",
    "No valid file nests this deep. Nothing of the file was used.",
    "Flatten the place that the message names.",
)
EMPTY_FILE = register(
    "TB410",
    "An empty content file",
    "The file holds nothing but blank space and comments.",
    "Fill it, or delete it.",
)
WRONG_ROOT = register(
    "TB411",
    "A file that is no mapping",
    "Every content file is one mapping of field names to values.",
    "Begin the file with its first field, such as `location: the-quay`.",
)
SYMLINK = register(
    "TB412",
    "A symbolic link that is not followed",
    "Links that lead out of the content folder, or back into a folder above, are not followed. "
    "What they lead to was left out.",
    "Put a copy of the file in the place of the link.",
)
UNREAD_FILE = register(
    "TB413",
    "A file that nothing reads",
    "The file looks like content, but its name or folder is not one that is read.",
    "Rename or move it as the hint says.",
)
MISPLACED_POOL = register(
    "TB414",
    "A pool in the wrong depth of folder",
    "Pools lie exactly two levels deep: dialogue/LOCATION/FILE.yaml and "
    "monologue/CHARACTER/FILE.yaml.",
    "Move the file into the folder of its location or character.",
)
BAD_FILE_NAME = register(
    "TB415",
    "A file name that is no slug",
    "The name without .yaml becomes a key: a speaker, a role, a location or a topic.",
    "Rename it: lower-case letters, digits and hyphens, beginning with a letter.",
)
DUPLICATE_POOL = register(
    "TB416",
    "Two files with one pool path",
    "The paths of two files differ only in how their accents are encoded, so they name one pool.",
    "Rename one of them.",
)
MISSING_FIELD = register(
    "TB420",
    "A missing field",
    "A field that is required here is not there.",
    "Add it.",
)
UNKNOWN_FIELD = register(
    "TB421",
    "An unknown field",
    "Nothing reads a field of this name here. It is refused, as a mistyped gate would open a line.",
    "Use the suggestion, or delete the field.",
)
WRONG_TYPE = register(
    "TB422",
    "A value of the wrong kind",
    "The field wants another kind of value, such as a list in place of one word.",
    "Write it as the field takes it; the page of fields lists every field of every file.",
)
UNKNOWN_VALUE = register(
    "TB423",
    "A value that is not declared",
    "The field takes only the words that the campaign's content/global/enums files declare, or the "
    "few that never change.",
    "Use the suggestion, or declare the word in the campaign's enumeration.",
)
BAD_FORM = register(
    "TB424",
    "A value that does not have its form",
    "Slugs, fact ids and references to characters have a fixed form, because they become keys.",
    "Write it in the form that the hint shows.",
)
TOO_FEW = register(
    "TB425",
    "A list with too few or too many values",
    "The list has fewer values than the field needs, or more than it takes.",
    "Add or delete values.",
)
DUPLICATE_ITEM = register(
    "TB426",
    "A value that is in a list twice",
    "Each value of a list counts once.",
    "Delete the second one.",
)
EMPTY_TEXT = register(
    "TB427",
    "A text without words",
    "The text is empty or blank.",
    "Write it, or delete the line.",
)
TEXT_TOO_LONG = register(
    "TB428",
    "A thought that is too long",
    "Monologue lines have at most 160 characters, to fit their display without scrolling.",
    "Shorten it, or make two lines of it.",
)
OUT_OF_RANGE = register(
    "TB429",
    "A number out of range",
    "The number is below or above what the field takes.",
    "Use one within the range.",
)
WRONG_COMBINATION = register(
    "TB430",
    "Fields that exclude each other",
    "One gate is written in one way: `state` or `states`, `min_count` or `count`, `value` or a "
    "comparison, one `relationship` or a list of `relationships`, and so on.",
    "Keep one of the two.",
)
BAD_LINE_ID = register(
    "TB431",
    "A line id that does not have its form",
    "Line ids are SLUG_d_NNN in dialogue and SLUG_m_LETTER_NNN in monologue.",
    "Write the id in this form; three digits, always.",
)
DUPLICATE_LINE_ID = register(
    "TB440",
    "A line id that is there twice",
    "Within a file every line has its own id: cooldowns and saves go by it.",
    "Give the newer of the two lines an id that was never used.",
)
LOCATION_MISMATCH = register(
    "TB441",
    "A location that does not match the file's place",
    "A dialogue file's location is the name of its folder. A monologue file that is named for a "
    "location belongs to this location or to `general`.",
    "Correct the header, or move the file.",
)
CHARACTER_MISMATCH = register(
    "TB442",
    "A character that does not match the folder",
    "Monologue folders are strictly one character's; the header confirms it.",
    "Correct the header, or move the file.",
)
UNKNOWN_ROLE = register(
    "TB443",
    "A role that nobody has here",
    "A line's role is its file's role or that of another file at the same location.",
    "Use the suggestion, or make a pool for the role.",
)
WRONG_LETTER = register(
    "TB444",
    "Another character's letter in a line id",
    "The letter in a monologue id tells whose thought it is, and must be the header's character's.",
    "Use the letter that the hint names.",
)
UNKNOWN_FACT = register(
    "TB445",
    "A fact that no catalogue has",
    "No file of content/global/knowledge declares the fact, so a gate on it may never open.",
    "Use the suggestion, or declare the fact in its category's file.",
)
DUPLICATE_FACT = register(
    "TB446",
    "A fact that is declared twice",
    "Every fact has one description.",
    "Delete one of the two.",
)
CATEGORY_MISMATCH = register(
    "TB447",
    "A category that does not match",
    "The file's stem, its category and the part of every fact id before the dot are one word.",
    "Correct the one that differs, or move the fact to its category's file.",
)
RESERVED_CATEGORY = register(
    "TB448",
    "A category that is kept for conversations",
    "Facts of the category `interaction` come from play; they are never declared or granted.",
    "Choose another category.",
)
DUPLICATE_VALUE = register(
    "TB449",
    "An enumeration value that is there twice",
    "Every value of an enumeration stands once; its place may be its rank.",
    "Delete one of the two.",
)
LETTER_FAULT = register(
    "TB450",
    "A character without a letter of its own",
    "Every value of characters.yaml has a letter that no other has; other enumerations have none.",
    "Give each character one letter.",
)
SHARED_NAME = register(
    "TB451",
    "A name that two profiles share",
    "A name said at the table leads to one profile only, and two of them claim this one.",
    "Keep it in the profile of the character who is meant.",
)
SEQUENCE_ZERO = register(
    "TB452",
    "A line id with number 000",
    "Sequences begin at 001.",
    "Number the line from 001 on, if nothing refers to it yet.",
)
UNKNOWN_ENTITY = register(
    "TB453",
    "A gate on somebody without profile or lines",
    "Nothing in the content mentions this character otherwise; a mistyped slug looks the same.",
    "Check the slug, or add a profile in content/global/npcs.",
)
UNKNOWN_LOCATION = register(
    "TB454",
    "A location that nothing else mentions",
    "No dialogue is set there and no profile places anybody there.",
    "Check the slug, if it is not meant to be a place for thoughts only.",
)
UNKNOWN_HOME = register(
    "TB455",
    "A place or role that no dialogue file has",
    "A character speaks from the files of its place, its own and its role's; without one it is mute.",
    "Use the suggestion, or write a dialogue file there.",
)
UNDECLARED = register(
    "TB456",
    "A name that is declared nowhere",
    "Timers, counters, values and speaking classes are declared in global/state.yaml, named "
    "conditions in global/conditions.yaml, event fields under their trigger. A gate on anything "
    "else could never hold.",
    "Use the suggestion, or declare the name.",
)
WRONG_VALUE_TYPE = register(
    "TB457",
    "A comparison or setting of another type",
    "A value, an event field or a counter holds what it was declared to hold; a comparison with "
    "anything else is never true.",
    "Write a number, a text in quotes, or true and false, as it was declared.",
)
IMPOSSIBLE = register(
    "TB458",
    "A gate that can never be met",
    "The bounds of one gate exclude each other, so no line behind it is ever said.",
    "Correct the bounds.",
)
CONDITION_CYCLE = register(
    "TB459",
    "Conditions that rest on each other",
    "A named condition leads back to itself, so it has no answer.",
    "Take one of the references out.",
)
EMPTY_CONDITION = register(
    "TB460",
    "A condition or gate that says nothing",
    "A condition without a gate always holds, and a comparison without an operator compares "
    "nothing; neither is what its author meant.",
    "Write what must hold, or delete it.",
)
UNKNOWN_LINE = register(
    "TB461",
    "An answer to a line that is not there",
    "The line that is answered is in no pool, or its id is in several, so nothing could be "
    "answered.",
    "Use the suggestion, or name the line as pool/path#id.",
)
ALIAS_TAKEN = register(
    "TB462",
    "A former id that is taken",
    "What was kept under a former id counts for one line only; this one is another line's, as "
    "its id or as its alias.",
    "Delete the alias, or correct it.",
)
REPEATED_TEXT = register(
    "TB463",
    "A text that is there twice",
    "Two lines, or two variants, have the same words, so one seems to repeat itself.",
    "Write another text, or delete one.",
)
NEVER_WRITTEN = register(
    "TB464",
    "State that no line writes",
    "Gates read it, but no line stamps, adds to or sets it; only the game can.",
    "Add an effect, if no caller writes it.",
)
DUPLICATE_DECLARATION = register(
    "TB465",
    "A declaration that is there twice",
    "Each timer, counter, value, class, condition and event field is declared once.",
    "Delete one of the two.",
)
UNUSED_DECLARATION = register(
    "TB466",
    "A declaration that nothing uses",
    "No line and no condition mentions it.",
    "Delete it, if no caller needs it.",
)
RENAMED_LINE = register(
    "TB467",
    "A line with a new id",
    "The same text had another id in the pack that is replaced. Ids stay for good: what saves keep "
    "of the line, such as its cooldown, is kept under the old one.",
    "Give the line its old id back, or name it under `aliases`.",
)
STALE_SCHEMA = register(
    "TB468",
    "Editor schemas that are not up to date",
    "The files of content/_schema list the values of the enumerations, and those have changed "
    "since, or Talebearer has. Editors then mark what is right and offer what is wrong.",
    "Run `talebearer schemas CONTENT --write`.",
)
FEW_SURFACE_LINES = register(
    "TB470",
    "A role with few lines for strangers",
    "A role needs about five lines of surface trust and public access for a first conversation.",
    "Write more of them.",
)
FEW_ARRIVAL_LINES = register(
    "TB471",
    "A location with few thoughts on arrival",
    "A location needs about three enter_location lines for each player character.",
    "Write more of them.",
)
STRONG_GRANT = register(
    "TB472",
    "A line that teaches a lot at once",
    "Hearing one line should leave a mind knowing of a thing, not its details.",
    "Grant knows_of or suspects, and let a second line add the details.",
)
ONE_TRUST_TIER = register(
    "TB473",
    "A character of one trust tier only",
    "All lines of the character need the same trust, so earning it changes nothing.",
    "Write lines for a second tier.",
)
NO_BASELINE = register(
    "TB474",
    "Late lines without early ones",
    "Lines tagged phase-5 turn a relationship that lines tagged phase-1 should have shown first.",
    "Write phase-1 lines for the same speaker.",
)
SPLIT_SEQUENCE = register(
    "TB475",
    "A line number that another file has, too",
    "The numbers of a character with files at several places run on from file to file, so that an "
    "id alone tells the line. Keys hold the file's path besides, so nothing breaks.",
    "Number new lines from the highest of all files on.",
)
CONTRADICTION = register(
    "TB476",
    "Gates that exclude each other",
    "Each gate of the line can be met, but never all of them at once, so the line is never said.",
    "Take out or correct one of the gates that the message names.",
)
NEVER_READ = register(
    "TB477",
    "State that lines write and no gate reads",
    "Lines stamp, add to or set it, and nothing asks for it: perhaps a gate means another name.",
    "Write the gate, or take the effect out, if no game reads it.",
)
UNKNOWN_TARGET = register(
    "TB478",
    "A target for something that is not there",
    "global/coverage.yaml says how much is to be written for a role, a place or a key of state, and "
    "nothing in the content has that name.",
    "Use the suggestion, or delete the entry.",
)
NEVER_GRANTED = register(
    "TB479",
    "A fact that gates ask for and no line grants",
    "Only the game can teach it, so without the game's help the lines behind it are never said.",
    "Let a line grant it, or name it under `by_game` in global/coverage.yaml.",
)
UNMET = register(
    "TB480",
    "A case of a plan that came out otherwise",
    "The line that a plan expects did not come, or one came that it rules out. The first thing that "
    "stopped the expected line is named.",
    "Correct the line or its gates, or the plan where it asks for the wrong thing.",
)
BAD_STEP = register(
    "TB481",
    "A step of a plan that cannot be played",
    "The step lacks a part of its scene, or what it gives the mind to know cannot have happened.",
    "Write what the message asks for.",
)
NOT_FORMATTED = register(
    "TB490",
    "A file that is left as it is written",
    "The file has YAML beyond keys, lists and text, such as an anchor or a tag, or it would not read "
    "back as the same data with the same comments. Nothing in it was changed.",
    "Write the place that the message names in plain YAML.",
)
TOO_NESTED = register(
    "TB432",
    "Conditions that stand too deep in each other",
    "Conditions may stand 64 deep in each other, in one place or by the names of others; no pack with "
    "more is loaded.",
    "Say the same with fewer conditions inside each other.",
)
NEEDS_GAME = register(
    "TB482",
    "A line that only the game can open",
    "Nothing that lines write ever meets its gates: a fact that no line grants so well, a value that "
    "no line sets, a timer that no line stamps. Only the game itself could.",
    "Let a line write what is asked for, or name it under `by_game` in global/coverage.yaml.",
)
ALWAYS_BEATEN = register(
    "TB483",
    "A line that others always beat",
    "Whenever it could be said, another line of its pool can be said too and comes first by the "
    "pool's strategy, so it is never drawn.",
    "Raise its priority, gate the other line, or let the pool use the strategy `weighted`.",
)
SAME_LINE = register(
    "TB484",
    "A line that is another one again",
    "Two lines that are drawn together have the same words, tags and gates.",
    "Write another text, or delete one.",
)
GATE_SLIP = register(
    "TB485",
    "A gate that its siblings would write otherwise",
    "The line asks that one thing has not happened yet and then notes another one; the lines beside "
    "it ask for what they note themselves. A copied gate looks like this.",
    "Let the gate name what the line writes, if that was meant.",
)
DANGLING_REPLY = register(
    "TB486",
    "An answer to a line that is never said",
    "The line that is answered can never be said, so neither can the answer.",
    "Mend the line that is answered, or answer another one.",
)
LONG_COOLDOWN = register(
    "TB487",
    "A cooldown longer than a session",
    "The line comes once a session at most; `session_ticks` of global/coverage.yaml says how long "
    "one is.",
    "Shorten the cooldown, or say `once` if once is meant.",
)
NEVER_ASKED = register(
    "TB469",
    "A fact that lines grant and no gate asks for",
    "Minds learn it, and no line is any different for it.",
    "Write a line for those who know, if one was meant.",
)
GAP = register(
    "TB488",
    "A gap in what is written",
    "A role has words for this access tier and this situation, and nothing to say where the two "
    "meet; or fewer lines than global/coverage.yaml asks for.",
    "Write a line for it, or say in global/coverage.yaml what is wanted.",
)
OFF_VOLUME = register(
    "TB489",
    "More or fewer lines than planned",
    "The number of lines is not between the two that global/coverage.yaml gives.",
    "Write more, or correct the plan.",
)
