"""Every measure of an audit by its code, in report order, with the meaning of each of its numbers.
Without torch, so that specs, run keys and documentation can read it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from sightline.config.measures import (
    agreement_rows,
    answer_rows,
    moved_word_rows,
    other_weight_rows,
    state_rows,
)
from sightline.config.measures.measure_row import MeasureRow
from sightline.config.measures.quantity import ANY, SIZE, Quantity
from sightline.config.word_maps import MAPS
from sightline.core.errors import SpecError, setting

MEASURES: Mapping[str, MeasureRow] = {
    **answer_rows.ROWS,
    **agreement_rows.ROWS,
    **other_weight_rows.ROWS,
    **moved_word_rows.ROWS,
    **state_rows.ROWS,
}
"""The measures, in the order of the report."""
BY_NAME = frozenset(code for code, row in MEASURES.items() if row.taken == "by name")
"""Costly measures, which run only when requested by name."""
WHERE_OFFERED = frozenset(code for code, row in MEASURES.items() if row.taken == "where offered")
"""Measures that run if the model offers what they need, and are otherwise left out silently."""
ALWAYS = "outputs"
"""The measure that every audit includes: the predictions."""


def selected_measures(chosen: Collection[str]) -> tuple[str, ...]:
    """Name the measures of an audit in order: `ALWAYS` and the chosen ones, or the default ones if
    none is chosen.

    >>> selected_measures(("need",)), "searched" in selected_measures(())
    (('outputs', 'need'), False)
    """
    wanted = {ALWAYS, *chosen} if chosen else set(MEASURES) - BY_NAME
    return tuple(code for code in MEASURES if code in wanted)


def with_default_measures(named: Collection[str]) -> tuple[str, ...]:
    """Add the named costly measures to the default ones, in order; give nothing if none is named.

    The name of a default measure is refused: naming it would change nothing.

    >>> [code for code in with_default_measures(("searched",)) if code in BY_NAME], with_default_measures(())
    (['searched'], ())
    """
    if unknown := next((code for code in named if code not in MEASURES), None):
        raise SpecError(f"{unknown}: expected one of {', '.join(sorted(BY_NAME))}", field="measure")
    if default := next((code for code in named if code not in BY_NAME), None):
        message = f"is measured with {setting('full')} without being named; leave it out"
        raise SpecError(f"{default}: {message}", field="measure")
    wanted = set(MEASURES) - BY_NAME - {ALWAYS} | set(named) if named else set()
    return tuple(code for code in MEASURES if code in wanted)


def quantity_of(measure: str, name: str) -> Quantity | None:
    """Describe a quantity of a measure; None if the measure or the number is not from this package.

    >>> quantity_of("agreement", "tau.gradient").scale.low
    -1
    """
    rows = MEASURES[measure].quantities if measure in MEASURES else {}
    head, _, part = name.partition(".")
    other = next(
        (rows[f"{head}.{one}"] for one in ("OTHER", "LAYER") if f"{head}.{one}" in rows), None
    )
    if part and name not in rows and other is not None:
        return replace(other, description=f"{other.description} ({part})")
    if f"{name.rpartition('.')[0]}.MAP" in rows:  # a map computed in one of several ways
        head, _, part = name.rpartition(".")
    if part and name not in rows:
        row = rows.get(f"{head}.REF") or rows.get(f"{head}.MAP")
        return (
            row
            and replace(row, description=f"{row.description} ({part}: {MAPS[part].description})")
            if part in MAPS
            else row
        )
    if name not in rows and name in MAPS:
        return Quantity(MAPS[name].description, ANY if MAPS[name].signed else SIZE, "words")
    return rows.get(name)
