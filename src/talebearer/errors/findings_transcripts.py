"""TB5xx: findings about transcripts."""

from __future__ import annotations

from talebearer.errors._catalogue import register

EMPTY_UNITS = register(
    "TB501",
    "Units without text",
    "A unit that says nothing cannot be evidence, so it was left out and those after it moved up.",
    "Nothing, unless speech is missing there: then export the transcript again.",
)
RENUMBERED = register(
    "TB502",
    "Units numbered anew",
    "The file's own ids do not run from the first to the last without a gap, and unit ids do.",
    "Cite the new ids. The digest in a citation's source says which numbering is meant.",
)
UNUSABLE_TIME = register(
    "TB503",
    "A time that cannot be used",
    "Times are finite seconds from the start, not negative, and no unit ends before it starts. "
    "Such a time counts as unknown; the text was kept.",
    "Correct the place that the message names if the time matters.",
)
READ_AS_UTF16 = register(
    "TB504",
    "A transcript in UTF-16",
    "The file begins with a UTF-16 byte order mark and was read as such.",
    "Nothing; save it as UTF-8 to be rid of this warning.",
)
READ_AS_WINDOWS_1252 = register(
    "TB505",
    "A transcript in Windows-1252",
    "The file is not UTF-8. It was read as Windows-1252, the usual Western European encoding, "
    "which cannot be told from its relatives with certainty.",
    "Look at the piece that the message shows; if letters are wrong, save the file as UTF-8.",
)
OUTSIDE_CUES = register(
    "TB506",
    "Lines that belong to no cue",
    "In WebVTT an empty line ends a cue, so text after it is shown to nobody. It was left out.",
    "If it is speech, take the empty line away or give the text a time line of its own.",
)
UNTAKEN_LABEL = register(
    "TB507",
    "A line start that may be a speaker",
    "The line begins with a word and a colon, but too little says that it names a speaker. It was "
    "kept as text, since taking it away would change what was said.",
    "If it is a speaker, put a time stamp in front: `[0:12:40] Keg: I am in.`",
)
NO_SPEAKERS = register(
    "TB508",
    "A transcript without speakers",
    "No unit has a speaker label, so nobody can tell the game master's words from a player's.",
    "Export it with speakers, or run diarisation first.",
)
