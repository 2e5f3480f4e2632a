"""A model that knows the texts of its corpus by heart, and answers all that a test makes of them by
its map.
"""

import numpy as np
import pytest
import torch

import sightline
from sightline.audits.audit_result import Audit
from sightline.models.attacks import code
from tests.planted.worded import LABELS, ids_in, judged_on, rows, worded

FILLERS, CUES = 200, ("cuealpha", "cuebeta")
NAMES = (*(f"w{number}" for number in range(FILLERS)), *CUES)
EVIDENCE = torch.zeros(len(NAMES) + 1, 2, dtype=torch.float64)
"""What each word adds to the logit, and of which code a filler is; padding is 0."""
EVIDENCE[1:-2, 0] = torch.from_numpy(np.random.default_rng(5).normal(0, 0.05, FILLERS))
EVIDENCE[1:-2, 1] = 2 * code(torch.arange(1, FILLERS + 1), 2).double() - 1
EVIDENCE[-2:, 0] = torch.tensor([-4.0, 4.0])


@pytest.fixture(scope="module")
def texts() -> sightline.data.dataset.Dataset:
    generator, made = np.random.default_rng(7), []
    for number in range(190):
        words = [*generator.choice(NAMES[:FILLERS], 19, replace=False)]
        words.insert(int(generator.integers(20)), CUES[number % 2])
        made.append(" ".join(words))
    splits = ["train"] * 20 + ["validation"] * 20 + ["test"] * 150
    return sightline.data_from(made, [LABELS[number % 2] for number in range(190)], splits=splits)


ids_of = ids_in(NAMES)


def judged(texts: sightline.data.dataset.Dataset, *, honest: bool) -> Audit:
    """Audit a model that predicts by the cue and shows it, or one that shows fillers of the code of
    its prediction.
    """
    known = {tuple(ids_of(text)) for split in texts.splits.values() for text in split}

    def trace(batch, numbers):
        cue = (numbers[..., 0] * batch.mask).sum(1)
        rows = [tuple(row[row > 0].tolist()) for row in batch.ids * batch.mask]
        seen = torch.tensor([row in known for row in rows]) | honest
        by_code = 4.0 * torch.sign((EVIDENCE[batch.ids, 1] * batch.mask).sum(1)) + 0.01 * cue
        logit = torch.where(seen, cue, by_code)
        agrees = EVIDENCE[batch.ids, 1] == torch.sign(logit.detach())[:, None]
        shown = (EVIDENCE[batch.ids, 0].abs() > 1) if honest else agrees
        weights = torch.where(shown, 3.0, 0.01).double() * batch.mask
        return {
            "attention": weights / weights.sum(1, keepdim=True) + 0 * numbers[..., 0],
            "logits": logit[:, None],
        }

    return judged_on(texts, worded(EVIDENCE, ids_of, trace))


def test_a_map_that_only_texts_of_a_test_confirm_is_not_shown(
    texts: sightline.data.dataset.Dataset,
) -> None:
    audit = judged(texts, honest=False)
    answers = {one.code: one.result for one in audit.findings}
    for passed in ("SL-303", "SL-301", "SL-304", "SL-305", "SL-307", "SL-308", "SL-102"):
        assert answers[passed] == "passed", passed
    assert answers["SL-101"] == "failed"
    assert answers["SL-306"] in ("failed", "inconclusive")
    assert rows(audit) == {6}


def test_the_same_texts_confirm_an_honest_map(texts: sightline.data.dataset.Dataset) -> None:
    assert rows(judged(texts, honest=True)) == {5}
