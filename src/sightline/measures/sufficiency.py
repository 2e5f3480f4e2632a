"""Are the highlighted words sufficient for the prediction? All others deleted, by every map
(SL-302).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_registry import MEASURES
from sightline.config.word_maps import Reduction
from sightline.core.needs import UNANSWERED
from sightline.core.protocols import Arrays, MeasureContext, Trace
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import AttributionMaps, rivals
from sightline.measures.importance import TOKENS_AT_ONCE
from sightline.measures.removal_curves import (
    answers_without,
    by_name,
    chance_gone,
    distinct,
    first_words,
    odds,
    of_sets,
    orders_of,
)
from sightline.measures.trace_arrays import WHY, decided, with_reasons
from sightline.numerics.tensors import to_numpy

_SET = MEASURES["sufficiency"].settings


@dataclass(frozen=True)
class Sufficiency:
    """Log-odds of the predicted class when only the top words of a map are kept, averaged over
    shares.

    Keeps the words that `erasure` removes, in the same orders: of each map, of random words, and of
    what deleting each word alone does (``most``). ``curve.MAP`` has the number of each share.
    ``area`` and ``floor`` are the published number, for attention and for random words: the drop of
    the probability, which is small if the words suffice.
    """

    shares: tuple[float, ...] = tuple(_SET["shares"])
    draws: int = _SET["draws"]
    tokens_at_once: int = TOKENS_AT_ONCE
    gradient: Reduction = "input"
    code: str = "sufficiency"
    needs: frozenset[str] = NEEDS["sufficiency"]
    paper: str = PAPERS["sufficiency"]

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Order the words by every map, keep the first words, each distinct set once, and compare
        the outputs.
        """
        maps = AttributionMaps(subject, trace, seeds, self.tokens_at_once, self.gradient)
        names, words, chosen = rivals(subject), maps.words, decided(trace)
        kept = first_words(orders_of(maps, names, self.draws), words.mask, self.shares)
        removals, back = distinct(words.mask & ~kept, words.mask.sum(1) > 1)
        left = answers_without(subject, trace, words, removals, self.tokens_at_once)
        found = of_sets(odds(left, chosen[removals.row]), back)
        area = of_sets(chance_gone(to_numpy(trace.logits), left, chosen, removals.row), back).mean(
            axis=1
        )
        known = {name: ~np.isnan(maps[name]).any(axis=1) for name in names}
        curves = by_name(found, known, self.draws)
        whole = odds(to_numpy(trace.logits), chosen)
        return {
            **{f"kept.{name}": curve.mean(axis=1) for name, curve in curves.items()},
            **{f"curve.{name}": curve for name, curve in curves.items()},
            "whole": np.where(np.isposinf(whole), np.nan, whole),
            "area": area[names.index("attention")],
            "floor": area[-self.draws :].T,
            "words": words.mask.sum(1),
            f"{WHY}one word": words.mask.sum(1) < 2,
            f"{WHY}one candidate": np.isposinf(whole),
            f"{WHY}{UNANSWERED}": np.isnan(found).any(axis=(0, 1)),
            f"{WHY}no scores for the text": ~known.get("given", np.ones(len(whole), dtype=bool)),
        }

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts whose words cannot be left out, and those whose log-odds are infinite."""
        values, undefined = with_reasons(arrays)
        settings = {"shares": list(self.shares), "draws": self.draws, "gradient": self.gradient}
        return Measurement(self.code, values, undefined, settings)
