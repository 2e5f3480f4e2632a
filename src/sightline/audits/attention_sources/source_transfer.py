"""Transfer (SL-303) of several attention sources at once: how far the top words of each take the
prediction into another text.
"""

from __future__ import annotations

from dataclasses import dataclass

from sightline.audits.attention_sources.source_maps import by_word
from sightline.core.protocols import MeasureContext, Trace
from sightline.core.results import Ragged
from sightline.core.seeds import Seeds
from sightline.measures.batch_words import words_of
from sightline.measures.trace_arrays import ragged
from sightline.measures.transfer.transfer import Transfer


@dataclass(frozen=True)
class SourceTransfer(Transfer):
    """The Transfer test of the named ``sources`` instead of other maps; equal hybrid texts run
    once.
    """

    sources: tuple[str, ...] = ()
    code: str = "moved"

    def names(self, subject: MeasureContext) -> tuple[str, ...]:
        """Name the sources."""
        return self.sources

    def _maps(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> dict[str, Ragged]:
        shown, mask = by_word(subject, trace), words_of(trace).mask
        return {name: ragged(shown[name], mask) for name in self.sources}
