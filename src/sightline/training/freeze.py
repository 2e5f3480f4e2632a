"""The pieces of a model that a training may take from a base, or leave as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import cast

from torch import nn

from sightline.config.specs import Piece
from sightline.models.classifier import AttentionClassifier


def _embeddings(model: AttentionClassifier) -> tuple[nn.Module, ...]:
    return model.embeddings


def _encoders(model: AttentionClassifier) -> tuple[nn.Module, ...]:
    encoders = (model.encoder, model.query_encoder) if model.reads_queries else (model.encoder,)
    return cast(tuple[nn.Module, ...], encoders)


MODULES: Mapping[Piece, Callable[[AttentionClassifier], tuple[nn.Module, ...]]] = {
    "embedding": _embeddings,
    "encoder": _encoders,
    "attention": lambda model: (model.scorer, model.projection),
    "decoder": lambda model: (model.decoder,),
}


def take(model: AttentionClassifier, base: AttentionClassifier, pieces: Iterable[Piece]) -> None:
    """Let pieces start as they are in a base of the same parts."""
    for piece in pieces:
        for own, other in zip(MODULES[piece](model), MODULES[piece](base), strict=True):
            own.load_state_dict(other.state_dict())


def fix(model: AttentionClassifier, pieces: Iterable[Piece]) -> None:
    """Keep pieces out of the training."""
    for piece in pieces:
        for module in MODULES[piece](model):
            module.requires_grad_(False)
