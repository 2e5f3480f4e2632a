"""What an audit asks: every measure by its code and where it is made, and every map over the words by its name.

The one list of each: a new measure is its file and a line here. Without torch, so that specs and the page can read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

MEASURES: Mapping[str, str] = {
    "outputs": "sightline.measures.outputs:Outputs",
    "need": "sightline.measures.need:Need",
    "retrained": "sightline.measures.need:RetrainedUniform",
    "agreement": "sightline.measures.agreement:Agreement",
    "reach": "sightline.measures.reach:Reach",
    "permutation": "sightline.measures.permutation:Permutation",
    "erasure": "sightline.measures.erasure:Erasure",
}
"""The measures, in the order of the report."""
ALWAYS = "outputs"
"""The measure that no audit goes without: what the model answers."""


@dataclass(frozen=True)
class WordMap:
    """One number a word: what it says, and whether it speaks against the decision as well as for it."""

    told: str
    signed: bool = False


MAPS: Mapping[str, WordMap] = {
    "attention": WordMap("the weight the model gave to the word"),
    "gradient": WordMap("gradient times input, attention held fixed"),
    "gradient_through": WordMap("gradient times input, also through the attention"),
    "deletion": WordMap("what deleting the word does to the output"),
    "free_gradient": WordMap("gradient times input under uniform attention"),
    "free_deletion": WordMap("what deleting it does under uniform attention"),
    "evidence": WordMap(
        "log-odds of the predicted class when this word alone is attended to; below zero it speaks against the class",
        signed=True,
    ),
}
"""Every map over the words there is; how each is made: `sightline.measures.maps`."""
