"""How different could attention be for the same prediction, and how much weight must stay on the
top words? Exact, from token logits (SL-203).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_registry import MEASURES
from sightline.core.protocols import Arrays, MeasureContext, Trace
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.batch_words import Words, words_of
from sightline.measures.topk_mass import unranked
from sightline.measures.trace_arrays import (
    WHY,
    count_undefined,
    keys_of,
    ordered,
    ragged,
    with_reasons,
)
from sightline.numerics.max_divergence_multiclass import (
    farthest_answering,
    farthest_deciding,
    walls,
)
from sightline.numerics.minimal_mass import least_mass
from sightline.numerics.rank_agreement import top_count
from sightline.numerics.score_margin import nats_to_flip
from sightline.numerics.simplex import decision, rival_gaps
from sightline.numerics.tensors import to_numpy
from sightline.numerics.ties import constant, level_ties

_SET = MEASURES["counterfactual"].settings
Array = np.ndarray
NO_NATS = (
    "a weight of zero, which has no logarithm",
    "no attention changes the decision",
)
"""Why there is no smallest change of the log-weights that flips the prediction."""


@dataclass(frozen=True)
class AdversarialAttention:
    """The farthest attention with the same output or prediction, the least weight that must stay on
    the top words, and the smallest change of the log-weights that flips the prediction (in nats).

    The weight is computed for the same output within ε, and for the same prediction. Its chance
    level is the mean over ``draws`` of the least weight on as many random words. With more than two
    classes both are bounds. An output counts as the same if the log-odds of the predicted class
    against each other class stay within what a change by ε allows, so at least that much weight
    must stay. The farthest attention with the same prediction is searched among at most ``corners``
    sets of tokens, and bounded beyond.
    """

    epsilon: float = _SET["epsilon"]
    share: float = _SET["share"]
    draws: int = _SET["draws"]
    corners: int = _SET["corners"]
    code: str = "counterfactual"
    needs: frozenset[str] = NEEDS["counterfactual"]
    paper: str = PAPERS["counterfactual"]

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Ask the corners of the simplex: nothing is decoded, and no gradient is taken."""
        assert trace.token_logits is not None  # `needs` names them
        words, mask = words_of(trace), to_numpy(trace.batch.attendable)
        known = to_numpy(
            trace.finite & torch.isfinite(trace.token_logits).all(-1).all(-1)
        )  # others are left out later
        z = np.where((mask & known[:, None])[..., None], to_numpy(trace.token_logits), 0.0)
        attention = np.where(mask & known[:, None], to_numpy(trace.attention), 0.0)
        own = np.einsum("bt,btl->bl", attention, z)
        gaps, held = rival_gaps(z, decision(own)), _held(words, self.share, self.draws, seeds)
        far = farthest_answering(z, attention, mask, self.epsilon)
        deciding = farthest_deciding(gaps, attention, mask, self.corners)
        answer = least_mass(gaps, held, mask, *walls(own, self.epsilon))
        decides = least_mass(
            gaps, held, mask, np.zeros(gaps[:, 0].shape), np.full(gaps[:, 0].shape, np.inf)
        )
        one, flat = words.mask.sum(1) < 2, constant(words.attention, words.mask)
        nats = nats_to_flip(gaps, attention, mask)
        return {
            "jsd_low": np.where(one, np.nan, far.low),
            "jsd_high": np.where(one, np.nan, far.high),
            "decision.jsd_low": np.where(one, np.nan, deciding.low),
            "decision.jsd_high": np.where(one, np.nan, deciding.high),
            "answer.top": np.where(one | flat, np.nan, answer[0]),
            "answer.random": np.where(one | flat, np.nan, answer[1:].mean(axis=0)),
            "decision.top": np.where(one | flat, np.nan, decides[0]),
            "decision.random": np.where(one | flat, np.nan, decides[1:].mean(axis=0)),
            "nats": np.where(np.isinf(nats), np.nan, nats),
            "farthest": ragged(words.of(far.attention), words.mask),
            "words": words.mask.sum(1),
            "constant": flat,
            f"{WHY}{NO_NATS[0]}": np.isnan(nats),
            f"{WHY}{NO_NATS[1]}": np.isinf(nats),
        }

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts with a single attention, and those whose prediction no scores change."""
        values, _ = with_reasons(arrays)
        undefined = count_undefined(values, unranked(values), values.keys() - {"nats"})
        no_nats = {reason: np.asarray(arrays[f"{WHY}{reason}"]) for reason in NO_NATS}
        undefined |= count_undefined(values, no_nats, {"nats"})
        settings = {
            "epsilon": self.epsilon,
            "share": self.share,
            "draws": self.draws,
            "corners": self.corners,
        }
        return Measurement(self.code, values, undefined, settings)


def _held(words: Words, share: float, draws: int, seeds: Seeds) -> Bool[Array, "R B T"]:
    """Mark the tokens of the top words of each text (first row, ties broken at random) and of as
    many random words (other rows).
    """
    count = top_count(words.mask.sum(1), share)
    keys = keys_of(words.mask, words.index, draws + 1, seeds, "counterfactual")
    orders = ordered([level_ties(words.attention, words.mask)], words.mask, keys)
    chosen = np.zeros(keys.shape, dtype=bool)
    first = np.broadcast_to(np.arange(words.mask.shape[1]) < count[:, None], keys.shape)
    np.put_along_axis(chosen, orders, first, axis=2)
    at = np.broadcast_to(np.maximum(words.place, 0), (len(keys), *words.place.shape))
    return np.asarray(np.take_along_axis(chosen, at, axis=2) & (words.place >= 0))
