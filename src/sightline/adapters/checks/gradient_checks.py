"""Checks that gradients reach all embeddings, on the path that the measures of an audit use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch
from jaxtyping import Float

from sightline.adapters.checks.decoding_checks import used
from sightline.adapters.checks.probe_batch import (
    MOVED,
    TOLERANCE,
    CheckResult,
    ProbeBatch,
    difference,
    weighted,
)
from sightline.core.protocols import GRADIENT_TOKENS

STEP = 1e-2
"""The step that moves embeddings to measure a slope by two runs, in units of their own size."""
SLACK = 0.2
"""The largest relative difference between a slope and its gradient in the median text: kinks and
rounding are allowed."""
SLOPE = 1e-4
"""The smallest slope that two runs in float32 can measure."""


def starts_from(on: ProbeBatch) -> CheckResult:
    """Trace from the model's own embeddings, and then from others."""
    apart, moved = 0.0, 0.0
    for part in _parts(on):
        given = part.trace.embeddings.detach()
        with torch.no_grad():
            same = part.model.trace(part.batch, given)
            other = part.model.trace(part.batch, given + _direction(given))
        apart = max(apart, difference(same.logits, part.trace.logits))
        moved = max(moved, difference(other.logits, part.trace.logits))
    if apart > TOLERANCE:
        return CheckResult(
            (
                "trace, given the model's own embeddings, gives other logits than without them "
                f"(by {apart:.2g})"
            ),
            "let embed do all that happens before trace starts, and trace nothing of it again",
            apart,
        )
    if moved > MOVED:
        return CheckResult(measured=apart)
    return CheckResult(
        "trace ignores the embeddings that it is given",
        "start from the second argument of trace; do not look the ids up again",
    )


def reaches(on: ProbeBatch) -> CheckResult:
    """Take the gradient as the measures do, and compare it with slopes measured by two runs."""
    try:
        return _reached(on)
    except RuntimeError as error:
        return _refused(str(error).splitlines()[0])


def _reached(on: ProbeBatch) -> CheckResult:
    parts = tuple(_parts(on))
    taken = [_gradient(part) for part in parts]
    found = [one for one in taken if one is not None]
    gradient = torch.cat(found) if found else None
    if gradient is None or len(found) < len(parts) or not gradient.any():
        return CheckResult(
            "no gradient reaches the embeddings that trace is given",
            (
                "take .detach(), .data, .numpy(), torch.tensor(…) and torch.no_grad() out of "
                "trace and decode"
            ),
        )
    if not torch.isfinite(gradient).all():
        return CheckResult(
            "a gradient is not finite", "mask with masked_fill, and take no root or logarithm of 0"
        )
    cut = next((one for one in map(_cut_attention, parts) if one is not None), None)
    return cut or _steep(parts, found)


