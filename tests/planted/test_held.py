"""Do the prediction hangs on the highest weights (SL-205), and suffice for it (SL-302)? Models of
which it is known.
"""

import numpy as np
import pytest

from sightline.audits.run import audit
from sightline.core.results import Finding
from sightline.data.dataset import Dataset
from sightline.measures.default_measures import default_measures
from sightline.models.alterations import RandomShown
from sightline.models.classifier import AttentionClassifier
from tests.texts import trained

NEEDLE = "planted:needle(n=600,length=12,ending=true)"
MEASURES = ("flips", "repair", "erasure", "sufficiency")


def found(model: object, dataset: Dataset, **others: object) -> dict[str, Finding]:
    result = audit(model, dataset, measures=default_measures(chosen=MEASURES), **others)
    return {finding.code: finding for finding in result.findings}


@pytest.fixture(scope="module")
def needle() -> tuple[AttentionClassifier, Dataset]:
    """An MLP that has found a needle: no other state knows of it."""
    return trained(NEEDLE, "mlp(hidden=32)+additive", learning_rate=3e-3)


@pytest.fixture(scope="module")
def stop() -> tuple[AttentionClassifier, Dataset]:
    """A BiLSTM that attends to the full stop behind every text."""
    return trained(NEEDLE, "bilstm(hidden=24)+additive", learning_rate=5e-3, guide="last")


def test_attention_on_the_needle_holds_the_decision_and_suffices(
    needle: tuple[AttentionClassifier, Dataset],
) -> None:
    result = found(*needle)
    assert result["SL-205"].result == result["SL-302"].result == "passed"
    assert result["SL-302"].score.value > 0.8


def test_a_full_stop_does_not_suffice(stop: tuple[AttentionClassifier, Dataset]) -> None:
    result = found(*stop)
    assert result["SL-302"].result == "failed"
    assert result["SL-302"].score.value < 0.1


def test_weights_that_are_shown_and_not_used_hold_nothing(
    needle: tuple[AttentionClassifier, Dataset],
) -> None:
    model, dataset = needle
    result = found(RandomShown(model, dataset, 0), dataset)
    assert result["SL-302"].result == "failed"
    assert result["SL-205"].score.low < 0.05
    assert result["SL-205"].number.value == pytest.approx(result["SL-205"].baseline.value, abs=0.2)


def test_weights_drawn_by_lot_hold_no_more_of_a_decision_than_others_would() -> None:
    """They are used, so their own order finds small sets; shuffled, and used too, they find as
    small ones.
    """
    model, dataset = trained(NEEDLE, "mlp(hidden=32)+random(scale=2.0)", learning_rate=3e-3)
    message = found(model, dataset)["SL-205"]
    assert message.score.high < 0.3
    assert message.beside["the same in random order"].value < message.number.value - 0.3


def test_weights_go_alone_or_together_to_the_same_effect_unless_the_others_are_scaled(
    needle: tuple[AttentionClassifier, Dataset],
) -> None:
    model, dataset = needle
    result = audit(model, dataset, measures=default_measures(chosen=MEASURES))
    values = result.measurements["repair"].values
    assert np.nanmax(np.abs(values["gap.zeroed"])) < 1e-9
    assert result.estimates["repair.gap.zeroed"].value == pytest.approx(0, abs=1e-9)
    assert np.nanmean(np.abs(values["gap.scaled"])) > 1e-3
