"""Pieces of a model that a training may copy from a base, or freeze."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import cast

from torch import nn

from sightline.config.specs import ModelPart
from sightline.models.classifier import AttentionClassifier


def _embeddings(model: AttentionClassifier) -> tuple[nn.Module, ...]:
    return model.embeddings


def _encoders(model: AttentionClassifier) -> tuple[nn.Module, ...]:
    encoders = (model.encoder, model.query_encoder) if model.reads_queries else (model.encoder,)
    return cast(tuple[nn.Module, ...], encoders)


MODULES: Mapping[ModelPart, Callable[[AttentionClassifier], tuple[nn.Module, ...]]] = {
    "embedding": _embeddings,
    "encoder": _encoders,
    "attention": lambda model: (model.scorer, model.projection),
    "decoder": lambda model: (model.decoder,),
}


def copy_parts(
    model: AttentionClassifier, base: AttentionClassifier, pieces: Iterable[ModelPart]
) -> None:
    """Copy parts from a base with the same architecture."""
    for piece in pieces:
        for own, other in zip(MODULES[piece](model), MODULES[piece](base), strict=True):
            own.load_state_dict(other.state_dict())


def freeze_parts(model: AttentionClassifier, pieces: Iterable[ModelPart]) -> None:
    """Freeze parts."""
    for piece in pieces:
        for module in MODULES[piece](model):
            module.requires_grad_(False)
