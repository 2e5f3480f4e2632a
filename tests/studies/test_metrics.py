"""Published metrics that no audit takes: on a model by hand whose words each add a known amount to
one logit.
"""

import metrics
import numpy as np
import pytest
import torch
from metrics import Case, Seen, Weights, Words, insertion, normalised_aopc

from sightline.core.protocols import Batch, Trace

WORTH = torch.tensor([0.0, 0.0, 0.0, 0.0, 3.0, 0.5, -1.0, 0.2])
"""What each number of a word adds to the logit of the second of two classes."""
TEXT = (4, 5, 6, 7)


class Adding:
    """A text is answered by the sum of what its words are worth."""

    def trace(self, batch: Batch) -> Trace:
        logits = (WORTH[batch.ids] * batch.mask).sum(1, keepdim=True)
        return Trace(batch, torch.zeros(*batch.ids.shape, 1), torch.zeros(batch.ids.shape), logits)


def case(weights: list[float]) -> Case:
    return Case(Adding(), metrics._batch(TEXT), weights)  # type: ignore[arg-type]


BEST, WORST = [4.0, 3.0, 1.0, 2.0], [1.0, 2.0, 4.0, 3.0]


def test_the_best_order_is_1_and_the_worst_0() -> None:
    assert normalised_aopc(case(BEST)) == pytest.approx(1)
    assert normalised_aopc(case(WORST)) == pytest.approx(0)
    assert 0 < normalised_aopc(case([4.0, 1.0, 3.0, 2.0])) < 1


def test_the_area_is_what_a_literal_count_gives() -> None:
    def sure(words: list[int]) -> float:
        return float(torch.sigmoid(WORTH[words].sum()))

    middle = case([4.0, 1.0, 3.0, 2.0])
    assert middle.order == [0, 2, 3, 1]
    lost = [sure([4, 5, 6, 7]) - one for one in (sure([5, 6, 7]), sure([5, 7]), sure([5]))]
    assert metrics._aopc(middle, middle.order) == pytest.approx(np.mean(lost))
    grown = [sure([4]), sure([4, 6]), sure([4, 6, 7]), sure([4, 5, 6, 7])]
    assert insertion(middle) == pytest.approx(np.mean(grown))


def test_words_that_do_nothing_have_no_normalised_area() -> None:
    nothing = Case(Adding(), metrics._batch((1, 2, 3)), [1.0, 2.0, 3.0])  # type: ignore[arg-type]
    assert np.isnan(normalised_aopc(nothing))
    assert metrics._mean(iter([float("nan"), 2.0])) == 2.0


def test_a_model_looks_to_ice_as_it_answers() -> None:
    seen = Seen(Adding())  # type: ignore[arg-type]
    ids = torch.tensor([[4, 6, 0]])
    logits = seen(ids, torch.tensor([[1, 1, 0]])).logits  # padding is no part of a text
    assert logits.shape == (1, 2)
    assert logits.softmax(1)[0, 1] == pytest.approx(float(torch.sigmoid(torch.tensor(2.0))))
    read = Words()(Words().decode([4, 5]))
    assert read["input_ids"].tolist() == [[4, 5]]
    assert Words()("")["input_ids"].tolist() == [[0]]
    assert Weights({(4, 5): [0.1, 0.9]}).get_importance_scores(
        torch.tensor([[4, 5]])
    ).tolist() == pytest.approx([0.1, 0.9])
