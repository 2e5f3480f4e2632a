"""How sure is a model of its prediction from one word alone? As published, and as a share of
variance (context: no test uses it).

The published figure falls if a decoder is only less sure of everything. The share of the variance
of token logits *within* texts does not depend on how sure it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float
from scipy.special import expit

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.core.protocols import Arrays, MeasureContext, Trace
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import AttributionMaps
from sightline.measures.rationale_overlap import UNMARKED, marked_words
from sightline.measures.trace_arrays import count_undefined, decided
from sightline.numerics.tensors import to_numpy

Array = np.ndarray


@dataclass(frozen=True)
class TokenLogits:
    """For texts with a correct prediction: the predictions of each word alone, on average and in
    their spread.

    ``probability`` is the mean over the words of ``σ(token logit)``: the probability of the
    predicted class if the word had all attention. A margin is the logit of a class minus the mean
    of the others' (for two classes, the log-odds for and against it). ``within`` is the variance of
    the margins over the words of a text, ``total`` their variance about the mean of all texts. The
    margins of all classes are used: the margin of the predicted class alone would hide that all
    words of a text agree.
    """

    code: str = "token_evidence"
    needs: frozenset[str] = NEEDS["token_evidence"]
    paper: str = PAPERS["token_evidence"]

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Read the logits of each word alone."""
        assert trace.token_logits is not None  # `needs` names them
        maps = AttributionMaps(subject, trace, seeds)
        mask, chosen = maps.words.mask, decided(trace)
        alone = np.where(
            mask[..., None], margins(maps.words.alone(to_numpy(trace.token_logits))), 0.0
        )
        middle = _mean(alone, mask)
        marked, known = marked_words(subject, maps.words)
        own = np.take_along_axis(alone, chosen[:, None, None], axis=2)[..., 0]
        out = {
            "right": chosen == to_numpy(trace.batch.labels),
            "words": mask.sum(1),
            "probability": (expit(maps["evidence"]) * mask).sum(1) / mask.sum(1),
            "within": _mean((alone - middle[:, None]) ** 2, mask).mean(1),
            "middle": middle,
        }
        if all(text.rationale is None for text in subject.audited):
            return out
        apart = _mean(own[..., None], marked) - _mean(own[..., None], mask & ~marked)
        return out | {"marked": marked.sum(1), "known": known, "gap": apart[:, 0]}

    def finish(self, arrays: Arrays) -> Measurement:
        """Add the variance between texts, scale the gap of rationales by the standard deviation,
        and drop texts with a wrong prediction.
        """
        found = {name: np.asarray(value) for name, value in arrays.items()}
        right, several, middle = found["right"], found["words"] > 1, found.pop("middle")
        used = right & several & np.isfinite(found["within"])
        about = middle[used].mean(0) if used.any() else np.nan
        total = np.where(used, found["within"] + ((middle - about) ** 2).mean(1), np.nan)
        found |= {
            "probability": np.where(right, found["probability"], np.nan),
            "within": np.where(used, found["within"], np.nan),
            "total": total,
        }
        reasons = {"the decision is wrong": ~right, "one word": ~several}
        if "gap" not in found:
            return Measurement(
                self.code, found, count_undefined(found, reasons), missing={"gap": UNMARKED}
            )
        spread = np.sqrt(total[used].mean()) if used.any() else 0.0
        found["gap"] = (
            np.where(used, found["gap"] / spread, np.nan) if spread else np.full(len(used), np.nan)
        )
        return Measurement(self.code, found, count_undefined(found, reasons | _unmarked(found)))


def _unmarked(found: Arrays) -> dict[str, Bool[Array, " N"]]:
    """Say why the words of a rationale cannot be compared with others."""
    marked, words = np.asarray(found["marked"]), np.asarray(found["words"])
    return {
        "no marks for the text": ~np.asarray(found["known"]),
        "no word is marked": marked == 0,
        "every word is marked": marked == words,
        "all words say the same": np.ones(len(words), dtype=bool),
    }


def margins(logits: Float[Array, "B W L"]) -> Float[Array, "B W C"]:
    """Give the logit of each class minus the mean of the others', ±z for a single logit z, 0 for an
    absent candidate.
    """
    if logits.shape[-1] == 1:
        return np.concatenate([-logits, logits], axis=-1)
    there = np.isfinite(logits)
    count = np.maximum(there.sum(-1, keepdims=True), 2)
    kept = np.where(there, logits, 0.0)
    return np.asarray(
        np.where(there, (count * kept - kept.sum(-1, keepdims=True)) / (count - 1), 0.0)
    )


def _mean(values: Float[Array, "B W C"], mask: Bool[Array, "B W"]) -> Float[Array, "B C"]:
    """Take the mean over the masked words; NaN where there are none."""
    count = mask.sum(1).astype(float)
    return np.asarray(
        (values * mask[..., None]).sum(1) / np.where(count > 0, count, np.nan)[:, None]
    )
