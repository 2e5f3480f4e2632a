"""What the papers fix, by name: sizes and training of their models (docs/decisions/0006 says what is not copied)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sightline.errors import SpecError
from sightline.spec import FitSpec, ModelSpec, parse_model


@dataclass(frozen=True)
class Preset:
    """Settings of a model and its training, and where they are from."""

    source: str
    fit: FitSpec
    model: Mapping[str, Any] = field(default_factory=dict)


PRESETS: Mapping[str, Preset] = {
    "default": Preset("ours: 100-d random embeddings, Adam, stops 5 epochs after the best validation loss", FitSpec()),
    "jain2019": Preset(
        "Jain & Wallace 2019: hidden 128, AMSGrad, 8 epochs, summed and class-weighted loss, best validation AUC",
        FitSpec(epochs=8, patience=8, amsgrad=True, class_weights=True, reduction="sum", keep="auc"),
        {"embedding": 200, "boundaries": True},
    ),
    "wen2022": Preset(
        "Wen et al. 2022: hidden 128, Adam at .001, weight decay 1e-5, best validation accuracy; 300-d is our reading",
        FitSpec(epochs=20, patience=20, attention_weight_decay=1e-5, keep="accuracy"),
        {"embedding": 300, "boundaries": True},
    ),
}


def build_specs(model: str, preset: str = "default", **fit: Any) -> tuple[ModelSpec, FitSpec]:
    """Read a model spec under a preset; keyword settings of the training override it where they are not None."""
    if preset not in PRESETS:
        raise SpecError(f"--preset {preset!r}: expected one of {', '.join(PRESETS)}")
    chosen = PRESETS[preset]
    overrides = {name: value for name, value in fit.items() if value is not None}
    if "epochs" in overrides:
        overrides.setdefault("patience", min(chosen.fit.patience, overrides["epochs"]))
    return parse_model(model, **chosen.model), replace(chosen.fit, **overrides)
