"""Pages for people: what is remembered, scores, coverage, simulations.

Each is one HTML file without scripts or outside requests. ``page.html.j2`` is the skeleton of all of
them, with the policy that keeps them inert, the colours and the plain parts; each has a module that
gives it what to show, and a template. Whatever text they show is data: it is escaped, and control
and direction characters are written out.
"""

__all__: list[str] = []
