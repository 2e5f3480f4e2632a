"""How much each word matters to this decision, by reference: the gradient, and true deletion.

Both can be asked of the model as it is, or with other weights at decoding. Asked with *uniform* weights they are free
of attention, so that attention can be compared with them without comparing it with itself (docs/findings/SL-104.md).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from sightline.maths.divergences import probabilities, total_variation
from sightline.maths.projections import renormalise
from sightline.measures.arrays import decided, to_numpy
from sightline.measures.variants import at_once, run_variants
from sightline.measures.words import Words, words_of
from sightline.questions import Reduction
from sightline.types import Auditable, Batch, Trace, closed_up

Array = np.ndarray
TOKENS_AT_ONCE = 2**13
"""Bound on the tokens of the shortened texts that are run together."""


def gradient_importance(
    model: Auditable,
    trace: Trace,
    attention: Float[torch.Tensor, "B T"] | None = None,
    *,
    held: bool = True,
    reduction: Reduction = "input",
) -> Float[Array, "B W"]:
    """``|∂ log-odds / ∂e_t · e_t|`` of the decided class, or ``‖∂ log-odds / ∂e_t‖₂``, as ``reduction`` says.

    Gradient times ``input`` is what the released code of Jain & Wallace (2019, §4.1) takes, the ``norm`` what Meister
    et al. (2021, §5) do. A word read in pieces has the sum of their slopes (what moves when all of them grow along
    themselves), or the norm over all of them.
    """
    gradient, embeddings = _gradient(model, trace, attention, held=held)
    words = words_of(trace)
    if reduction == "norm":
        return np.asarray(np.sqrt(words.of(to_numpy(gradient.double().square().sum(-1)))) * words.mask)
    return np.asarray(np.abs(words.of(to_numpy((gradient * embeddings).sum(-1))) * words.mask))


def signed_gradient(model: Auditable, trace: Trace, *, held: bool = True) -> Float[Array, "B W"]:
    """``∂ log-odds / ∂e_t · e_t`` of the decided class: gradient times input; below zero, the word is against it."""
    gradient, embeddings = _gradient(model, trace, None, held=held)
    words = words_of(trace)
    return np.asarray(words.of(to_numpy((gradient * embeddings).sum(-1))) * words.mask)


def _gradient(
    model: Auditable, trace: Trace, attention: Float[torch.Tensor, "B T"] | None, *, held: bool
) -> tuple[Float[torch.Tensor, "B T E"], Float[torch.Tensor, "B T E"]]:
    """Give ``∂ log-odds / ∂e`` of the decided class, and e.

    ``held`` cuts the graph at the attention, as the released code of Jain & Wallace (2019) does, which takes a model
    that can decode; otherwise the gradient also runs through the weights (Meister et al. 2021). ``attention`` replaces
    the weights at decoding, and is held. The log-odds of the decided class differ from its probability by a
    positive factor for each text, which no rank and no share of a total can see, and do not vanish where the
    probability saturates.
    """
    embeddings = trace.embeddings.detach().clone().requires_grad_()
    again = model.trace(trace.batch, embeddings)
    logits = again.logits
    if held or attention is not None:
        weights = again.attention if attention is None else attention
        logits = model.decode(again, weights.detach())
    target = log_odds(logits, torch.from_numpy(decided(trace)).to(logits.device)).sum()
    (gradient,) = torch.autograd.grad(target, embeddings)
    return gradient, embeddings.detach()


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


def odds_of(logits: Float[torch.Tensor, "B L"], chosen: Int[Array, " B"]) -> Float[Array, " B"]:
    """Give the log-odds of the classes that were decided on as an array."""
    return np.asarray(to_numpy(log_odds(logits.double(), torch.from_numpy(chosen).to(logits.device))))


def odds_lost(before: Float[Array, "*B"], after: Float[Array, "*B"]) -> Float[Array, "*B"]:
    """Subtract log-odds; an answer that stays certain (both infinite) loses nothing."""
    return np.asarray(np.subtract(before, after, out=np.zeros(before.shape), where=before != after))


def deletion_importance(
    model: Auditable,
    trace: Trace,
    attentions: Mapping[str, Float[torch.Tensor, "B T"]],
    tokens_at_once: int = TOKENS_AT_ONCE,
) -> dict[str, Float[Array, "B W"]]:
    """Total variation of the output when one word is deleted, whole, and the shortened text is run again.

    ``"own"`` lets the model attend anew to what is left (Jain & Wallace 2019, algorithm 1). For each named attention
    in ``attentions``, both outputs are decoded with it; its weights on the words left are scaled to sum to one.
    ``"signed"`` is what the log-odds of the decided class lose without the word, above zero where it speaks for it.
    The plain way, one run a word: the oracle of anything faster. NaN where the only word would go.
    """
    whole = {name: probabilities(to_numpy(model.decode(trace, weights))) for name, weights in attentions.items()}
    whole["own"] = probabilities(to_numpy(trace.logits))
    words, chosen = words_of(trace), decided(trace)
    odds = odds_of(trace.logits, chosen)
    out = {name: np.zeros(words.mask.shape) for name in (*whole, "signed")}
    for rows, columns in _deletions(words, trace.batch, at_once(model, tokens_at_once)):
        kept = _kept(words, trace.batch, rows, columns)
        shorter = run_variants(model, trace.batch.rows(rows).keep(kept))
        places = closed_up(kept)
        decoded = {"own": shorter.logits}
        row, column = to_numpy(rows), to_numpy(columns)
        out["signed"][row, column] = odds_lost(odds[row], odds_of(shorter.logits, chosen[row]))
        for name, weights in attentions.items():
            left = renormalise(weights[rows].gather(1, places), shorter.batch.attendable)
            decoded[name] = model.decode(shorter, left)
        for name, logits in decoded.items():
            out[name][row, column] = total_variation(probabilities(to_numpy(logits)), whole[name][row])
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
