"""Darkest of all is a word that the model reads only where no cue is left: it decides no text that
holds a cue.
"""

from functools import cache

import numpy as np
import torch

import sightline
from sightline.audits.audit_result import Audit
from sightline.core.results import Finding
from tests.planted.worded import LABELS, ids_in, judged_on, worded

FILLERS, CUE, FALLBACK = 200, 4.0, 2.5
NAMES = (
    *(f"w{number}" for number in range(FILLERS)),
    *(f"cue{label}" for label in LABELS),
    *(f"back{label}{number}" for label in LABELS for number in range(6)),
)
SIDES = torch.tensor([-1.0, 1.0], dtype=torch.float64)
WORTH = torch.zeros(len(NAMES) + 1, 2, dtype=torch.float64)
"""What each word adds to the margin, and what it adds where there is no cue; padding is 0."""
WORTH[1 : FILLERS + 1, 0] = torch.from_numpy(np.random.default_rng(5).normal(0, 0.05, FILLERS))
WORTH[FILLERS + 1 : FILLERS + 3, 0] = CUE * SIDES
WORTH[FILLERS + 3 :, 1] = FALLBACK * SIDES.repeat_interleave(6)


@cache
def judged() -> Audit:
    """Audit a model that predicts by the cue, in texts of which each also holds a fallback word that
    speaks for the other class and is shown three times as dark.
    """
    generator, made = np.random.default_rng(7), []
    for number in range(200):
        back = f"back{LABELS[1 - number % 2]}{generator.integers(6)}"
        words = [*generator.choice(NAMES[:FILLERS], 18, replace=False), back]
        words.insert(int(generator.integers(len(words) + 1)), f"cue{LABELS[number % 2]}")
        made.append(" ".join(words))

    def trace(batch, numbers):
        of_text = numbers * batch.mask[..., None]
        no_cue = ~((WORTH[batch.ids, 0].abs() > 1) & batch.mask).any(1)
        logit = of_text[..., 0].sum(1) + torch.where(no_cue, of_text[..., 1].sum(1), 0.0)
        cue, back = WORTH[batch.ids, 0].abs() > 1, WORTH[batch.ids, 1] != 0
        weights = torch.where(back, 3.0, torch.where(cue, 1.0, 0.01)).double() * batch.mask
        shown = weights / weights.sum(1, keepdim=True) + 0 * numbers[..., 0]
        return {"attention": shown, "logits": logit[:, None]}

    gold = [LABELS[number % 2] for number in range(len(made))]
    data = sightline.data_from(made, gold, splits="all")
    return judged_on(data, worded(WORTH, ids_in(NAMES), trace))


def finding(code: str) -> Finding:
    return next(one for one in judged().findings if one.code == code)


def test_a_darkest_word_that_is_read_in_no_text_is_not_one_that_matters() -> None:
    found = finding("SL-307")
    assert {found.result, *found.answers.values()} == {"failed"}
    assert found.score.high < 0.1


def test_the_cue_below_it_carries_the_other_tests_and_the_map_is_not_shown() -> None:
    assert {finding(code).result for code in ("SL-303", "SL-301", "SL-304")} == {"passed"}
    rows = {judged().verdict.row, *(one.row for one in judged().verdict.by_class.values())}
    assert rows == {6}
