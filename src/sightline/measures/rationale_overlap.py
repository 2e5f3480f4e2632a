"""Do the top words of each map match the rationale? Context: no test uses it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_registry import MEASURES
from sightline.config.word_maps import USER_MAPS, Reduction
from sightline.core.needs import needed
from sightline.core.protocols import Arrays, MeasureContext, Trace
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import MAKERS, AttributionMaps, available_maps
from sightline.measures.batch_words import Words
from sightline.measures.importance import TOKENS_AT_ONCE
from sightline.measures.trace_arrays import count_undefined, keys_of
from sightline.numerics.rationale_metrics import (
    average_precision,
    average_precision_by_chance,
    found_by_chance,
    found_on_top,
)
from sightline.numerics.span_f1 import spans_by_chance, spans_on_top

_SET = MEASURES["rationale"].settings
Array = np.ndarray
EXACT: Mapping[str, Callable[[Array, Array, Array], Array]] = {
    "auprc": average_precision,
    "auprc_chance": average_precision_by_chance,
    "f1": found_on_top,
    "f1_chance": found_by_chance,
}
SCORES = (*EXACT, "iou", "iou_chance")
"""Scores of each map, and the scores of a permuted map; for spans it is sampled."""
UNMARKED = "no audited text has a rationale"


@dataclass(frozen=True)
class Rationale:
    """Area under precision and recall, and F1 of as many words as the rationale has, and of their
    spans, for every map.

    A rationale shows where people saw the evidence. The model may have read other words: a faithful
    map of a model that is right for other reasons scores low, and a map that people like can be
    wrong about the model.
    """

    tokens_at_once: int = TOKENS_AT_ONCE
    gradient: Reduction = "input"
    draws: int = _SET["draws"]
    maps: tuple[str, ...] = tuple(_SET["maps"])
    code: str = "rationale"
    needs: frozenset[str] = NEEDS["rationale"]
    paper: str = PAPERS["rationale"]

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Compare every map with the rationales, if any audited text has one."""
        maps = AttributionMaps(subject, trace, seeds, self.tokens_at_once, self.gradient)
        marked, known = marked_words(subject, maps.words)
        out: dict[str, Array] = {
            "words": maps.words.mask.sum(1),
            "marked": marked.sum(1),
            "known": known,
        }
        if all(text.rationale is None for text in subject.audited):
            return out
        scored = np.array([text.id in subject.given for text in subject.texts])
        mask, keys = (
            maps.words.mask,
            keys_of(maps.words.mask, maps.words.index, self.draws, seeds, "rationale"),
        )
        chance = spans_by_chance(marked, mask, keys)
        for name in available_maps(subject, self.maps):
            scores = maps[name] if known.any() else np.zeros(marked.shape)
            found = {kind: score(scores, marked, mask) for kind, score in EXACT.items()}
            found["iou"] = spans_on_top(scores, marked, mask, keys)
            found["iou_chance"] = np.where(np.isnan(found["iou"]), np.nan, chance)
            out |= {f"{kind}.{name}": np.where(known, one, np.nan) for kind, one in found.items()}
        return out | ({"scored": scored} if subject.given else {})

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts without a rationale, other words, or an order of the words."""
        marked, words = np.asarray(arrays["marked"]), np.asarray(arrays["words"])
        everywhere = np.ones(len(words), dtype=bool)
        reasons = {
            "no marks for the text": ~np.asarray(arrays["known"]),
            "no word is marked": marked == 0,
        }
        reasons["every word is marked"] = marked == words
        rest = {"the map says the same of every word": everywhere}
        brought = [name for name in arrays if name.partition(".")[2] in USER_MAPS]
        undefined = count_undefined(arrays, reasons | rest, arrays.keys() - brought)
        if brought:
            unscored = {"no scores for the text": ~np.asarray(arrays["scored"])}
            undefined |= count_undefined(arrays, reasons | unscored | rest, brought)
        settings = {"gradient": self.gradient, "draws": self.draws}
        return Measurement(
            self.code, arrays, undefined, settings, missing=_missing(arrays, self.maps)
        )


def marked_words(
    subject: MeasureContext, words: Words
) -> tuple[Bool[Array, "B W"], Bool[Array, " B"]]:
    """Map the rationales to words, and mark the texts that have one."""
    out = np.zeros(words.mask.shape, dtype=bool)
    for row, text in enumerate(subject.texts):
        if text.rationale is not None:
            out[row, words.mask[row]] = text.rationale
    return out, np.array([text.rationale is not None for text in subject.texts])


def _missing(arrays: Arrays, names: Iterable[str]) -> dict[str, str]:
    """Say what is missing and why; the user's scores are optional and never missing."""
    if "auprc.attention" not in arrays:
        return dict.fromkeys(SCORES, UNMARKED)
    lacking = {
        name: MAKERS[name].needs
        for name in names
        if name not in USER_MAPS and f"auprc.{name}" not in arrays
    }
    return {f"{kind}.{name}": needed(needs) for name, needs in lacking.items() for kind in SCORES}
