"""Models of transformers for multi-label classification, one label at a time."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import torch

import sightline
from sightline.adapters.compatibility import check
from sightline.adapters.huggingface.auditable import HuggingFace
from sightline.core.errors import ModelError
from sightline.core.protocols import SupportsLabels
from sightline.numerics.log_odds import log_odds
from tests.adapters.huggingface.toys import classifier, tokenizer_of
from tests.texts import example

TEXTS = [
    example(text, index)
    for index, text in enumerate(("the film was good", "a bad story in the town", "it is so long"))
]


@cache
def whole(**reading: Any) -> HuggingFace:
    module = classifier("bert", 3, problem_type="multi_label_classification")
    return sightline.transformer(module, tokenizer_of("bert"), name="toy", **reading)


def test_a_view_gives_the_logit_of_its_label_by_every_road() -> None:
    model = whole()
    assert model.link == "sigmoids"
    assert isinstance(model, SupportsLabels)
    batch = model.collate(TEXTS)
    every = model.module(input_ids=batch.ids, attention_mask=batch.mask.long()).logits
    torch.testing.assert_close(model.label_logits(batch), every)
    for number, name in enumerate(model.labels):
        view = sightline.label_view(model, name)
        assert isinstance(view, HuggingFace)
        own, trace = every[:, number : number + 1], view.trace(batch)
        assert (view.link, view.labels) == ("sigmoid", (f"not {name}", name))
        torch.testing.assert_close(view.logits(batch), own)
        torch.testing.assert_close(trace.logits, own)
        torch.testing.assert_close(view.decode(trace, trace.own), own)
        torch.testing.assert_close(view.decode_many(trace, trace.own[None])[0], own)
        torch.testing.assert_close(view.label_logits(batch), every)
        assert view.without_choice(batch, None, None).shape == own.shape


def test_a_view_passes_the_checks_of_every_model() -> None:
    view = sightline.label_view(whole(), 1)
    found = check(view, TEXTS, ("not LABEL_1", "LABEL_1"))
    assert all(one.outcome != "failed" for one in found), found


def test_slopes_are_those_of_the_label() -> None:
    """The reading weight × slope asks for the slope of the decided class: of one logit, by its
    sign.
    """
    found = [
        sightline.label_view(whole(reading="evidence"), number).trace(whole().collate(TEXTS))
        for number in range(3)
    ]
    assert not torch.allclose(found[0].attention, found[1].attention)
    logits = torch.tensor([[2.0], [-3.0]])
    chosen = (logits[:, 0] > 0).long()
    assert log_odds(logits, chosen).tolist() == [2.0, 3.0]


def test_one_label_is_enough_and_regression_is_refused() -> None:
    one = classifier("bert", 1, problem_type="multi_label_classification")
    model = sightline.transformer(one, tokenizer_of("bert"), name="toy")
    batch = model.collate(TEXTS)
    assert sightline.label_view(model, 0).trace(batch).logits.shape == (3, 1)
    number = classifier("bert", 1, problem_type="regression")
    with pytest.raises(ModelError, match="regression"):
        sightline.transformer(number, tokenizer_of("bert"), name="toy")
