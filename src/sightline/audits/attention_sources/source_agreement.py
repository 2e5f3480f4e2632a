"""How far each attention source agrees with gradient and leave-one-out (SL-101, SL-102)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sightline.audits.attention_sources.source_maps import by_word
from sightline.config.measure_registry import MEASURES
from sightline.core.protocols import Arrays, MeasureContext, Trace
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import MAKERS, AttributionMaps
from sightline.measures.topk_mass import by_chance, ranked, texts_of
from sightline.numerics.rank_agreement import captured

REFERENCES = ("gradient", "deletion")


@dataclass(frozen=True)
class SourceAgreement:
    """Share of each comparison attribution that the top words of each source capture, and its
    chance level.
    """

    sources: tuple[str, ...] = ()
    share: float = MEASURES["agreement"].settings["share"]
    code: str = "agreed"
    needs: frozenset[str] = frozenset()
    paper: str = "as agreement"

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Compare every source with the comparison attributions that the model allows."""
        maps = AttributionMaps(subject, trace, seeds)
        texts, shown = texts_of(maps, self.share), by_word(subject, trace)
        known = [maps[name] for name in REFERENCES if MAKERS[name].needs <= subject.model.offers]
        out = {}
        for name in self.sources:
            top = ranked(shown[name], texts)
            out[name] = np.mean(
                [captured(top, one, texts.mask, texts.count) for one in known], axis=0
            )
            out[f"chance of {name}"] = np.mean(
                [by_chance(top, one, texts) for one in known], axis=0
            )
        return out

    def finish(self, arrays: Arrays) -> Measurement:
        """Keep the numbers; a source that cannot order the words of a text has no number there."""
        return Measurement(self.code, arrays, {}, {"share": self.share})
