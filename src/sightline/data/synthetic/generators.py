"""All synthetic corpora by their name in a data spec."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, runtime_checkable

from sightline.config.part_syntax import Part
from sightline.config.registry import row_of
from sightline.data.dataset import Dataset
from sightline.data.synthetic.cue_words import plant, read_world
from sightline.data.synthetic.entailment_pairs import plant_pairs, read_pairs
from sightline.data.synthetic.product_reviews import plant_reviews, read_reviews
from sightline.data.synthetic.story_questions import plant_questions, read_questions


@runtime_checkable
class Options(Protocol):
    """The options of a synthetic corpus, read from its part."""

    @property
    def longest(self) -> int:
        """The number of words of the longest text."""
        ...


GENERATED: Mapping[str, tuple[Callable[[Part], Options], Callable[[Part, int], Dataset]]] = {
    "needle": (read_world, plant),
    "vote": (read_world, plant),
    "negated": (read_world, plant),
    "detector": (read_world, plant),
    "pair": (read_pairs, plant_pairs),
    "reviews": (read_reviews, plant_reviews),
    "world": (read_questions, plant_questions),
}
"""The reader of options and the generator of each corpus."""


def read_options(part: Part) -> Options:
    """Read the options of a synthetic corpus; an unknown corpus or an invalid value is an error."""
    return GENERATED[row_of("planted", part.name).name][0](part)


def generate(part: Part, seed: int) -> Dataset:
    """Generate a corpus from its part and a seed."""
    read_options(part)
    return GENERATED[part.name][1](part, seed)
