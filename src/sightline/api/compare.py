"""Compare saved audits, found by name, each with the first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sightline.audits.audit_result import Comparison, compare
from sightline.core.errors import SpecError
from sightline.experiments.audit_lookup import NamedAudit
from sightline.experiments.audit_lookup import named_audits as named_audits


def compare_named(named: Sequence[NamedAudit]) -> Comparison:
    """Compare saved audits; a repeated one is refused."""
    _refuse_repeats(named)
    return compare(*(one.read() for one in named), places=[str(one) for one in named])


def _refuse_repeats(named: Sequence[NamedAudit]) -> None:
    if len(named) < 2:
        raise SpecError(
            f"expected two audits or more to compare, got {len(named)}: "
            f"{', '.join(map(str, named))}"
        )
    seen: dict[Path, NamedAudit] = {}
    for one in named:
        if (other := seen.setdefault(one.folder.resolve(), one)) is not one:
            raise SpecError(f"{one}: is the same audit as {other}; name another")
