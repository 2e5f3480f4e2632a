"""What each number of a measure is, and between which ends it lies: one row a quantity, for exports
and documentation.

REF stands for a reference of attention, MAP for a map over the words or what stands beside the
maps; a number of a word that has the name of a map is that map
(`sightline.config.measure_registry.MAPS`). OTHER stands for a companion, LAYER for the number of a
layer, or all. Without torch.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from sightline.config.measure_registry import MAPS, OUTPUT, TARGETS


@dataclass(frozen=True)
class Scale:
    """What a number counts or measures, and its least and largest value, as far as it has them."""

    unit: str
    low: float = -math.inf
    high: float = math.inf


SHARE, CHANCE, MOVED = (
    Scale("share", 0, 1),
    Scale("probability", 0, 1),
    Scale("total variation", 0, 1),
)
APART = Scale("nats", 0, math.log(2))
DIFFERENCE, TAU = Scale("probability", -1, 1), Scale("rank correlation", -1, 1)
ODDS, MARGIN = Scale("log-odds"), Scale("difference of logits")
PART = Scale("share of the mean")
FOUND = Scale("log of a ratio", high=0)
COUNT, CLASS, TRUTH = Scale("count", 0), Scale("number of a class", 0), Scale("no or yes", 0, 1)
SIZE, ANY = Scale("size of a change", 0), Scale("signed size of a change")


@dataclass(frozen=True)
class Quantity:
    """One quantity of a measure; ``shape`` is that of its array: N texts, and so many numbers of
    each, or words.

    Or it is of `all texts` together.
    """

    description: str
    scale: Scale
    shape: str = "N"


_WORDS = Quantity("words of the text", COUNT)
_ALIKE = Quantity("whether all weights are equal", TRUTH)
_GOLD, _LEARNED = Quantity("gold class", CLASS), Quantity("decision as it is", CLASS)

_NATS = Scale("nats")
WHOLE = "all texts"
"""The shape of what only all texts together have."""
_ASKED = {of: f"about {label}" for of, label in TARGETS.items()}
_OF_RANKS = {
    "scores": Quantity(
        "what the state of each rank tells of TARGET, of a text its probe has not seen",
        _NATS,
        "N 20",
    ),
    "first": Quantity("what the state with the largest weight tells of TARGET", _NATS),
    "rest": Quantity("what the states of the other ranks tell of it, on average", _NATS),
    "most": Quantity(
        "the most that a state could tell of TARGET in this text, −ln of its share",
        Scale("nats", 0),
    ),
    "draws": Quantity("`first` with the ranks of the text exchanged, drawn", _NATS, "N 199"),
}

_OF_WORDS = {
    "words": Quantity("words of the text that are among the chosen ones", COUNT),
    "entropy": Quantity(
        "`−ln p(w)` of these by how common each word is, added up", Scale("nats", 0)
    ),
    "gained": Quantity(
        "what the probe adds to the log-probability of these, added up", Scale("nats")
    ),
    "gained_half": Quantity(
        "the same of a probe that learned from half of the pairs", Scale("nats")
    ),
    "nats": Quantity("what the probe adds a word", _NATS, WHOLE),
    "nats_half": Quantity(
        "the same of the probe that learned from half of the pairs", _NATS, WHOLE
    ),
    "share": Quantity(
        "what the probe adds, of the entropy of the words", Scale("share", high=1), WHOLE
    ),
}

QUANTITIES: Mapping[str, Mapping[str, Quantity]] = {
    "outputs": {
        "label": _GOLD,
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
    "need": {
        "label": _GOLD,
        "learned": _LEARNED,
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
            "what the log-odds of the decided class lose under permuted weights, on average", ODDS
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
    "retrained": {
        "label": _GOLD,
        "learned": _LEARNED,
        "retrained": Quantity("decision of the companion trained with uniform attention", CLASS),
    },
    "beside": {
        "jsd.OTHER": Quantity(
            "Jensen–Shannon divergence between the weights and those of a companion", APART
        ),
        "tau.OTHER": Quantity("Kendall’s τ-b between the weights and those of a companion", TAU),
        "tvd.OTHER": Quantity("total variation between the answer and that of a companion", MOVED),
        "jsd.seeds": Quantity(
            "divergence from the weights of the companions `seed(by=N)`, mean over them", APART
        ),
        "tau.seeds": Quantity(
            "τ-b with the weights of the companions `seed(by=N)`, mean over them", TAU
        ),
        "tvd.seeds": Quantity(
            "total variation from the answers of the companions `seed(by=N)`, mean over them", MOVED
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
    "agreement": {
        "captured.REF": Quantity("captured importance of the top attended words", SHARE),
        "chance.REF": Quantity(
            "exact mean of the same when the weights are permuted after the fact", SHARE
        ),
        "draws.REF": Quantity(
            "captured importance of weights permuted after the fact, drawn", SHARE, "N 199"
        ),
        "mass.REF": Quantity("`Σ α_t r_t / max r`, by weight and not by rank", SHARE),
        "mass_chance.REF": Quantity("`mean r / max r`: that mass of a word drawn at random", SHARE),
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
            "1 − mean of captured gradient and deletion: the report shows the largest first", SHARE
        ),
        "REF": Quantity("the maps themselves", SIZE, "words"),
        "words": _WORDS,
        "constant": _ALIKE,
    },
    "types": {
        "free": Quantity(
            "captured importance of the exchanged weights, mean over permutations and the "
            "two references free of attention",
            SHARE,
        ),
        "words": _WORDS,
        "constant": replace(_ALIKE, description="whether all weights of the model are equal"),
    },
    "frozen": {
        "captured": Quantity(
            "of the companion: captured importance of its own references free of attention", SHARE
        ),
        "chance": Quantity("of the companion: the exact mean for shuffled weights", SHARE),
        "words": _WORDS,
        "constant": replace(_ALIKE, description="whether all weights of the companion are equal"),
    },
    "polarity": {
        "top": Quantity(
            (
                "share of the weight of the top words that lies on words which do not speak "
                "against the decision"
            ),
            SHARE,
        ),
        "random": Quantity("share of all words that do not speak against the prediction", SHARE),
        "words": _WORDS,
        "constant": _ALIKE,
    },
    "signs": {
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
    "marks": {
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
    "own_word": {
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
        "words": _WORDS,
    },
    "reach": {
        "proof": Quantity("1 where no attention changes the decision", TRUTH),
        "low": Quantity("lower side of the largest total variation any attention gives", MOVED),
        "high": Quantity(
            "upper side of the largest total variation any attention gives; equal for two classes",
            MOVED,
        ),
        "changed": Quantity(
            "without token logits: whether all weight on one word was seen to change the decision",
            TRUTH,
        ),
        "inert": Quantity(
            "1 where the largest total variation any attention gives is at most ε", TRUTH
        ),
        "evidence": Quantity(
            (
                "log-odds of the predicted class if the word alone were attended to; shown in "
                "the page, used by no finding"
            ),
            ODDS,
            "words",
        ),
    },
    "permutation": {
        "median": Quantity("median total variation over the permutations", MOVED),
        "median_error": Quantity("standard error of the median, from order statistics", MOVED),
        "largest": Quantity(
            "the largest any permutation gives (exact for two classes, an upper bound for "
            "more); without token logits the largest found (a lower bound)",
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
        "logit_mean": Quantity("exact mean of the last logit under permutation", Scale("logit")),
        "logit_variance": Quantity(
            "exact variance of the last logit under permutation", Scale("squared logit", 0)
        ),
        "flat": Quantity("whether all weights are equal up to rounding", TRUTH),
        "words": _WORDS,
    },
    "flips": {
        "size": Quantity("fewest words without whose weight the decision is another, exact", COUNT),
        "never": Quantity("1 where no set of words flips the decision", TRUTH),
        "size.MAP": Quantity(
            "words that go until the decision flips, in the order of a map", COUNT
        ),
        "found.MAP": Quantity(
            "log of `size` over `size.MAP`: 0 where the order finds the smallest set", FOUND
        ),
        "size.random": Quantity(
            "words that go until the decision flips, in random order, mean of 5", COUNT
        ),
        "found.random": Quantity(
            "log of `size` over that in random order, mean of 5 orders", FOUND
        ),
        "found.shuffled": Quantity(
            "the same for weights shuffled over the words and used, in their own order: "
            "their own smallest set over what the order finds",
            FOUND,
            "N 5",
        ),
        "found.best": Quantity("the same of the smallest set itself: 0 by definition", FOUND),
        "gone": Quantity("1 on the words of the smallest set", TRUTH, "words"),
        "words": _WORDS,
        "weighed": Quantity("words with any weight", COUNT),
        "constant": _ALIKE,
    },
    "repair": {
        "top": Quantity(
            "words whose weights go: a tenth of those with weight, at least two", COUNT
        ),
        "singly.zeroed": Quantity(
            "log-odds lost without the weight of each top word, added up", ODDS
        ),
        "jointly.zeroed": Quantity("log-odds lost without the weights of all of them", ODDS),
        "gap.zeroed": Quantity(
            (
                "`singly` less `jointly`; 0 for two classes and an affine decoder, whatever the "
                "model knows"
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
    "counterfactual": {
        "jsd_low": Quantity(
            "Jensen–Shannon divergence of the farthest attention with the same answer, "
            "within ε of total variation: lower side",
            APART,
        ),
        "jsd_high": Quantity("upper side of that divergence; equal for two classes", APART),
        "decision.jsd_low": Quantity(
            "the same with the same prediction, whatever its probability: lower side", APART
        ),
        "decision.jsd_high": Quantity(
            "its upper side; equal for two classes, and nearly always for more", APART
        ),
        "answer.top": Quantity(
            "least attention that must stay on the top words for the same output, within ε; "
            "at least, for more than two classes",
            SHARE,
        ),
        "answer.random": Quantity("the same for as many random words, mean of the draws", SHARE),
        "decision.top": Quantity(
            "least attention that must stay on the top words for the same prediction", SHARE
        ),
        "decision.random": Quantity("the same for as many random words, mean of the draws", SHARE),
        "nats": Quantity(
            "least r such that scores moved by up to r each change the decision", Scale("nats", 0)
        ),
        "farthest": Quantity(
            "weights of the farthest attention found with the same answer", SHARE, "words"
        ),
        "words": _WORDS,
        "constant": _ALIKE,
    },
    "last_layer": {
        "together": Quantity(
            "whether all heads on one word were found to change the decision", TRUTH
        ),
        "each": Quantity("whether heads on words of their own were found to change it", TRUTH),
        "moved_together": Quantity(
            "total variation to the answer with all heads on the word that costs most", MOVED
        ),
        "moved_each": Quantity(
            "total variation to the answer where each head went on from there", MOVED
        ),
        "words": _WORDS,
    },
    "layers": {
        "uniform.LAYER": Quantity(
            "total variation to the answer with uniform weights in a layer", MOVED
        ),
        "uniform_changed.LAYER": Quantity(
            "whether the decision is another with uniform weights in a layer", TRUTH
        ),
        "constant.LAYER": Quantity(
            "total variation to the answer with the mean weights of all texts", MOVED
        ),
        "constant_changed.LAYER": Quantity(
            "whether the decision is another with the mean weights of all texts", TRUTH
        ),
    },
    "searched": {
        "published": Quantity(
            "largest divergence that the published search found for the same answer, from "
            "the first start, the first two …; 0: none found",
            APART,
            "N 5",
        ),
        "released": Quantity(
            "the same from all starts, selected as the released code does (within 0.05)", APART
        ),
        "ours": Quantity(
            (
                "largest divergence found for the same answer by single words, then by pairs, "
                "then by gradient"
            ),
            APART,
            "N 3",
        ),
        "outside": Quantity(
            "starts of the published search that ended with another answer, and were not taken",
            COUNT,
        ),
        "decodes_published": Quantity("decodings that the published search took", COUNT),
        "decodes_ours": Quantity("decodings that our search took", COUNT),
        "words": _WORDS,
    },
    "erasure": {
        "deleted.MAP": Quantity(
            (
                "drop of the log-odds of the decided class without the top words of a map, mean "
                "over the shares"
            ),
            ODDS,
        ),
        "curve.MAP": Quantity(
            "drop of the log-odds without the top words of a map, at each share", ODDS, "N 5"
        ),
        "curve.random": Quantity(
            "drop of the log-odds without as many random words, at each share", ODDS, "N 5"
        ),
        "curve.most": Quantity(
            "drop of the log-odds without the words whose own deletion costs most, at each share",
            ODDS,
            "N 5",
        ),
        "top.MAP": Quantity(
            "how far the log-odds move without the top 1 % of the words, at least one: from "
            "the whole text, or where the rest of the top 20 % is gone already, whichever is "
            "more",
            SIZE,
        ),
        "top.random": Quantity(
            "how far they move without as many random words, mean of the orders", SIZE
        ),
        "top.most": Quantity(
            "the farthest that they move under any of the orders that are tried", SIZE
        ),
        **{
            f"flips.{kind}.{name}": Quantity(
                f"share of the shares of words, {label}, at which the prediction flips", SHARE
            )
            for kind, label in (("deleted", "deleted"), ("replaced", "replaced by others"))
            for name in ("MAP", "most", "random")
        },
        "deleted.random": Quantity(
            "drop of the log-odds without as many random words, mean of the orders", ODDS
        ),
        "deleted.most": Quantity(
            "drop of the log-odds without the words whose own deletion costs most", ODDS
        ),
        "replaced.MAP": Quantity(
            "drop of the log-odds with words of other audited texts in the places of the top words",
            ODDS,
        ),
        "replaced.random": Quantity(
            "drop of the log-odds with words of other texts in as many random places", ODDS
        ),
        "replaced.most": Quantity(
            (
                "drop of the log-odds with words of other texts in place of the words whose own "
                "deletion costs most"
            ),
            ODDS,
        ),
        "area": Quantity(
            "comprehensiveness as published: mean drop of the *probability*, by attention, deleted",
            DIFFERENCE,
        ),
        "floor": Quantity("comprehensiveness as published, of random words", DIFFERENCE, "N 5"),
        "words": _WORDS,
    },
    "sufficiency": {
        "kept.MAP": Quantity(
            "log-odds of the decided class that are left when only the top words of a map "
            "are kept, mean over the shares",
            ODDS,
        ),
        "kept.random": Quantity(
            "log-odds left with as many random words, mean of the orders", ODDS
        ),
        "kept.most": Quantity("log-odds left with the words whose own deletion costs most", ODDS),
        "curve.MAP": Quantity(
            "log-odds left with the top words of a map, at each share", ODDS, "N 5"
        ),
        "curve.random": Quantity(
            "log-odds left with as many random words, at each share", ODDS, "N 5"
        ),
        "curve.most": Quantity(
            "log-odds left with the words whose own deletion costs most, at each share", ODDS, "N 5"
        ),
        "whole": Quantity("log-odds of the decided class on the whole text", ODDS),
        "area": Quantity(
            (
                "sufficiency as published: mean drop of the *probability*, by attention; small "
                "where the words suffice"
            ),
            DIFFERENCE,
        ),
        "floor": Quantity("sufficiency as published, of random words", DIFFERENCE, "N 5"),
        "words": _WORDS,
    },
    "transplant": {
        "half": Quantity("which half of the texts", TRUTH),
        "weight": Quantity(
            "weight as donor, so that every decided class counts alike; 0: not drawn",
            Scale("weight", 0),
        ),
        "partner": Quantity(
            "row of the receiver among the audited texts; −1: none", Scale("row", -1), "N K"
        ),
        "whole": Quantity(
            "what moving *all* words does to the margin, summed over the shares", MARGIN, "N K"
        ),
        "carried.MAP": Quantity(
            "what the top words of a map do to the margin, summed over the shares", MARGIN, "N K"
        ),
        "random.MAP": Quantity(
            "what as many random positions do to the margin, summed over the shares", MARGIN, "N K"
        ),
        "flipped.MAP": Quantity(
            "at how many shares the top words of a map make the prediction the donor's",
            COUNT,
            "N K",
        ),
        "random_flipped.MAP": Quantity(
            "at how many shares as many random positions do", COUNT, "N K"
        ),
        "own.MAP": Quantity(
            (
                "what the donor's top words do by themselves: put into the receiver, and "
                "replaced by its own in the donor"
            ),
            MARGIN,
            "N K",
        ),
        "random_own.MAP": Quantity(
            "what as many random positions of the donor do by themselves", MARGIN, "N K"
        ),
        "right.MAP": Quantity(
            "whether the top words do at least half of what they could by themselves", TRUTH
        ),
        "within": Quantity(
            (
                "share of the hybrids whose prediction is no surer than that of 99 % of the "
                "texts as they are"
            ),
            SHARE,
        ),
        "present.MAP": Quantity(
            "1: the donor has more of the words that the map highlights for its class on the "
            "other half of the texts, 0.5: as many, 0: the receiver has",
            Scale("share", 0, 1),
            "N K",
        ),
        "present.all": Quantity(
            "the same of a map that highlights every word", Scale("share", 0, 1), "N K"
        ),
    },
    "information": {
        **{
            f"{kind}.{of}": replace(one, description=one.description.replace("TARGET", label))
            for of, label in TARGETS.items()
            for kind, one in _OF_RANKS.items()
        },
        **{
            f"D.{of}": Quantity(f"`first` less `rest`, {label}", _NATS, WHOLE)
            for of, label in _ASKED.items()
        },
        **{
            f"untrained.D.{of}": Quantity(
                f"the same of the untrained companion, {label}", _NATS, WHOLE
            )
            for of, label in _ASKED.items()
            if of != OUTPUT
        },
        "coupled.D": Quantity("p of `D.output` among shuffles of the attention", CHANCE, WHOLE),
        "flatness": Quantity(
            "mean weight of the first rank over that of the last", Scale("ratio", 1), WHOLE
        ),
        **{
            f"paper.tau.{of}": Quantity(f"Shieh’s τ of counted information, {label}", TAU, WHOLE)
            for of, label in _ASKED.items()
        },
    },
    "mixing": {
        "own": Quantity(
            "share of the gradient of the length of a state that is its own word’s, by attention",
            SHARE,
        ),
        "own_plain": Quantity("the same share, all states alike", SHARE),
        "even": Quantity("the share that each word would have if all had the same", SHARE),
        "entropy": Quantity("normalised entropy of these shares, mean over the states", SHARE),
        "focus": Quantity(
            "1 − `entropy`: what the spread over the words lacks of an even one", SHARE
        ),
        "spread": Quantity("the same of an even spread: 0 by definition", SHARE),
        "own.OTHER": Quantity("`own` of the companion, by its own attention", SHARE),
        "focus.OTHER": Quantity("`focus` of the companion", SHARE),
        "unmoved": Quantity("words whose state no word moves", COUNT),
        "words": _WORDS,
    },
    "mixing_otherwise": {
        "entropy.deletion": Quantity(
            (
                "normalised entropy of what deleting each word does to the length of a state, "
                "mean over the states"
            ),
            SHARE,
        ),
        "entropy.facets": Quantity(
            "the same of the gradients of all numbers of a state together", SHARE
        ),
        "own.facets": Quantity(
            "share of these gradients that is the word’s own, by attention", SHARE
        ),
        "words": _WORDS,
    },
    "token_evidence": {
        "probability": Quantity(
            "probability of the decided class if one word had all attention, mean over the words",
            CHANCE,
        ),
        "share": Quantity("share of what varies among words that lies within texts", SHARE, WHOLE),
        "within": Quantity(
            (
                "variance, over the words of the text, of the margins that each would give "
                "alone, mean over the classes"
            ),
            Scale("squared difference of logits", 0),
        ),
        "total": Quantity(
            (
                "the same about the mean of all texts: `within` and the square of how far the "
                "mean of the text is from it"
            ),
            Scale("squared difference of logits", 0),
        ),
        "gap": Quantity(
            "margin of the decided class that marked words would give alone, less that of "
            "the others, in standard deviations of all words (the root of the mean of "
            "`total`)",
            Scale("standard deviations"),
        ),
        "right": Quantity("whether the decision is the label", TRUTH),
        "words": _WORDS,
        "marked": Quantity("words that people marked", COUNT),
        "known": Quantity("whether the text came with marks, be it none", TRUTH),
    },
    "input_information": _OF_WORDS,
    "input_information_drawn": _OF_WORDS,
    "rationale": {
        "auprc.MAP": Quantity(
            "area under precision and recall of the marked words, by the order of a map", SHARE
        ),
        "auprc_chance.MAP": Quantity(
            "exact mean of that area when the map is permuted over the words", SHARE
        ),
        "f1.MAP": Quantity("token F1 of as many top words as are marked", SHARE),
        "f1_chance.MAP": Quantity(
            "exact mean of that F1 when the map is permuted: the share of words that are marked",
            SHARE,
        ),
        "iou.MAP": Quantity("IOU F1 of the spans of as many top words as are marked", SHARE),
        "iou_chance.MAP": Quantity(
            "mean of that IOU F1 over draws of as many words at random", SHARE
        ),
        "words": _WORDS,
        "marked": Quantity("words that people marked", COUNT),
        "known": Quantity("whether the text came with marks, be it none", TRUTH),
        "scored": Quantity("whether scores were brought for the text", TRUTH),
    },
    "state_agreement": {
        "tau.REF": Quantity(
            "Kendall’s τ-b of attention and an importance of inputs or of states", TAU
        ),
        "coupling_tau.REF": Quantity(
            "the same of shuffled weights that were *used*, mean of 3", TAU
        ),
        "within_tau.REF": Quantity("τ-b among the words that have any weight", TAU),
        "entropy.REF": Quantity(
            "normalised entropy of an importance over the words: 1 where it is even", SHARE
        ),
        "support": Quantity("words that have any weight", COUNT),
        "both_zero": Quantity(
            "share of the pairs of words that tie because neither has any weight", SHARE
        ),
        "state_gradient": Quantity(
            "length of the slope of the log-odds by state, through attention", SIZE, "words"
        ),
        "state_deletion": Quantity(
            "total variation to the answer without the state", MOVED, "words"
        ),
        "words": _WORDS,
        "constant": _ALIKE,
    },
}
"""What every measure keeps, in the order of the documentation."""


def quantity_of(measure: str, name: str) -> Quantity | None:
    """Find what a quantity of a measure is; nothing of a measure or a number that is not of this
    package.

    >>> quantity_of("agreement", "tau.gradient").scale.low
    -1
    """
    rows = QUANTITIES.get(measure, {})
    head, _, part = name.partition(".")
    other = next(
        (rows[f"{head}.{one}"] for one in ("OTHER", "LAYER") if f"{head}.{one}" in rows), None
    )
    if part and name not in rows and other is not None:
        return replace(other, description=f"{other.description} ({part})")
    if f"{name.rpartition('.')[0]}.MAP" in rows:  # of a map in one of several ways
        head, _, part = name.rpartition(".")
    if part and name not in rows:
        row = rows.get(f"{head}.REF") or rows.get(f"{head}.MAP")
        return (
            row
            and replace(row, description=f"{row.description} ({part}: {MAPS[part].description})")
            if part in MAPS
            else row
        )
    if name not in rows and name in MAPS:
        return Quantity(MAPS[name].description, ANY if MAPS[name].signed else SIZE, "words")
    return rows.get(name)
