"""Measures under other attention over the same words."""

from __future__ import annotations

from collections.abc import Mapping

from sightline.config.measures.measure_row import MeasureRow
from sightline.config.measures.quantity import (
    ALL_EQUAL,
    APART,
    COUNT,
    FOUND,
    MARGIN,
    MOVED,
    ODDS,
    SHARE,
    TRUTH,
    WORDS,
    Quantity,
    Scale,
)

_SMALL = {"epsilon": 0.01, "unit": "total variation"}
ROWS: Mapping[str, MeasureRow] = {
    "reach": MeasureRow(
        "sightline.measures.decision_bounds:DecisionBounds",
        {"epsilon": 0.01},
        {
            "proof": Quantity("1 if no attention changes the predicted class", TRUTH),
            "low": Quantity(
                "lower bound on the largest total variation under any attention", MOVED
            ),
            "high": Quantity(
                "upper bound on the largest total variation under any attention; both bounds "
                "are equal for two classes",
                MOVED,
            ),
            "changed": Quantity(
                "without token logits: whether putting all weight on one word changed the "
                "predicted class",
                TRUTH,
            ),
            "inert": Quantity(
                "1 if the largest total variation under any attention is at most ε", TRUTH
            ),
            "evidence": Quantity(
                (
                    "log-odds of the predicted class if the model attended to this word "
                    "alone; shown in the report, used by no test"
                ),
                ODDS,
                "words",
            ),
        },
    ),
    "permutation": MeasureRow(
        "sightline.measures.permutation:Permutation",
        {"permutations": 100, "draws": 5},
        {
            "median": Quantity("median total variation over the permutations", MOVED),
            "median_error": Quantity("standard error of the median, from order statistics", MOVED),
            "largest": Quantity(
                "the largest total variation under any permutation (exact for two classes, "
                "an upper bound for more); without token logits, the largest found (a lower "
                "bound)",
                MOVED,
            ),
            "ratio": Quantity("`median` over `largest`", SHARE),
            "ratio_floor": Quantity(
                "the ratio of random attention with the same entropy", SHARE, "N 5"
            ),
            "gap_low": Quantity(
                "least logit gap, last class over first, over all permutations", MARGIN
            ),
            "gap_high": Quantity("largest logit gap over all permutations", MARGIN),
            "logit_mean": Quantity(
                "exact mean of the last logit under permutation", Scale("logit")
            ),
            "logit_variance": Quantity(
                "exact variance of the last logit under permutation", Scale("squared logit", 0)
            ),
            "flat": ALL_EQUAL,
            "words": WORDS,
        },
    ),
    "flips": MeasureRow(
        "sightline.measures.minimal_flip_set:MinimalFlipSet",
        {"draws": 5},
        {
            "size": Quantity(
                "fewest words whose weights must go to flip the prediction, exact", COUNT
            ),
            "never": Quantity("1 if no set of words flips the prediction", TRUTH),
            "size.MAP": Quantity(
                "words removed until the prediction flips, in the order of a map", COUNT
            ),
            "found.MAP": Quantity(
                "log of `size` over `size.MAP`: 0 if the order finds the smallest set", FOUND
            ),
            "size.random": Quantity(
                "words removed until the prediction flips, in random order, mean of 5", COUNT
            ),
            "found.random": Quantity(
                "log of `size` over the number removed in random order, mean of 5 orders", FOUND
            ),
            "found.shuffled": Quantity(
                "the same for weights that are shuffled over the words and used: their "
                "smallest set over the set that their own order finds",
                FOUND,
                "N 5",
            ),
            "found.best": Quantity("the same for the smallest set itself: 0 by definition", FOUND),
            "gone": Quantity("1 on the words of the smallest set", TRUTH, "words"),
            "words": WORDS,
            "weighed": Quantity("words with any weight", COUNT),
            "constant": ALL_EQUAL,
        },
    ),
    "repair": MeasureRow(
        "sightline.measures.compensation:Compensation",
        {"share": 0.1},
        {
            "top": Quantity(
                "words whose weights are removed: a tenth of the words with weight, at least two",
                COUNT,
            ),
            "singly.zeroed": Quantity(
                "log-odds lost without the weight of each top word, added up", ODDS
            ),
            "jointly.zeroed": Quantity("log-odds lost without the weights of all of them", ODDS),
            "gap.zeroed": Quantity(
                (
                    "`singly` less `jointly`; 0 for two classes and an affine decoder, "
                    "whatever the model has learned"
                ),
                ODDS,
            ),
            "singly.scaled": Quantity(
                "as `singly.zeroed`, the other weights scaled to sum to one", ODDS
            ),
            "jointly.scaled": Quantity(
                "as `jointly.zeroed`, the other weights scaled to sum to one", ODDS
            ),
            "gap.scaled": Quantity(
                "`singly` less `jointly`, the other weights scaled to sum to one", ODDS
            ),
        },
    ),
    "counterfactual": MeasureRow(
        "sightline.measures.adversarial_attention:AdversarialAttention",
        {"epsilon": 0.01, "share": 0.1, "draws": 5, "corners": 20_000},
        {
            "jsd_low": Quantity(
                "Jensen–Shannon divergence of the maximal adversarial attention with the "
                "same probabilities, within ε of total variation: lower bound",
                APART,
            ),
            "jsd_high": Quantity(
                "upper bound on this divergence; both bounds are equal for two classes", APART
            ),
            "decision.jsd_low": Quantity(
                "the same for the same predicted class at any probability: lower bound", APART
            ),
            "decision.jsd_high": Quantity(
                "its upper bound; equal to the lower one for two classes, and nearly always "
                "for more",
                APART,
            ),
            "answer.top": Quantity(
                "least attention that must stay on the top words for the same output, within ε; "
                "at least, for more than two classes",
                SHARE,
            ),
            "answer.random": Quantity(
                "the same for as many random words, mean of the draws", SHARE
            ),
            "decision.top": Quantity(
                "least attention that must stay on the top words for the same prediction", SHARE
            ),
            "decision.random": Quantity(
                "the same for as many random words, mean of the draws", SHARE
            ),
            "nats": Quantity(
                "least r such that changing each log-weight by up to r flips the prediction; of a "
                "softmax, the same as changing the scores",
                Scale("nats", 0),
            ),
            "farthest": Quantity(
                "weights of the maximal adversarial attention found with the same probabilities",
                SHARE,
                "words",
            ),
            "words": WORDS,
            "constant": ALL_EQUAL,
        },
    ),
    "layers": MeasureRow(
        "sightline.measures.layer_ablation:LayerAblation",
        {"surveys": "audited"},
        {
            "uniform.LAYER": Quantity("total variation with uniform weights in a layer", MOVED),
            "uniform_changed.LAYER": Quantity(
                "whether uniform weights in a layer change the predicted class", TRUTH
            ),
            "constant.LAYER": Quantity("total variation with the mean weights of all texts", MOVED),
            "constant_changed.LAYER": Quantity(
                "whether the mean weights of all texts change the predicted class", TRUTH
            ),
        },
        taken="where offered",
    ),
    "searched": MeasureRow(
        "sightline.measures.attention_search:AttentionSearch",
        {
            "starts": 5,
            "penalise": _SMALL,
            "select": _SMALL,
            "released": {"epsilon": 0.05, "unit": "total variation"},
            "descent": {"steps": 500, "rate": 0.01, "strength": 500.0, "mutual": True},
            "points": 10,
            "climb": {
                "pairs": 24,
                "descent": {"steps": 100, "rate": 0.1, "strength": 20.0, "mutual": False},
                "budget": 2500,
            },
            "spread": 3.0,
        },
        {
            "published": Quantity(
                "largest divergence that the published search found with the same "
                "probabilities, from the first start, the first two …; 0: none found",
                APART,
                "N 5",
            ),
            "released": Quantity(
                "the same from all starts, selected as the released code does (within 0.05)", APART
            ),
            "ours": Quantity(
                (
                    "largest divergence found with the same probabilities by single words, "
                    "then by pairs, then by gradient"
                ),
                APART,
                "N 3",
            ),
            "outside": Quantity(
                "starts of the published search that ended with other probabilities and were "
                "discarded",
                COUNT,
            ),
            "decodes_published": Quantity("decodings that the published search used", COUNT),
            "decodes_ours": Quantity("decodings that our search used", COUNT),
            "words": WORDS,
        },
        taken="by name",
    ),
}
