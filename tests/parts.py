"""Parts of models as small as tests want them, by their rows in the catalogue, and all measures."""

from itertools import product

from sightline.config.measure_registry import MEASURES
from sightline.config.part_compatibility import states_width
from sightline.config.part_options import Option
from sightline.config.part_syntax import Part, Value
from sightline.config.registry import resolve_options, row_of
from sightline.core.protocols import Measure
from sightline.measures.default_measures import default_measures

WIDE = 8
"""How wide the states of a small encoder are, and the embeddings that they are compared with."""


def small_part(room: str, name: str) -> str:
    """Write a part at small sizes, and for the rest at its defaults; an encoder has states `WIDE`
    wide.
    """
    row = row_of(room, name)
    values = {key: _sizes(option) for key, option in row.options.items() if _is_large(option)}
    for choice in product(*values.values()):
        part = Part(name, tuple(sorted(zip(values, choice, strict=True))))
        resolve_options(room, part)
        if row.states is None or states_width(part) == WIDE:
            return str(part)
    raise AssertionError(f"{name}: no sizes up to {WIDE} give states {WIDE} wide")


def every_measure() -> tuple[Measure, ...]:
    """Make every measure."""
    return default_measures(chosen=tuple(MEASURES))


def _is_large(option: Option) -> bool:
    return type(option.default) is int and option.default > WIDE


def _sizes(option: Option) -> list[Value]:
    return [size for size in range(WIDE, 0, -1) if option.least <= size <= option.most]
