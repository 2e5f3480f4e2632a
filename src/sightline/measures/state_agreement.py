"""Does attention rank words like the importance of their inputs, or of their hidden states? After
Meister et al. 2021, Table 6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_registry import MEASURES
from sightline.core.protocols import Arrays, MeasureContext, SupportsStateReplacement, Trace
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import AttributionMaps
from sightline.measures.importance import TOKENS_AT_ONCE
from sightline.measures.topk_mass import FLAT_REFERENCE, unranked
from sightline.measures.trace_arrays import count_undefined, decided, keys_of, ragged
from sightline.numerics.divergences import probabilities, total_variation
from sightline.numerics.log_odds import log_odds
from sightline.numerics.rank_agreement import kendall_tau_b
from sightline.numerics.state_concentration import evenness
from sightline.numerics.tensors import to_numpy
from sightline.numerics.ties import NOTHING, constant, level_ties

_SET = MEASURES["state_agreement"].settings
Array = np.ndarray
Order = Int[torch.Tensor, "B T"]
References = Mapping[str, Float[Array, "B W"]]
OF_STATES = ("state_gradient", "state_deletion")
REFERENCES = ("gradient_through", "deletion", *OF_STATES)
"""Importance of inputs by gradient and by removal, and of hidden states by both."""


@dataclass(frozen=True)
class StateAgreement:
    """Kendall's τ-b of attention with four importances, of inputs and of the hidden states that it
    mixes.

    Gradients are norms and run through the weights. With weights held, the gradient of an affine
    decoder is the weight times one number a text, so τ with hidden states would be 1 by arithmetic.
    A hidden state is removed before the weights are computed, so the others share its weight as the
    projection decides; no word is read again. Mechanical agreement (``coupling``): every word gets
    the score of another, as a constant, and everything is computed again, to show the τ of weights
    that chose nothing. ``within``: among words with weight, because a sparse map has many words
    without. Entropy: how evenly importance is spread over the words, whatever attention does (their
    figure 2).
    """

    shuffles: int = _SET["shuffles"]
    tokens_at_once: int = TOKENS_AT_ONCE
    code: str = "state_agreement"
    needs: frozenset[str] = NEEDS["state_agreement"]
    paper: str = PAPERS["state_agreement"]

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Compare attention with each importance, as it is and under every shuffle."""
        maps = AttributionMaps(subject, trace, seeds, self.tokens_at_once, "norm")
        mask, attention = maps.words.mask, maps["attention"]
        orders = [None, *shuffled_orders(maps, self.shuffles)]
        found = _importances(maps, orders)
        (_, own), shuffled = found[0], found[1:]
        weighed = mask & (level_ties(attention, mask) > 0)
        words, nothing = mask.sum(1), (mask & ~weighed).sum(1)
        pairs = np.where(words > 1, words * (words - 1.0), np.nan)
        out: dict[str, Any] = {"words": words, "constant": constant(attention, mask)}
        out |= {"support": words - nothing, "both_zero": nothing * (nothing - 1) / pairs}
        for name in REFERENCES:
            out[f"tau.{name}"] = _tau(attention, own[name], mask)
            out[f"within_tau.{name}"] = _tau(attention, own[name], weighed)
            out[f"coupling_tau.{name}"] = np.mean(
                [_tau(a, one[name], mask) for a, one in shuffled], axis=0
            )
            out[f"entropy.{name}"] = _evenness(own[name], mask)
        return out | {name: ragged(own[name], mask) for name in OF_STATES}

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts without a ranking: one word, or weights or an importance that are all
        equal.
        """
        ranked = unranked(arrays, FLAT_REFERENCE)
        one, rest = ({name: ranked[name]} for name in ("one word", FLAT_REFERENCE))
        within = {
            "weights or importance equal among the words with any weight": ranked[FLAT_REFERENCE]
        }
        kinds = {
            "tau": ranked,
            "coupling_tau": ranked,
            "within_tau": one | within,
            "entropy": one | rest,
        }
        undefined: dict[str, dict[str, int]] = count_undefined(arrays, one, ("both_zero",))
        for kind, reasons in kinds.items():
            chosen = [name for name in arrays if name.partition(".")[0] == kind]
            undefined |= count_undefined(arrays, reasons, chosen)
        return Measurement(
            self.code, arrays, undefined, {"shuffles": self.shuffles, "gradient": "norm"}
        )


def shuffled_orders(maps: AttributionMaps, shuffles: int) -> list[Order]:
    """Draw for each word the word whose score it gets; tokens that are no words keep their own. A
    word is one token here.
    """
    assert (
        maps.words.shares is None
    )  # models of this package read words whole, and no other model offers its hidden states
    mask, out = maps.words.mask, []
    for keys in keys_of(mask, maps.words.index, shuffles, maps.seeds, "coupling of states"):
        order = np.tile(np.arange(mask.shape[1]), (len(mask), 1))
        for row, real in enumerate(mask):
            places = np.flatnonzero(real)
            order[row, places] = places[np.argsort(keys[row, real])]
        out.append(torch.from_numpy(order).to(maps.trace.logits.device))
    return out


def _importances(
    maps: AttributionMaps, orders: Sequence[Order | None]
) -> list[tuple[Float[Array, "B W"], References]]:
    """Give the weights and the four importances for each order; the first is the model's own."""
    slopes = _slopes(maps, orders)
    weights = {str(number): attention for number, (attention, _) in enumerate(slopes)}
    deleted = maps.deleted({number: weights[number] for number in weights if number != "0"})
    found: list[tuple[Array, References]] = []
    for number, (order, (attention, slope)) in enumerate(zip(orders, slopes, strict=True)):
        others = {
            "deletion": deleted[str(number) if number else "own"],
            "state_deletion": _removed(maps, order),
        }
        found.append((maps.words.of(to_numpy(attention)), slope | others))
    return found


