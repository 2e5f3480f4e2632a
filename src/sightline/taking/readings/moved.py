"""Transfer (SL-303) of several attention sources at once: what the words that each shows most carry between texts."""

from __future__ import annotations

from dataclasses import dataclass

from sightline.measures.arrays import ragged
from sightline.measures.transplant import Transplant
from sightline.measures.words import words_of
from sightline.results import Ragged
from sightline.seeds import Seeds
from sightline.taking.readings.shown import by_word
from sightline.types import Subject, Trace


@dataclass(frozen=True)
class Moved(Transplant):
    """The transplant of the ``sources`` named, in place of the maps that could be shown; equal hybrids run once."""

    sources: tuple[str, ...] = ()
    code: str = "moved"

    def names(self, subject: Subject) -> tuple[str, ...]:
        """Name the sources."""
        return self.sources

    def _maps(self, subject: Subject, trace: Trace, seeds: Seeds) -> dict[str, Ragged]:
        shown, mask = by_word(subject, trace), words_of(trace).mask
        return {name: ragged(shown[name], mask) for name in self.sources}
