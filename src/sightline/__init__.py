"""Sightline answers whether a model's attention can be trusted as an explanation.

``import sightline`` is light: torch is loaded when a name that needs it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sightline.adapters.module import wrap as wrap
    from sightline.auditing import audit as audit
    from sightline.audits import Audit as Audit
    from sightline.audits import compare as compare
    from sightline.data.loading import load as load
    from sightline.errors import SightlineError as SightlineError

_HOMES = {
    "Audit": "sightline.audits",
    "SightlineError": "sightline.errors",
    "audit": "sightline.auditing",
    "compare": "sightline.audits",
    "load": "sightline.data.loading",
    "wrap": "sightline.adapters.module",
}

__all__ = ["Audit", "SightlineError", "audit", "compare", "load", "wrap"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sightline' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
