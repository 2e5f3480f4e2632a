"""Sightline answers whether a model's attention can be trusted as an explanation.

``import sightline`` is light: torch is loaded when a name that needs it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sightline.adapters.answers_model import answers as answers
    from sightline.adapters.huggingface.causal_model import prompted as prompted
    from sightline.adapters.huggingface.from_pretrained import transformer as transformer
    from sightline.adapters.label_views import label_view as label_view
    from sightline.adapters.tapped_module import tap as tap
    from sightline.adapters.wrap import wrap as wrap
    from sightline.api.audit import audit as audit
    from sightline.api.audit_labels import audit_labels as audit_labels
    from sightline.api.log_audit import log_audit as log_audit
    from sightline.api.look import look as look
    from sightline.api.predict import predict as predict
    from sightline.api.study import study as study
    from sightline.api.table import table as table
    from sightline.api.train import load as load
    from sightline.api.train import train as train
    from sightline.audits.audit_result import Audit as Audit
    from sightline.audits.audit_result import compare as compare
    from sightline.audits.label_audits import LabelAudits as LabelAudits
    from sightline.core.errors import SightlineError as SightlineError
    from sightline.data.assembly.in_memory import data_from as data_from

_HOMES = {
    "Audit": "sightline.audits.audit_result",
    "LabelAudits": "sightline.audits.label_audits",
    "SightlineError": "sightline.core.errors",
    "answers": "sightline.adapters.answers_model",
    "audit": "sightline.api.audit",
    "audit_labels": "sightline.api.audit_labels",
    "compare": "sightline.audits.audit_result",
    "data_from": "sightline.data.assembly.in_memory",
    "label_view": "sightline.adapters.label_views",
    "load": "sightline.api.train",
    "log_audit": "sightline.api.log_audit",
    "look": "sightline.api.look",
    "predict": "sightline.api.predict",
    "prompted": "sightline.adapters.huggingface.causal_model",
    "study": "sightline.api.study",
    "table": "sightline.api.table",
    "tap": "sightline.adapters.tapped_module",
    "train": "sightline.api.train",
    "transformer": "sightline.adapters.huggingface.from_pretrained",
    "wrap": "sightline.adapters.wrap",
}

__all__ = ["Audit", "LabelAudits", "SightlineError", "answers", "audit", "audit_labels", "compare"]
__all__ += [
    "data_from",
    "label_view",
    "load",
    "log_audit",
    "look",
    "predict",
    "prompted",
    "study",
    "table",
    "tap",
    "train",
    "transformer",
    "wrap",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from sightline.core.installation import version_of  # noqa: PLC0415  (read where it is asked for)

        return version_of("sightline")
    if name not in _HOMES:
        raise AttributeError(f"module 'sightline' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
