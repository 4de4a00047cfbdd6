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
LEFT_OUT = register(
    "TB509",
    "Lines that nobody says",
    "Titles, lists of attendees, export notices and the like stand in the file but are no speech. "
    "They were left out, and are listed so that nothing goes missing unseen.",
    "Nothing; if one of them is speech, save the transcript as lines of `Name: text`.",
)
ATTACHMENTS = register(
    "TB510",
    "Parts of messages that are not text",
    "Messages carry files, embeds, stickers or a reference to the message they answer. Only what "
    "was written is read.",
    "Nothing, unless a picture says what matters: then write it into the transcript.",
)
MILLISECONDS = register(
    "TB511",
    "Times taken as milliseconds",
    "The file does not say its unit of time. Read as seconds, people would have to speak far too "
    "slowly, so the times were divided by 1,000.",
    "If the times are wrong, write them in seconds under `start` and `end`, and the file as "
    "WhisperX JSON with `segments`.",
)
COUNTED_FROM_FIRST = register(
    "TB512",
    "Times counted from the first message",
    "The file has dates or times of day. Times are seconds from its earliest message, which need "
    "not be the beginning of a recording.",
    "Nothing; the message gives the moment that counts as zero.",
)
TRACKS_UNMATCHED = register(
    "TB513",
    "Tracks that do not match info.txt",
    "A track in info.txt has no transcript beside it, a transcript is no track of info.txt, or a "
    "file was not needed. Its speaker is then named after the file.",
    "Put one transcript for each track into the folder, named as its recording: `1-ana.json`.",
)
TRACK_LABELS = register(
    "TB514",
    "Labels inside a track",
    "A track has one person's microphone, so its units carry that person's name. The labels that "
    "the transcript of the track has itself were not used.",
    "If several people share the microphone, record that track's transcript by itself.",
)
GUESSED_ENCODING = register(
    "TB515",
    "A transcript in a guessed encoding",
    "The file is not UTF-8 and does not name its encoding. The one that was used fits all of its "
    "letters, which is likely but not certain.",
    "Look at the piece that the message shows; if letters are wrong, save the file as UTF-8.",
)
MENDED_UTF8 = register(
    "TB516",
    "A transcript in damaged UTF-8",
    "Almost all of the file is UTF-8. In the place of each byte that does not fit stands the "
    "replacement character U+FFFD.",
    "Export the transcript again, or mend the places that the message names.",
)
EVENTS_WORDED = register(
    "TB517",
    "Events put into words",
    "A combat log has events and no speech. Each event is one unit that lists the members of the "
    "event as they are.",
    "Nothing; such units say what happened, not what anybody said.",
)
LIKELY_MILLISECONDS = register(
    "TB518",
    "Times that may be milliseconds",
    "The format gives times in seconds, and they were read so; but then the transcript is slower "
    "than any speech.",
    "If they are milliseconds, give --format json, which tells the two apart.",
)
CUT_OFF_LINE = register(
    "TB519",
    "A last line that is cut off",
    "The last line of JSON Lines is not complete, as when a program is ended while it writes. The "
    "lines before it were read.",
    "Export the transcript again if its end matters.",
)
PARTS_JOINED = register(
    "TB520",
    "Several files, one after the other",
    "A session was given in several files, and they were read as parts that follow one another. Each "
    "part's times were moved to where the part before ends.",
    "If they are tracks of the same time, one person each, give --tracks; else nothing.",
)
