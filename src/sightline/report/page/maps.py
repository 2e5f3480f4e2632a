"""The maps over the words that a page can show: one literal line each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Map:
    """One number a word: where an audit keeps it, what the page calls it, and what it says.

    Maps that are ``printed`` are also drawn where no script runs. A ``signed`` map speaks against as well as for.
    """

    name: str
    measure: str
    quantity: str
    told: str
    printed: bool = False
    signed: bool = False


MAPS = (
    Map("attention", "outputs", "attention", "the weight the model gave to the word", printed=True),
    Map("gradient", "agreement", "gradient", "gradient times input, attention held fixed", printed=True),
    Map("leave-one-out", "agreement", "deletion", "what deleting the word does to the output", printed=True),
    Map("gradient through", "agreement", "gradient_through", "gradient times input, also through the attention"),
    Map("free gradient", "agreement", "free_gradient", "gradient times input under uniform attention"),
    Map("free leave-one-out", "agreement", "free_deletion", "what deleting it does under uniform attention"),
    Map("farthest attention", "counterfactual", "farthest", "the farthest attention that gives the same answer"),
    Map(
        "token evidence",
        "reach",
        "evidence",
        "log-odds of the predicted class when this word alone is attended to; below zero it speaks against the class",
        signed=True,
    ),
)
"""Every map a page knows, in its order; one that an audit does not hold is not offered."""
