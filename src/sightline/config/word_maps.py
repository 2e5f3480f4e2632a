"""Every attribution map by name, and the targets that states are probed for. Without torch, so that
specs and the report can read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

Unit = Literal["share", "probability", "log-odds", ""]
"""The unit of a map's numbers; empty for the scores of another tool."""


@dataclass(frozen=True)
class WordMap:
    """One number for each word: its meaning, its unit, and whether it can speak against the
    predicted class as well as for it.
    """

    description: str
    unit: Unit
    signed: bool = False


_CHANGE = (
    "change in the output (total variation: the probability that moves from some classes to others)"
)

MAPS: Mapping[str, WordMap] = {
    "attention": WordMap("the attention weight of the word", "share"),
    "gradient": WordMap(
        "gradient of the predicted class’s log-odds with respect to the word, with attention "
        "held fixed where possible",
        "log-odds",
    ),
    "gradient_through": WordMap(
        "gradient of the predicted class’s log-odds with respect to the word, also through the "
        "attention",
        "log-odds",
    ),
    "deletion": WordMap(f"{_CHANGE} when the word is deleted", "probability"),
    "contribution": WordMap(
        "size of weight × logit of the word, for or against the predicted class", "log-odds"
    ),
    "free_gradient": WordMap("gradient under uniform attention", "log-odds"),
    "free_deletion": WordMap(
        f"{_CHANGE} when the word is deleted, under uniform attention", "probability"
    ),
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
        "drop in log-odds of the predicted class when the word is deleted", "log-odds", signed=True
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
    "given": WordMap("scores from another tool", ""),
    "signed_given": WordMap("signed scores from another tool, such as Captum", "", signed=True),
}
"""All attribution maps; `sightline.measures.attribution_maps` computes them."""
COSTLY_MAPS = frozenset({"integrated", "signed_integrated"})
"""Maps computed only when requested by name: one costs as much as dozens of gradients."""
Reduction = Literal["input", "norm"]
"""How the gradient with respect to a word, a vector, is reduced to one number."""
REDUCTIONS: Mapping[Reduction, str] = {
    "input": "|gradient · input|, as in the code that Jain & Wallace (2019) released",
    "norm": "length of the gradient, ‖∂/∂e‖₂, as in Meister et al. (2021)",
}
"""Each reduction in words, with the paper that uses it."""
REDUCED = ("gradient", "gradient_through", "free_gradient")
"""The maps that depend on the reduction. A signed gradient is always gradient times input, because
a length has no sign."""
RIVALS = ("attention", "gradient", "deletion", "contribution", "given")
SIGNED_RIVALS = ("signed_gradient", "signed_deletion", "signed_contribution", "signed_given")
"""The maps that could be shown instead of attention; each is compared with maps of its own family."""
USER_MAPS = ("given", "signed_given")
"""The maps that are not computed from the model here."""
OUTPUT, DECOUPLED, LABEL = "output", "decoupled", "label"
TARGETS: Mapping[str, str] = {
    OUTPUT: "the model’s own answer",
    DECOUPLED: "its answer under uniform attention",
    LABEL: "the gold label",
}
"""The targets that states are probed for. The first depends on attention and is kept only to
reproduce the paper."""


def takes_sides(name: str) -> bool:
    """Tell whether a map is signed, with words for and against the class. An attention source is
    not.
    """
    return name in MAPS and MAPS[name].signed


CAPTUM = "captum:"
"""Begins the name of an attribution that Captum makes of the audited texts."""


def is_attribution(scores: object) -> bool:
    """Whether scores are named ``captum:NAME``, rather than read from a file."""
    return isinstance(scores, str | PurePath) and str(scores).startswith(CAPTUM)
