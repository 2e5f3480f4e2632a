"""Every map over the words by its name, and what states are asked about. Without torch, so that
specs and the page can read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

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
