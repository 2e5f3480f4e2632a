"""Measures of the predictions, of the need for attention, and of other models."""

from __future__ import annotations

from collections.abc import Mapping

from sightline.config.measures.measure_row import MeasureRow
from sightline.config.measures.quantity import (
    APART,
    CHANCE,
    CLASS,
    COUNT,
    GOLD,
    LEARNED,
    MOVED,
    ODDS,
    SHARE,
    SIZE,
    TAU,
    TRUTH,
    Quantity,
    Scale,
)

ROWS: Mapping[str, MeasureRow] = {
    "outputs": MeasureRow(
        "sightline.measures.predictions:Predictions",
        {},
        {
            "label": GOLD,
            "predicted": Quantity("predicted class", CLASS),
            "probability": Quantity("probability of the predicted class", CHANCE),
            "finite": Quantity(
                "whether all logits are numbers (−∞ counts, for a class that the text does "
                "not allow); if not, the verdict is *cannot tell*",
                TRUTH,
            ),
            "cluster": Quantity(
                (
                    "texts with the same number share a source: the same group (a story, a premise), "
                    "or the same words"
                ),
                Scale("a name"),
            ),
            "words": Quantity("words that attention can fall on", COUNT),
            "attention": Quantity("the attention weights shown", SHARE, "words"),
        },
    ),
    "need": MeasureRow(
        "sightline.measures.attention_need:AttentionNeed",
        {"permutations": 10, "surveys": "audited"},
        {
            "label": GOLD,
            "learned": LEARNED,
            "uniform": Quantity("predicted class with uniform weights", CLASS),
            "constant": Quantity(
                "predicted class with the same weights for every text: the mean over texts "
                "by relative position, 2520 cells from first word to last",
                CLASS,
            ),
            "permuted": Quantity(
                "predicted classes with weights permuted over the words of the text", CLASS, "N 10"
            ),
            "uniform_odds": Quantity(
                "drop in log-odds of the predicted class under uniform weights", ODDS
            ),
            "constant_odds": Quantity(
                "drop in log-odds of the predicted class under the same weights for every text",
                ODDS,
            ),
            "permuted_odds": Quantity(
                "mean drop in log-odds of the predicted class under permuted weights",
                ODDS,
            ),
            "moved": Quantity(
                "largest change of any logit under any of these weights, or with all weight "
                "on one random word; if it is 0 on every text, the model does not use the "
                "weights shown",
                SIZE,
            ),
            "one_word": Quantity("whether the text has one word", TRUTH),
            "certain": Quantity("whether the text allows only one answer", TRUTH),
            "identity_error": Quantity(
                "largest difference between the logits and those of `decode(trace, "
                "trace.own)`; above 1e-4 the audit concludes nothing",
                SIZE,
            ),
        },
    ),
    "retrained": MeasureRow(
        "sightline.measures.attention_need:RetrainedUniform",
        {},
        {
            "label": GOLD,
            "learned": LEARNED,
            "retrained": Quantity(
                "predicted class of the control model trained with uniform attention", CLASS
            ),
        },
    ),
    "beside": MeasureRow(
        "sightline.measures.control_distance:ControlDistance",
        {"draws": 5},
        {
            "jsd.OTHER": Quantity(
                "Jensen–Shannon divergence from the weights of a control model", APART
            ),
            "tau.OTHER": Quantity("Kendall’s τ-b with the weights of a control model", TAU),
            "tvd.OTHER": Quantity(
                "total variation from the probabilities of a control model", MOVED
            ),
            "jsd.seeds": Quantity(
                "mean divergence from the weights of the control models `seed(by=N)`", APART
            ),
            "tau.seeds": Quantity(
                "mean τ-b with the weights of the control models `seed(by=N)`", TAU
            ),
            "tvd.seeds": Quantity(
                "mean total variation from the probabilities of the control models `seed(by=N)`",
                MOVED,
            ),
            "alike.seeds": Quantity("`1 − jsd.seeds / log 2`", SHARE),
            "alike_chance.seeds": Quantity(
                (
                    "`alike.seeds` with the weights of each control model shuffled over the "
                    "words, mean of 5 draws"
                ),
                SHARE,
            ),
        },
    ),
}
