"""Has the model learned anything? Its accuracy compared with guessing, and how often it predicts
each class.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sightline.core.results import ClassShare, Learned
from sightline.stats import bootstrap
from sightline.verdict.evidence import Evidence

Array = np.ndarray


def learned_of(evidence: Evidence) -> Learned | None:
    """Compare accuracy with two ways of guessing, paired by text; None without predictions or
    labels.

    The majority class of the audited texts is the best constant guess on them. Chance
    shuffles the model's own predictions over the texts. So chance also reveals a model of rare
    classes, for which the majority class is hard to beat.
    """
    if not evidence.has("outputs.label"):
        return None
    labels = evidence.array("outputs.label").astype(np.int64)[evidence.finite]
    predicted, clusters = evidence.predicted[evidence.finite], evidence.clusters[evidence.finite]
    right = (predicted == labels).astype(float)
    guessed = (labels == np.bincount(labels, minlength=1).argmax()).astype(float)
    known = Learned(
        bootstrap.proportion(right, clusters=clusters),
        bootstrap.proportion(guessed, clusters=clusters),
        bootstrap.mean(right - guessed, evidence.seed, clusters=clusters),
        classes={
            name: ClassShare(
                *(
                    bootstrap.proportion((each == c).astype(float), clusters)
                    for each in (labels, predicted)
                )
            )
            for c, name in enumerate(evidence.label_names)
        },
    )
    return (
        _with_chance_level(known, evidence, labels, predicted, clusters) if len(labels) else known
    )


def _with_chance_level(
    known: Learned, evidence: Evidence, labels: Array, predicted: Array, clusters: Array
) -> Learned:
    """Estimate how often the same predictions would be right if shuffled over the texts, and how
    much more often they are right.

    The chance agreement Σ_c P(label c) P(prediction c) of Cohen's (1960) κ is written as a mean
    over texts of their contributions to first order, P(prediction is its label) + P(label is its
    prediction) − Σ. So its interval is an interval of a mean.
    """
    classes = len(evidence.label_names)
    of_labels, of_answers = (
        np.bincount(each, minlength=classes) / len(labels) for each in (labels, predicted)
    )
    added = of_answers[labels] + of_labels[predicted] - of_labels @ of_answers
    right = (predicted == labels).astype(float)
    chance, above = (
        bootstrap.mean(each, evidence.seed, clusters=clusters) for each in (added, right - added)
    )
    return replace(known, chance=chance, above_chance=above)
