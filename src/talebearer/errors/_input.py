"""TB1xx: what the caller gave cannot be used."""

from __future__ import annotations

from talebearer.errors._tree import InputError


class IllegalTransition(InputError):
    """An interaction event that the interaction's state does not allow."""

    code = "TB101"
    title = "An interaction event that is not allowed now"
    text = (
        "Interactions move one way: active, then completed, walked away or confrontation; a "
        "confrontation ends completed or abandoned. Final states never change, and a mind has one "
        "conversation at a time. The event changed nothing."
    )
    fix = "Send one of the events that the hint names, or end the running conversation first."


class InvalidEvent(InputError):
    """An event that is malformed or out of sequence."""

    code = "TB102"
    title = "A malformed event"
    text = "An event lacks a field, or has one of the wrong kind. It changed nothing."
    fix = "Correct the field that the message names."


class InvalidTranscript(InputError):
    """A transcript file that cannot be read as one."""

    code = "TB103"
    title = "A transcript that cannot be read"
    text = "The file is missing, empty, binary, cut off, or in a format that is not known."
    fix = "Export it again, or name its format with --format."


class TranscriptTooLarge(InputError):
    """A transcript above the limit of bytes or of parts; it was not read."""

    code = "TB104"
    title = "A transcript above the size limit"
    text = (
        "The file is larger than the limit, or has more lines, or in JSON objects and lists, "
        "than one source may have. The limits keep memory bounded. It was not read."
    )
    fix = "Split it; a limit in bytes can also be raised with --max-size."


class UnknownName(InputError):
    """A name that the campaign does not know."""

    code = "TB105"
    title = "An unknown name"
    text = "No character, location or session of the campaign has that name."
    fix = "Use the suggestion, or list the known names with `talebearer npcs`."


class InvalidContent(InputError):
    """Authored content with errors; all of them are in ``data['problems']``."""

    code = "TB106"
    title = "Authored content with errors"
    text = "The content tree has findings of severity error, so no pack was made from it."
    fix = "Run `talebearer lint` and correct what it lists."


class InvalidCampaign(InputError):
    """A campaign folder or its configuration that cannot be used."""

    code = "TB107"
    title = "A campaign that cannot be used"
    text = "campaign.toml is missing a field, or has one of the wrong kind."
    fix = "Correct the places that the message lists; all of them are listed at once."


class CampaignNotFound(InputError):
    """No campaign in the folder."""

    code = "TB108"
    title = "No campaign here"
    text = "The folder has no campaign.toml, so it is not a campaign."
    fix = "Make one with `talebearer init DIR`, or name one with --campaign DIR."


class InvalidId(InputError):
    """An id that does not match its pattern."""

    code = "TB109"
    title = "An id that does not match its pattern"
    text = "Ids become keys and file names, so only letters, digits, dot, dash and underscore pass."
    fix = "Choose an id of 1-64 such characters that starts with a letter or a digit."


class InvalidArtifact(InputError):
    """An artifact that breaks its contract."""

    code = "TB110"
    title = "An artifact that breaks its contract"
    text = "The payload has a missing, extra or wrong member, or cites units that do not exist."
    fix = "Correct the places that the message lists, or extract again."


class UsageFault(InputError):
    """A command or call that cannot be carried out as given."""

    code = "TB111"
    title = "A call that cannot be carried out as given"
    text = "An argument is missing, contradicts another, or has a value that is not allowed."
    fix = "See the command's --help."


class AlreadyRecorded(InputError):
    """A session id that stands for another transcript already."""

    code = "TB112"
    title = "A session that is already recorded"
    text = "Another transcript was recorded under this session id. Nothing was changed."
    fix = "Give another --session, or --replace to put this transcript in its place."


class UnknownReference(InputError):
    """A fact, interaction, line or occurrence that is not there."""

    code = "TB113"
    title = "A reference to nothing"
    text = "No fact, interaction, line or occurrence has that id."
    fix = "Use the suggestion, or list ids with `talebearer recall NAME` or `talebearer npcs`."


class InvalidPack(InputError):
    """A pack that this version cannot run."""

    code = "TB114"
    title = "A pack that cannot be run"
    text = "The file is no pack, or is of a newer format than this version knows."
    fix = "Build the pack again from its content with this version."


class InvalidRecord(InputError):
    """A record or request that the store's schemas refuse."""

    code = "TB115"
    title = "A record that its schema refuses"
    text = "The value does not match the record's schema. Nothing was stored."
    fix = "Correct the places that the message lists."


class InvalidSave(InputError):
    """A saved mind that cannot be loaded."""

    code = "TB116"
    title = "A save that cannot be loaded"
    text = "The file is no saved mind, or is of a newer schema version than this version knows."
    fix = "Load it with the version that wrote it, or a newer one."


class InvalidPolicy(InputError):
    """A policy that the store does not start with; all problems are in ``data['problems']``."""

    code = "TB117"
    title = "A policy that the store does not start with"
    text = (
        "The policy file is no JSON, has a member that is not allowed, or contradicts itself. A store "
        "never starts with a part of a policy."
    )
    fix = "Correct the places that the message lists; all of them are listed at once."


class InvalidBaseline(InputError):
    """A file that is no baseline of findings."""

    code = "TB120"
    title = "A baseline that cannot be used"
    text = "The file is no baseline of `talebearer lint`, or was written by a newer version."
    fix = "Write it again: `talebearer lint CONTENT --baseline FILE --write-baseline`."


class EditRefused(InputError):
    """A change of an authored file that cannot be made without touching what it is not about."""

    code = "TB121"
    title = "A change that cannot be made in place"
    text = (
        "Changes of authored files keep every byte that they are not about, comments and layout "
        "too, and are read back before they are written. The file has faults of its own or changed "
        "meanwhile, or is laid out in a way in which this change cannot be made. Nothing was written."
    )
    fix = "Run `talebearer lint`, and make the change by hand where it cannot be made otherwise."


class InvalidPlayer(InputError):
    """A player file that cannot be used; all problems are in ``data['problems']``."""

    code = "TB125"
    title = "A player that cannot be used"
    text = (
        "The file says how somebody plays, for simulated playthroughs. It has a member that is not "
        "allowed, or names somebody or somewhere that the content does not have."
    )
    fix = "Correct the places that the message lists; all of them are listed at once."


class InvalidTranslations(InputError):
    """A PO file that cannot be used; all problems are in ``data['problems']``."""

    code = "TB122"
    title = "Translations that cannot be used"
    text = "The file is no PO file, is too large, or holds what no text may. Nothing was written."
    fix = "Correct the place that the message names, or export the file again."
