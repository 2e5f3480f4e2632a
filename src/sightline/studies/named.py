"""Numbers of one run by the names of its estimates."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sightline.audits import Audit
from sightline.statistics.intervals import Bounds
from sightline.studies.artefact import Found

SHARE: Bounds = (0.0, 1.0)


def named(names: Mapping[str, tuple[str, str]], bounds: Bounds = None) -> Callable[[Audit], Mapping[str, Found]]:
    """Take estimates of an audit, each with the one that is its floor; those that it does not have are left out."""

    def numbers(audit: Audit) -> Mapping[str, Found]:
        known = audit.estimates
        return {
            told: Found(known[name], known.get(floor), bounds) for told, (name, floor) in names.items() if name in known
        }

    return numbers
