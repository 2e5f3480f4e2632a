"""A small run, and whether two audits are the same to the bit."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from sightline.audits.audit_result import Audit
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import FitSpec, RunSpec
from sightline.core.results import Measurement, Values

SPEC = RunSpec(
    parse_data("planted:needle(n=120,length=6)"),
    parse_model("mlp(hidden=4)+additive"),
    FitSpec(epochs=1),
    seed=1,
)


def same(first: Audit, second: Audit) -> bool:
    """Compare two audits bit for bit."""
    one, other = (json.dumps(audit.to_json(), default=str) for audit in (first, second))
    return one == other and _bits(first) == _bits(second)


def _bits(audit: Audit) -> dict[tuple[str, ...], tuple[Any, ...]]:
    return {
        (name, quantity, part): (array.dtype, array.shape, array.tobytes())
        for name, outcome in audit.measurements.items()
        if isinstance(outcome, Measurement)
        for quantity, value in outcome.values.items()
        for part, array in _arrays(value).items()
    }


def _arrays(value: Values) -> Mapping[str, np.ndarray]:
    return {"": value} if isinstance(value, np.ndarray) else vars(value)
