"""Checks of hidden states, of models that can replace them and of models that only give them."""

from __future__ import annotations

import numpy as np
import torch
from jaxtyping import Float

from sightline.adapters.checks.probe_batch import (
    MOVED,
    TOLERANCE,
    CheckResult,
    ProbeBatch,
    difference,
    weighted,
)
from sightline.core.protocols import SupportsStateReplacement, SupportsStates
from sightline.numerics.tensors import to_numpy

LEFT = 1e-2
"""Largest share of a gradient of the logits that may not run through the hidden state of the one
attended word: rounding leaves less than 1e-4, and states without one of twelve elements 0.04."""
RIGHT_STATES = (
    "let states give the vectors that attention mixes, one a token; leave states out if the logits "
    "depend on anything else, such as a residual"
)


def replaced(on: ProbeBatch) -> CheckResult:
    """Replace hidden states by themselves, which changes nothing, and by none, which does."""
    model = on.model
    assert isinstance(model, SupportsStateReplacement)  # other models skip this check
    own = model.states(on.trace)
    attention, logits = model.from_states(on.trace, own)
    apart = max(difference(logits, on.trace.logits), difference(attention, on.trace.attention))
    if apart > TOLERANCE:
        return CheckResult(
            f"from_states misses the attention or the logits when it is given states (by {apart:.2g})",
            "let states give what the attention is computed from and mixes, and let from_states "
            "score these, attend and decode as the forward pass does",
            apart,
        )
    moved = difference(model.from_states(on.trace, torch.zeros_like(own))[1], on.trace.logits)
    if moved > MOVED:
        return CheckResult(measured=apart)
    return CheckResult(
        "from_states gives the same logits whatever states it is handed",
        "use the second argument of from_states, not the states that trace computed",
        moved,
    )


def given(on: ProbeBatch) -> CheckResult:
    """Put all attention on one word: the logits may then depend on the text through its hidden
    state alone.

    So their gradient by the embeddings is a mixture of the gradients of the state's elements.
    Whatever it has besides came another way.
    """
    model = on.model
    assert isinstance(model, SupportsStates)  # other models skip this check
    states = model.states(on.trace)
    if not torch.isfinite(states[on.batch.mask]).all():
        return CheckResult("a hidden state is not finite", "mask scores, and not states")
    row = _text(on, states.shape[2])
    if row is None:
        return CheckResult(not_asked="no text has more numbers in its embeddings than a state has")
    elements, logits = _gradients(on, row)
    if elements is None:
        return CheckResult(
            "no gradient runs from the hidden states back to the embeddings",
            "take .detach() out of trace and states",
        )
    left = _unexplained(logits, elements)
    if left <= LEFT:
        return CheckResult(measured=left)
    return CheckResult(
        "with all attention on one word, the logits depend on more of the text than the hidden "
        f"state of this word ({left:.0%} of their gradient)",
        RIGHT_STATES,
        left,
    )


def _text(on: ProbeBatch, size: int) -> int | None:
    """Choose the shortest text whose embeddings have twice as many numbers as a state, else the
    longest; None if it has no more than a state, because then any state would pass.
    """
    numbers = on.batch.attendable.sum(1) * on.trace.embeddings.shape[2]
    enough = torch.where(numbers >= 2 * size, numbers, torch.iinfo(numbers.dtype).max)
    row = int(enough.argmin() if (numbers >= 2 * size).any() else numbers.argmax())
    return row if int(numbers[row]) > size else None


def _gradients(
    on: ProbeBatch, row: int
) -> tuple[Float[np.ndarray, "P N"] | None, Float[np.ndarray, " N"]]:
    """Take the gradients of the elements of one state, and of the logits under attention on it
    alone, by all embeddings of its text; None if no graph leads from the state to them.
    """
    model, batch = on.model, on.batch.rows(torch.tensor([row], device=on.batch.ids.device))
    assert isinstance(model, SupportsStates)
    embeddings = on.trace.embeddings[row : row + 1].detach().clone().requires_grad_()
    trace = model.trace(batch, embeddings)
    words = batch.attendable[0].nonzero()[:, 0]
    place = int(words[len(words) // 2])
    alone = torch.zeros_like(trace.attention)
    alone[:, place] = 1.0
    logits = model.decode(trace, alone)[0]
    state = model.states(trace)[0, place]
    if not state.requires_grad:
        return None, np.zeros(0)
    asked = [*state.unbind(), weighted(logits)]
    taken = [
        torch.autograd.grad(one, embeddings, retain_graph=True, materialize_grads=True)[0]
        if one.requires_grad
        else torch.zeros_like(embeddings)
        for one in asked
    ]
    found = to_numpy(torch.stack([one.flatten() for one in taken]))
    return found[:-1], found[-1]


def _unexplained(gradient: Float[np.ndarray, " N"], elements: Float[np.ndarray, "P N"]) -> float:
    """Give the share of the length of ``gradient`` that no mixture of ``elements`` gives."""
    if not (length := np.linalg.norm(gradient)):
        return 0.0
    mixture = np.linalg.lstsq(elements.T, gradient, rcond=1e-12)[0]
    return float(np.linalg.norm(gradient - mixture @ elements) / length)
