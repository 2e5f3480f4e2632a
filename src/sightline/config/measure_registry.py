"""What an audit asks: every measure by its code and where it is made, and every map over the words
by its name.

The one list of each: a new measure is its file and a line here. Without torch, so that specs and
the page can read it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from sightline.core.errors import SpecError

MEASURES: Mapping[str, str] = {
    "outputs": "sightline.measures.predictions:Predictions",
    "need": "sightline.measures.attention_need:AttentionNeed",
    "retrained": "sightline.measures.attention_need:RetrainedUniform",
    "beside": "sightline.measures.control_distance:ControlDistance",
    "agreement": "sightline.measures.agreement:Agreement",
    "types": "sightline.measures.word_type_control:WordTypeControl",
    "frozen": "sightline.measures.frozen_attention:FrozenAttention",
    "polarity": "sightline.measures.polarity:Polarity",
    "signs": "sightline.measures.signed_attribution:SignedAttribution",
    "marks": "sightline.measures.punctuation:Punctuation",
    "own_word": "sightline.measures.own_word:OwnWord",
    "reach": "sightline.measures.decision_bounds:DecisionBounds",
    "permutation": "sightline.measures.permutation:Permutation",
    "flips": "sightline.measures.minimal_flip_set:MinimalFlipSet",
    "repair": "sightline.measures.compensation:Compensation",
    "counterfactual": "sightline.measures.adversarial_attention:AdversarialAttention",
    "last_layer": "sightline.measures.last_layer:LastLayer",
    "layers": "sightline.measures.layer_ablation:LayerAblation",
    "searched": "sightline.measures.attention_search:AttentionSearch",
    "erasure": "sightline.measures.removal:Removal",
    "sufficiency": "sightline.measures.sufficiency:Sufficiency",
    "transplant": "sightline.measures.transfer.transfer:Transfer",
    "information": "sightline.measures.rank_information:RankInformation",
    "mixing": "sightline.measures.state_focus:StateFocus",
    "mixing_otherwise": "sightline.measures.state_focus:MixingOtherwise",
    "token_evidence": "sightline.measures.token_logits:TokenLogits",
    "input_information": "sightline.measures.input_information:InputInformation",
    "input_information_drawn": "sightline.measures.input_information:DrawnInformation",
    "rationale": "sightline.measures.rationale_overlap:Rationale",
    "state_agreement": "sightline.measures.state_agreement:StateAgreement",
}
"""The measures, in the order of the report."""
BY_NAME = frozenset(
    {
        "searched",
        "last_layer",
        "information",
        "mixing_otherwise",
        "input_information",
        "input_information_drawn",
        "state_agreement",
    }
)
"""The measures that are taken only where they are asked for by name: they are dear."""
WHERE_OFFERED = frozenset({"layers"})
"""The measures that are taken where the model offers what they need, and not spoken of where it
does not."""
ALWAYS = "outputs"
"""The measure that no audit goes without: what the model answers."""


Unit = Literal["share", "probability", "log-odds", ""]
"""What the numbers of a map are; those of another tool say nothing of it."""


@dataclass(frozen=True)
class WordMap:
    """One number a word: what it says, its unit, and whether it speaks against the decision as well
    as for it.
    """

    description: str
    unit: Unit
    signed: bool = False


MAPS: Mapping[str, WordMap] = {
    "attention": WordMap("the weight the model gave to the word", "share"),
    "gradient": WordMap(
        "gradient of the decision with respect to the word, attention held fixed where it can be",
        "log-odds",
    ),
    "gradient_through": WordMap("the same, also through the attention", "log-odds"),
    "deletion": WordMap("what deleting the word does to the output", "probability"),
    "contribution": WordMap(
        "how far weight × logit of the word moves the decision, either way", "log-odds"
    ),
    "free_gradient": WordMap("gradient under uniform attention", "log-odds"),
    "free_deletion": WordMap("what deleting the word does under uniform attention", "probability"),
    "evidence": WordMap(
        (
            "log-odds of the predicted class when this word alone is attended to; below zero it "
            "speaks against the class"
        ),
        "log-odds",
        signed=True,
    ),
    "signed_contribution": WordMap(
        "weight × logit: what the word adds to the predicted class", "log-odds", signed=True
    ),
    "signed_gradient": WordMap(
        "gradient times input: what the word adds to the predicted class", "log-odds", signed=True
    ),
    "signed_deletion": WordMap(
        "what the log-odds of the predicted class lose without the word", "log-odds", signed=True
    ),
    "integrated": WordMap(
        "integrated gradients, size: what the word gathers for or against on the way from no words",
        "log-odds",
    ),
    "signed_integrated": WordMap(
        (
            "integrated gradients: what the word gathers for the predicted class on the way from "
            "no words"
        ),
        "log-odds",
        signed=True,
    ),
    "given": WordMap("scores that were brought from elsewhere", ""),
    "signed_given": WordMap(
        "the same where they take sides, as attributions of Captum do", "", signed=True
    ),
}
"""Every map over the words there is; how each is made: `sightline.measures.attribution_maps`."""
DEAR = frozenset({"integrated", "signed_integrated"})
"""The maps that are made only where they are asked for by name: one costs as much as dozens of
gradients."""
Reduction = Literal["input", "norm"]
"""How the gradient with respect to a word, a vector, becomes one number."""
REDUCTIONS: Mapping[Reduction, str] = {
    "input": "|gradient · input|, as in the code that Jain & Wallace (2019) released",
    "norm": "length of the gradient, ‖∂/∂e‖₂, as in Meister et al. (2021)",
}
"""Each reduction in words, with who takes it."""
REDUCED = ("gradient", "gradient_through", "free_gradient")
"""The maps that depend on it; a signed gradient is always that times input, because a length has no
sign."""
RIVALS = ("attention", "gradient", "deletion", "contribution", "given")
SIGNED_RIVALS = ("signed_gradient", "signed_deletion", "signed_contribution", "signed_given")
"""The maps that could be shown instead of attention, each held against those of its kind."""
BROUGHT = ("given", "signed_given")
"""The maps that are not made of the model here."""
OUTPUT, DECOUPLED, LABEL = "output", "decoupled", "label"
TARGETS: Mapping[str, str] = {
    OUTPUT: "the model’s own answer",
    DECOUPLED: "its answer under uniform attention",
    LABEL: "the gold label",
}
"""What states are asked about. The first is computed from attention, so it is asked for the sake of
the paper alone."""


def takes_sides(name: str) -> bool:
    """Say whether a map has a sign: words for the class and against it. An attention source has
    none.
    """
    return name in MAPS and MAPS[name].signed


def taken(chosen: Collection[str]) -> tuple[str, ...]:
    """Name the measures of an audit in their order: those chosen and `ALWAYS`, or where none is,
    the usual ones.

    >>> taken(("need",)), "searched" in taken(())
    (('outputs', 'need'), False)
    """
    wanted = {ALWAYS, *chosen} if chosen else set(MEASURES) - BY_NAME
    return tuple(code for code in MEASURES if code in wanted)


def beside_default(named: Collection[str]) -> tuple[str, ...]:
    """Add measures that are taken only by name to those of every audit, in their order; none named,
    none to add.

    >>> [code for code in beside_default(("searched",)) if code in BY_NAME], beside_default(())
    (['searched'], ())
    """
    if unknown := next((code for code in named if code not in MEASURES), None):
        raise SpecError(f"{unknown}: expected one of {', '.join(sorted(BY_NAME))}", field="measure")
    wanted = (set(MEASURES) - BY_NAME | set(named)) - {ALWAYS} if named else set()
    return tuple(code for code in MEASURES if code in wanted)
