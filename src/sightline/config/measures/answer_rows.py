"""What an audit asks of the answers, of the need for attention, and of other models."""

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
            "predicted": Quantity("decided class", CLASS),
            "probability": Quantity("probability of the decided class", CHANCE),
            "finite": Quantity(
                "whether all logits are numbers (−∞ of an answer that is not allowed is one); "
                "where not, the verdict is *cannot tell*",
                TRUTH,
            ),
            "cluster": Quantity(
                (
                    "texts with the same number share a source: the same group (a story, a premise), "
                    "or the same words"
                ),
                Scale("a name"),
            ),
            "words": Quantity("words attention may fall on", COUNT),
            "attention": Quantity("the weights that are shown", SHARE, "words"),
        },
    ),
    "need": MeasureRow(
        "sightline.measures.attention_need:AttentionNeed",
        {"permutations": 10, "surveys": "audited"},
        {
            "label": GOLD,
            "learned": LEARNED,
            "uniform": Quantity("decision with uniform weights", CLASS),
            "constant": Quantity(
                "decision with the same weights for every text: the mean over texts by relative "
                "position, 2520 cells from first word to last",
                CLASS,
            ),
            "permuted": Quantity(
                "decisions with weights permuted over the words of the text", CLASS, "N 10"
            ),
            "uniform_odds": Quantity(
                "what the log-odds of the decided class lose under uniform weights", ODDS
            ),
            "constant_odds": Quantity(
                "what the log-odds of the decided class lose under the same weights for every text",
                ODDS,
            ),
            "permuted_odds": Quantity(
                "what the log-odds of the decided class lose under permuted weights, on average",
                ODDS,
            ),
            "moved": Quantity(
                "largest change of any logit under any of these weights, or with all the weight "
                "on one word drawn at random; 0 on every text: the weights that are shown are "
                "not used",
                SIZE,
            ),
            "one_word": Quantity("whether the text has one word", TRUTH),
            "certain": Quantity("whether the text has one candidate answer", TRUTH),
            "identity_error": Quantity(
                "largest difference between the logits and those of `decode(trace, trace.own)`; "
                "above 1e-4 nothing is concluded",
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
                "decision of the companion trained with uniform attention", CLASS
            ),
        },
    ),
    "beside": MeasureRow(
        "sightline.measures.control_distance:ControlDistance",
        {"draws": 5},
        {
            "jsd.OTHER": Quantity(
                "Jensen–Shannon divergence between the weights and those of a companion", APART
            ),
            "tau.OTHER": Quantity(
                "Kendall’s τ-b between the weights and those of a companion", TAU
            ),
            "tvd.OTHER": Quantity(
                "total variation between the answer and that of a companion", MOVED
            ),
            "jsd.seeds": Quantity(
                "divergence from the weights of the companions `seed(by=N)`, mean over them", APART
            ),
            "tau.seeds": Quantity(
                "τ-b with the weights of the companions `seed(by=N)`, mean over them", TAU
            ),
            "tvd.seeds": Quantity(
                "total variation from the answers of the companions `seed(by=N)`, mean over them",
                MOVED,
            ),
            "alike.seeds": Quantity("`1 − jsd.seeds / log 2`", SHARE),
            "alike_chance.seeds": Quantity(
                (
                    "`alike.seeds` with the weights of each companion shuffled over the words, mean "
                    "of 5 draws"
                ),
                SHARE,
            ),
        },
    ),
}
