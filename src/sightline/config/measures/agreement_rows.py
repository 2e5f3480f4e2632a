"""What an audit asks of how attention agrees with other maps, and of what words carry it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sightline.config.measures.measure_row import MeasureRow
from sightline.config.measures.quantity import (
    ALL_EQUAL,
    COUNT,
    MARGIN,
    MOVED,
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
        # The smallest p-value of 199 draws is .005 (decision 0003).
        {"share": 0.1, "draws": 199, "shuffles": 3, "significant": 0.05},
        {
            "captured.REF": Quantity("captured importance of the top attended words", SHARE),
            "chance.REF": Quantity(
                "exact mean of the same when the weights are permuted after the fact", SHARE
            ),
            "draws.REF": Quantity(
                "captured importance of weights permuted after the fact, drawn", SHARE, "N 199"
            ),
            "mass.REF": Quantity("`Σ α_t r_t / max r`, by weight and not by rank", SHARE),
            "mass_chance.REF": Quantity(
                "`mean r / max r`: that mass of a word drawn at random", SHARE
            ),
            "tau.REF": Quantity("Kendall’s τ-b over all words, as the papers print", TAU),
            "significant.REF": Quantity(
                (
                    "1 where τ-b differs from 0, p ≤ .05 over permutations of the words: by chance 1 "
                    "on at most 5 % of texts"
                ),
                TRUTH,
            ),
            "captured.free": Quantity(
                "mean of captured importance of `free_gradient` and `free_deletion`", SHARE
            ),
            "chance.free": Quantity("mean of both under permutation after the fact", SHARE),
            "draws.free": Quantity(
                "mean of both, for weights permuted after the fact, drawn", SHARE, "N 199"
            ),
            "mass.free": Quantity("mean of the mass of both", SHARE),
            "mass_chance.free": Quantity("mean of the mass of a word drawn at random", SHARE),
            "coupling.REF": Quantity(
                "captured importance of shuffled weights that were *used*, mean of 3", SHARE
            ),
            "coupling_tau.REF": Quantity("τ-b of shuffled weights that were used, mean of 3", TAU),
            "captured.references": Quantity(
                "captured importance of gradient and deletion with each other", SHARE
            ),
            "chance.references": Quantity("exact mean of that under permutation", SHARE),
            "tau.references": Quantity("τ-b of gradient and deletion", TAU),
            "disagreement": Quantity(
                "1 − mean of captured gradient and deletion: the report shows the largest first",
                SHARE,
            ),
            "REF": Quantity("the maps themselves", SIZE, "words"),
            "words": WORDS,
            "constant": ALL_EQUAL,
        },
    ),
    "types": MeasureRow(
        "sightline.measures.word_type_control:WordTypeControl",
        {"share": 0.1, "permutations": 5, "surveys": "audited"},
        {
            "free": Quantity(
                "captured importance of the exchanged weights, mean over permutations and the "
                "two references free of attention",
                SHARE,
            ),
            "words": WORDS,
            "constant": replace(
                ALL_EQUAL, description="whether all weights of the model are equal"
            ),
        },
    ),
    "frozen": MeasureRow(
        "sightline.measures.frozen_attention:FrozenAttention",
        {"share": 0.1},
        {
            "captured": Quantity(
                "of the companion: captured importance of its own references free of attention",
                SHARE,
            ),
            "chance": Quantity("of the companion: the exact mean for shuffled weights", SHARE),
            "words": WORDS,
            "constant": replace(
                ALL_EQUAL, description="whether all weights of the companion are equal"
            ),
        },
    ),
    "polarity": MeasureRow(
        "sightline.measures.polarity:Polarity",
        {"share": 0.1},
        {
            "top": Quantity(
                (
                    "share of the weight of the top words that lies on words which do not speak "
                    "against the decision"
                ),
                SHARE,
            ),
            "random": Quantity(
                "share of all words that do not speak against the prediction", SHARE
            ),
            "words": WORDS,
            "constant": ALL_EQUAL,
        },
    ),
    "signs": MeasureRow(
        "sightline.measures.signed_attribution:SignedAttribution",
        {"tolerance": 1e-4},
        {
            "base": Quantity("what weight × logit starts from: every word weighted alike", MARGIN),
            "added": Quantity("the sum of `signed_contribution`", MARGIN),
            "total": Quantity(
                "what they come to: with two classes the log-odds of the decided class, its "
                "logit; with more its logit less the mean of the others’, each counted by its "
                "probability among them",
                MARGIN,
            ),
            "apart": Quantity("how far `base` and `added` together are from `total`", SIZE),
            "classes": Quantity("answers that the logits tell apart", COUNT),
        },
    ),
    "marks": MeasureRow(
        "sightline.measures.punctuation:Punctuation",
        {"everywhere": 0.95, "least": 20, "surveys": "audited"},
        {
            "words": Quantity("share of the attention on words that are no marks", SHARE),
            "flat": Quantity("share of the words that are no marks", SHARE),
            "without": Quantity(
                (
                    "total variation of the output when the weights of the marks go to the words, in "
                    "proportion"
                ),
                MOVED,
            ),
            "removed": Quantity("total variation when the marks are deleted from the text", MOVED),
            "marks": Quantity("marks", COUNT),
            "length": Quantity("words and marks", COUNT),
            "mark": Quantity("1 on a mark", TRUTH, "words"),
        },
    ),
    "own_word": MeasureRow(
        "sightline.measures.own_word:OwnWord",
        {"surveys": "audited"},
        {
            "whole": Quantity(
                "squared evidence of the words (token logits, less the mean over all other "
                "texts), as attention weighs them: in units of its mean over the texts",
                PART,
            ),
            "word": Quantity("what of that the word explains, as it stands in other texts", PART),
            "text": Quantity("what of it the other words of the text explain", PART),
            "untrained": Quantity(
                "`word` of the companion that was not trained, in units of its own", PART
            ),
            "words": WORDS,
        },
    ),
}
