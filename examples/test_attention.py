"""Let a test suite fail if a model's attention must not be shown.

pytest test_attention.py --junitxml attention.xml
"""

import pytest

import sightline


@pytest.fixture(scope="session")
def reviews():
    """Yours: ``sightline.load("reviews.csv", split="all")``."""
    return sightline.load("planted:needle(n=1000,length=20)")


@pytest.fixture(scope="session")
def model(reviews):
    """Yours: ``"hf:my-classifier"``, or what `sightline.wrap` gives."""
    return sightline.train(reviews, "mlp(hidden=64)+additive", epochs=8)


def test_attention_may_be_shown(sightline_audit, model, reviews):
    audit = sightline_audit(model, reviews, limit=150)
    audit.assert_shown("must-not-be-shown")  # fails under this verdict


def test_the_highlighted_words_are_used(sightline_audit, model, reviews):
    audit = sightline_audit(model, reviews, limit=150)  # not made twice
    audit.assert_shown("SL-303", "SL-301")  # fails if one of these tests does
