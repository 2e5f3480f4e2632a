"""Distance of a model to each control model, in predictions and in attention (SL-601)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_registry import MEASURES
from sightline.core.needs import COMPANION, needed
from sightline.core.protocols import Arrays, MeasureContext, Trace
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.batch_words import Words, words_of
from sightline.measures.trace_arrays import WHY, shuffled, with_reasons
from sightline.numerics.divergences import jensen_shannon, probabilities, total_variation
from sightline.numerics.rank_agreement import kendall_tau_b
from sightline.numerics.tensors import to_numpy
from sightline.numerics.ties import constant

_SET = MEASURES["beside"].settings
Array = np.ndarray
SEED = "seed("
"""Prefix of the control models that are the same model trained from another seed."""


@dataclass(frozen=True)
class ControlDistance:
    """Divergence and rank correlation of attention, and change of the output, between the model and
    each control model.

    For an adversarial model they say whether its training worked; for another seed, how stable
    attention is. Over all seeds, ``alike.seeds`` is ``1 − JSD / log 2``, and ``alike_chance.seeds``
    is the same with the other model's weights shuffled over the words.
    """

    draws: int = _SET["draws"]
    code: str = "beside"
    needs: frozenset[str] = NEEDS["beside"]
    paper: str = PAPERS["beside"]

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Run every control model on the same texts."""
        own, answers = words_of(trace), probabilities(to_numpy(trace.logits))
        out: dict[str, Array] = {}
        chance, one_order = list[Array](), constant(own.attention, own.mask)
        for name, companion in subject.companions.items():
            other = companion.trace(trace.batch)
            attention = words_of(other).attention
            out[f"jsd.{name}"] = jensen_shannon(own.attention, attention)
            out[f"tau.{name}"] = kendall_tau_b(own.attention, attention, own.mask)
            out[f"tvd.{name}"] = total_variation(answers, probabilities(to_numpy(other.logits)))
            one_order = one_order | constant(attention, own.mask)
            if name.startswith(SEED):
                chance.append(self._by_chance(own, attention, seeds, name))
        reasons = {f"{WHY}one word": own.mask.sum(1) < 2, f"{WHY}constant attention": one_order}
        return out | (_over_seeds(out, chance) if chance else {}) | reasons

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts whose words have no order, or where a control model is not finite."""
        values, undefined = with_reasons(arrays)
        missing = (
            {}
            if "alike.seeds" in values
            else dict.fromkeys(_SEEDS, needed({f"{COMPANION}seed(by=1)"}))
        )
        return Measurement(self.code, values, undefined, {"draws": self.draws}, missing=missing)

    def _by_chance(
        self, own: Words, attention: Float[Array, "B W"], seeds: Seeds, name: str
    ) -> Float[Array, " B"]:
        """Mean similarity of the weights to those of the control model after shuffling these."""
        drawn = shuffled(attention, own.mask, own.index, self.draws, seeds, f"{self.code} {name}")
        return np.asarray(
            np.mean([_alike(jensen_shannon(own.attention, one)) for one in drawn], axis=0)
        )


_SEEDS = ("alike.seeds", "alike_chance.seeds", "jsd.seeds", "tau.seeds", "tvd.seeds")


def _alike(divergence: Float[Array, " B"]) -> Float[Array, " B"]:
    return 1 - divergence / math.log(2)


def _over_seeds(out: Mapping[str, Array], chance: Sequence[Array]) -> dict[str, Array]:
    """Average over the control models that differ only in their seed."""
    found = {
        f"{kind}.seeds": np.mean(
            [out[name] for name in out if name.startswith(f"{kind}.{SEED}")], axis=0
        )
        for kind in ("jsd", "tau", "tvd")
    }
    return {
        **found,
        "alike.seeds": _alike(found["jsd.seeds"]),
        "alike_chance.seeds": np.mean(chance, axis=0),
    }
