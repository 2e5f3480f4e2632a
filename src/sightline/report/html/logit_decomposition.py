"""What weight × logit adds up to in each text, in the words of the page: a base value, the words,
and the logit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sightline.core.results import Measurement, Results
from sightline.report.number_format import count

TITLE = "Weight × logit adds up (rounded)"
_BASE = "base value: all words weighted equally"
_ADDED = "sum over the words of weight × logit, for minus against"
_LOGIT = "logit of the predicted class"
_LEAD = (
    "lead of the predicted class: its logit minus the mean of the others’, each weighted by its "
    "probability"
)
NONE = (
    "Weight × logit has no sum here: it misses the logit by more than rounding, or only one "
    "class is allowed."
)


@dataclass(frozen=True)
class LogitSums:
    """The three numbers of each text, as written, under their names; None for a text without a
    sum.
    """

    terms: tuple[str, str, str]
    texts: tuple[tuple[str, str, str] | None, ...]
    description: str
    title: str = TITLE
    none: str = NONE


def sums_of(audit: Results) -> LogitSums | None:
    """Take the sums from an audit; None if its model has none or they were not measured."""
    measured = audit.measurements.get("signs")
    values = measured.values if isinstance(measured, Measurement) else {}
    parts = [np.asarray(values[name]) for name in ("base", "added", "total") if name in values]
    if (
        not isinstance(measured, Measurement)
        or len(parts) < 3
        or any(len(one) != len(audit.texts) for one in parts)
    ):
        return None
    several = "classes" in values and np.asarray(values["classes"]).max(initial=0) > 2
    written = tuple(_written(*map(float, three)) for three in zip(*parts, strict=True))
    missing = sum(measured.undefined.get("total", {}).values())
    return LogitSums(
        (_BASE, _ADDED, _LEAD if several else _LOGIT),
        written,
        _describe(missing, len(written), several),
    )


def _written(base: float, added: float, total: float) -> tuple[str, str, str] | None:
    """Write all three with the same number of decimals, so that a reader can add them up."""
    if math.isnan(total):
        return None
    return _decimal(base), _decimal(added, "+"), _decimal(total)


def _decimal(value: float, sign: str = "") -> str:
    return f"{value:{sign},.3f}".replace("-", "−")


def _describe(missing: int, total: int, several: bool) -> str:
    """Say on how many texts the sum holds."""
    what = "the lead of the predicted class" if several else "the logit of the predicted class"
    on = (
        f"all {count(total)} texts"
        if not missing
        else f"{count(total - missing)} of {count(total)} texts"
    )
    rest = (
        "; on the others it is off by more, or only one class is allowed, and no sum is shown"
        if missing
        else ""
    )
    return f"Weight × logit adds up to {what} on {on}, within rounding{rest}."
