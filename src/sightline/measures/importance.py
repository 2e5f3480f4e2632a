"""How much each word matters to this decision, by reference: the gradient, and true deletion.

Both can be asked of the model as it is, or with other weights at decoding. Asked with *uniform* weights they are free
of attention, so that attention can be compared with them without comparing it with itself (docs/findings/SL-104.md).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from jaxtyping import Bool, Float

from sightline.maths.divergences import probabilities, total_variation
from sightline.maths.projections import renormalise
from sightline.measures.arrays import decided, to_numpy
from sightline.measures.words import Words, words_of
from sightline.types import Auditable, Batch, Trace, closed_up

Array = np.ndarray
TOKENS_AT_ONCE = 2**15
"""Bound on the tokens of the shortened texts that are run together."""


def gradient_importance(
    model: Auditable, trace: Trace, attention: Float[torch.Tensor, "B T"] | None = None, *, held: bool = True
) -> Float[Array, "B W"]:
    """``|∂ log-odds / ∂e_t · e_t|`` of the decided class (Jain & Wallace 2019, §4.1); its sign: `signed_gradient`."""
    return np.asarray(np.abs(signed_gradient(model, trace, attention, held=held)))


def signed_gradient(
    model: Auditable, trace: Trace, attention: Float[torch.Tensor, "B T"] | None = None, *, held: bool = True
) -> Float[Array, "B W"]:
    """``∂ log-odds / ∂e_t · e_t`` of the decided class: gradient times input; below zero, the word speaks against it.

    A word read in pieces has the sum of their slopes: what moves when all of them grow along themselves.
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
    words = words_of(trace)
    return np.asarray(words.of(to_numpy((gradient * embeddings).sum(-1))) * words.mask)


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


def log_odds_slope(logits: Float[torch.Tensor, "B L"], chosen: torch.Tensor) -> Float[torch.Tensor, "B L"]:
    """``∂ log-odds / ∂s`` of the chosen class: ±1 of one logit; 0 of the logit of an absent candidate."""
    leaf = logits.detach().clone().requires_grad_()
    (slope,) = torch.autograd.grad(log_odds(leaf, chosen).sum(), leaf)
    return slope


def deletion_importance(
    model: Auditable,
    trace: Trace,
    attentions: Mapping[str, Float[torch.Tensor, "B T"]],
    tokens_at_once: int = TOKENS_AT_ONCE,
) -> dict[str, Float[Array, "B W"]]:
    """Total variation of the output when one word is deleted, whole, and the shortened text is run again.

    ``"own"`` lets the model attend anew to what is left (Jain & Wallace 2019, algorithm 1). For each named attention
    in ``attentions``, both outputs are decoded with it; its weights on the words left are scaled to sum to one.
    ``"signed"`` is what the log-odds of the decided class lose in the runs of ``"own"``: below zero, the word spoke
    against it. The plain way, one run a word: the oracle of anything faster. NaN where the only word would go.
    """
    whole = {name: probabilities(to_numpy(model.decode(trace, weights))) for name, weights in attentions.items()}
    whole["own"] = probabilities(to_numpy(trace.logits))
    words = words_of(trace)
    chosen = torch.from_numpy(decided(trace)).to(trace.logits.device)
    odds = log_odds(trace.logits.double(), chosen)
    out = {name: np.zeros(words.mask.shape) for name in (*whole, "signed")}
    for rows, columns in _deletions(words, trace.batch, tokens_at_once):
        kept = _kept(words, trace.batch, rows, columns)
        shorter = model.trace(trace.batch.rows(rows).keep(kept))
        places = closed_up(kept)
        decoded = {"own": shorter.logits}
        for name, weights in attentions.items():
            left = renormalise(weights[rows].gather(1, places), shorter.batch.attendable)
            decoded[name] = model.decode(shorter, left)
        for name, logits in decoded.items():
            change = total_variation(probabilities(to_numpy(logits)), whole[name][to_numpy(rows)])
            out[name][to_numpy(rows), to_numpy(columns)] = change
        lost = odds[rows] - log_odds(shorter.logits.double(), chosen[rows])
        out["signed"][to_numpy(rows), to_numpy(columns)] = to_numpy(lost)
    alone = words.mask.sum(1) < 2
    return {name: np.where(alone[:, None], np.nan, values) for name, values in out.items()}


def _kept(words: Words, batch: Batch, rows: torch.Tensor, columns: torch.Tensor) -> Bool[torch.Tensor, "N T"]:
    """Keep all but one word of each text named, all its pieces going together."""
    place = torch.from_numpy(words.place).to(rows.device)[rows]
    return batch.mask[rows] & (place != columns[:, None])


def _deletions(words: Words, batch: Batch, tokens_at_once: int) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """List every (row, column) of a word that is not alone in its text, in chunks that fit in memory."""
    several = words.mask.sum(1, keepdims=True) > 1
    found = np.nonzero(words.mask & several)
    rows, columns = (torch.from_numpy(axis).to(batch.ids.device) for axis in found)
    beside = 0 if batch.query_ids is None else batch.query_ids.shape[1]  # every shortened text brings its query
    size = max(1, tokens_at_once // (batch.ids.shape[1] + beside))
    return list(zip(torch.split(rows, size), torch.split(columns, size), strict=True)) if len(rows) else []
