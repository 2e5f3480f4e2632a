"""Do other words compensate for a word that loses its weight? Top weights zeroed one at a time, and
all together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_registry import MEASURES
from sightline.core.protocols import Arrays, MeasureContext, Trace
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.batch_words import Words, like, words_of
from sightline.measures.importance import odds_of
from sightline.measures.trace_arrays import WHY, decided, keys_of, ordered, with_reasons
from sightline.measures.transfer.hybrid_texts import share_of
from sightline.numerics.ties import level_ties

_SET = MEASURES["repair"].settings
Array = np.ndarray


@dataclass(frozen=True)
class Compensation:
    """The log-odds of the predicted class lost without the top weights: zeroed one by one and added
    up, and zeroed all at once.

    The other weights stay as they are (``zeroed``) or are scaled to sum to one (``scaled``).
    ``gap`` is the loss one by one minus the loss at once. It is 0 if the contributions of words are
    independent, as for two classes and an affine decoder with ``zeroed``. Below 0, the remaining
    words compensate for a word that goes alone.
    """

    share: float = _SET["share"]
    code: str = "repair"
    needs: frozenset[str] = NEEDS["repair"]
    paper: str = PAPERS["repair"]

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Decode with each of the top words at zero, and with all of them."""
        words, chosen = words_of(trace), decided(trace)
        weighed = ((words.attention > 0) & words.mask).sum(1)
        count = np.clip(share_of(weighed, self.share), 2, np.maximum(weighed - 1, 2))
        place, own = _places(words, seeds), odds_of(trace.logits, chosen)
        few, certain = weighed < 3, np.isposinf(own)
        out: dict[str, Array] = {"top": count}
        for how in ("zeroed", "scaled"):

            def lost(gone: Bool[Array, "B W"], how: str = how) -> Float[Array, " B"]:
                weights = np.where(gone, 0.0, words.own)
                left = weights / _total(weights) if how == "scaled" else weights
                after = odds_of(
                    subject.model.decode(trace, like(words.by_head(left), trace)), chosen
                )
                return np.where(few | certain, np.nan, own - np.where(certain, 0.0, after))

            first = range(int(count.max()))
            singly = np.sum([lost((place == k) & (k < count)[:, None]) for k in first], axis=0)
            jointly = lost(place < count[:, None])
            out |= {
                f"singly.{how}": singly,
                f"jointly.{how}": jointly,
                f"gap.{how}": singly - jointly,
            }
        return out | {
            f"{WHY}fewer than three words with weight": few,
            f"{WHY}one candidate": certain,
        }

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts with too few weights to remove, and those whose log-odds are infinite."""
        values, undefined = with_reasons(arrays)
        return Measurement(self.code, values, undefined, {"share": self.share})


def _places(words: Words, seeds: Seeds) -> Int[Array, "B W"]:
    """Rank the words by their weight, the largest at 0; ties at random, non-words last."""
    keys = keys_of(words.mask, words.index, 1, seeds, "repair")
    return np.argsort(
        ordered([level_ties(words.attention, words.mask)], words.mask, keys)[0], axis=1
    )


def _total(weights: Float[Array, "*N B W"]) -> Float[Array, "*N B 1"]:
    """Sum the weights that are left; 1 where none is, in texts (or heads) with too few words."""
    total = weights.sum(axis=-1, keepdims=True)
    return np.where(total > 0, total, 1.0)