def _parts(on: ProbeBatch) -> Iterator[ProbeBatch]:
    """Give as many texts at a time as the measures do for gradients: for the gradients of eight
    long texts, a transformer keeps 3 GB.
    """
    at_once = max(1, GRADIENT_TOKENS // max(1, on.batch.ids.shape[1]))
    for start in range(0, len(on.examples), at_once):
        rows = torch.arange(start, min(start + at_once, len(on.examples)))
        batch = on.batch.rows(rows.to(on.batch.ids.device))
        examples = on.examples[start : start + at_once]
        yield replace(on, examples=examples, batch=batch, trace=on.model.trace(batch))


def _gradient(on: ProbeBatch) -> torch.Tensor | None:
    """Take the gradient of some texts; None if no graph leads to their embeddings."""
    embeddings = on.trace.embeddings.detach().clone().requires_grad_()
    target = _target(on, embeddings).sum()
    if not target.requires_grad:
        return None
    return torch.autograd.grad(target, embeddings, allow_unused=True)[0]


def _target(on: ProbeBatch, embeddings: Float[torch.Tensor, "B T E"]) -> Float[torch.Tensor, " B"]:
    """Run from embeddings, decode where a measure would, and sum the weighted logits."""
    trace = on.model.trace(on.batch, embeddings)
    logits = on.model.decode(trace, trace.own) if "decode" in on.model.offers else trace.logits
    return weighted(logits)


def _cut_attention(on: ProbeBatch) -> CheckResult | None:
    """Check that a graph leads from the embeddings to attention, and from attention to the logits."""
    embeddings = on.trace.embeddings.detach().clone()
    with torch.no_grad():
        other = on.model.trace(on.batch, embeddings + _direction(embeddings))
    follows = difference(other.attention, on.trace.attention) > MOVED
    attention = on.model.trace(on.batch, embeddings.requires_grad_()).attention
    if follows and not _leads(attention, embeddings):
        return CheckResult(
            "no gradient runs from attention back to the embeddings",
            "do not detach attention or scores in trace",
        )
    if "decode" not in on.model.offers or used(on).wrong:
        # nothing to lead, or a decode that ignores attention, which another check reports
        return None
    weights = on.trace.own.detach().clone().requires_grad_()
    if _leads(on.model.decode(on.trace, weights), weights):
        return None
    return CheckResult(
        "no gradient runs from the logits back to the attention that decode is given",
        "do not detach the second argument of decode",
    )


def _leads(end: torch.Tensor, start: torch.Tensor) -> bool:
    """Whether a graph leads from one tensor to another."""
    return (
        end.requires_grad
        and torch.autograd.grad(end.sum(), start, allow_unused=True)[0] is not None
    )


def _refused(message: str) -> CheckResult:
    if "cudnn RNN backward" in message:
        change = (
            "run it under torch.backends.cudnn.flags(enabled=False), as sightline.wrap does for "
            "modules with an RNN"
        )
        return CheckResult(
            "cuDNN refuses the gradient of a recurrent layer in evaluation mode", change
        )
    change = (
        "write over no tensor in place, and use no torch.inference_mode() in embed, trace and "
        "decode"
    )
    return CheckResult(f"the gradient could not be taken: {message}", change)


def _steep(parts: Sequence[ProbeBatch], gradients: Sequence[torch.Tensor]) -> CheckResult:
    """Compare with ``(f(e + s·d) − f(e − s·d)) / 2s`` for one direction a text, by the median text."""
    missed = [_missed(*one) for one in zip(parts, gradients, strict=True)]
    apart = float(torch.cat(missed).median())
    if apart <= SLACK:
        return CheckResult(measured=apart)
    return CheckResult(
        (
            f"the gradient is not the slope of the logits: it misses it by {100 * apart:.0f} % in "
            "the middle text"
        ),
        ("detach no part of the path from embeddings to logits: states, attention and residuals"),
        apart,
    )


def _missed(on: ProbeBatch, gradient: Float[torch.Tensor, "B T E"]) -> Float[torch.Tensor, " B"]:
    """The relative error of the gradient in each text."""
    where = on.trace.embeddings.detach()
    direction = _direction(where) * on.batch.mask[:, :, None]
    with torch.no_grad():
        up, down = (_target(on, where + sign * STEP * direction).cpu().double() for sign in (1, -1))
    measured = (up - down) / (2 * STEP)
    ours = (gradient.cpu().double() * direction.cpu().double()).sum((1, 2))
    return (measured - ours).abs() / measured.abs().clamp(min=SLOPE)


def _direction(embeddings: Float[torch.Tensor, "B T E"]) -> Float[torch.Tensor, "B T E"]:
    """Draw a direction with the norm of the embeddings, the same each time."""
    generator = torch.Generator().manual_seed(0)
    drawn = torch.randn(embeddings.shape, generator=generator).to(embeddings)
    return drawn * embeddings.detach().cpu().double().std(correction=0).clamp(min=1e-3).to(
        embeddings
    )
