"""Measures of the hidden states, and of agreement with human rationales."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sightline.config.measures.measure_row import MeasureRow
from sightline.config.measures.quantity import (
    ALL_EQUAL,
    CHANCE,
    COUNT,
    MOVED,
    NATS,
    SHARE,
    SIZE,
    TAU,
    TRUTH,
    WHOLE,
    WORDS,
    Quantity,
    Scale,
)
from sightline.config.word_maps import COSTLY_MAPS, MAPS, OUTPUT, TARGETS

_ASKED = {of: f"about {label}" for of, label in TARGETS.items()}
_OF_RANKS = {
    "scores": Quantity(
        "information of the state of each rank about TARGET, on a text that its probe has not seen",
        NATS,
        "N 20",
    ),
    "first": Quantity("information of the state with the largest weight about TARGET", NATS),
    "rest": Quantity("mean information of the states of the other ranks", NATS),
    "most": Quantity(
        "the most information possible about TARGET in this text: −ln of the share of its value",
        Scale("nats", 0),
    ),
    "draws": Quantity("`first` with the ranks of the text exchanged at random", NATS, "N 199"),
}
_OF_WORDS = {
    "words": Quantity("words of the text that are in the chosen vocabulary", COUNT),
    "entropy": Quantity(
        "`−ln p(w)` summed over these words, with p the frequency of each word", Scale("nats", 0)
    ),
    "gained": Quantity(
        "gain of the probe in log-probability, summed over these words", Scale("nats")
    ),
    "gained_half": Quantity("the same for a probe trained on half of the pairs", Scale("nats")),
    "nats": Quantity("gain of the probe per word", NATS, WHOLE),
    "nats_half": Quantity("the same for the probe trained on half of the pairs", NATS, WHOLE),
    "share": Quantity(
        "gain of the probe, as a share of the entropy of the words", Scale("share", high=1), WHOLE
    ),
}
_INPUT_INFORMATION = {
    "words": 1000,
    "tokens": 20_000,
    "clusters": 1000,
    "drawn": False,
    "surveys": "train",
    "spare": 2,
    "scaling": 0.75,
    "nulls": 3,
}
ROWS: Mapping[str, MeasureRow] = {
    "information": MeasureRow(
        "sightline.measures.rank_information:RankInformation",
        {
            "shuffles": 39,
            "surveys": "audited",
            "most": 20,
            "exchanges": 999,
            "kept": 199,
            "resamples": 2000,
            "fewest_ranks": 3,
            "fewest_texts": 200,
            "bins": 5,
            "starts": 10,
            "steps": 25,
            "many": 200,
            "few": 100,
            "few_texts": 1000,
            "strengths": [0.01, 0.1, 1.0],
            "strength": 0.1,
            "promising": 0.1,
            "clusters": 50,
            "axes": 32,
            "seeds": 5,
        },
        {
            **{
                f"{kind}.{of}": replace(one, description=one.description.replace("TARGET", label))
                for of, label in TARGETS.items()
                for kind, one in _OF_RANKS.items()
            },
            **{
                f"D.{of}": Quantity(f"`first` less `rest`, {label}", NATS, WHOLE)
                for of, label in _ASKED.items()
            },
            **{
                f"untrained.D.{of}": Quantity(
                    f"the same for the untrained control model, {label}", NATS, WHOLE
                )
                for of, label in _ASKED.items()
                if of != OUTPUT
            },
            "coupled.D": Quantity(
                "p-value of `D.output` among shuffles of the attention", CHANCE, WHOLE
            ),
            "flatness": Quantity(
                "mean weight of the first rank divided by the mean weight of the last",
                Scale("ratio", 1),
                WHOLE,
            ),
            **{
                f"paper.tau.{of}": Quantity(
                    f"Shieh’s τ of counted information, {label}", TAU, WHOLE
                )
                for of, label in _ASKED.items()
            },
        },
        taken="by name",
    ),
    "mixing": MeasureRow(
        "sightline.measures.state_focus:StateFocus",
        {},
        {
            "own": Quantity(
                "share of a state’s gradient (of its length) due to its own word, weighted "
                "by attention",
                SHARE,
            ),
            "own_plain": Quantity("the same share, all states weighted equally", SHARE),
            "even": Quantity("the share of each word if all shares were equal", SHARE),
            "entropy": Quantity("normalised entropy of these shares, mean over the states", SHARE),
            "focus": Quantity(
                "1 − `entropy`: 0 if the shares are spread evenly over the words", SHARE
            ),
            "spread": Quantity("the same for an even spread: 0 by definition", SHARE),
            "own.OTHER": Quantity(
                "`own` of the control model, weighted by its own attention", SHARE
            ),
            "focus.OTHER": Quantity("`focus` of the control model", SHARE),
            "unmoved": Quantity("words whose state depends on no word", COUNT),
            "words": WORDS,
        },
    ),
    "mixing_otherwise": MeasureRow(
        "sightline.measures.state_focus:MixingOtherwise",
        {},
        {
            "entropy.deletion": Quantity(
                (
                    "normalised entropy of the change in a state’s length when each word is "
                    "deleted, mean over the states"
                ),
                SHARE,
            ),
            "entropy.facets": Quantity(
                "the same for the gradients of all components of a state together", SHARE
            ),
            "own.facets": Quantity(
                "share of these gradients due to the state’s own word, weighted by attention", SHARE
            ),
            "words": WORDS,
        },
        taken="by name",
    ),
    "token_evidence": MeasureRow(
        "sightline.measures.token_logits:TokenLogits",
        {},
        {
            "probability": Quantity(
                "probability of the predicted class with all attention on one word, mean "
                "over the words",
                CHANCE,
            ),
            "share": Quantity(
                "share of the variance among words that lies within texts", SHARE, WHOLE
            ),
            "within": Quantity(
                (
                    "variance over the words of the text of the margin that each would give "
                    "alone, mean over the classes"
                ),
                Scale("squared difference of logits", 0),
            ),
            "total": Quantity(
                (
                    "the same around the mean of all texts: `within` plus the squared "
                    "distance of the text’s mean from it"
                ),
                Scale("squared difference of logits", 0),
            ),
            "gap": Quantity(
                "margin of the predicted class that rationale words would give alone, minus "
                "the margin of the other words, in standard deviations of all words (the "
                "root of the mean of `total`)",
                Scale("standard deviations"),
            ),
            "right": Quantity("whether the prediction is the label", TRUTH),
            "words": WORDS,
            "marked": Quantity("words in the rationale", COUNT),
            "known": Quantity("whether the text has a rationale, even an empty one", TRUTH),
        },
    ),
    "input_information": MeasureRow(
        "sightline.measures.input_information:InputInformation",
        _INPUT_INFORMATION,
        _OF_WORDS,
        taken="by name",
    ),
    "input_information_drawn": MeasureRow(
        "sightline.measures.input_information:DrawnInformation",
        {**_INPUT_INFORMATION, "drawn": True},
        _OF_WORDS,
        taken="by name",
    ),
    "rationale": MeasureRow(
        "sightline.measures.rationale_overlap:Rationale",
        {"draws": 50, "maps": [name for name in MAPS if name not in COSTLY_MAPS]},
        {
            "auprc.MAP": Quantity(
                "area under the precision–recall curve of the rationale, by the order of a map",
                SHARE,
            ),
            "auprc_chance.MAP": Quantity(
                "exact mean of this area when the map is permuted over the words", SHARE
            ),
            "f1.MAP": Quantity("token F1 of as many top words as the rationale has", SHARE),
            "f1_chance.MAP": Quantity(
                "exact mean of this F1 when the map is permuted: the share of words in the "
                "rationale",
                SHARE,
            ),
            "iou.MAP": Quantity(
                "IOU F1 of the spans of as many top words as the rationale has", SHARE
            ),
            "iou_chance.MAP": Quantity(
                "mean of this IOU F1 over random draws of as many words", SHARE
            ),
            "words": WORDS,
            "marked": Quantity("words in the rationale", COUNT),
            "known": Quantity("whether the text has a rationale, even an empty one", TRUTH),
            "scored": Quantity("whether the text has external scores", TRUTH),
        },
    ),
    "state_agreement": MeasureRow(
        "sightline.measures.state_agreement:StateAgreement",
        {"shuffles": 3},
        {
            "tau.REF": Quantity(
                "Kendall’s τ-b of attention and the importance of inputs or of states; "
                "`gradient_through` is the length of a gradient here, and its product with the "
                "word in `agreement`",
                TAU,
            ),
            "coupling_tau.REF": Quantity(
                "the same for shuffled weights that were *used*, mean of 3", TAU
            ),
            "within_tau.REF": Quantity("τ-b among the words that have any weight", TAU),
            "entropy.REF": Quantity(
                "normalised entropy of the importance over the words: 1 if it is even", SHARE
            ),
            "support": Quantity("words that have any weight", COUNT),
            "both_zero": Quantity(
                "share of the pairs of words that tie because neither has any weight", SHARE
            ),
            "state_gradient": Quantity(
                "length of the gradient of the log-odds with respect to the state, through "
                "attention",
                SIZE,
                "words",
            ),
            "state_deletion": Quantity(
                "total variation when the state is left out", MOVED, "words"
            ),
            "words": WORDS,
            "constant": ALL_EQUAL,
        },
        taken="by name",
    ),
}
