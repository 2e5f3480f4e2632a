"""How much each word matters to this decision, by reference: the gradient, and true deletion.

Both can be asked of the model as it is, or with other weights at decoding. Asked with *uniform* weights they are free
of attention, so that attention can be compared with them without comparing it with itself (docs/findings/SL-104.md).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from jaxtyping import Float

from sightline.maths.divergences import probabilities, total_variation
from sightline.maths.projections import renormalise
from sightline.measures.arrays import decided, to_numpy
from sightline.types import Auditable, Batch, Trace

Array = np.ndarray
TOKENS_AT_ONCE = 2**15
"""Bound on the tokens of the shortened texts that are run together."""


def gradient_importance(
    model: Auditable, trace: Trace, attention: Float[torch.Tensor, "B T"] | None = None, *, held: bool = True
) -> Float[Array, "B T"]:
    """``|∂ log-odds / ∂e_t · e_t|`` of the decided class (Jain & Wallace 2019, §4.1: gradient times input).

    ``held`` cuts the graph at the attention, as the released code of that paper does; otherwise the gradient also
    runs through the weights (Meister et al. 2021). ``attention`` replaces the weights at decoding, and is held.
    The log-odds of the decided class differ from its probability by a positive factor for each text, which no rank and
    no share of a total can see, and do not vanish where the probability saturates.
    """
    embeddings = trace.embeddings.detach().clone().requires_grad_()
    again = model.trace(trace.batch, embeddings)
    weights = again.attention if attention is None else attention
    logits = model.decode(again, weights.detach() if held else weights)
    target = log_odds(logits, torch.from_numpy(decided(trace)).to(logits.device)).sum()
    (gradient,) = torch.autograd.grad(target, embeddings)
    return to_numpy((gradient * embeddings).sum(-1).abs() * trace.batch.attendable)


def log_odds(logits: Float[torch.Tensor, "B L"], chosen: torch.Tensor) -> Float[torch.Tensor, " B"]:
    """``log p_c − log(1 − p_c)`` for the chosen class: the signed logit, or the logit against the sum of the others.

    The others are the candidates (an absent one has a logit of −∞). Where there is none, the answer is certain
    whatever the text says: infinite, with a gradient of zero.
    """
    if logits.shape[1] == 1:
        return torch.where(chosen == 1, logits[:, 0], -logits[:, 0])
    own = torch.nn.functional.one_hot(chosen, logits.shape[1]).bool()
    others = logits.masked_fill(own, -torch.inf)
    certain = torch.isneginf(others).all(dim=1)
    odds = logits[own] - others.masked_fill(certain[:, None], 0).logsumexp(dim=1)
    return odds.masked_fill(certain, torch.inf)


def deletion_importance(
    model: Auditable,
    trace: Trace,
    attentions: Mapping[str, Float[torch.Tensor, "B T"]],
    tokens_at_once: int = TOKENS_AT_ONCE,
) -> dict[str, Float[Array, "B T"]]:
    """Total variation of the output when one word is deleted and the shortened text is run again.

    ``"own"`` lets the model attend anew to what is left (Jain & Wallace 2019, algorithm 1). For each named attention
    in ``attentions``, both outputs are decoded with it; its weights on the words left are scaled to sum to one. The
    plain way, one run a word: the oracle of anything faster. NaN where the only word would go.
    """
    whole = {name: probabilities(to_numpy(model.decode(trace, weights))) for name, weights in attentions.items()}
    whole["own"] = probabilities(to_numpy(trace.logits))
    out = {name: np.zeros(tuple(trace.batch.ids.shape)) for name in whole}
    for rows, columns in _deletions(trace.batch, tokens_at_once):
        shorter = trace_without(model, trace.batch, rows, columns)
        decoded = {"own": shorter.logits}
        for name, weights in attentions.items():
            left = renormalise(_without(weights[rows], columns, shorter), shorter.batch.attendable)
            decoded[name] = model.decode(shorter, left)
        for name, logits in decoded.items():
            change = total_variation(probabilities(to_numpy(logits)), whole[name][to_numpy(rows)])
            out[name][to_numpy(rows), to_numpy(columns)] = change
    alone = to_numpy(trace.batch.attendable).sum(1) < 2
    return {name: np.where(alone[:, None], np.nan, values) for name, values in out.items()}


def trace_without(model: Auditable, batch: Batch, rows: torch.Tensor, columns: torch.Tensor) -> Trace:
    """Run one shortened text for each (row, column): the text of that row without the token in that column."""
    kept = batch.mask[rows].scatter(1, columns[:, None], False)
    return model.trace(batch.rows(rows).keep(kept))


def _without(weights: Float[torch.Tensor, "N T"], columns: torch.Tensor, shorter: Trace) -> Float[torch.Tensor, "N S"]:
    """Close the gap that deleting one column leaves, as `Batch.keep` does."""
    left = torch.arange(shorter.batch.ids.shape[1], device=weights.device)
    return weights.gather(1, left + (left >= columns[:, None]).long())


def _deletions(batch: Batch, tokens_at_once: int) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """List every (row, column) of a word that is not alone in its text, in chunks that fit in memory."""
    several = batch.attendable.sum(1, keepdim=True) > 1
    rows, columns = torch.nonzero(batch.attendable & several, as_tuple=True)
    beside = 0 if batch.query_ids is None else batch.query_ids.shape[1]  # every shortened text brings its query
    size = max(1, tokens_at_once // (batch.ids.shape[1] + beside))
    return list(zip(torch.split(rows, size), torch.split(columns, size), strict=True)) if len(rows) else []