def _slopes(
    maps: AttributionMaps, orders: Sequence[Order | None]
) -> list[tuple[torch.Tensor, dict[str, Float[Array, "B W"]]]]:
    """Give the weights of each order, and ``‖∂ log-odds / ∂e‖`` and ``‖∂ log-odds / ∂h‖`` through
    these weights.
    """
    model, trace = maps.subject.model, maps.trace
    assert isinstance(model, SupportsStateReplacement)  # `needs` names it
    chosen = torch.from_numpy(decided(trace)).to(trace.logits.device)
    embeddings = trace.embeddings.detach().clone().requires_grad_()
    again = model.trace(trace.batch, embeddings)
    states = model.states(again)
    found = []
    for order in orders:
        attention, logits = model.from_states(again, states, order)
        both = torch.autograd.grad(
            log_odds(logits, chosen).sum(), (embeddings, states), retain_graph=True
        )
        lengths = [to_numpy(slope.cpu().double().norm(dim=-1)) * maps.words.mask for slope in both]
        found.append(
            (
                attention.detach(),
                dict(zip(("gradient_through", "state_gradient"), lengths, strict=True)),
            )
        )
    return found


def _removed(maps: AttributionMaps, order: Order | None) -> Float[Array, "B W"]:
    """Total variation of the output without each hidden state; NaN where it is the only one."""
    model, trace, mask = maps.subject.model, maps.trace, maps.words.mask
    assert isinstance(model, SupportsStateReplacement)  # `needs` names it
    out = np.zeros(mask.shape)
    with torch.no_grad():
        whole = probabilities(to_numpy(model.from_states(trace, model.states(trace), order)[1]))
        without = to_numpy(model.without_states(trace, order))
    for place in np.flatnonzero(mask.any(axis=0)):
        out[:, place] = total_variation(probabilities(without[:, place]), whole) * mask[:, place]
    return np.where(mask.sum(1, keepdims=True) < 2, np.nan, out)


def _evenness(importance: Float[Array, "B W"], mask: Bool[Array, "B W"]) -> Float[Array, " B"]:
    """Normalised entropy of the importance of words for the output; NaN where all are next to 0."""
    real = np.where(mask, importance, 0.0)
    total = np.where(real.sum(1) > NOTHING, real.sum(1), np.nan)
    return evenness((real / total[:, None])[:, None], mask)[:, 0]


def _tau(
    x: Float[Array, "B W"], y: Float[Array, "B W"], mask: Bool[Array, "B W"]
) -> Float[Array, " B"]:
    """Kendall's τ-b, undefined where an importance is."""
    return np.where(np.isnan(y).any(axis=1), np.nan, kendall_tau_b(x, np.nan_to_num(y), mask))
