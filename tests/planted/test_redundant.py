"""Either of two words is enough: taking one away changes nothing, and the map that shows both is
right all the same.
"""

import numpy as np
import pytest
import torch

import sightline
from sightline.audits.audit_result import Audit
from tests.planted.worded import LABELS, ids_in, judged_on, rows, worded

FILLERS = 200
NAMES = (
    *(f"w{number}" for number in range(FILLERS)),
    "cuealpha",
    "morealpha",
    "cuebeta",
    "morebeta",
)
EVIDENCE = torch.zeros(len(NAMES) + 1, 1, dtype=torch.float64)
"""What each word speaks for; padding is 0."""
EVIDENCE[1:-4, 0] = torch.from_numpy(np.random.default_rng(5).normal(0, 0.05, FILLERS))
EVIDENCE[-4:, 0] = torch.tensor([-4.0, -4.0, 4.0, 4.0])


@pytest.fixture(scope="module")
def texts() -> sightline.data.dataset.Dataset:
    generator, made = np.random.default_rng(7), []
    for number in range(340):
        words = [*generator.choice(NAMES[:FILLERS], 18, replace=False)]
        for kind in ("cue", "more"):
            words.insert(int(generator.integers(len(words) + 1)), f"{kind}{LABELS[number % 2]}")
        made.append(" ".join(words))
    splits = ["train"] * 20 + ["validation"] * 20 + ["test"] * 300
    return sightline.data_from(made, [LABELS[number % 2] for number in range(340)], splits=splits)


def judged(texts: sightline.data.dataset.Dataset, *, filler: float) -> Audit:
    """Audit a model that predicts by the stronger cue of each side; the first filler of a text is
    shown so much.
    """

    def trace(batch, numbers):
        evidence = numbers[..., 0] * batch.mask
        small = torch.where(evidence.abs() > 1, 0.0, evidence)
        logit = small.sum(1) + evidence.clamp(min=0).amax(1) - (-evidence).clamp(min=0).amax(1)
        cue = (EVIDENCE[batch.ids, 0].abs() > 1) & batch.mask
        plain = (~cue & batch.mask).double()
        first = plain * (plain.cumsum(1) == 1)
        weights = torch.where(cue, 3.0, 0.01).double() * batch.mask + filler * first
        return {
            "attention": weights / weights.sum(1, keepdim=True) + 0 * numbers[..., 0],
            "logits": logit[:, None],
        }

    return judged_on(texts, worded(EVIDENCE, ids_in(NAMES), trace))


def top_word(audit: Audit) -> str:
    return next(one.result for one in audit.findings if one.code == "SL-307")


def test_two_words_of_which_either_is_enough_can_be_shown(
    texts: sightline.data.dataset.Dataset,
) -> None:
    audit = judged(texts, filler=0.0)
    assert top_word(audit) == "passed"
    assert rows(audit) == {5}


def test_a_filler_above_two_words_of_which_either_is_enough_is_not_shown(
    texts: sightline.data.dataset.Dataset,
) -> None:
    audit = judged(texts, filler=6.0)
    assert top_word(audit) == "failed"
    assert rows(audit) == {6}
