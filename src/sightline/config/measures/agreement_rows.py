"""Measures of how attention agrees with other maps, and of which words carry it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sightline.config.measures.measure_row import MeasureRow
from sightline.config.measures.quantity import (
    COUNT,
    MARGIN,
    MOVED,
    NO_ANSWER,
    NO_TOP,
    PART,
    SHARE,
    SIZE,
    TAU,
    TRUTH,
    WORDS,
    Quantity,
)

ROWS: Mapping[str, MeasureRow] = {
    "agreement": MeasureRow(
        "sightline.measures.agreement:Agreement",
        # The smallest p-value of 199 draws is 0.005 (decision 0003).
        {"share": 0.1, "draws": 199, "shuffles": 3, "significant": 0.05},
        {
            "captured.REF": Quantity("captured importance of the top attended words", SHARE),
            "chance.REF": Quantity(
                "exact mean of captured importance when the weights are permuted after the fact",
                SHARE,
            ),
            "draws.REF": Quantity(
                "captured importance of weights permuted after the fact, drawn", SHARE, "N 199"
            ),
            "mass.REF": Quantity("`Σ α_t r_t / max r`, by weight instead of rank", SHARE),
            "mass_chance.REF": Quantity("`mean r / max r`: the mass of a random word", SHARE),
            "tau.REF": Quantity(
                "Kendall’s τ-b over all words, as the papers report it; values within 1e-7 of the "
                "text’s largest are tied, and values below 1e-6 of it are 0",
                TAU,
            ),
            "significant.REF": Quantity(
                (
                    "1 if τ-b differs from 0 (p ≤ 0.05 under permuted words, by a normal approximation with a "
                    "continuity correction); by "
                    "chance, 1 on at most 5 % of texts without many ties (one word with all the "
                    "weight, k with importance: on 10 % of texts of 10 words with k = 1, on 13.3 % of "
                    "15 words with k = 2)"
                ),
                TRUTH,
            ),
            "captured.free": Quantity(
                "mean of captured importance of `free_gradient` and `free_deletion`", SHARE
            ),
            "chance.free": Quantity(
                "mean of their chance levels under permutation after the fact", SHARE
            ),
            "draws.free": Quantity(
                "mean of both for weights permuted after the fact, drawn", SHARE, "N 199"
            ),
            "mass.free": Quantity("mean of the mass of both", SHARE),
            "mass_chance.free": Quantity("mean mass of a random word", SHARE),
            "coupling.REF": Quantity(
                "captured importance of shuffled weights that were *used*, mean of 3", SHARE
            ),
            "coupling_tau.REF": Quantity("τ-b of shuffled weights that were used, mean of 3", TAU),
            "captured.references": Quantity(
                "captured importance of gradient and leave-one-out with each other", SHARE
            ),
            "chance.references": Quantity(
                "exact mean of `captured.references` under permutation", SHARE
            ),
            "tau.references": Quantity("τ-b of gradient and leave-one-out", TAU),
            "disagreement": Quantity(
                "1 − mean captured importance of gradient and leave-one-out; the report "
                "shows the largest first",
                SHARE,
            ),
            "REF": Quantity("the maps themselves", SIZE, "words"),
            "words": WORDS,
            "unanswered": NO_ANSWER,
            "constant": NO_TOP,
        },
    ),
    "types": MeasureRow(
        "sightline.measures.word_type_control:WordTypeControl",
        {"share": 0.1, "permutations": 5, "surveys": "audited"},
        {
            "free": Quantity(
                "captured importance of permuted weights, mean over permutations and the two "
                "attention-free comparison attributions",
                SHARE,
            ),
            "words": WORDS,
            "constant": replace(NO_TOP, description="whether no weight of the model stands out"),
        },
    ),
    "frozen": MeasureRow(
        "sightline.measures.frozen_attention:FrozenAttention",
        {"share": 0.1},
        {
            "captured": Quantity(
                "of the control model: captured importance of its own attention-free "
                "comparison attributions",
                SHARE,
            ),
            "chance": Quantity("of the control model: the exact mean for shuffled weights", SHARE),
            "words": WORDS,
            "constant": replace(
                NO_TOP, description="whether no weight of the control model stands out"
            ),
        },
    ),
    "polarity": MeasureRow(
        "sightline.measures.polarity:Polarity",
        {"share": 0.1},
        {
            "top": Quantity(
                (
                    "share of the top words’ weight on words that do not speak against the "
                    "predicted class"
                ),
                SHARE,
            ),
            "random": Quantity(
                "share of all words that do not speak against the predicted class", SHARE
            ),
            "words": WORDS,
            "constant": NO_TOP,
        },
    ),
    "signs": MeasureRow(
        "sightline.measures.signed_attribution:SignedAttribution",
        {"tolerance": 1e-4},
        {
            "base": Quantity(
                "starting point of weight × logit: every word weighted equally", MARGIN
            ),
            "added": Quantity("the sum of `signed_contribution`", MARGIN),
            "total": Quantity(
                "the output that `base` and `added` sum to: with two classes the log-odds of "
                "the predicted class; with more its logit minus the mean of the other "
                "logits, weighted by their probabilities",
                MARGIN,
            ),
            "apart": Quantity("distance of `base` plus `added` from `total`", SIZE),
            "classes": Quantity("classes that the logits distinguish", COUNT),
        },
    ),
    "marks": MeasureRow(
        "sightline.measures.punctuation:Punctuation",
        {"everywhere": 0.95, "least": 20, "surveys": "audited"},
        {
            "words": Quantity(
                "share of attention on words rather than punctuation and special tokens", SHARE
            ),
            "flat": Quantity(
                "share of the tokens that belong to words: what uniform weights put there", SHARE
            ),
            "without": Quantity(
                (
                    "total variation of the output when the weights of punctuation and "
                    "special tokens go to the words, in proportion"
                ),
                MOVED,
            ),
            "removed": Quantity(
                "total variation when punctuation and special tokens are deleted from the text",
                MOVED,
            ),
            "marks": Quantity("punctuation and special tokens", COUNT),
            "length": Quantity("words, punctuation and special tokens", COUNT),
            "mark": Quantity("1 on punctuation and special tokens", TRUTH, "words"),
        },
    ),
    "own_word": MeasureRow(
        "sightline.measures.own_word:OwnWord",
        {"surveys": "audited"},
        {
            "whole": Quantity(
                "squared token logits (minus the mean over all other texts), weighted by "
                "attention, in units of their mean over the texts",
                PART,
            ),
            "word": Quantity("part of `all` that the word explains, as seen in other texts", PART),
            "text": Quantity("part of `all` that the other words of the text explain", PART),
            "untrained": Quantity("`word` of the untrained control model, in its own units", PART),
            "words": WORDS,
        },
    ),
}
