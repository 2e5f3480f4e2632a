"""How much each word matters to a prediction: by gradient, and by leave-one-out.

Both work for the model as it is, and with other weights at decoding. With *uniform* weights they
are free of attention. So attention can be compared with them without being compared with itself
(docs/findings/SL-104.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, cast

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from sightline.config.word_maps import Reduction
from sightline.core.protocols import (
    GRADIENT_TOKENS,
    Auditable,
    Batch,
    SupportsDeletion,
    SupportsLogitsUnder,
    Trace,
    kept_columns,
)
from sightline.measures.batch_words import Words, words_of
from sightline.measures.perturbations import (
    at_once,
    chunks,
    logits_of_variants,
    run_variants,
    token_counts,
)
from sightline.measures.trace_arrays import decided
from sightline.numerics.divergences import probabilities, total_variation
from sightline.numerics.log_odds import log_odds
from sightline.numerics.projections import renormalise
from sightline.numerics.tensors import to_numpy

Array = np.ndarray
Attentions = Mapping[str, Float[torch.Tensor, "*N B T"]]
"""Weights at decoding, by name: one map, or one a head."""
ReducedTexts = tuple[Int[Array, " N"], Int[Array, " N"], Mapping[str, Float[torch.Tensor, "N L"]]]
"""The text and the word of each deletion, and the logits of the shortened text by name of the
attention."""
TOKENS_AT_ONCE = 2**13
"""Most tokens of shortened texts that are run together."""


@dataclass(frozen=True)
class Slope:
    """``∂ log-odds / ∂e`` of the predicted class by word: ``along`` the word's embedding, signed,
    and its norm.

    For a word of several tokens, ``along`` is the sum over its tokens (the change when all of them
    grow), and the norm is over all of them.
    """

    along: Float[Array, "B W"]
    length: Float[Array, "B W"]

    def reduced(self, reduction: Reduction) -> Float[Array, "B W"]:
        """Give ``|∂ log-odds / ∂e_t · e_t|``, or ``‖∂ log-odds / ∂e_t‖₂``.

        Gradient × ``input`` follows the released code of Jain & Wallace (2019), the ``norm``
        follows Meister et al. (2021, §3.1).
        """
        return self.length if reduction == "norm" else np.asarray(np.abs(self.along))


SlopeUnder = Literal["held", "through"] | Float[torch.Tensor, "*N B T"]
"""How to take a gradient: with attention held, through attention, or with other weights at
decoding, which are held."""


def slopes(model: Auditable, trace: Trace, asked: Mapping[str, SlopeUnder]) -> dict[str, Slope]:
    """Take ``∂ log-odds / ∂e`` of the predicted class in each of the ways ``asked``.

    ``held`` cuts the graph at the attention, as the released code of Jain & Wallace (2019) does,
    and needs a model that can decode. Otherwise the gradient also runs through the weights (Meister
    et al. 2021). The gradient of the log-odds is the gradient of the probability times a positive
    factor for each text, so ranks and shares are the same. But it does not vanish where the
    probability saturates.

    A model of this package runs once for all of them. A foreign model runs once for each, because
    its graph might be freed after one use, and on few texts at a time, because what a transformer
    keeps for its gradients is the largest part of the audit's memory.
    """
    if model.origin == "here":
        found = _gradients(model, trace, slice(None), asked)
    else:
        some = max(1, GRADIENT_TOKENS // trace.batch.ids.shape[1])
        parts = [slice(at, at + some) for at in range(0, len(trace.batch), some)]
        found = {
            name: torch.cat([_gradients(model, trace, rows, {name: one})[name] for rows in parts])
            for name, one in asked.items()
        }
    return {
        name: _slope(trace, gradient, trace.embeddings.detach()) for name, gradient in found.items()
    }


def _gradients(
    model: Auditable, trace: Trace, rows: slice, asked: Mapping[str, SlopeUnder]
) -> dict[str, Float[torch.Tensor, "N T E"]]:
    """Run some texts of a batch once, and take the gradient in each of the ways ``asked``."""
    chosen = torch.from_numpy(decided(trace)[rows]).to(trace.logits.device)
    embeddings = trace.embeddings.detach()[rows].clone().requires_grad_()
    again = model.trace(trace.batch.rows(rows), embeddings)
    names, out = list(asked), {}
    for name in names:
        one = asked[name]
        here = one if isinstance(one, str) else one[..., rows, :]
        target = log_odds(_answered(model, again, here), chosen).sum()
        (out[name],) = torch.autograd.grad(target, embeddings, retain_graph=name != names[-1])
    return out


def _answered(model: Auditable, again: Trace, asked: SlopeUnder) -> Float[torch.Tensor, "B L"]:
    if isinstance(asked, str):
        return again.logits if asked == "through" else model.decode(again, again.own.detach())
    return model.decode(again, asked.detach())


def _slope(
    trace: Trace, gradient: Float[torch.Tensor, "B T E"], embeddings: Float[torch.Tensor, "B T E"]
) -> Slope:
    words = words_of(trace)
    along = words.of(to_numpy((gradient * embeddings).sum(-1))) * words.mask
    return Slope(
        along, np.sqrt(words.of(to_numpy(gradient.cpu().double().square().sum(-1)))) * words.mask
    )


def odds_of(logits: Float[torch.Tensor, "B L"], chosen: Int[Array, " B"]) -> Float[Array, " B"]:
    """Give the log-odds of the predicted classes as an array."""
    return np.asarray(to_numpy(log_odds(logits.cpu().double(), torch.from_numpy(chosen))))


def odds_lost(before: Float[Array, "*B"], after: Float[Array, "*B"]) -> Float[Array, "*B"]:
    """Subtract log-odds; an output that stays certain (both infinite) loses nothing."""
    return np.asarray(np.subtract(before, after, out=np.zeros(before.shape), where=before != after))


def deletion_importance(
    model: Auditable,
    trace: Trace,
    attentions: Attentions,
    tokens_at_once: int = TOKENS_AT_ONCE,
    asked: Bool[Array, "B W"] | None = None,
) -> dict[str, Float[Array, "B W"]]:
    """Total variation of the output when a whole word is deleted and the shortened text is run
    again.

    For ``"own"`` the model attends to the shortened text itself (Jain & Wallace 2019, algorithm 1).
    For each named attention in ``attentions``, both outputs are decoded with it, and its weights on
    the remaining words are scaled to sum to one. ``"signed"`` is the loss of the log-odds of the
    predicted class, above zero if the word speaks for it. A model that offers neither ``deletion``
    nor ``variants`` runs once a word; tests compare both with that. NaN for a text of
    one word, and for words that are not ``asked``.
    """
    whole = {
        name: probabilities(to_numpy(model.decode(trace, weights)))
        for name, weights in attentions.items()
    }
    whole["own"] = probabilities(to_numpy(trace.logits))
    words, chosen = words_of(trace), decided(trace)
    odds = odds_of(trace.logits, chosen)
    left_alone = words.mask & ~(words.mask if asked is None else asked)
    out = {name: np.where(left_alone, np.nan, 0.0) for name in (*whole, "signed")}
    in_closed_form = "deletion" in model.offers and words.shares is None
    left = (
        _in_closed_form
        if in_closed_form
        else partial(_run_again, tokens_at_once=tokens_at_once, left_alone=left_alone)
    )
    for row, column, decoded in left(model, trace, words, attentions):
        out["signed"][row, column] = odds_lost(odds[row], odds_of(decoded["own"], chosen[row]))
        for name, logits in decoded.items():
            out[name][row, column] = total_variation(
                probabilities(to_numpy(logits)), whole[name][row]
            )
    alone = words.mask.sum(1) < 2
    return {name: np.where(alone[:, None], np.nan, values) for name, values in out.items()}


def _in_closed_form(
    model: Auditable, trace: Trace, words: Words, attentions: Attentions
) -> Iterator[ReducedTexts]:
    """Ask the model for all deletions at once."""
    several = words.mask.sum(1, keepdims=True) > 1
    row, column = np.nonzero(words.mask & several)
    rows, columns = (torch.from_numpy(axis).to(trace.logits.device) for axis in (row, column))
    found = cast(SupportsDeletion, model).deletion_logits(trace, attentions)
    yield row, column, {name: logits[rows, columns] for name, logits in found.items()}


def _run_again(
    model: Auditable,
    trace: Trace,
    words: Words,
    attentions: Attentions,
    tokens_at_once: int,
    left_alone: Bool[Array, "B W"],
) -> Iterator[ReducedTexts]:
    """Run every shortened text, in chunks."""
    some = replace(words, mask=words.mask & ~left_alone)
    for rows, columns in deletions(some, trace.batch, at_once(model, tokens_at_once)):
        kept = all_but(words, trace.batch, rows, columns)
        texts = trace.batch.rows(rows).keep(kept)
        if not attentions:
            yield to_numpy(rows), to_numpy(columns), {"own": logits_of_variants(model, texts)}
            continue
        places = kept_columns(kept)
        if (
            isinstance(model, SupportsLogitsUnder)
            and model.answers_under
            and all(one.dim() == 2 for one in attentions.values())  # one map for all rows
        ):
            put = {
                name: renormalise(one[rows].gather(-1, places), texts.attendable)
                for name, one in attentions.items()
            }
            yield to_numpy(rows), to_numpy(columns), model.logits_under(texts, put)
            continue
        shorter = run_variants(model, texts)
        decoded = {"own": shorter.logits}
        for name, weights in attentions.items():
            decoded[name] = model.decode(shorter, _left(weights, rows, places, shorter))
        yield to_numpy(rows), to_numpy(columns), decoded


def _left(
    weights: Float[torch.Tensor, "*N B T"],
    rows: torch.Tensor,
    places: Int[torch.Tensor, "R S"],
    shorter: Trace,
) -> Float[torch.Tensor, "*M R S"]:
    """Take the weights of the remaining words, scaled to sum to one; if each token has a row of
    weights, only the remaining rows.
    """
    some = weights[..., rows, :]
    left = some.gather(-1, places.expand(*some.shape[:-1], -1))
    if left.dim() > 2 and left.shape[-3] != shorter.own.shape[-3]:
        kept = places.T[:, :, None].expand(*left.shape[:-3], -1, -1, left.shape[-1])
        left = left.gather(-3, kept)
    return renormalise(left, shorter.batch.attendable)


def all_but(
    words: Words, batch: Batch, rows: torch.Tensor, columns: torch.Tensor
) -> Bool[torch.Tensor, "N T"]:
    """Keep all tokens of each text but the tokens of one word."""
    place = torch.from_numpy(words.place).to(rows.device)[rows]
    return batch.mask[rows] & (place != columns[:, None])


def deletions(
    words: Words, batch: Batch, tokens_at_once: int
) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """List (row, column) of every word that is not alone in its text, texts of similar length
    together, in chunks that fit in memory.
    """
    several = words.mask.sum(1, keepdims=True) > 1
    rows, columns = np.nonzero(words.mask & several)
    lengths, device = token_counts(batch), batch.ids.device
    return [
        (torch.from_numpy(rows[some]).to(device), torch.from_numpy(columns[some]).to(device))
        for some in chunks(lengths[rows], tokens_at_once)
    ]
