"""What highlighted words are and say, where it was planted: a needle speaks for its class, a full
stop for none.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from sightline.audits.measure_pass import measure
from sightline.core.example import Example
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.attention_need import AttentionNeed
from sightline.measures.polarity import Polarity
from sightline.measures.punctuation import Punctuation
from sightline.models.attention import GivenWeights
from sightline.models.classifier import AttentionClassifier
from tests.texts import example, trained


@cache
def needle() -> tuple[AttentionClassifier, tuple[Example, ...]]:
    model, dataset = trained("planted:needle(n=800,length=30)", "mlp(hidden=64)+additive")
    return model, dataset.test


def take(model: AttentionClassifier, texts: tuple[Example, ...]) -> dict[str, Measurement]:
    taken = measure(
        model,
        texts,
        (Polarity(), Punctuation(), AttentionNeed()),
        {},
        Seeds(0),
        32,
        lambda done, total: None,
    )
    assert all(isinstance(one, Measurement) for one in taken.values()), taken
    return taken


def test_the_needle_speaks_for_the_decision() -> None:
    taken = take(*needle())
    top, baseline = (taken["polarity"].values[name].mean() for name in ("top", "random"))
    assert top > 0.95
    assert baseline < 0.5
    assert taken["marks"].undefined["words"] == {"no marks": len(needle()[1])}
    assert taken["need"].values["constant_odds"].mean() > 1


def test_attention_that_is_moved_off_the_needle_speaks_for_nothing() -> None:
    """The fillers make room for the needle when they are deleted: they speak against the decision,
    softly.
    """
    model, texts = needle()
    own = model.source
    try:
        model.source = GivenWeights({t.index: np.where(t.rationale, 0.05, 1.0) for t in texts})
        polarity = take(model, texts)["polarity"].values
    finally:
        model.source = own
    assert polarity["top"].mean() < polarity["random"].mean() + 0.1


@pytest.mark.parametrize("share", [0.0, 0.9])
def test_a_full_stop_that_is_attended_to_is_no_word(share: float) -> None:
    model, texts = needle()
    dotted = [
        replace(
            example(f"{text.text} .", text.index),
            label=text.label,
            rationale=(*(text.rationale or ()), False),
        )
        for text in texts
    ]
    own = model.source
    try:
        weights = {
            t.index: np.append(np.full(len(t.tokens) - 1, 1 - share), share * (len(t.tokens) - 1))
            for t in dotted
        }
        model.source = GivenWeights(weights)
        taken = take(model, tuple(dotted))
    finally:
        model.source = own
    marks = taken["marks"].values
    assert marks["words"] == pytest.approx(np.full(len(dotted), 1 - share), abs=1e-5)
    assert marks["flat"] == pytest.approx(np.array([1 - 1 / len(t.tokens) for t in dotted]))
    if share:
        assert marks["without"].mean() > 0.05
