"""Named settings from the papers: sizes and training of their models. Decision 0006 lists what is
not copied.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sightline.config.part_syntax import Part, Value
from sightline.config.spec_syntax import parse_model
from sightline.config.specs import FitSpec, ModelSpec
from sightline.core.errors import SpecError


@dataclass(frozen=True)
class Preset:
    """Settings of a model and its training, with their source.

    ``parts`` holds options, by the name of a part, that apply if the spec text leaves them open;
    ``training`` holds settings that differ by encoder.
    """

    source: str
    fit: FitSpec
    model: Mapping[str, Any] = field(default_factory=dict)
    parts: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    training: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


_JAIN = Preset(
    (
        "Jain & Wallace 2019: hidden 128, AMSGrad, 8 epochs, summed and class-weighted loss, "
        "best validation AUC"
    ),
    FitSpec(epochs=8, patience=8, amsgrad=True, class_weights=True, reduction="sum", keep="auc"),
    {"embedding": 200, "boundaries": True},
)
_JAIN_QUERY = FitSpec(
    epochs=25, patience=25, amsgrad=True, attention_weight_decay=1e-5, keep="accuracy"
)
"""How Jain & Wallace train models that read queries: one optimiser with weight decay on everything,
and a mean loss."""
_MEISTER = Preset(
    "Meister et al. 2021: hidden 128, AMSGrad at 1e-4, for a Transformer 1e-5, no weight "
    "decay on attention; epochs and their choice are ours",
    FitSpec(epochs=60, patience=10, learning_rate=1e-4, amsgrad=True),
    {"embedding": 200, "boundaries": True},
    training={"transformer": {"learning_rate": 1e-5}},
)

PRESETS: Mapping[str, Preset] = {
    "default": Preset(
        "ours: 100-d random embeddings, AdamW, stops 5 epochs after the best validation loss",
        FitSpec(decay="decoupled"),
    ),
    "jain2019": _JAIN,
    "jain2019-babi": Preset(
        "Jain & Wallace 2019 on bAbI: hidden 32, 50-d embeddings from N(0, 1), batches of "
        "50, 100 epochs, weight decay on attention too, mean loss, best validation accuracy",
        replace(_JAIN_QUERY, epochs=100, patience=100, batch_size=50),
        {"embedding": 50, "embedding_std": 1.0, "boundaries": True},
        parts={"bilstm": {"hidden": 32}, "cnn": {"channels": 8}, "mlp": {"hidden": 32}},
    ),
    "jain2019-snli": Preset(
        "Jain & Wallace 2019 on SNLI: hidden 128, batches of 128, 25 epochs, the rest as on "
        "bAbI; 300-d as their vectors are, started as ours",
        replace(_JAIN_QUERY, batch_size=128),
        {"embedding": 300, "boundaries": True},
    ),
    "jain2019-cnn": Preset(
        "Jain & Wallace 2019 on questions about CNN news: hidden 128, batches of 90, 25 "
        "epochs, the rest as on bAbI; 300-d as their vectors are, started as ours",
        replace(_JAIN_QUERY, batch_size=90),
        {"embedding": 300, "boundaries": True},
    ),
    "wiegreffe2019": replace(
        _JAIN,
        source="Wiegreffe & Pinter 2019, base models: as Jain & Wallace 2019, from the first epoch "
        "on; the epoch is chosen on validation, where their code chooses on test",
    ),
    "wen2022": Preset(
        (
            "Wen et al. 2022: hidden 128, Adam at .001, weight decay 1e-5, best validation "
            "accuracy; 300-d is our reading"
        ),
        FitSpec(epochs=20, patience=20, attention_weight_decay=1e-5, keep="accuracy"),
        {"embedding": 300, "boundaries": True},
        parts={"cnn": {"kernels": "1-3-5-7-15", "channels": 128}, "dot": {"scaled": False}},
    ),
    "tutek2020": Preset(
        "Tutek & Šnajder 2020: 300-d embeddings, hidden 150, N(0, 1) start of dot, gradients "
        "clipped at 5; the rest of the training they take over is read from Jain & Wallace "
        "2019, and the loss is a mean",
        FitSpec(epochs=8, patience=8, amsgrad=True, keep="auc", gradient_clipping=5.0),
        {"embedding": 300, "boundaries": True},
        parts={"bilstm": {"hidden": 150}, "dot": {"start": "normal"}},
    ),
    "meister2021": _MEISTER,
    "meister2021-x10": replace(
        _MEISTER,
        source=(
            "Meister et al. 2021, the other of two: as meister2021, attention learns 10 times as "
            "fast"
        ),
        fit=replace(_MEISTER.fit, attention_rate_factor=10.0),
    ),
}


def build_specs(model: str, preset: str = "default", **fit: Any) -> tuple[ModelSpec, FitSpec]:
    """Read a model spec under a preset; training settings given as keywords override the preset
    unless they are None.
    """
    if preset not in PRESETS:
        raise SpecError(f"{preset!r}: expected one of {', '.join(PRESETS)}", field="preset")
    chosen = PRESETS[preset]
    spec = _with_options(parse_model(model, **chosen.model), chosen.parts)
    overrides = {name: value for name, value in fit.items() if value is not None}
    if "epochs" in overrides:
        overrides.setdefault("patience", min(chosen.fit.patience, overrides["epochs"]))
    return spec, replace(chosen.fit, **{**chosen.training.get(spec.encoder.name, {}), **overrides})


def _with_options(spec: ModelSpec, parts: Mapping[str, Mapping[str, Value]]) -> ModelSpec:
    rooms: dict[str, Part] = {"encoder": spec.encoder, "scorer": spec.scorer}
    filled: dict[str, Any] = {
        room: replace(
            part, options=tuple(sorted({**parts[part.name], **dict(part.options)}.items()))
        )
        for room, part in rooms.items()
        if part.name in parts
    }
    return replace(spec, **filled)
