"""Training that is told where attention is to lie: what it adds to the loss, and where that
leads.
"""

from dataclasses import replace
from math import log

import numpy as np
import pytest
import torch

from sightline.config.specs import FitSpec
from sightline.core.errors import DataError
from sightline.core.example import Example
from sightline.training.attention_supervision import guidance
from sightline.training.loop import fit
from tests.reference.formulas import guided_loss
from tests.texts import examples, trained, untrained

GUIDES = ("onto", "away", "last", "first")


def texts() -> list[Example]:
    """Texts of which the first two have marked words, two and one; the third has none marked, and
    others no marks.
    """
    marks = [(True, False, True, False, False, False, False), (True,), (False,) * 4, None, None]
    return [replace(text, rationale=mark) for text, mark in zip(examples(), marks, strict=True)]


@pytest.mark.parametrize("guide", GUIDES)
@pytest.mark.parametrize("boundaries", [False, True])
def test_what_a_guide_adds_is_the_logarithm_of_the_mass_it_wants(
    guide: str, boundaries: bool
) -> None:
    model = untrained("mlp(hidden=6)+dot(start=normal)", boundaries=boundaries)
    trace = model.trace(model.collate(texts()))
    added = guidance(trace.attention, trace.batch, texts(), FitSpec(guide=guide, guide_weight=0.7))
    for row, text in enumerate(texts()):
        weights = trace.attention[row][trace.batch.attendable[row]].tolist()
        expected = guided_loss(weights, text.rationale, guide, 0.7)
        assert added[row].item() == pytest.approx(expected, abs=1e-5)


def test_what_is_added_is_known_by_hand() -> None:
    model, spec = untrained("mlp(hidden=6)+uniform"), FitSpec(guide="onto", guide_weight=2.0)
    trace = model.trace(model.collate(texts()))
    assert guidance(trace.attention, trace.batch, texts(), spec).tolist() == pytest.approx(
        [-2 * log(2 / 7), 0, 0, 0, 0], abs=1e-6
    )
    away = guidance(trace.attention, trace.batch, texts(), replace(spec, guide="away"))
    assert away[0].item() == pytest.approx(-2 * log(5 / 7), abs=1e-6)


@pytest.mark.parametrize("guide", GUIDES)
def test_the_gradient_of_a_guide_is_that_of_differences(guide: str) -> None:
    """In float64, through a softmax over the words of each text."""
    batch = untrained("mlp(hidden=6)").collate(texts()[:1])
    spec = FitSpec(guide=guide, guide_weight=0.7)
    scores = torch.randn(1, 7, dtype=torch.float64, generator=torch.Generator().manual_seed(0))

    def added(at: torch.Tensor) -> torch.Tensor:
        return guidance(at.softmax(1), batch, texts()[:1], spec).sum()

    (found,) = torch.autograd.grad(added(scores.requires_grad_()), scores)
    for place in range(7):
        step = torch.zeros_like(scores)
        step[0, place] = 1e-6
        with torch.no_grad():
            slope = (added(scores + step) - added(scores - step)) / 2e-6
        assert found[0, place].item() == pytest.approx(slope.item(), abs=1e-7)


@pytest.mark.parametrize("guide", GUIDES)
def test_sparse_weights_that_miss_what_is_wanted_are_finite(guide: str) -> None:
    batch = untrained("mlp(hidden=6)").collate(texts()[:1])
    for place in range(7):
        weights = torch.zeros(1, 7).index_fill(1, torch.tensor([place]), 1.0).requires_grad_()
        added = guidance(weights, batch, texts()[:1], FitSpec(guide=guide)).sum()
        (found,) = torch.autograd.grad(added, weights)
        assert torch.isfinite(added)
        assert torch.isfinite(found).all()


@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_a_guide_is_added_to_the_loss_of_each_text_and_not_to_its_validation(
    reduction: str,
) -> None:
    several = tuple(examples((5,) * 32))
    spec = FitSpec(epochs=1, reduction=reduction)
    model, plain = untrained("mlp(hidden=8)"), untrained("mlp(hidden=8)")
    trace = model.trace(model.collate(several))
    beside = (
        guidance(trace.attention, trace.batch, several, replace(spec, guide="last")).mean().item()
    )
    guided = fit(model, several, several, replace(spec, guide="last"), 0).epochs[0]
    alone = fit(plain, several, several, spec, 0).epochs[0]
    assert guided.training_loss == pytest.approx(alone.training_loss + beside, rel=1e-5)
    assert guided.loss == pytest.approx(alone.loss, abs=0.1)


@pytest.mark.parametrize("guide", GUIDES)
def test_attention_follows_its_guide(guide: str) -> None:
    model, dataset = trained(
        "planted:needle(n=240,length=6,opening=true,ending=true)",
        "bilstm(hidden=8)",
        epochs=12,
        guide=guide,
        learning_rate=0.01,
    )
    trace = model.trace(model.collate(dataset.test))
    there = trace.batch.attendable.sum(1)
    mass = []
    for row, text in enumerate(dataset.test):
        weights = trace.attention[row, : there[row]].numpy()
        marked = weights[np.array(text.rationale)].sum()
        mass.append(
            {"onto": marked, "away": 1 - marked, "last": weights[-1], "first": weights[0]}[guide]
        )
    assert np.mean(mass) > 0.95


@pytest.mark.parametrize("guide", ["onto", "away"])
def test_texts_without_marks_cannot_guide_by_them(guide: str) -> None:
    plain = tuple(examples((5,) * 4))
    unmarked = tuple(replace(text, rationale=(False,) * 5) for text in plain)
    for split in (plain, unmarked):
        with pytest.raises(
            DataError, match=rf"fit\.guide: '{guide}' needs rationales, and no training text has"
        ):
            fit(untrained("mlp(hidden=4)"), split, plain, FitSpec(epochs=1, guide=guide), 0)


@pytest.mark.parametrize(("guide", "more"), [("onto", True), ("away", False)])
def test_words_are_named_in_the_place_of_marks(guide: str, more: bool) -> None:
    """Pruthi et al. 2020 name the words that attention is to avoid."""
    texts = tuple(replace(text, rationale=None) for text in examples((9,) * 32))
    named = tuple(dict.fromkeys(word for text in texts for word in text.tokens[:2]))[:6]

    def mass(spec: FitSpec) -> float:
        model = untrained("mlp(hidden=8)")
        fit(model, texts, texts, spec, 0)
        batch = model.collate(texts)
        on = torch.tensor([[word in named for word in text.tokens] for text in texts])
        return (model.trace(batch).attention * on).sum(1).mean().item()

    plain = FitSpec(epochs=30, patience=30, learning_rate=0.02)
    guided = replace(plain, guide=guide, guide_words=named, guide_weight=2.0)
    assert (mass(guided) > mass(plain) + 0.1) if more else (mass(guided) < mass(plain) - 0.1)


def test_named_words_must_occur() -> None:
    texts = tuple(examples((5,) * 4))
    with pytest.raises(DataError, match=r"fit\.guide_words: none of Nowhere is in a training text"):
        fit(untrained("mlp"), texts, texts, FitSpec(guide="away", guide_words=("Nowhere",)), 0)
