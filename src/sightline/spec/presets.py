"""What the papers fix, by name: sizes and training of their models (docs/decisions/0006 says what is not copied)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sightline.errors import SpecError
from sightline.spec.parts import Part, Value
from sightline.spec.texts import parse_model
from sightline.spec.values import FitSpec, ModelSpec


@dataclass(frozen=True)
class Preset:
    """Settings of a model and its training, and where they are from.

    ``parts`` are options that a part gets by name where the spec text leaves them open; ``training`` is what differs
    by encoder.
    """

    source: str
    fit: FitSpec
    model: Mapping[str, Any] = field(default_factory=dict)
    parts: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    training: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


PRESETS: Mapping[str, Preset] = {
    "default": Preset(
        "ours: 100-d random embeddings, AdamW, stops 5 epochs after the best validation loss",
        FitSpec(decay="decoupled"),
    ),
    "jain2019": Preset(
        "Jain & Wallace 2019: hidden 128, AMSGrad, 8 epochs, summed and class-weighted loss, best validation AUC",
        FitSpec(epochs=8, patience=8, amsgrad=True, class_weights=True, reduction="sum", keep="auc"),
        {"embedding": 200, "boundaries": True},
    ),
    "wen2022": Preset(
        "Wen et al. 2022: hidden 128, Adam at .001, weight decay 1e-5, best validation accuracy; 300-d is our reading",
        FitSpec(epochs=20, patience=20, attention_weight_decay=1e-5, keep="accuracy"),
        {"embedding": 300, "boundaries": True},
        parts={"cnn": {"kernels": "1-3-5-7-15", "channels": 128}, "dot": {"scaled": False}},
    ),
    "tutek2020": Preset(
        "Tutek & Šnajder 2020: 300-d embeddings, hidden 150, N(0, 1) start of dot, gradients clipped at 5; the rest of "
        "the training they take over is read from Jain & Wallace 2019, and the loss is a mean",
        FitSpec(epochs=8, patience=8, amsgrad=True, keep="auc", gradient_clipping=5.0),
        {"embedding": 300, "boundaries": True},
        parts={"bilstm": {"hidden": 150}, "dot": {"start": "normal"}},
    ),
    "meister2021": Preset(
        "Meister et al. 2021: hidden 128, AMSGrad at 1e-4, for a Transformer 1e-5, no weight decay on attention; "
        "epochs and their choice are ours",
        FitSpec(epochs=60, patience=10, learning_rate=1e-4, amsgrad=True),
        {"embedding": 200, "boundaries": True},
        training={"transformer": {"learning_rate": 1e-5}},
    ),
}


def build_specs(model: str, preset: str = "default", **fit: Any) -> tuple[ModelSpec, FitSpec]:
    """Read a model spec under a preset; keyword settings of the training override it where they are not None."""
    if preset not in PRESETS:
        raise SpecError(f"{preset!r}: expected one of {', '.join(PRESETS)}", field="preset")
    chosen = PRESETS[preset]
    spec = _with_options(parse_model(model, **chosen.model), chosen.parts)
    overrides = {name: value for name, value in fit.items() if value is not None}
    if "epochs" in overrides:
        overrides.setdefault("patience", min(chosen.fit.patience, overrides["epochs"]))
    return spec, replace(chosen.fit, **{**chosen.training.get(spec.encoder.name, {}), **overrides})


def _with_options(spec: ModelSpec, parts: Mapping[str, Mapping[str, Value]]) -> ModelSpec:
    """Fill in the options that the spec text leaves open."""
    rooms: dict[str, Part] = {"encoder": spec.encoder, "scorer": spec.scorer}
    filled: dict[str, Any] = {
        room: replace(part, options=tuple(sorted({**parts[part.name], **dict(part.options)}.items())))
        for room, part in rooms.items()
        if part.name in parts
    }
    return replace(spec, **filled)
