"""How well an extractor does on excerpts that people have labelled."""

from typing import TYPE_CHECKING

from talebearer._doors import opened_on_use

if TYPE_CHECKING:
    from talebearer.extraction.scoring._evaluate import evaluate
    from talebearer.extraction.scoring._found import Found, find_by, mention_baseline
    from talebearer.extraction.scoring._labelled import (
        LabelledExcerpt,
        load_labelled,
        parse_labelled,
    )
    from talebearer.extraction.scoring._model import find_by_model

__all__ = [
    "Found",
    "LabelledExcerpt",
    "evaluate",
    "find_by",
    "find_by_model",
    "load_labelled",
    "mention_baseline",
    "parse_labelled",
]

__getattr__ = opened_on_use(
    __name__,
    {
        "_evaluate": "evaluate",
        "_found": "Found find_by mention_baseline",
        "_labelled": "LabelledExcerpt load_labelled parse_labelled",
        "_model": "find_by_model",
    },
)
