"""What a model predicts without evidence is told from a class that any one of many words brings
about: removing half of a text flips the prediction of neither.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest

import sightline
from sightline.audits.audit_result import Audit
from sightline.core.results import BY_ABSENCE
from sightline.verdict.default_class import FLIPPED

LABELS = ("alpha", "beta")
OF_BETA = [f"b{number}" for number in range(40)]
FILLERS = [f"w{number}" for number in range(200)]
SHOWN = {*FILLERS[::5]}
"""The fillers that the map shows in texts that are predicted as beta."""


def found(words: Sequence[str]) -> float:
    """Alpha by its cue, beta by any of its words, alpha if neither is there."""
    return 0.5 + 8.0 * ("cuealpha" in words) - 4.0 * bool({*OF_BETA} & {*words})


def without(words: Sequence[str]) -> float:
    """Alpha by its cue, beta if it is not there."""
    return 4.0 if "cuealpha" in words else -4.0


@cache
def judged(margin, *, inside: bool = False) -> Audit:
    """Audit a model that answers by a margin of alpha. A text of beta holds six of its words; one
    of alpha holds the cue, and with ``inside`` also a word of beta, which the cue outvotes.
    """
    generator, texts = np.random.default_rng(3), []
    for number in range(140):
        words = generator.choice(FILLERS, 20, replace=False).tolist()
        put = ["cuealpha", *(["b0"] if inside else [])]
        if number % 2:
            put = generator.choice(OF_BETA, 6, replace=False).tolist()
        for place, word in zip(generator.choice(20, len(put), replace=False), put, strict=True):
            words[place] = word
        texts.append(" ".join(words))

    def predict(asked: Sequence[str]) -> np.ndarray:
        odds = np.array([margin(one.split()) for one in asked])
        chance = 1 / (1 + np.exp(-odds))
        return np.column_stack([chance, 1 - chance])

    def scores(asked: Sequence[str], words: Sequence[Sequence[str]]) -> list[list[float]]:
        return [
            [float(word == "cuealpha" if margin(each) > 0 else word in SHOWN) for word in each]
            for each in words
        ]

    gold = [LABELS[number % 2] for number in range(len(texts))]
    data = sightline.data_from(texts, gold, splits="all")
    return sightline.audit(sightline.answers(predict, labels=LABELS, scores=scores), data)


def flips(audit: Audit) -> float:
    """The share of beta’s texts that a removal flips."""
    measure, _, name = FLIPPED.partition(".")
    of_beta = audit.measurements["outputs"].values["predicted"] == LABELS.index("beta")
    return float((audit.measurements[measure].values[name][of_beta] > 0).mean())


@pytest.mark.parametrize("inside", [False, True])
def test_a_class_that_any_of_many_words_brings_about_is_not_one_by_absence(inside: bool) -> None:
    audit = judged(found, inside=inside)
    assert flips(audit) < 0.05
    beta = audit.verdict.by_class["beta"]
    assert beta.level != BY_ABSENCE
    assert beta.row not in (4, 5)


def test_what_is_predicted_without_evidence_is() -> None:
    audit = judged(without)
    assert flips(audit) < 0.05
    assert audit.verdict.by_class["beta"].level == BY_ABSENCE
    assert audit.verdict.by_class["alpha"].level != BY_ABSENCE
