"""What every compatibility check takes and gives, and how two outputs are compared."""

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
"""The largest difference between two runs that must agree: absolute for small numbers, relative for
large ones."""
MOVED = 1e-6
"""The smallest change of a logit that counts as a change."""


@dataclass(frozen=True)
class CheckResult:
    """The result of a check: what is wrong and what to change (both empty if it passed), and the
    measured number.

    ``not_asked`` gives the reason why the check does not apply to this model.
    """

    wrong: str = ""
    change: str = ""
    measured: float | None = None
    not_asked: str = ""


@dataclass(frozen=True)
class ProbeBatch:
    """The input of the checks: texts, their batch and trace, and the names of the classes if known."""

    model: Auditable
    examples: Sequence[Example]
    batch: Batch
    trace: Trace
    labels: Sequence[str] | None


def module_of(model: Auditable) -> nn.Module | None:
    """Give the module of a model, if it has one."""
    module = model if isinstance(model, nn.Module) else getattr(model, "module", None)
    return module if isinstance(module, nn.Module) else None


def weighted(logits: Float[torch.Tensor, "*B L"]) -> Float[torch.Tensor, "*B"]:
    """Sum logits with different weights, because their plain sum may be constant."""
    size = logits.shape[-1]
    return logits @ torch.linspace(1, 2, size, dtype=logits.dtype, device=logits.device)


def difference(a: torch.Tensor, b: torch.Tensor) -> float:
    """``max |a − b| / max(1, |b|)``: absolute for small numbers, relative for large ones; NaN
    counts as infinite.
    """
    if a.numel() == 0:
        return 0.0
    a, b = a.detach().cpu().double(), b.detach().cpu().double()
    found = float(((a - b).abs() / b.abs().clamp(min=1)).max())
    return found if found == found else float("inf")


def answers(trace: Trace) -> list[Float[torch.Tensor, " N"]]:
    """Give for each text its logits and the attention of its real tokens, however it was padded.

    For a function from texts to probabilities, the probabilities are compared: near 0, rounding
    moves a logarithm far.
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
    """Find the text whose outputs differ most, and the difference."""
    apart = [
        difference(a, b) if a.shape == b.shape else float("inf")
        for a, b in zip(ours, theirs, strict=True)
    ]
    return max(range(len(apart)), key=apart.__getitem__), max(apart)
