"""Removal (SL-301) for every attention source at once: how far the log-odds of the predicted class
drop without the words with the most attention.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sightline.audits.attention_sources.source_maps import by_word
from sightline.core.protocols import Arrays, MeasureContext, Trace
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import AttributionMaps
from sightline.measures.importance import TOKENS_AT_ONCE
from sightline.measures.removal_curves import (
    SHARES,
    answers_without,
    distinct,
    first_words,
    odds_gone,
    of_sets,
    orders_of,
)
from sightline.measures.trace_arrays import decided
from sightline.numerics.tensors import to_numpy


@dataclass(frozen=True)
class SourceRemoval:
    """Drop of the log-odds when the top words of each attention source are deleted, averaged over
    shares.

    Two references are included, as in `sightline.measures.removal`: random words (``random``), and
    the words whose deletion alone has the largest effect (``most``).
    """

    shares: tuple[float, ...] = SHARES
    draws: int = 5
    code: str = "readings"
    needs: frozenset[str] = frozenset()
    paper: str = "DeYoung et al. 2020, §4.2"

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Order the words by every attention source, and delete each distinct set once."""
        shown = by_word(subject, trace)
        maps = AttributionMaps(replace(subject, shared={**subject.shared, **shown}), trace, seeds)
        words = maps.words
        orders = orders_of(maps, tuple(shown), self.draws)
        removals, back = distinct(
            first_words(orders, words.mask, self.shares), words.mask.sum(1) > 1
        )
        left = answers_without(subject, trace, words, removals, TOKENS_AT_ONCE)
        gone = odds_gone(to_numpy(trace.logits), left, decided(trace), removals.row)
        lost = of_sets(gone, back).mean(axis=1)
        named = {name: lost[row] for row, name in enumerate(shown)}
        return {**named, "most": lost[len(shown)], "random": lost[-self.draws :].mean(axis=0)}

    def finish(self, arrays: Arrays) -> Measurement:
        """Keep the numbers; texts of one word have no number."""
        return Measurement(
            self.code, arrays, {}, {"shares": list(self.shares), "draws": self.draws}
        )
