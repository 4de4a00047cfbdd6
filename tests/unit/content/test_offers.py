"""What is offered where more may be written than anybody reads."""

import pytest

from talebearer.content.index import LiveTree, cursor_at, offer, rows_of

MOST = 200
ROW = "    knowledge_grant: {fact_id: "
POOL = f"""\
location: quay
role: clerk
lines:
  - id: odo_d_001
    text: Hm.
    role: clerk
    access: [public]
    trust: surface
    situation: [social]
{ROW}sea.x, confidence: suspects}}
"""


@pytest.fixture
def offered(tree):
    """Return a function from the facts that there are and what was typed to what is offered."""

    def run(names, typed):
        facts = "".join(f"  - {{id: {name}, description: x}}\n" for name in names)
        pool = "dialogue/quay/odo.yaml"
        files = {"global/knowledge/sea.yaml": f"category: sea\nfacts:\n{facts}", pool: POOL}
        root = tree(files)
        analysis = LiveTree(root).check()
        file = analysis.file_at(root / pool)
        rows = rows_of(POOL)
        cursor = cursor_at(rows, rows.index(f"{ROW}sea.x, confidence: suspects}}"), len(ROW))
        found = offer(analysis, file, cursor, typed)
        return [one.label for one in found.proposals], found.is_complete

    return run


MANY = [f"sea.a{n:03}" for n in range(MOST)]


@pytest.mark.parametrize("typed", ["", "zzz"])
def test_as_many_as_are_read_are_all_offered_whatever_was_typed(offered, typed):
    assert offered(MANY, typed) == (MANY, True)


def test_of_more_those_are_offered_that_contain_what_was_typed_case_apart(offered):
    more = [*MANY, "sea.bell_rung", "sea.old_bell", "sea.zone"]
    assert offered(more, "") == (MANY, False)
    assert offered(more, "BELL") == (["sea.bell_rung", "sea.old_bell"], False)
    assert offered(more, "sea.z") == (["sea.zone"], False)
    assert offered(more, "nothing") == ([], False)


def test_of_those_that_fit_the_first_are_offered(offered):
    more = ["sea.bell", *MANY, "sea.a200"]
    assert offered(more, "sea.a") == (MANY, False)
