"""Compare saved audits, found by name, each with the first."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.audits.audit_result import Comparison, compare
from sightline.core.errors import SpecError
from sightline.experiments.audit_lookup import NamedAudit, refuse_repeats
from sightline.experiments.audit_lookup import named_audits as named_audits


def compare_named(named: Sequence[NamedAudit]) -> Comparison:
    """Compare saved audits; a repeated one is refused."""
    if len(named) < 2:
        raise SpecError(
            f"expected two audits or more to compare, got {len(named)}: "
            f"{', '.join(map(str, named))}"
        )
    refuse_repeats(named)
    return compare(*(one.read() for one in named), places=[str(one) for one in named])
