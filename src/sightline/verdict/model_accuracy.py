"""Whether the model has learned anything at all: its accuracy beside guessing, and what it answers
how often.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sightline.core.results import ClassShare, Learned
from sightline.stats import bootstrap
from sightline.verdict.evidence import Evidence

Array = np.ndarray


def learned_of(evidence: Evidence) -> Learned | None:
    """Compare accuracy with two ways of guessing, paired by text; nothing where there are no
    answers or no labels.

    The most common class is that of the audited texts: the guess that no model on these texts can
    lose against. Chance deals the model's own answers out at random, so it also tells of rare
    classes, where that guess is hard to beat.
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
    return _beside_chance(known, evidence, labels, predicted, clusters) if len(labels) else known


def _beside_chance(
    known: Learned, evidence: Evidence, labels: Array, predicted: Array, clusters: Array
) -> Learned:
    """Say how often the same answers were right if they were dealt out at random, and how much
    oftener they are.

    Σ_c P(label c) P(answer c), the agreement by chance of Cohen's (1960) κ, as a mean over texts of
    what each adds to it to first order, P(answer is its label) + P(label is its answer) − Σ; so its
    interval is that of a mean.
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
