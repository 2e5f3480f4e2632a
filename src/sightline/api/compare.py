"""Compare saved audits, found by name, each with the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sightline.audits.audit_result import Comparison, compare
from sightline.core.errors import SpecError
from sightline.experiments.audit_lookup import NamedAudit, refuse_repeats
from sightline.experiments.audit_lookup import named_audits as named_audits
from sightline.report.redact import redacted


def compare_named(
    named: Sequence[NamedAudit], *, texts: bool = True, ids: bool = True
) -> Comparison:
    """Compare saved audits; a repeated one is refused. Without ``texts`` or ``ids``, messages of
    failed measures are left out; without ``ids``, each audit numbers its texts.
    """
    if len(named) < 2:
        raise SpecError(
            f"expected two audits or more to compare, got {len(named)}: "
            f"{', '.join(map(str, named))}"
        )
    refuse_repeats(named)
    # Redacted first, because a comparison that is not made quotes the message of a failed measure.
    audits = [redacted(one.read(), texts=texts and ids) for one in named]
    found = compare(*audits, places=[str(one) for one in named])
    # Numbered only now, because the ids say which texts are shared.
    sides = (replace(side, audit=redacted(side.audit, ids=ids)) for side in found.sides)
    return replace(found, sides=tuple(sides))
