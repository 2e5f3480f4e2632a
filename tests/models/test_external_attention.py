"""Attention from another model: its own weights in any vocabulary, saved with it; and its mean by
place.
"""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from sightline.config.part_syntax import Part
from sightline.config.run_keys import run_key, training_key
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import FitSpec, RunSpec
from sightline.core.errors import ModelError, StoreError
from sightline.data.vocabulary import Vocabulary
from sightline.experiments.pipeline import train
from sightline.experiments.run_in_store import run_stored
from sightline.experiments.store import Store
from sightline.models.classifier import build
from sightline.models.external_attention import Constant
from sightline.models.lend_attention import attention_of, borrow_attention
from sightline.models.model_storage import load_classifier, save_classifier, weights_digest
from sightline.numerics.relative_positions import CELLS, recut
from tests.edits import put
from tests.texts import WORDS, examples, untrained

TEXTS = examples((7, 1, 4, 12, 2))
KNOWN = Vocabulary(tuple(sorted(WORDS, reverse=True)))
RUN = RunSpec(
    parse_data("planted:needle(n=200,length=6)"),
    parse_model("mlp(hidden=4)+additive"),
    FitSpec(epochs=2),
    companions=(),
)


def test_the_weights_are_those_of_the_lender_whatever_numbers_it_gives_to_words() -> None:
    lender = build(
        parse_model("bilstm(hidden=4)", embedding=8, embedding_std=1.0), KNOWN, ("a", "b"), 5
    )
    model = untrained("mlp(hidden=4)+given")
    borrow_attention(model, lender)
    own, other = model.trace(model.collate(TEXTS)), lender.trace(lender.collate(TEXTS))
    assert not torch.equal(own.batch.ids, other.batch.ids)
    assert torch.allclose(own.attention, other.attention, atol=1e-6)
    assert not any(p.requires_grad for p in lender.parameters())
    assert not model.train().source.training


def test_a_borrower_is_saved_with_its_lender(tmp_path: Path) -> None:
    model = untrained("mlp(hidden=4)+given(run=00000000000000ab)", boundaries=True)
    again, _ = load_classifier(save_classifier(model, tmp_path / "model"))
    batch = model.collate(TEXTS)
    assert torch.equal(again.trace(batch).attention, model.trace(batch).attention)
    assert weights_digest(again) == weights_digest(model)
    assert again.source.lender.vocabulary == model.source.lender.vocabulary


def test_a_lender_must_read_the_same_tokens() -> None:
    with pytest.raises(
        ModelError, match="expected a lender that reads boundaries as this model does"
    ):
        borrow_attention(untrained("mlp+given"), untrained("mlp", boundaries=True))
    with pytest.raises(ModelError, match="expected a lender that reads queries as this model does"):
        borrow_attention(untrained("mlp+given"), untrained("mlp+query"))
    alone = build(parse_model("mlp+given"), KNOWN, ("a", "b"), 0)
    with pytest.raises(ModelError, match="expected a model that lends its attention, got none"):
        alone.trace(alone.collate(TEXTS))


def test_a_run_is_given_the_attention_of_another_by_its_key(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    lender = replace(RUN, model=parse_model("bilstm(hidden=4)+additive"), measures=("need",))
    for named in (run_key(lender), training_key(lender)):
        model = replace(RUN.model, source=Part("given", (("run", named),)))
        borrower = replace(RUN, model=model, measures=("need",))
        if store.state(run_key(lender)) == "missing":
            assert run_stored(borrower, store) == "failed"
            error = store.summary(run_key(borrower)).error
            assert (
                f"given(run={named}): expected a run that is done in {store.root}, got none; "
                "run it first"
            ) in error
            assert run_stored(lender, store) == "done"
        assert run_stored(borrower, store, again=True) == "done"
        rows = [
            store.audit(run_key(one)).measurements["outputs"].values["attention"]
            for one in (lender, borrower)
        ]
        assert all(
            np.allclose(*both, atol=1e-6)
            for both in zip(*(row.rows() for row in rows), strict=True)
        )


def test_without_a_store_no_run_can_lend() -> None:
    with pytest.raises(
        Exception, match="expected a study, whose store has runs by their keys"
    ) as caught:
        train(replace(RUN, model=parse_model("mlp+given(run=00000000000000ab)")))
    assert not isinstance(caught.value, StoreError)


def test_constant_attention_is_the_mean_by_place() -> None:
    base, model = untrained("bilstm(hidden=4)"), untrained("mlp(hidden=4)+constant")
    batch = model.collate(TEXTS)
    flat = model.trace(batch).attention
    assert torch.allclose(flat, batch.attendable / batch.attendable.sum(1, keepdim=True), atol=1e-6)
    rows = attention_of(base, base.collate(TEXTS))
    model.source.learn(rows)
    curve = np.mean([recut(row, CELLS) for row in rows], axis=0)
    found = attention_of(model, batch)
    for row, text in zip(found, TEXTS, strict=True):
        assert row == pytest.approx(recut(curve, len(text.tokens)), abs=1e-6)
        assert row.sum() == pytest.approx(1)


def test_constant_attention_looks_at_no_word(tmp_path: Path) -> None:
    made = train(
        replace(RUN, model=parse_model("mlp(hidden=4)+additive+constant"), companions=("base",))
    )
    assert isinstance(made.model.source, Constant)
    assert set(made.record["trainings"]) == {
        "model",
        "companion (what an adversary or an ablation started from)",
    }
    weights = attention_of(made.model, made.model.collate(made.dataset.test))
    assert all(np.allclose(row, weights[0]) for row in weights if len(row) == len(weights[0]))
    again, _ = load_classifier(save_classifier(made.model, tmp_path / "model"))
    assert torch.equal(again.source.summed, made.model.source.summed)
    assert made.model.source.summed.diff().std() > 0


def test_lenders_of_lenders_without_end_are_refused(tmp_path: Path) -> None:
    folder = save_classifier(untrained("mlp(hidden=4)+given"), tmp_path / "model")
    card = json.loads((folder / "model.json").read_text())
    inner = card.pop("lender")
    for _ in range(400):
        inner = {**card, "lender": inner}
    put(folder / "model.json", json.dumps(inner))
    with pytest.raises(ModelError, match=r"model\.json: expected what `sightline train` wrote"):
        load_classifier(folder)
