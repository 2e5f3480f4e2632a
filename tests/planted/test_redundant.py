"""Either of two words is enough: taking one away changes nothing, and the map that shows both is
right all the same.
"""

from collections.abc import Sequence

import numpy as np
import pytest
import torch

import sightline
from sightline.audits.audit_result import Audit
from sightline.core.example import Example
from sightline.core.protocols import Auditable
from sightline.measures.default_measures import default_measures

LABELS, FILLERS = ("alpha", "beta"), 200
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

    def collate(examples: Sequence[Example]) -> tuple[torch.Tensor, torch.Tensor]:
        length = max(len(example.tokens) for example in examples)
        ids = torch.tensor(
            [
                [NAMES.index(word) + 1 for word in one.tokens] + [0] * (length - len(one.tokens))
                for one in examples
            ]
        )
        return ids, ids > 0

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

    model: Auditable = sightline.wrap(
        torch.nn.Identity().eval(),
        link="sigmoid",
        labels=LABELS,
        collate=collate,
        embed=lambda batch: EVIDENCE[batch.ids],
        trace=trace,
    )
    return sightline.audit(
        model, texts, measures=default_measures(chosen=("agreement", "erasure", "transplant"))
    )


def top_word(audit: Audit) -> str:
    return next(one.result for one in audit.findings if one.code == "SL-307")


def rows(audit: Audit) -> set[int]:
    return {audit.verdict.row, *(one.row for one in audit.verdict.by_class.values())}


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
