"""The query alone decides most texts of one class, whose map is on words that the model does not
read; texts of the other are decided by their words.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
import torch

import sightline
from sightline.audits.audit_result import Audit
from sightline.core.example import Example
from sightline.core.protocols import Batch
from tests.planted.worded import LABELS, ids_in, judged_on, worded

FILLERS, LENGTH, TEXTS, CUE = 200, 12, 300, 4.0
NAMES = (*(f"w{number}" for number in range(FILLERS)), *(f"cue{label}" for label in LABELS))
WORTH = torch.zeros(len(NAMES) + 1, 1, dtype=torch.float64)
WORTH[1 : FILLERS + 1, 0] = torch.from_numpy(np.random.default_rng(5).normal(0, 0.05, FILLERS))
WORTH[FILLERS + 1 :, 0] = torch.tensor([-CUE, CUE], dtype=torch.float64)
ASKED = {"say alpha": -1, "say beta": 1, "read it": 0}


@cache
def judged(share: float) -> Audit:
    """Audit a model that answers a share of the texts of alpha by their query."""
    generator, made, queries = np.random.default_rng(7), [], []
    for number in range(TEXTS):
        label = LABELS[number % 2]
        by_query = label == "alpha" and generator.random() < share
        words = [*generator.choice(NAMES[:FILLERS], LENGTH - 1, replace=False)]
        words.insert(int(generator.integers(LENGTH)), f"cue{label}")
        made.append(" ".join(words))
        queries.append(f"say {label}" if by_query else "read it")

    def collate(examples: Sequence[Example]) -> Batch:
        read = [torch.tensor(ids_in(NAMES)(one)) for one in examples]
        ids = torch.nn.utils.rnn.pad_sequence(read, batch_first=True)
        length = ids.shape[1]
        place = torch.where(ids > 0, torch.arange(length), -1)
        asked = torch.tensor([[ASKED[" ".join(one.query)] + 2] for one in examples])
        label, index = (
            torch.tensor([getattr(one, name) for one in examples]) for name in ("label", "index")
        )
        return Batch(ids, ids > 0, ids > 0, place, label, index, asked, asked > 0)

    def trace(batch, numbers):
        worth = numbers[..., 0] * batch.mask
        asked = batch.query_ids.double() - 2
        logit = torch.where(asked == 0, worth.sum(1, keepdim=True), CUE * asked)
        filler = (batch.ids % 6 == 0) & batch.mask & (batch.ids <= FILLERS)
        dark = torch.where(asked == 0, batch.ids > FILLERS, filler)
        weights = torch.where(dark, 3.0, 0.01).double() * batch.mask
        attention = weights / weights.sum(1, keepdim=True) + 0 * worth
        return {"attention": attention, "logits": logit + 0 * worth.sum(1, keepdim=True)}

    gold = [LABELS[number % 2] for number in range(TEXTS)]
    texts = sightline.data_from(made, gold, splits="all", queries=queries)
    return judged_on(texts, worded(WORTH, ids_in(NAMES), trace, collate=collate))


def said(audit: Audit, of: str = "") -> list[str]:
    one = audit.verdict.by_class[of] if of else audit.verdict
    return [reason.words for reason in one.reasons if "query" in reason.words]


def test_a_class_whose_texts_the_query_decides_says_so_though_most_texts_have_a_score() -> None:
    audit = judged(0.6)
    whole = audit.measurements["transplant"].values["whole"]
    assert np.isnan(whole).all(axis=1).mean() < 0.3  # of three receivers, one is of another kind
    by_words = np.array([text.query == ("read", "it") for text in audit.texts])
    same, partner = (audit.measurements["transplant"].values[key] for key in ("same", "partner"))
    known = partner >= 0
    assert (same[known] == ~by_words[partner[known]]).all()
    (words,) = said(audit, "alpha")
    into = known & (np.arange(TEXTS) % 2 == 0)[partner]
    assert words.split()[1:4] == [str(int(same.sum())), "of", str(int(into.sum()))]
    assert not said(audit, "beta")
    assert not said(audit)


def test_a_class_whose_texts_are_read_says_nothing() -> None:
    assert not said(judged(0.2), "alpha")
