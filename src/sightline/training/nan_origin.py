"""Find the first non-finite tensor of a step, in the order of computation, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import torch
from jaxtyping import Bool, Float

from sightline.core.example import Example
from sightline.models.classifier import AttentionClassifier
from sightline.models.classifier_trace import ClassifierTrace
from sightline.training.objective import cross_entropies

Checked = tuple[str, torch.Tensor]
"""The name of a tensor, and its values or whether all are finite."""
ROOMS = (
    "embedding",
    "encoder",
    "retention",
    "query_embedding",
    "query_encoder",
    "scorer",
    "projection",
    "source",
)
"""The parts of a model with weights, in order of computation; the decoder is last."""


def first_broken(
    model: AttentionClassifier,
    texts: Sequence[Example],
    again: Callable[[], Float[torch.Tensor, " B"]],
) -> str:
    """Name the first non-finite tensor of a step; ``again`` recomputes the losses and leaves their
    gradients.

    A weight comes before the tensors computed from it.
    """
    with torch.no_grad():
        trace = model.run(model.collate(texts))
        forward = next(
            (name for name, value in _forward(model, trace) if not value.isfinite().all()), ""
        )
    if forward:
        return forward
    if not again().isfinite().all():
        return "what is added to the loss of the labels"
    gradients = ((name, weight.grad) for name, weight in _weights(model) if weight.grad is not None)
    return next(
        (f"the gradient of {name}" for name, value in gradients if not value.isfinite().all()),
        "the loss",
    )


def first_weight(model: AttentionClassifier) -> str:
    """Name the first non-finite weight, waiting for the device once."""
    named = list(_weights(model))
    finite = torch.stack([weight.isfinite().all() for _, weight in named]).tolist()
    return next(
        (f"the weight {name}" for (name, _), whole in zip(named, finite, strict=True) if not whole),
        "",
    )


def _forward(model: AttentionClassifier, trace: ClassifierTrace) -> Iterator[Checked]:
    """Give the tensors of a step in order of computation, each after its weights."""
    made = _made(trace)
    for name, weight in _weights(model):
        while made and _place(name) > made[0][0]:
            yield made.pop(0)[1]
        yield f"the weight {name}, as it was before this step", weight
    yield from (checked for _, checked in made)
    if not model.labelwise:  # with several labels it is finite if the logits are
        yield "the loss of the labels", cross_entropies(trace.logits, trace.batch.labels)
    auxiliary = model.auxiliary_loss(trace)
    if auxiliary is not None:
        yield f"the loss that {model.spec.retention} adds", auxiliary


def _made(trace: ClassifierTrace) -> list[tuple[int, Checked]]:
    """Give the output of each part on the real tokens, with the position of the part."""
    real, seen = trace.batch.mask, trace.batch.attendable
    found = {
        "embedding": ("the embeddings", trace.embeddings[real]),
        "encoder": ("the states", trace.states[real]),
        "retention": ("the states with what retention adds", trace.pooled[real]),
        "query_encoder": (
            "the query",
            trace.states.new_zeros(()) if trace.query is None else trace.query,
        ),
        # with several labels, the axis of labels comes after the tokens
        "scorer": ("the scores", trace.scores.movedim(-1, 1)[seen]),
        "source": ("the attention", trace.attention.movedim(-1, 1)[seen]),
        "decoder": ("the logits", _allowed(trace)),
    }
    return [(_place(room), checked) for room, checked in found.items()]


def _allowed(trace: ClassifierTrace) -> Float[torch.Tensor, "B L"]:
    """Give the logits of the allowed answers; the others are rightly −∞."""
    candidates: Bool[torch.Tensor, "B C"] | None = trace.batch.candidates
    return (
        trace.logits
        if candidates is None
        else trace.logits.masked_fill(~candidates & trace.logits.isneginf(), 0)
    )


def _weights(model: AttentionClassifier) -> Iterator[tuple[str, torch.nn.Parameter]]:
    yield from sorted(model.named_parameters(), key=lambda named: _place(named[0]))


def _place(name: str) -> int:
    room = name.partition(".")[0]
    return ROOMS.index(room) if room in ROOMS else len(ROOMS)
