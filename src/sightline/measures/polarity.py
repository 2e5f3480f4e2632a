"""Do the highlighted words speak for the predicted class, or against it? (SL-105)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_registry import MEASURES
from sightline.core.protocols import Arrays, MeasureContext, Trace
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import AttributionMaps
from sightline.measures.importance import TOKENS_AT_ONCE
from sightline.measures.topk_mass import ranked, texts_of, unranked
from sightline.measures.trace_arrays import count_undefined
from sightline.numerics.ties import is_flat, level_ties

_SET = MEASURES["polarity"].settings
Array = np.ndarray


@dataclass(frozen=True)
class Polarity:
    """The share of the highlighting on words that do not speak against the prediction, and the
    share of such words.

    A word speaks against the prediction if deleting it raises the log-odds of the predicted class
    by more than rounding (`sightline.numerics.ties`). ``top`` is the share of the weight of the top
    words on other words. It is by weight, because a text with one important word has fillers among
    its top words, and removing a filler gives the important word more weight. ``random`` is the
    share of other words among all words: the mean of ``top`` when the weights are permuted.
    """

    share: float = _SET["share"]
    tokens_at_once: int = TOKENS_AT_ONCE
    candidates: int | None = None
    code: str = "polarity"
    needs: frozenset[str] = NEEDS["polarity"]
    paper: str = PAPERS["polarity"]

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Delete every word once, and compare the log-odds of the predicted class."""
        maps = AttributionMaps(subject, trace, seeds, self.tokens_at_once, most=self.candidates)
        attention, score, texts = (
            maps["attention"],
            maps["signed_deletion"],
            texts_of(maps, self.share),
        )
        known = np.where(texts.mask, score, 0.0)
        spared = np.where(np.isnan(known), np.nan, level_ties(known, texts.mask) >= 0)
        return {
            "top": _weighed(spared, ranked(attention, texts) * attention),
            "random": _weighed(spared, texts.mask.astype(float)),
            "words": maps.words.mask.sum(1),
            "constant": is_flat(attention, texts.mask),
        }

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts without top words: one word, constant attention."""
        settings: dict[str, Any] = {"share": self.share}
        if self.candidates is not None:
            settings["candidates"] = self.candidates
        return Measurement(self.code, arrays, count_undefined(arrays, unranked(arrays)), settings)


def _weighed(values: Float[Array, "B W"], weights: Float[Array, "B W"]) -> Float[Array, " B"]:
    """Average over the words of each text; NaN where a value or a weight is NaN."""
    return np.asarray((values * weights).sum(1) / weights.sum(1))
