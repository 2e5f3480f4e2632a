"""Which words speak for the predicted class, and which against? Signed maps, and what they add up
to.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_registry import MEASURES
from sightline.config.word_maps import SIGNED_RIVALS
from sightline.core.needs import needed
from sightline.core.protocols import Arrays, Capability, MeasureContext, Trace
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import MAKERS, AttributionMaps, balance, rivals
from sightline.measures.importance import TOKENS_AT_ONCE
from sightline.measures.trace_arrays import count_undefined, ragged
from sightline.numerics.tensors import to_numpy

_SET = MEASURES["signs"].settings
KEPT = ("contribution", "given", *SIGNED_RIVALS)
"""The maps that could be shown and that no other measure stores."""
_SUMS: tuple[str, ...] = ("base", "added", "total", "apart", "classes")
_ALONE: frozenset[Capability] = MAKERS["contribution"].needs


@dataclass(frozen=True)
class SignedAttribution:
    """The maps that could be shown instead of attention, word by word, and the sum of weight ×
    logit.

    An affine decoder makes the logits a sum over the words. So weight × logit has a ``base``
    (uniform attention), what the words ``added``, and the ``total`` that both must give. The three
    are kept if they agree up to rounding, ``tolerance`` times the larger of the total and 1, and
    are undefined otherwise; ``apart`` is the difference.
    """

    tolerance: float = _SET["tolerance"]
    tokens_at_once: int = TOKENS_AT_ONCE
    code: str = "signs"
    needs: frozenset[str] = NEEDS["signs"]
    paper: str = PAPERS["signs"]

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Keep every map that the model allows, and the sums if each word has its own logits."""
        maps = AttributionMaps(subject, trace, seeds, self.tokens_at_once)
        kept = {
            name: ragged(maps[name], maps.words.mask) for name in rivals(subject) if name in KEPT
        }
        return {**kept, **(self._sums(maps) if subject.model.offers >= _ALONE else {})}

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts whose words do not add up, and name what the model does not allow."""
        undefined = {}
        if "classes" in arrays:
            classes = np.asarray(arrays["classes"])
            undefined = count_undefined(
                arrays, {"one candidate": classes < 2, "off by more than rounding": classes > 1}
            )
        settings = {"tolerance": self.tolerance}
        return Measurement(self.code, arrays, undefined, settings, missing=_missing(arrays))

    def _sums(self, maps: AttributionMaps) -> Arrays:
        base, total = balance(maps)
        added = np.where(np.isnan(total), np.nan, maps["signed_contribution"].sum(1))
        apart = np.abs(base + added - total)
        exact = apart <= self.tolerance * np.maximum(1.0, np.abs(total))
        sums = {"base": base, "added": added, "total": total}
        known = {name: np.where(exact, value, np.nan) for name, value in sums.items()}
        return {**known, "apart": apart, "classes": _classes(maps.trace)}


def _classes(trace: Trace) -> Int[np.ndarray, " B"]:
    """Count the classes of each text: two for one logit, otherwise the allowed ones."""
    logits = to_numpy(trace.logits)
    return np.full(len(logits), 2) if logits.shape[1] == 1 else (~np.isneginf(logits)).sum(axis=1)


def _missing(arrays: Arrays) -> dict[str, str]:
    """Say for each missing quantity what the model would have to offer. The user's scores are not
    the model's to give.
    """
    needs = {name: MAKERS[name].needs for name in KEPT} | dict.fromkeys(_SUMS, _ALONE)
    return {name: needed(n) for name, n in needs.items() if n and name not in arrays}
