"""The pytest plug-in: a fixture that audits a model once in a test session.

pytest imports this file in every session, so nothing of sightline is imported before a test asks
for the fixture.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from sightline.audits.audit_result import Audit


@pytest.fixture(scope="session")
def sightline_audit() -> Callable[..., Audit]:
    """Audit a model, once per session for equal arguments: ``sightline_audit(model, data,
    limit=200).assert_shown()``.

    Arguments are those of `sightline.audit`.
    """
    return _Audits().audit


@dataclass(frozen=True)
class _Audits:
    """The audits of a session, with their arguments."""

    made: list[tuple[object, Audit]] = field(default_factory=list)

    def audit(self, model: Any, data: Any, **options: Any) -> Audit:
        from sightline.api.audit import audit  # noqa: PLC0415  (torch, which few sessions need)

        asked = (model, data, options)
        for arguments, found in self.made:
            if _same(arguments, asked):
                return found
        found = audit(model, data, **options)
        self.made.append((asked, found))
        return found


def _same(one: object, other: object) -> bool:
    """Compare names, numbers and collections of them by value, and everything else by identity:
    models and datasets have no cheap equality.
    """
    if one is other:
        return True
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and isinstance(one, str | int | float | Path) and one == other
