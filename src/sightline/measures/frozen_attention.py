"""How much would weights capture that nothing learned? A control model with random, frozen
attention (SL-104).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_registry import MEASURES
from sightline.config.word_maps import Reduction
from sightline.core.protocols import Arrays, MeasureContext, Trace
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import AttributionMaps
from sightline.measures.importance import TOKENS_AT_ONCE
from sightline.measures.topk_mass import FLAT_REFERENCE, FREE, captured_free, texts_of, unranked
from sightline.measures.trace_arrays import count_undefined
from sightline.numerics.ties import is_flat

_SET = MEASURES["frozen"].settings


@dataclass(frozen=True)
class FrozenAttention:
    """Captured importance, and its chance level, of a control model that was trained with random
    weights, one for each word type.

    It has its own comparison maps, free of attention at decoding like those of the model. The
    weights still affect them through training: a hidden state that always weighs much learns more.
    So what the control model captures above chance is no selection. Only what the model captures
    beyond it shows that attention selected words.
    """

    share: float = _SET["share"]
    tokens_at_once: int = TOKENS_AT_ONCE
    gradient: Reduction = "input"
    code: str = "frozen"
    needs: frozenset[str] = NEEDS["frozen"]
    paper: str = PAPERS["frozen"]

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Run the control model, and compare its attention with its own comparison maps."""
        other = subject.companions["frozen"]
        control = replace(subject, model=other, shared={})  # its maps are not the model's
        maps = AttributionMaps(
            control, other.trace(trace.batch), seeds, self.tokens_at_once, self.gradient
        )
        texts = texts_of(maps, self.share)
        captured, chance = captured_free(maps["attention"], [maps[name] for name in FREE], texts)
        alike = is_flat(maps["attention"], texts.mask)
        return {
            "captured": captured,
            "chance": chance,
            "words": texts.mask.sum(1),
            "constant": alike,
        }

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts without a ranking, as for the model."""
        reasons = unranked(arrays, FLAT_REFERENCE)
        settings = {"share": self.share, "gradient": self.gradient}
        return Measurement(self.code, arrays, count_undefined(arrays, reasons), settings)
