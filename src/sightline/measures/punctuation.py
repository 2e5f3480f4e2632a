"""Is attention on words, or on punctuation, special tokens and words that occur in every text?
(SL-106).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_registry import MEASURES
from sightline.core.needs import needed
from sightline.core.protocols import Arrays, Auditable, MeasureContext, Survey, Trace
from sightline.core.results import Measurement, Ragged
from sightline.core.seeds import Seeds
from sightline.measures.batch_words import Words, like, spelled, type_number, words_of
from sightline.measures.perturbations import logits_of_variants
from sightline.measures.trace_arrays import count_undefined, of_words, ragged
from sightline.numerics.divergences import probabilities, total_variation
from sightline.numerics.tensors import to_numpy

_SET = MEASURES["marks"].settings
Array = np.ndarray
_SPECIAL = re.compile(r"\[[a-z]+\d*\]|<[/|]?[a-z_]+\d*\|?>", re.IGNORECASE)
"""What tokenisers add, or write for unknown tokens: [CLS], [unused7], <s>, </s>, <unk>,
<|endoftext|>."""


@lru_cache(maxsize=2**18)
def is_mark(token: str) -> bool:
    """Recognise punctuation (no letter, no digit and no emoji, which is informative) and special
    tokens.

    >>> is_mark("."), is_mark("[SEP]"), is_mark("3"), is_mark("né"), is_mark("🙂")
    (True, True, False, False, False)
    """
    says = any(sign.isalnum() or unicodedata.category(sign) == "So" for sign in token)
    return not says or _SPECIAL.fullmatch(token) is not None


@dataclass(frozen=True)
class Punctuation:
    """The share of attention on words, the share that uniform weights put there, and the change of
    the output without the marks: punctuation and special tokens. A text of marks alone has none.

    A token that occurs in nearly every text (in a share ``everywhere`` of at least ``least`` texts)
    distinguishes no texts, so it counts as a mark, too.
    """

    everywhere: float = _SET["everywhere"]
    least: int = _SET["least"]
    code: str = "marks"
    needs: frozenset[str] = NEEDS["marks"]
    paper: str = PAPERS["marks"]
    surveys: Survey = _SET["surveys"]

    def look(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Take the distinct word types of each text."""
        kinds = [sorted({type_number(word) for word in text.tokens}) for text in subject.texts]
        flat = np.array([kind for text in kinds for kind in text])
        return {"types": Ragged(flat, np.array([len(text) for text in kinds]))}

    def learn(self, arrays: Arrays, seeds: Seeds) -> frozenset[float]:
        """Find the types that occur in nearly every text; among few texts, many types do."""
        types = of_words(arrays["types"])
        texts = len(types.lengths)
        kinds, counts = np.unique(types.flat, return_counts=True)
        return frozenset(
            kinds[counts >= self.everywhere * texts].tolist() if texts >= self.least else ()
        )

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Sum the weight of the words, and run the texts without the marks, or without their
        weight.
        """
        words = words_of(trace)
        mark = _marked(subject, trace, words)
        rest = words.mask & ~mark
        on_words, special = _word_share(trace)
        tokens = to_numpy(trace.batch.attendable)
        unmarked = tokens & words.without(mark)
        out: dict[str, Array | Ragged] = {
            "words": on_words * (words.attention * rest).sum(1) / words.attention.sum(1),
            "flat": unmarked.sum(1) / (tokens.sum(1) + special),
            "removed": _removed(subject.model, trace, words, mark),
            "marks": mark.sum(1) + special,
            "length": words.mask.sum(1) + special,
            "mark": ragged(mark.astype(float), words.mask),
        }
        if "decode" in subject.model.offers:
            out["without"] = _without(subject.model, trace, words, mark)
        return out

    def finish(self, arrays: Arrays) -> Measurement:
        """Leave out and count the texts of marks alone; if no text has a mark, nothing can be
        measured.
        """
        marks = np.asarray(arrays["marks"])
        nowhere, alone = np.full(len(marks), not marks.any()), np.asarray(arrays["flat"]) == 0
        asked = [name for name in ("words", "flat", "without", "removed") if name in arrays]
        values = {
            **arrays,
            **{name: np.where(nowhere | alone, np.nan, np.asarray(arrays[name])) for name in asked},
        }
        undefined = count_undefined(values, {"no marks": nowhere, "only marks": alone})
        missing = {} if "without" in arrays else {"without": needed({"decode"})}
        return Measurement(
            self.code,
            values,
            undefined,
            {"everywhere": self.everywhere, "least": self.least},
            missing=missing,
        )


def _word_share(trace: Trace) -> tuple[Float[Array, " B"], Int[Array, " B"]]:
    """Give the share of the attention on words, and the number of special tokens that have the
    rest.

    If the model does not report special tokens, words have all attention.
    """
    if trace.elsewhere is None:
        return np.ones(len(trace.batch)), np.zeros(len(trace.batch), dtype=np.int64)
    special = trace.batch.mask & ~trace.batch.attendable
    return 1 - to_numpy(trace.elsewhere), to_numpy(special.sum(1))


def _marked(subject: MeasureContext, trace: Trace, words: Words) -> Bool[Array, "B W"]:
    written = spelled(subject.texts, words, trace)
    out = np.zeros(words.mask.shape, dtype=bool)
    out[words.mask] = [is_mark(word) or type_number(word) in subject.learned for word in written]
    return out


def _without(
    model: Auditable, trace: Trace, words: Words, mark: Bool[Array, "B W"]
) -> Float[Array, " B"]:
    """Total variation when the weights of the marks go to the words in proportion to their weights;
    evenly if they have none.

    With several heads, this is done in each.
    """
    rest = words.mask & ~mark
    kept = words.own * rest
    kept = np.where(kept.sum(-1, keepdims=True) > 0, kept, rest.astype(float))
    kept /= np.maximum(kept.sum(-1, keepdims=True), np.finfo(float).tiny)
    logits = model.decode(trace, like(words.by_head(kept), trace))
    change = total_variation(probabilities(to_numpy(logits)), probabilities(to_numpy(trace.logits)))
    return _where_there_are(change, mark, words)


def _removed(
    model: Auditable, trace: Trace, words: Words, mark: Bool[Array, "B W"]
) -> Float[Array, " B"]:
    """Total variation when the marks are deleted from the text; only texts with a word left run."""
    change = np.zeros(len(mark))
    some = mark.any(1) & (words.mask & ~mark).any(1)
    if some.any():
        rows = torch.from_numpy(np.nonzero(some)[0]).to(trace.batch.mask.device)
        kept = trace.batch.mask & torch.from_numpy(words.without(mark)).to(trace.batch.mask.device)
        left = logits_of_variants(model, trace.batch.rows(rows).keep(kept[rows]))
        whole = probabilities(to_numpy(trace.logits))[some]
        change[some] = total_variation(probabilities(to_numpy(left)), whole)
    return _where_there_are(change, mark, words)


def _where_there_are(
    change: Float[Array, " B"], mark: Bool[Array, "B W"], words: Words
) -> Float[Array, " B"]:
    """Give exactly 0 where a text has no marks, and NaN where it has no words."""
    words_left = (words.mask & ~mark).any(1)
    return np.asarray(np.where(words_left, change * mark.any(1), np.nan))
