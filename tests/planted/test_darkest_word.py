"""The darkest word is the reason in most texts, and in each of the others it is a word of which the
model reads nothing: a score over all texts passes.
"""

from functools import cache

import numpy as np
import pytest
import torch

import sightline
from sightline.audits.audit_result import Audit
from sightline.report.caption import caption
from sightline.report.card import card
from sightline.report.number_format import percent
from sightline.report.transfer_summary import TITLE, of_top_words
from sightline.verdict.verdict_table import ENOUGH_TEXTS
from tests.planted.worded import LABELS, ids_in, rows, worded

FILLERS, LENGTH, TEXTS = 400, 20, 400
NAMES = (*(f"w{number}" for number in range(FILLERS)), *(f"cue{label}" for label in LABELS))
WORTH = torch.zeros(len(NAMES) + 1, 1, dtype=torch.float64)
"""What each word adds to the logit, by its weight; padding is 0."""
WORTH[1 : FILLERS + 1, 0] = torch.from_numpy(np.random.default_rng(5).normal(0, 1.5, FILLERS))
WORTH[FILLERS + 1 :, 0] = torch.tensor([-6.0, 6.0], dtype=torch.float64)


@cache
def judged(every: int) -> Audit:
    """Audit a model that attends to the cue. Where the cue stands at one place of every few, its
    neighbour has its hidden state and its weight.
    """
    generator, made = np.random.default_rng([0, 77]), []
    for number in range(TEXTS):
        words = [*generator.choice(NAMES[:FILLERS], LENGTH - 1, replace=False)]
        words.insert(int(generator.integers(LENGTH)), f"cue{LABELS[number % 2]}")
        made.append(" ".join(words))

    def trace(batch, numbers):
        worth, cue = numbers[..., 0] * batch.mask, batch.ids > FILLERS
        place = torch.arange(batch.ids.shape[1])
        last = place == batch.mask.sum(1, keepdim=True) - 1
        moved = cue & (place % every == every - 1) & ~last
        right = torch.nn.functional.pad(moved[:, :-1], (1, 0))
        states = torch.where(moved | right, 0.0, worth)
        states = states + torch.nn.functional.pad((worth * moved)[:, :-1], (1, 0))
        weights = torch.where((cue & ~moved) | right, 1.0, 0.01).double() * batch.mask
        attention = weights / weights.sum(1, keepdim=True) + 0 * worth
        traced = {"attention": attention, "states": states}
        return {**traced, "logits": decode(traced, attention)}

    def decode(traced, attention):
        return (attention * traced["states"]).sum(1, keepdim=True)

    model = worded(
        WORTH,
        ids_in(NAMES),
        trace,
        decode=decode,
        token_logits=lambda traced: traced["states"][..., None],
    )
    gold = [LABELS[number % 2] for number in range(TEXTS)]
    return sightline.audit(model, sightline.data_from(made, gold, splits="all"))


def is_cue(audit: Audit) -> float:
    """Give the share of the texts whose darkest word is the cue."""
    weights = audit.measurements["outputs"].values["attention"].rows()
    return float(
        np.mean(
            [
                text.tokens[int(row.argmax())].startswith("cue")
                for text, row in zip(audit.texts, weights, strict=True)
            ]
        )
    )


def test_a_cue_that_is_shown_in_every_text_can_be_shown() -> None:
    audit = judged(LENGTH + 1)
    assert is_cue(audit) == 1.0
    assert rows(audit) == {4}
    assert audit.estimates["erasure.matters"].value > 0.98


@pytest.mark.parametrize("every", [3, 5])
def test_where_it_is_another_word_in_many_texts_the_verdict_says_in_how_many(every: int) -> None:
    audit = judged(every)
    found = {one.code: one.result for one in audit.findings}
    assert {found[code] for code in ("SL-301", "SL-303", "SL-304", "SL-307")} == {"passed"}
    share = audit.estimates["erasure.matters"]
    assert share.value == pytest.approx(is_cue(audit), abs=0.02)
    assert share.low < ENOUGH_TEXTS
    assert rows(audit) == {5}
    (said,) = (one.words for one in audit.verdict.reasons if one.words.startswith("in "))
    idle = round(share.n * (1 - share.value))
    assert said.split()[1:4] == [str(idle), "of", str(share.n)]


def test_the_share_stands_in_the_card_and_under_the_map() -> None:
    audit = judged(5)
    said = of_top_words(audit)
    assert percent(audit.estimates["erasure.matters"]) in said[0]
    assert said[0] in caption(audit)
    assert said[0] in card(audit).facts[TITLE]
    (found,) = (one for one in audit.findings if one.code == "SL-307")
    assert audit.estimates["erasure.matters"] in found.beside.values()
