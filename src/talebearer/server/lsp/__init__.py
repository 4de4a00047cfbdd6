"""A language server for authored content, over standard input and output.

It decides nothing: findings are those of :func:`talebearer.content.lint`, names those of
:mod:`talebearer.content.index`, new texts those of :mod:`talebearer.content`. Its library is the
extra ``authoring``.
"""

from talebearer.server.lsp._about import about_server
from talebearer.server.lsp._serve import serve_stdio

__all__ = ["about_server", "serve_stdio"]
