"""The terms that a report uses, for readers who have nothing but the report."""

from __future__ import annotations

from collections.abc import Mapping

TERMS: Mapping[str, str] = {
    "highlighted words": "the words with the most weight, 20 % of a text unless a test says otherwise",
    "gradient": "how much the output changes with a small change of a word",
    "leave-one-out": "how much the output changes without a word",
    "weight × logit": "what a word adds to the logit of a class, for a model with an affine decoder",
    "signed map": "a map that says whether a word speaks for the predicted class or against it",
    "log-odds of the predicted class": (
        "the logarithm of its probability over the probability of all other classes"
    ),
    "required": "a test that counts for whether the map can be shown",
    "must not fail": "a test whose failure adds a caveat, and no more",
    "CI": "the confidence interval of a number",
}
"""The terms, with a meaning each; docs/glossary.md has all."""
