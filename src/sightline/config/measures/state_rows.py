"""What an audit asks of the states behind the words, and of what people marked."""

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
from sightline.config.word_maps import DEAR, MAPS, OUTPUT, TARGETS

_ASKED = {of: f"about {label}" for of, label in TARGETS.items()}
_OF_RANKS = {
    "scores": Quantity(
        "what the state of each rank tells of TARGET, of a text its probe has not seen",
        NATS,
        "N 20",
    ),
    "first": Quantity("what the state with the largest weight tells of TARGET", NATS),
    "rest": Quantity("what the states of the other ranks tell of it, on average", NATS),
    "most": Quantity(
        "the most that a state could tell of TARGET in this text, −ln of its share",
        Scale("nats", 0),
    ),
    "draws": Quantity("`first` with the ranks of the text exchanged, drawn", NATS, "N 199"),
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
    "nats": Quantity("what the probe adds a word", NATS, WHOLE),
    "nats_half": Quantity("the same of the probe that learned from half of the pairs", NATS, WHOLE),
    "share": Quantity(
        "what the probe adds, of the entropy of the words", Scale("share", high=1), WHOLE
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
                    f"the same of the untrained companion, {label}", NATS, WHOLE
                )
                for of, label in _ASKED.items()
                if of != OUTPUT
            },
            "coupled.D": Quantity("p of `D.output` among shuffles of the attention", CHANCE, WHOLE),
            "flatness": Quantity(
                "mean weight of the first rank over that of the last", Scale("ratio", 1), WHOLE
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
            "words": WORDS,
        },
    ),
    "mixing_otherwise": MeasureRow(
        "sightline.measures.state_focus:MixingOtherwise",
        {},
        {
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
            "words": WORDS,
        },
        taken="by name",
    ),
    "token_evidence": MeasureRow(
        "sightline.measures.token_logits:TokenLogits",
        {},
        {
            "probability": Quantity(
                "probability of the decided class if one word had all attention, mean over the words",
                CHANCE,
            ),
            "share": Quantity(
                "share of what varies among words that lies within texts", SHARE, WHOLE
            ),
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
            "words": WORDS,
            "marked": Quantity("words that people marked", COUNT),
            "known": Quantity("whether the text came with marks, be it none", TRUTH),
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
        {"draws": 50, "maps": [name for name in MAPS if name not in DEAR]},
        {
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
            "words": WORDS,
            "marked": Quantity("words that people marked", COUNT),
            "known": Quantity("whether the text came with marks, be it none", TRUTH),
            "scored": Quantity("whether scores were brought for the text", TRUTH),
        },
    ),
    "state_agreement": MeasureRow(
        "sightline.measures.state_agreement:StateAgreement",
        {"shuffles": 3},
        {
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
            "words": WORDS,
            "constant": ALL_EQUAL,
        },
        taken="by name",
    ),
}
