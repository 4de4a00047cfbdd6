"""Content of any size, the same for everybody: 24 pools of one shape, gates on every third line."""

from __future__ import annotations

from pathlib import Path

from talebearer.vocabulary import DEFAULT_ENUMS

POOLS = 24
FACTS = 40
MULTIPLIER, INCREMENT, MODULUS = 1_103_515_245, 12_345, 2**31
TEXT = "The tide was late again and nobody at the quay would say why, so I counted ropes: {}."


class Numbers:
    """A sequence of numbers that only the seed decides."""

    def __init__(self, seed: int) -> None:
        self._state = seed

    def below(self, bound: int) -> int:
        """Return the next number below *bound*."""
        self._state = (self._state * MULTIPLIER + INCREMENT) % MODULUS
        return (self._state >> 8) % bound

    def some(self, values: list[str], least: int, most: int) -> str:
        """Return some of *values* as a list in YAML."""
        count = least + self.below(most - least + 1)
        start = self.below(len(values))
        return "[" + ", ".join(values[(start + n) % len(values)] for n in range(count)) + "]"


def values(stem: str) -> list[str]:
    """Return the default values of an enumeration."""
    return [one.value for one in DEFAULT_ENUMS[stem]]


def write(root: Path, lines: int, *, pools: int = POOLS) -> list[Path]:
    """Write content of *lines* lines in so many *pools* below *root* and return their files."""
    facts = root / "global" / "knowledge"
    facts.mkdir(parents=True)
    body = "".join(f"  - id: tide.f{n}\n    description: Fact {n}.\n" for n in range(FACTS))
    (facts / "tide.yaml").write_text(f"category: tide\nfacts:\n{body}")
    return [_pool(root, number, lines // pools) for number in range(pools)]


def _pool(root: Path, number: int, lines: int) -> Path:
    numbers = Numbers(number + 1)
    place = f"quay-{number // 6}"
    path = root / "dialogue" / place / f"clerk-{number}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    parts = [f"location: {place}\nrole: clerk-{number}\nlines:\n"]
    parts += [_line(numbers, number, index) for index in range(lines)]
    path.write_text("".join(parts), encoding="utf-8")
    return path


def _line(numbers: Numbers, pool: int, index: int) -> str:
    # Three digits a file: past 999 lines a file another speaker's slug goes on.
    slug = f"clerk-{pool}" + (f"-{index // 999}" if index >= 999 else "")
    text = (
        f"  - id: {slug}_d_{index % 999 + 1:03d}\n"
        f'    text: "{TEXT.format(pool * 100_000 + index)}"\n'
        f"    role: clerk-{pool}\n"
        f"    access: {numbers.some(values('access'), 1, 3)}\n"
        f"    trust: {values('trust')[numbers.below(3)]}\n"
        f"    situation: {numbers.some(values('situations'), 1, 4)}\n"
        f"    topic: {numbers.some(values('topics'), 0, 2)}\n"
        f"    mood: {numbers.some(values('moods'), 0, 2)}\n"
    )
    if index % 3 == 0:
        fact = numbers.below(FACTS)
        text += (
            "    prerequisites:\n      facts:\n"
            f"        - fact_id: tide.f{fact}\n          min_confidence: knows_of\n"
        )
    if index % 5 == 0:
        fact = numbers.below(FACTS)
        text += f"    knowledge_grant:\n      fact_id: tide.f{fact}\n      confidence: suspects\n"
    return text
