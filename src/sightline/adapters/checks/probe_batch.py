"""What every proof looks at and what it finds, and how two answers are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import nn

from sightline.adapters.answers_model import AnswerBatch
from sightline.core.example import Example
from sightline.core.protocols import Auditable, Batch, Trace

TOLERANCE = 1e-5
"""Largest difference, absolute for small numbers and relative for large ones, between two runs that
must agree."""
MOVED = 1e-6
"""Least change of a logit that counts as one."""


@dataclass(frozen=True)
class CheckResult:
    """What a proof found: nothing wrong, or what is wrong and what to change; and the number it
    rests on.

    ``not_asked`` says why it could not be asked of this model.
    """

    wrong: str = ""
    change: str = ""
    measured: float | None = None
    not_asked: str = ""


@dataclass(frozen=True)
class ProbeBatch:
    """What the proofs look at: texts, their batch and trace, and the names of the classes where
    they are known.
    """

    model: Auditable
    examples: Sequence[Example]
    batch: Batch
    trace: Trace
    labels: Sequence[str] | None


def module_of(model: Auditable) -> nn.Module | None:
    """Give the module of a model, where it has one that can be looked at."""
    module = model if isinstance(model, nn.Module) else getattr(model, "module", None)
    return module if isinstance(module, nn.Module) else None


def difference(a: torch.Tensor, b: torch.Tensor) -> float:
    """``max |a − b| / max(1, |b|)``: absolute for small numbers, relative for large ones; NaN
    counts as infinite.
    """
    if a.numel() == 0:
        return 0.0
    a, b = a.detach().double(), b.detach().double()
    found = float(((a - b).abs() / b.abs().clamp(min=1)).max())
    return found if found == found else float("inf")


def answers(trace: Trace) -> list[Float[torch.Tensor, " N"]]:
    """Give for each text its logits and the attention of its real tokens, however it was padded.

    Of a function that gives probabilities these are compared: near 0, rounding moves a logarithm
    far.
    """
    given = isinstance(trace.batch, AnswerBatch)
    rows = zip(
        trace.logits.exp() if given else trace.logits,
        trace.attention,
        trace.batch.mask,
        strict=True,
    )
    return [torch.cat([logits, attention[mask]]).detach() for logits, attention, mask in rows]


def furthest(ours: Sequence[torch.Tensor], theirs: Sequence[torch.Tensor]) -> tuple[int, float]:
    """Find the text whose answers differ most, and by how much."""
    apart = [
        difference(a, b) if a.shape == b.shape else float("inf")
        for a, b in zip(ours, theirs, strict=True)
    ]
    return max(range(len(apart)), key=apart.__getitem__), max(apart)
