"""Models that were made elsewhere, by name: a function of the user's own, or what transformers can
load.
"""

from __future__ import annotations

from sightline.adapters.factory import PREFIX, load_factory
from sightline.core.protocols import Auditable

CAUSAL = "hf-causal:"


def load_elsewhere(spec: str, device: str = "cpu") -> Auditable:
    """Make the model that ``py:package.module:factory``, ``hf:FOLDER`` or ``hf-causal:FOLDER(…)``
    names.

    A model of the user's own code stays where that put it; one that transformers loads is put on
    the device.
    """
    if spec.startswith(PREFIX):
        return load_factory(spec)
    if spec.startswith(CAUSAL):
        from sightline.adapters.huggingface.causal_model import load_causal  # noqa: PLC0415  (an extra)

        return load_causal(spec, device)
    from sightline.adapters.huggingface.from_pretrained import load_huggingface  # noqa: PLC0415  (an extra)

    return load_huggingface(spec, device)
