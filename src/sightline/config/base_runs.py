"""The base of a run: the training that an adversary, an ablation or constant attention starts from.

The base follows from the run alone: no one has to name it, and runs with the same base share it.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from sightline.config.part_syntax import Part
from sightline.config.run_keys import OF_AN_AUDIT, run_key, training_key
from sightline.config.specs import FitSpec, RunSpec

RESET_FIELDS = (
    "guide",
    "guide_weight",
    "guide_words",
    "from_base",
    "fixed",
    "adversary",
    "adversary_weight",
    "adversary_epochs",
    "adversary_patience",
)
"""Settings that a plain training leaves at their defaults."""
CONSTANT = "constant"
"""The attention source that uses the mean weights of a base."""


def plain(fit: FitSpec) -> FitSpec:
    """Reset a training to the plain one."""
    usual: dict[str, Any] = {
        one.name: one.default for one in fields(FitSpec) if one.name in RESET_FIELDS
    }
    return replace(fit, **usual)


def base_of(spec: RunSpec) -> RunSpec | None:
    """Describe the training that a run starts from or is compared with; None if it needs none.

    >>> from sightline.config.spec_syntax import parse_data, parse_model
    >>> run = RunSpec(parse_data("planted:needle"), parse_model("mlp+constant"), FitSpec(adversary_epochs=9))
    >>> base = base_of(run)
    >>> str(base.model), base.fit == FitSpec(), base.companions
    ('mlp+additive+softmax', True, ())
    """
    if not (spec.fit.adversary or spec.fit.from_base or spec.model.source.name == CONSTANT):
        return None
    learned = replace(spec.model, source=Part("learned"))
    return replace(spec, model=learned, fit=plain(spec.fit), **OF_AN_AUDIT)


def lender_of(spec: RunSpec) -> str:
    """Give the key of the run, or of its training, whose attention a model uses; empty if it uses
    its own.

    >>> from sightline.config.spec_syntax import parse_data, parse_model
    >>> model = parse_model("mlp+given(run=0123456789abcdef)")
    >>> lender_of(RunSpec(parse_data("planted:needle"), model, FitSpec()))
    '0123456789abcdef'
    """
    return str(dict(spec.model.source.options).get("run", ""))


def names_lent_by(spec: RunSpec) -> set[str]:
    """Give the keys by which another run may name this one to use its attention."""
    return {run_key(spec), training_key(spec)}


def as_trained(fit: FitSpec) -> FitSpec:
    """Give an adversary its own epochs and patience, and select the epoch by the adversarial loss."""
    if not fit.adversary:
        return fit
    return replace(fit, epochs=fit.adversary_epochs, patience=fit.adversary_patience, keep="loss")
