"""What lines will do, tried before anybody plays.

A content folder goes in; what a writer wants to see comes out: who would say what in a scene and why not
the rest, whole conversations, playthroughs by the thousand. Every line is picked by the engine that
games ask; nothing here decides anything that the engine does not, and nothing is kept in a store.
"""

__all__: list[str] = []
