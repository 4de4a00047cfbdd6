"""The previewer: a page on the loopback interface that shows what lines will do.

It decides nothing: every funnel, chance, roll and reply is the answer of
:class:`~talebearer.rehearsal.Rehearsal`, which asks the engine that games ask.
"""

from talebearer.server.preview._editor import EDITORS, editor_template
from talebearer.server.preview._previewer import Previewer
from talebearer.server.preview._serve import address_of, bind, serve

__all__ = ["EDITORS", "Previewer", "address_of", "bind", "editor_template", "serve"]
