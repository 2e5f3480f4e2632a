"""Does a hidden state encode its own word? What explains the logits of a token: its word, or the
text around it (SL-402).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_registry import MEASURES
from sightline.core.needs import COMPANION, UNTRAINED, needed
from sightline.core.protocols import Arrays, MeasureContext, Survey, Trace
from sightline.core.results import Measurement, Ragged, Values
from sightline.core.seeds import Seeds
from sightline.measures.batch_words import types_of, words_of
from sightline.measures.trace_arrays import WHY, cluster_of, of_words, with_reasons
from sightline.numerics.tensors import to_numpy
from sightline.numerics.word_variance import explained

_SET = MEASURES["own_word"].settings
Array = np.ndarray
NAMES = ("whole", "word", "text")


@dataclass(frozen=True)
class OwnWord:
    """Share of the variance of token logits that the word explains, and that the rest of its text
    explains.

    A token's logits are predicted from the same word in *other* texts, and from the other words of
    its text. Copies and texts of one group are no other texts. Each token counts by its attention.
    All sums of squares are divided by their mean over the texts, so that means over texts are
    shares.
    """

    code: str = "own_word"
    needs: frozenset[str] = NEEDS["own_word"]
    paper: str = PAPERS["own_word"]
    surveys: Survey = _SET["surveys"]

    def look(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Take the logits, the weight and the type of every word; for the untrained control model,
        too.
        """
        words = words_of(trace)
        found: dict[str, Values] = {
            "index": words.index,
            "cluster": np.array([cluster_of(text) for text in subject.texts]),
            "type": Ragged(types_of(subject.texts, words, trace), words.mask.sum(1)),
        }
        found |= _evidence(trace)
        other = subject.companions.get(UNTRAINED)
        if other is not None and "token_logits" in other.offers:
            found |= {
                f"{UNTRAINED}.{name}": one
                for name, one in _evidence(other.trace(trace.batch)).items()
            }
        return found

    def learn(self, arrays: Arrays, seeds: Seeds) -> Mapping[int, Mapping[str, float]]:
        """Explain the token logits of all texts, and keep the sums of squares by text index."""
        sums = dict(zip(NAMES, _explained(arrays, ""), strict=True))
        if f"{UNTRAINED}.evidence" in arrays:
            sums[UNTRAINED] = _explained(arrays, f"{UNTRAINED}.")[1]
        index = np.asarray(arrays["index"]).tolist()
        return {
            one: {name: float(values[row]) for name, values in sums.items()}
            for row, one in enumerate(index)
        }

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Give each text the sums that were learned for it."""
        words = words_of(trace)
        rows = [subject.learned[one] for one in words.index.tolist()]
        count = words.mask.sum(1)
        return {
            **{name: np.array([row[name] for row in rows]) for name in rows[0]},
            "words": count,
            f"{WHY}one word": count < 2,
            f"{WHY}no word of it stands in another text, or all evidence is the same": count > 1,
        }

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts of which nothing can be explained."""
        values, undefined = with_reasons(arrays)
        missing = {} if UNTRAINED in values else {UNTRAINED: needed({f"{COMPANION}{UNTRAINED}"})}
        return Measurement(self.code, values, undefined, missing=missing)


def _evidence(trace: Trace) -> dict[str, Ragged]:
    """Give the weight and the logits of each word alone, centred over the classes if there are
    several.
    """
    words = words_of(trace)
    assert trace.token_logits is not None  # `needs` names them
    logits = words.alone(to_numpy(trace.token_logits))[words.mask]
    if logits.shape[1] > 1:
        logits = logits - logits.mean(axis=1, keepdims=True)
    count = words.mask.sum(1)
    return {"evidence": Ragged(logits, count), "weight": Ragged(words.attention[words.mask], count)}


def _explained(
    arrays: Arrays, of: str
) -> tuple[Float[Array, " N"], Float[Array, " N"], Float[Array, " N"]]:
    """Explain the token logits of one model, scaled so that the mean whole is 1. Texts with an
    output that is not finite are left out.
    """
    evidence, weight, kind = (
        of_words(arrays[name]) for name in (f"{of}evidence", f"{of}weight", "type")
    )
    text = np.repeat(np.arange(len(kind.lengths)), kind.lengths)
    known = np.isfinite(evidence.flat).all(axis=1) & np.isfinite(weight.flat)
    known &= np.bincount(text, ~known, minlength=len(kind.lengths))[text] == 0
    rows, texts = np.unique(text[known], return_inverse=True)
    types = np.unique(kind.flat[known], return_inverse=True)[1]
    clusters = np.unique(np.asarray(arrays["cluster"])[rows], return_inverse=True)[1][texts]
    sums = explained(evidence.flat[known], types, texts, weight.flat[known], clusters)
    out = np.full((3, len(kind.lengths)), np.nan)
    out[:, rows] = sums.whole, sums.by_word, sums.by_text
    there = out[0, ~np.isnan(out[0])]
    mean = there.mean() if len(there) else 0.0
    whole, word, in_text = out / mean if mean > 0 else np.full(out.shape, np.nan)
    return whole, word, in_text
