"""Do the highlighted words speak for the decision, or against it? (SL-105)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_settings import SETTINGS
from sightline.core.protocols import Arrays, MeasureContext, Trace
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import AttributionMaps
from sightline.measures.importance import TOKENS_AT_ONCE
from sightline.measures.topk_mass import ranked, texts_of, unranked
from sightline.measures.trace_arrays import count_undefined
from sightline.numerics.ties import flat, settled

_SET = SETTINGS["polarity"]
Array = np.ndarray


@dataclass(frozen=True)
class Polarity:
    """How much of the highlighting lies on words that do not speak against the prediction, and how
    many words do not.

    A word speaks against the decision where the log-odds of the decided class grow by more than
    rounding (`sightline.numerics.ties`) when it is deleted. ``top`` is the share of the weight of
    the top words that lies on other words: by weight, because a text with one word of evidence has
    fillers among its top words, and losing one of these makes more room for the evidence.
    ``random`` is the share of other words among all, which is what ``top`` is on average when the
    weights are permuted over the words.
    """

    share: float = _SET["share"]
    tokens_at_once: int = TOKENS_AT_ONCE
    candidates: int | None = None
    code: str = "polarity"
    needs: frozenset[str] = NEEDS["polarity"]
    paper: str = PAPERS["polarity"]

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Delete every word once, and see which way the log-odds of the decided class go."""
        maps = AttributionMaps(subject, trace, seeds, self.tokens_at_once, most=self.candidates)
        attention, score, texts = (
            maps["attention"],
            maps["signed_deletion"],
            texts_of(maps, self.share),
        )
        known = np.where(texts.mask, score, 0.0)
        spared = np.where(np.isnan(known), np.nan, settled(known, texts.mask) >= 0)
        return {
            "top": _weighed(spared, ranked(attention, texts) * attention),
            "random": _weighed(spared, texts.mask.astype(float)),
            "words": maps.words.mask.sum(1),
            "constant": flat(attention, texts.mask),
        }

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts without a top word: one word, constant attention."""
        settings: dict[str, Any] = {"share": self.share}
        if self.candidates is not None:
            settings["candidates"] = self.candidates
        return Measurement(self.code, arrays, count_undefined(arrays, unranked(arrays)), settings)


def _weighed(values: Float[Array, "B W"], weights: Float[Array, "B W"]) -> Float[Array, " B"]:
    """Average over the words of each text; NaN where a value or a weight is."""
    return np.asarray((values * weights).sum(1) / weights.sum(1))
